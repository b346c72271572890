"""Help: every command is in one group, its examples can be run, and typing errors get the right hint."""

import shlex
from typing import Any

import pytest
from tests.faces.cli.conftest import Waypost
from typer.core import TyperGroup

from waypost.faces.cli.arguments import move_directory_first
from waypost.faces.cli.entry import root_command
from waypost.faces.cli.help import ALIASES, examples, groups, nearest

VISIBLE = [name for name, command in root_command().commands.items() if not command.hidden]


def test_every_command_is_in_one_group() -> None:
    listed = [name for names in groups().values() for name in names]
    assert sorted(listed) == sorted(VISIBLE)
    assert list(groups()) == ["Start", "Use", "Keep true", "Fix", "Journal", "Maintenance", "Team"]


def test_help_shows_the_groups_in_order_and_one_line_per_command(waypost: Waypost) -> None:
    out = waypost("--help").out
    titles = [line for line in out.splitlines() if line in groups()]
    assert titles == list(groups())
    for name in VISIBLE:
        assert sum(line.startswith(f"  {name} ") for line in out.splitlines()) == 1, name


@pytest.mark.parametrize("name", VISIBLE)
def test_the_examples_of_a_command_are_command_lines_it_accepts(name: str) -> None:
    assert examples(name)
    for line in examples(name):
        program, command_name, *words = shlex.split(line.partition(" >")[0], comments=True)
        assert (program, command_name) == ("waypost", name)
        command: Any = root_command().commands[name]
        if isinstance(command, TyperGroup) and words:
            command = command.commands[words.pop(0)]
        command.make_context(name, words)  # raises for unknown options and missing arguments


def test_the_help_of_a_command_ends_with_its_examples(waypost: Waypost) -> None:
    shown = waypost("help", "ask")
    assert shown.code == 0
    assert shown.out.rstrip().endswith(examples("ask")[-1])
    assert waypost("ask", "--help").out == shown.out
    assert "waypost journal add" in waypost("help", "journal").out
    assert "The text; - reads standard input." in waypost("help", "journal", "add").out


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_other_names_do_the_same(waypost: Waypost, alias: str, name: str) -> None:
    waypost("remember", "We deploy on Tuesdays")
    first, second = waypost(alias, "when do we deploy?"), waypost(name, "when do we deploy?")
    assert (first.code, first.out) == (0, second.out)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [("serach", ["search"]), ("jornal", ["journal"]), ("rember", ["remember"]), ("stael", ["stale"]), ("aks", ["ask"]),
     ("stauts", ["status"]), ("xyzzy", [])],
)  # fmt: skip
def test_a_typing_error_gets_the_command_that_was_meant(waypost: Waypost, typed: str, meant: list[str]) -> None:
    assert nearest(typed, [*VISIBLE, *ALIASES]) == meant
    done = waypost(typed, "x")
    assert done.code == 2
    assert (f"Did you mean {' or '.join(meant)}?" if meant else "waypost help") in done.err


def test_a_question_without_a_command_gets_the_command(waypost: Waypost) -> None:
    done = waypost("how do I deploy?")
    assert done.code == 2
    assert "waypost ask" in done.err


def test_a_hidden_command_is_never_a_hint() -> None:
    assert "work" not in nearest("wrok", VISIBLE)


@pytest.mark.parametrize(
    ("given", "moved"),
    [
        (["status", "-C", "x"], ["-C", "x", "status"]),
        (["ask", "q", "-C../x"], ["-C", "../x", "ask", "q"]),
        (["ask", "q", "-C=x"], ["-C", "x", "ask", "q"]),
        (["-C", "a", "ask", "q", "-C", "b"], ["-C", "a", "-C", "b", "ask", "q"]),
        (["remember", "--", "-C", "x"], ["remember", "--", "-C", "x"]),
        (["status", "-C"], ["-C", "status"]),
        (["journal", "add", "note", "-C", "x", "--json"], ["-C", "x", "journal", "add", "note", "--json"]),
    ],
)
def test_the_directory_can_stand_anywhere(given: list[str], moved: list[str]) -> None:
    assert move_directory_first(given) == moved


def test_a_command_works_on_the_directory_behind_it(waypost: Waypost, tmp_path: Any) -> None:
    (tmp_path / "other").mkdir()
    here = waypost("status", "--json").json["space"]
    there = waypost("status", "-C", str(tmp_path / "other"), "--json").json["space"]
    assert here != there == waypost("-C", str(tmp_path / "other"), "status", "--json").json["space"]
