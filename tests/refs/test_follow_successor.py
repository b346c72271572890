"""Lines of a file that git takes for renamed, although it is another file."""

import pytest
from tests.refs.other_shapes import OtherShapes
from tests.refs.test_follow_parts import shape

from waypost.model.code_verdict import CHANGED, DELETED
from waypost.model.reference import LineRange
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import pin

WAS = """package shop.adapter;

import java.lang.reflect.Type;
import shop.Call;
import rx.Observable;
import rx.Single;

final class SingleMaker {
  static Single<?> make(Observable<?> from) {
    return from.toSingle();
  }
}
"""
UNRELATED = """package shop.helpers;

import java.util.Map;
import retrofit.Retrofit;

class NullConverter {
  Object convert(Map<String, String> values) {
    return null;
  }
}
"""
RENAMED = WAS.replace("import rx.Single;", "import rx.core.Single;").replace("SingleMaker", "MonoMaker")


@pytest.mark.parametrize(("now", "expected"), [(UNRELATED, DELETED), (RENAMED, CHANGED)], ids=["unrelated", "renamed"])
def test_a_short_line_is_followed_with_edits_into_another_file_only_if_most_of_it_is_there(
    now: str, expected: str
) -> None:
    was, after = shape("SingleMaker.java", WAS), shape("Other.java", now)
    pinned = pin(was, LineRange(6, 6), None)
    assert pinned is not None
    others = OtherShapes(was, [after])
    others.successors = lambda: (after,)  # type: ignore[method-assign]  # git says so
    verdict = follow(pinned.anchor, FollowedPlace(was.path, LineRange(6, 6)), None, others)
    assert verdict.state == expected
