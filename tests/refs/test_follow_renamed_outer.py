"""Lines of a nested class whose outer class has another name now."""

from tests.refs.other_shapes import OtherShapes
from tests.refs.test_follow_parts import shape

from waypost.model.code_verdict import MOVED
from waypost.model.reference import LineRange
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import pin

OUTER = """final class {outer} {{
  static final class CallbackCall<T> implements Call<T> {{
    final Executor executor;
    final Call<T> delegate;

    CallbackCall(Executor executor, Call<T> delegate) {{
      this.executor = executor;
      this.delegate = delegate;
    }}
  }}
}}
"""


def test_lines_of_a_nested_class_are_followed_although_its_constructor_has_the_same_name() -> None:
    line = 7
    was = shape("Old.java", OUTER.format(outer="OldFactory"))
    now = shape("New.java", OUTER.format(outer="NewFactory"))
    other = shape("New.java", "final class NewFactory {\n}\n")
    pinned = pin(was, LineRange(line, line), None)
    assert pinned is not None
    others = OtherShapes(was, [now], before=[other])
    others.successors = lambda: ()  # type: ignore[method-assign]  # git saw no rename
    verdict = follow(pinned.anchor, FollowedPlace("Old.java", LineRange(line, line)), None, others)
    assert (verdict.state, verdict.path, verdict.lines) == (MOVED, "New.java", LineRange(line, line))
