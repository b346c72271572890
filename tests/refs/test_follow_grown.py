"""Regressions from the property test: parts that ended with a block, and parts in several functions."""

import pytest
from tests.refs.other_shapes import NoOtherFiles

from waypost.code.parse import parse
from waypost.code.shape.build import shape_of
from waypost.code.source import SourceFile
from waypost.model.code_verdict import CHANGED, UNCHANGED, CodeVerdict
from waypost.model.reference import LineRange
from waypost.model.shape import FileShape
from waypost.refs.follow import FollowedPlace, follow
from waypost.refs.pin import pin


def read(text: str, language: str = "python") -> FileShape:
    source = SourceFile("a/b", language, text)
    return shape_of(source, parse(source))


def followed(before: str, lines: LineRange, after: str, language: str = "python") -> CodeVerdict:
    pinned = pin(read(before, language), lines, None)
    assert pinned is not None
    return follow(pinned.anchor, FollowedPlace("a/b", pinned.lines), read(after, language), NoOtherFiles())


PYTHON = """\
def f(rows):
    start(rows)
    if rows:
        use(rows, 1)
        keep(rows, 2)
    done(rows)
"""
GO = """\
func f(rows int) int {
	start(rows)
	if rows > 1 {
		use(rows, 1)
	}
	return rows
}
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        keep(rows, 2)\n", "        keep(rows, 2)\n        more(rows)\n"),
        ("        keep(rows, 2)\n", "        keep(rows, 2)\n    else:\n        more(rows)\n"),
    ],
)
def test_what_is_added_to_the_block_that_a_part_ends_with_is_a_change_of_it(old: str, new: str) -> None:
    verdict = followed(PYTHON, LineRange(2, 5), PYTHON.replace(old, new))
    assert verdict.state == CHANGED


def test_what_is_added_before_a_closing_brace_is_a_change_too() -> None:
    changed = GO.replace("\t\tuse(rows, 1)\n", "\t\tuse(rows, 1)\n\t\tmore(rows)\n")
    assert followed(GO, LineRange(2, 5), "package x\n" + changed, "go").state == CHANGED
    assert followed(GO, LineRange(2, 5), "package x\n" + GO, "go").lines == LineRange(3, 6)


def test_an_argument_more_on_a_line_of_its_own_is_a_change() -> None:
    call = "def f(a):\n    before(a)\n    foo(\n        bar(a)\n    )\n    after(a)\n"
    assert followed(call, LineRange(3, 5), call.replace("bar(a)\n", "bar(a),\n        a\n")).state == CHANGED


def test_a_statement_behind_the_block_is_none() -> None:
    verdict = followed(PYTHON, LineRange(2, 5), PYTHON.replace("    done", "    more(rows)\n    done"))
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(2, 5))


def test_statements_in_the_middle_of_a_block_may_get_neighbours() -> None:
    verdict = followed(
        PYTHON, LineRange(4, 5), PYTHON.replace("        keep(rows, 2)\n", "        keep(rows, 2)\n        x()\n")
    )
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(4, 5))


COPIED = """\
def one(rows):
    total = gather(rows, 17, "all of them", deep=True)
    weight = total * measure(rows, unit="kg") + 12
    return weight


def two(rows, rate):
    total = gather(rows, 17, "all of them", deep=True)
    weight = total * measure(rows, unit="kg") + 12
    return weight * rate
"""


def test_a_copy_in_another_function_is_not_the_code_that_changed() -> None:
    verdict = followed(COPIED, LineRange(2, 3), COPIED.replace("17", "18", 1))
    assert verdict.state == CHANGED
    assert verdict.lines is not None and verdict.lines.end <= 4


def test_code_that_moves_to_another_function_is_followed_there() -> None:
    lines = COPIED.splitlines(keepends=True)
    alone = "".join([*lines[:7], *lines[9:]])
    moved = "".join([lines[0], lines[3], *lines[4:7], *lines[1:3], lines[9]])
    verdict = followed(alone, LineRange(2, 3), moved)
    assert (verdict.state, verdict.lines) == (UNCHANGED, LineRange(6, 7))


def test_a_short_part_that_changed_is_shown_in_its_own_function() -> None:
    text = "def one():\n    rotate()\n    first()\n\n\ndef two():\n    rotate()\n    second()\n"
    verdict = followed(text, LineRange(7, 7), text.replace("rotate()\n    second", "another()\n    second"))
    assert verdict.state == CHANGED
    assert verdict.lines is not None and verdict.lines.start >= 6


def test_lines_that_hold_all_of_a_file_are_the_file() -> None:
    text = "package x\n\nvar a = 1\n// the end\n"
    pinned = pin(read(text, "go"), LineRange(1, 3), None)
    assert pinned is not None
    assert (
        follow(pinned.anchor, FollowedPlace("a/b", pinned.lines), read(text, "go"), NoOtherFiles()).lines
        == pinned.lines
    )


def test_a_copy_of_a_block_that_grew_is_not_the_block() -> None:
    block = "    for row in rows:\n        use(row, 17)\n        keep(row, deep=True)\n"
    text = f"def one(rows):\n    start()\n{block}    end()\n\n\ndef two(rows):\n    start()\n{block}    end()\n"
    verdict = followed(text, LineRange(3, 5), text.replace("deep=True)\n", "deep=True)\n        more(row)\n", 1))
    assert verdict.state == CHANGED
    assert verdict.lines is not None and verdict.lines.end <= 8
