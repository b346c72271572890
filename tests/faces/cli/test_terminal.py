"""At a real terminal Waypost asks, and counts the user as a person."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory

pty = pytest.importorskip("pty", reason="terminals of this kind exist on POSIX only")


def at_terminal(directory: Path, *arguments: str, typed: str = "") -> tuple[int, str]:
    """Run a command whose input and output are a terminal, type something, and read what it shows."""
    master, slave = pty.openpty()
    environment = {**os.environ, "WAYPOST_MODELS": str(directory / "none"), "WAYPOST_PERSON": "anna", "TERM": "dumb"}
    process = subprocess.Popen(
        [sys.executable, "-m", "waypost", "-C", str(directory), *arguments],
        stdin=slave, stdout=slave, stderr=slave, env=environment, close_fds=True,
    )  # fmt: skip
    os.close(slave)
    os.write(master, typed.encode())
    shown = b""
    while True:
        try:
            block = os.read(master, 4096)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not block:
            break
        shown += block
    os.close(master)
    return process.wait(60), shown.decode()


def listed(directory: Path) -> list[dict[str, Any]]:
    with Memory.open(directory) as memory:
        return [*memory.list()]


@pytest.mark.slow
def test_a_person_writes_as_a_person_and_is_asked_before_anything_is_destroyed(tmp_path: Path) -> None:
    assert at_terminal(tmp_path, "remember", "We deploy on Tuesdays")[0] == 0
    (row,) = listed(tmp_path)
    assert (row["source"], row["actor"]) == ("person", "anna")
    code, shown = at_terminal(tmp_path, "reject", row["id"], typed="n\n")
    assert (code, len(listed(tmp_path))) == (2, 1)
    assert "[y/N]" in shown
    assert "nothing was changed" in shown
    assert at_terminal(tmp_path, "reject", row["id"], typed="y\n")[0] == 0
    assert listed(tmp_path) == []
    # Writing the rejected value again and confirming lifts the rejection.
    code, shown = at_terminal(tmp_path, "remember", "We deploy on Tuesdays", typed="y\n")
    assert code == 0
    assert "Store it anyway?" in shown
    (again,) = listed(tmp_path)
    assert at_terminal(tmp_path, "forget", again["id"], typed="j\n")[0] == 0
    assert listed(tmp_path) == []


def test_what_a_memory_holds_cannot_act_on_the_terminal() -> None:
    from waypost.faces.cli.output.memories import safe

    assert safe("a\x1b[31mb\x9bc\u202ed\te\nf") == "a�[31mb�c�d\te\nf"
