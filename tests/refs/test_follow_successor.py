"""Lines of a file that git takes for renamed, although it is another file."""

import pytest
from tests.refs.other_shapes import OtherShapes
from tests.refs.test_follow_parts import shape

from waypost.model.code_verdict import AMBIGUOUS, CHANGED, DELETED
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


FIND = """package v

func (v *V) findConfig() (string, error) {
	v.log.Info("searching for config in paths", "paths", v.paths)
	for _, path := range v.paths {
		if file := v.searchInPath(path); file != "" {
			return file, nil
		}
	}
	return "", NotFoundError{v.name, v.paths}
}
"""
EDITED = FIND.replace("searching for", "looking for")
REWRITTEN = """package v

func (v *V) findConfig() (string, error) {
	found, err := locate.Finder{Paths: v.paths, Names: v.names()}.Find(v.fs)
	if err != nil {
		return "", err
	}
	return found[0], nil
}
"""


@pytest.mark.parametrize(
    ("new", "state", "path"), [(REWRITTEN, CHANGED, "w_old.go"), (EDITED, AMBIGUOUS, None)], ids=["other", "equal"]
)
def test_an_edited_function_in_two_new_files_is_the_much_likelier_one_or_ambiguous(
    new: str, state: str, path: str | None
) -> None:
    was, left = shape("v.go", FIND), shape("v.go", "package v\n")
    pinned = pin(was, None, was.landmarks[0].qualified)
    assert pinned is not None
    others = OtherShapes(was, [left, shape("w_new.go", new), shape("w_old.go", EDITED)])
    verdict = follow(pinned.anchor, FollowedPlace(was.path, pinned.lines), left, others)
    assert (verdict.state, verdict.path) == (state, path)
    assert verdict.others == (("w_new.go:3", "w_old.go:3") if state == AMBIGUOUS else ())
