"""Lines that were edited or removed: where they are now, by a diff with the file as it was pinned."""

import pytest
from tests.refs.other_shapes import OtherShapes

from waypost.code.files.languages import language_of_path
from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import pin


def read(path: str, text: str) -> FileShape:
    source = SourceFile(path, language_of_path(path, text), text)
    return shape_of(source, parse(source))


def followed(path: str, before: str, after: str, start: int, end: int | None = None, **others: str) -> CodeVerdict:
    """`others`: other files with the ending of this one, as they are now."""
    was, ending = read(path, before), path.rpartition(".")[2]
    pinned = pin(was, LineRange(start, end or start), None)
    assert pinned is not None
    now = [read(path, after), *(read(f"{name}.{ending}", text) for name, text in others.items())]
    return follow(pinned.anchor, FollowedPlace(path, pinned.lines), now[0], OtherShapes(was, now))


PACKAGE = """\
{
  "name": "p",
  "devDependencies": {
    "semver": "^7.3.2",
    "send": "^0.17.1",
    "serve-static": "^1.14.1",
    "simple-get": "^4.0.0",
    "snazzy": "^8.0.0",
    "split2": "^3.1.1",
    "standard": "^14.0.0",
    "tap": "^14.4.1"
  }
}
"""


@pytest.mark.parametrize("line", range(4, 12))
def test_an_edited_dependency_is_reported_at_its_own_line(line: int) -> None:
    lines = PACKAGE.split("\n")
    lines[line - 1] = lines[line - 1].replace('": "^', '": "^9')
    verdict = followed("package.json", PACKAGE, "\n".join(lines), line)
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(line, line))


def test_all_dependencies_can_change_and_more_be_added() -> None:
    after = PACKAGE.replace('": "^', '": "^2').replace('    "send"', '    "sandwich": "^8.0.0",\n    "send"')
    places = [followed("package.json", PACKAGE, after, line).lines for line in range(4, 12)]
    assert places == [LineRange(4, 4), *(LineRange(line + 1, line + 1) for line in range(5, 12))]


def test_a_removed_dependency_is_not_taken_for_the_one_in_its_place() -> None:
    before = "module m\n\nrequire (\n\texample.com/cast v1.3.0\n\texample.com/metrics v1.2.0\n\texample.com/zap v1.2.0\n\texample.com/yaml v3.0.1\n)\n"
    after = before.replace("metrics v1.2.0", "toml v2.2.4").replace("cast v1.3.0", "cast v1.10.0")
    assert followed("go.mod", before, after, 5).state == DELETED
    cast = followed("go.mod", before, after, 4)
    assert (cast.state, cast.lines) == (CHANGED, LineRange(4, 4))


def test_a_removed_setting_is_not_taken_for_another_one() -> None:
    before = "all: build\n\nTEST_FORMAT ?= short\nTEST_REPORT_NAME ?= results.xml\nGOLANG_VERSION = 1.14\n"
    after = before.replace("TEST_REPORT_NAME ?= results.xml\n", "").replace("1.14", "1.24")
    assert followed("Makefile", before, after, 4).state == DELETED
    assert followed("Makefile", before, after, 5).lines == LineRange(4, 4)


SETUP = (
    'class V:\n    def setup(self):\n        self.parents = []\n        self.config = dict()\n        self.name = "v"\n'
)


def test_the_range_of_an_edited_line_does_not_grow_upwards() -> None:
    verdict = followed("k.py", SETUP, SETUP.replace("dict()", "OrderedDict()"), 4)
    assert (verdict.state, verdict.lines, verdict.name) == (CHANGED, LineRange(4, 4), "V.setup")


def test_one_statement_in_place_of_another_in_a_function_is_its_successor() -> None:
    verdict = followed("k.py", SETUP, SETUP.replace("self.config = dict()", "super().__init__()"), 4)
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(4, 4))


BLOCKS = "".join(
    f'<a name="{name}"></a>\n#### {name}\nThe {name} is used when there is something to do.\n\n'
    for name in ("listen", "ready", "close", "route")
)


@pytest.mark.parametrize(("start", "end"), [(9, 11), (11, 11), (10, 11)])
def test_an_edited_block_among_similar_ones_is_reported_at_its_own_lines(start: int, end: int) -> None:
    verdict = followed("S.md", BLOCKS, BLOCKS.replace("The close is used", "The close is called"), start, end)
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(start, end))


def test_a_block_with_a_small_edit_was_not_removed() -> None:
    before = f'{BLOCKS}<a name="decorate"></a>\n#### decorate\nSee [here](./Decorators.md).\n'
    verdict = followed("S.md", before, before.replace("(./Dec", "(Dec"), 17, 19)
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(17, 19))


def test_lines_of_which_one_stands_were_not_removed() -> None:
    badges = "# V\n\n[![Actions](https://a.example/badge.svg)](https://a.example/v)\n[![Chat](https://chat.example/v)]\n[![Docs](https://docs.example/svg)]\n"
    after = "# V\n\n> Configuration\n\n[![Mentioned](https://awesome.example/b)]\n\n[![Chat](https://chat.example/v)]\n"
    verdict = followed("README.md", badges, after, 3, 5)
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(7, 7))


def test_a_line_of_a_removed_function_is_not_in_another_function_of_its_name() -> None:
    before = "function serialize(data) {\n  const shape = pick(data)\n  return shape.text\n}\n\nfunction other() {}\n"
    reply = "function serialize(reply, code) {\n  if (code > 9) {\n    throw fail(code, 'none')\n  }\n  send(reply, code)\n}\n"
    assert followed("lib.js", before, "function other() {}\n", 2, reply=reply).state == DELETED


FINDER = """\
package v

// Search all paths for any file.
// Returns the first one.
func (v *V) find() string {
	return v.first(v.paths)
}
"""


def test_a_comment_stays_with_its_words_if_its_function_was_split() -> None:
    after = """\
package v

// Search for a file.
func (v *V) find() string {
	if v.finder != nil {
		return v.finder.find()
	}
	return v.findOld()
}

// Search all paths for any file.
// Returns the first one.
func (v *V) findOld() string {
	return v.first(v.paths)
}
"""
    for line in (3, 4):
        verdict = followed("v.go", FINDER, after, line)
        assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(line + 8, line + 8))
        verdict = followed("v.go", FINDER, "package v\n", line, w=after)
        assert (verdict.state, verdict.path, verdict.lines) == (MOVED, "w.go", LineRange(line + 8, line + 8))


def test_an_edited_comment_is_reported_at_its_own_line() -> None:
    before = "a = 1\n# The limit of a\nb = 2\n# The limit of b\nc = 3\n# The limit of c\n"
    verdict = followed("k.py", before, before.replace("limit of b", "bound of b"), 4)
    assert (verdict.state, verdict.lines) == (CHANGED, LineRange(4, 4))


def test_a_large_file_is_compared_in_time() -> None:
    before = "".join(f"- item\n- name {number % 7}\n" for number in range(2_000))
    after = before.replace("name 3", "name three").replace("- item\n", "- item\n- item\n")
    verdict = followed("list.md", before, after, 1_212)
    assert verdict.state in (CHANGED, DELETED)
