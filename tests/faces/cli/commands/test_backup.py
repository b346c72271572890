"""`waypost backup`: what it prints, its JSON keys, its exit codes."""

from pathlib import Path

import pytest
from tests.faces.cli.conftest import Waypost
from tests.faces.cli.test_terminal import at_terminal, listed

from waypost import Memory
from waypost.memory.spaces import open_spaces


def texts(waypost: Waypost) -> list[str]:
    return [row["text"] for row in waypost("list", "--json").json["memories"]]


@pytest.mark.slow
def test_a_snapshot_is_made_listed_and_restored_and_the_restore_undone(waypost: Waypost) -> None:
    assert "No snapshots yet" in waypost("backup", "list").out
    waypost("remember", "Alpha runs on port 80")
    made = waypost("backup", "make", "--json")
    assert (made.code, made.json["memories"], made.json["sound"]) == (0, 1, True)
    waypost("remember", "Beta runs on port 81")
    (one,) = waypost("backup", "list", "--json").json["backups"]
    assert one.keys() == {"id", "path", "made_at", "cause", "memories", "size", "sound", "problem"}
    assert one["id"] == made.json["id"]
    shown = waypost("backup", "list").out
    assert one["id"] in shown and "1 memory" in shown and "intact" in shown
    done = waypost("backup", "restore", one["id"], "--yes", "--json")
    assert done.code == 0
    assert done.json.keys() == {
        "status", "backup", "damaged", "removed", "changed", "returned", "files", "undo", "aside", "notices",
    }  # fmt: skip
    assert (done.json["status"], done.json["removed"], done.json["changed"]) == ("restored", 1, 0)
    assert texts(waypost) == ["Alpha runs on port 80"]
    undone = waypost("backup", "restore", "--yes")  # the latest is the one that the restore made
    assert "brings back 1 memory" in undone.out
    assert texts(waypost) == ["Alpha runs on port 80", "Beta runs on port 81"]


def test_without_a_terminal_the_numbers_are_told_and_nothing_is_done_until_yes(waypost: Waypost) -> None:
    waypost("remember", "Alpha runs on port 80")
    waypost("backup", "make")
    waypost("remember", "Beta runs on port 81")
    done = waypost("backup", "restore")
    assert done.code == 2
    assert "removes 1 memory written since" in done.out
    assert "--yes" in done.err
    assert texts(waypost) == ["Alpha runs on port 80", "Beta runs on port 81"]
    assert len(waypost("backup", "list", "--json").json["backups"]) == 1


def test_a_snapshot_that_is_not_there_is_exit_code_three(waypost: Waypost) -> None:
    waypost("remember", "Alpha runs on port 80")
    assert waypost("backup", "restore", "--yes").code == 3
    assert waypost("backup", "restore", "no such", "--yes").code == 3


@pytest.mark.parametrize("content", [None, b"", b"garbage" * 1000])
def test_a_lost_database_is_listed_and_restored_from_the_command_line(waypost: Waypost, content: bytes | None) -> None:
    waypost("remember", "Alpha runs on port 80")
    place = Path(waypost("backup", "make", "--json").json["path"]).parents[1] / "memory.db"
    open_spaces.drop_all()
    place.unlink()
    if content is not None:
        place.write_bytes(content)
    assert [one["sound"] for one in waypost("backup", "list", "--json").json["backups"]] == [True]
    done = waypost("backup", "restore", "--yes")
    assert done.code == 0, done
    assert texts(waypost) == ["Alpha runs on port 80"]
    assert waypost("ask", "which port does alpha use?").code == 0


def test_a_memory_in_postgresql_is_refused_before_its_server_is_asked(
    waypost: Waypost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_STORE", "postgresql://nobody@127.0.0.1:1/none")
    for command in (["list"], ["make"], ["restore", "--yes"]):
        done = waypost("backup", *command)
        assert done.code == 1
        assert "PostgreSQL" in done.err and "docs/how-to/postgres.md" in done.err


@pytest.mark.slow
def test_at_a_terminal_a_restore_asks(tmp_path: Path) -> None:
    with Memory.open(tmp_path) as memory:
        memory.remember("Alpha runs on port 80")
        memory.admin.backups.make()
        memory.remember("Beta runs on port 81")
    code, shown = at_terminal(tmp_path, "backup", "restore", typed="n\n")
    assert (code, len(listed(tmp_path))) == (2, 2)
    assert "removes 1 memory written since" in shown and "Restore it?" in shown
    code, _ = at_terminal(tmp_path, "backup", "restore", typed="y\n")
    assert (code, len(listed(tmp_path))) == (0, 1)
