"""Every command that reads can read as of another moment."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost.errors import NotFound
from waypost.faces.cli.entry import run
from waypost.memory import Memory
from waypost.model.time import format_time

pytestmark = pytest.mark.slow  # not for the inner loop

Waypost = Callable[..., Any]


@pytest.fixture
def waypost(memory: Memory, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Waypost:
    """Run a command in the memory's project, and read the JSON that it prints."""
    monkeypatch.chdir(memory.code.root)
    memory.code.root.joinpath("mole.py").write_text("def lamps():\n    return 4\n")

    def call(*arguments: str) -> Any:
        capfd.readouterr()
        run([*arguments, "--json"])
        return [json.loads(line) for line in capfd.readouterr().out.splitlines()]

    return call


@pytest.fixture
def days(memory: Memory, clock: TestClock, waypost: Waypost) -> list[str]:
    """A fact on the first day, another in its place on the second, which is corrected on the third."""
    clock.now = clock.now.replace(year=2020)  # commands have a clock of their own
    found = [format_time(clock.now)]
    first = memory.remember("The mole has 4 lamps", refs=["mole.py"]).id
    found.append(format_time(clock.advance(days=1)))
    second = memory.remember("The mole has 6 lamps", refs=["mole.py"], replaces=first).id
    assert second is not None
    found.append(format_time(clock.advance(days=1)))
    memory.correct(second, "The mole has 8 lamps")
    clock.advance(days=1)
    return found


def told(answer: Any) -> list[str]:
    """The texts of the memories in an answer, whatever command gave it."""
    rows = [row for part in answer for row in (part.get("hits") or part.get("memories") or [part])]
    return [row["text"] for row in rows if "text" in row and row.get("id")]


COMMANDS = (
    ("ask", "mole lamps"),
    ("context", "mole lamps"),
    ("list",),
    ("export",),
    ("about", "mole.py"),
    ("about", "mole.py:1"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_command_answers_of_the_moment_that_it_is_asked_about(
    waypost: Waypost, days: list[str], command: tuple[str, ...]
) -> None:
    options = ("--output", "-") if command == ("export",) else ()
    first, second, third = days
    for moment, lamps in (
        ((), 8),
        (("--as-of", first), 4),
        (("--as-of", second), 8),
        (("--known-at", first), 4),
        (("--known-at", second), 6),
        (("--known-at", third), 8),
        (("--as-of", first, "--known-at", second), 4),
        (("--as-of", second, "--known-at", first), 4),
    ):
        assert told(waypost(*command, *options, *moment)) == [f"The mole has {lamps} lamps"], moment


def test_history_tells_what_was_recorded_by_then(memory: Memory, waypost: Waypost, days: list[str]) -> None:
    (row,) = memory.list()
    (whole,) = waypost("history", row["id"])
    assert [version["text"] for version in whole["versions"]] == ["The mole has 6 lamps", "The mole has 8 lamps"]
    (then,) = waypost("history", row["id"], "--known-at", days[1])
    assert [(one["text"], one["superseded_at"]) for one in then["versions"]] == [("The mole has 6 lamps", None)]
    assert {one["text"] for one in then["related"]} == {"The mole has 4 lamps"}
    (before,) = waypost("history", row["id"], "--known-at", days[0])
    assert "stated nothing" in before["error"]


def test_history_tells_what_was_ever_held_of_an_instant(memory: Memory, waypost: Waypost, days: list[str]) -> None:
    (row,) = memory.list()
    (first,) = waypost("history", row["id"], "--as-of", days[0])
    assert "stated nothing" in first["error"]
    (replaced,) = memory.list(as_of=days[0])
    (then,) = waypost("history", replaced["id"], "--as-of", days[1])
    assert [(one["text"], one["superseded_at"]) for one in then["versions"]] == [("The mole has 4 lamps", days[1])]


def test_show_says_that_a_memory_did_not_hold_then(memory: Memory, days: list[str]) -> None:
    (row,) = memory.list()
    with pytest.raises(NotFound, match="did not hold then"):
        memory.show(row["id"], as_of=days[0])
    assert memory.show(row["id"], known_at=days[1]).version.text == "The mole has 6 lamps"


def test_a_subtree_is_that_of_the_moment(memory: Memory, clock: TestClock) -> None:
    harbour = memory.remember("The port has a harbour", level=0).id
    mole = memory.remember("The harbour has a mole", level=1, parent=harbour).id
    assert harbour is not None
    assert mole is not None
    before = format_time(clock.now)
    clock.advance(days=1)
    memory.facts.promote(mole, 0, parent="")
    assert [row["text"] for row in memory.facts.subtree(harbour)] == ["The port has a harbour"]
    then = memory.facts.subtree(harbour, known_at=before)
    assert [row["text"] for row in then] == ["The port has a harbour", "The harbour has a mole"]
