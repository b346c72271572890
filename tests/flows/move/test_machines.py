"""A project that several machines know by its remote; and a machine that loses its power."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.conftest import Git, TestClock
from tests.flows.move.conftest import ADA, MACHINE, House, quiet, without_moves

from waypost import config
from waypost.embed.fake import FakeEngine
from waypost.space.identity import machine_journal, path_id

_CHILD = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from waypost import config
from waypost.memory.migration import SpaceMigration, find_stored_space
from waypost.model.memory import Caller

def report(phase, done, total, note=""):
    if f"{phase}: {note}" == sys.argv[4]:
        os.kill(os.getpid(), signal.SIGKILL)

settings = replace(config.load(), machine=sys.argv[3])
ends = [replace(settings, store=one) for one in (sys.argv[1], sys.argv[2])]
SpaceMigration(*ends, find_stored_space(ends[0], Path(sys.argv[5]), None)).run(Caller("person", "ada"), report)
"""


@pytest.fixture
def cloned(tmp_path: Path, clock: TestClock, fake_engine: FakeEngine, postgres: str, git: Git) -> House:
    """A project with a remote, in the files of one machine."""
    files = replace(config.load(), store="", machine=MACHINE)
    root = tmp_path / "work" / "shop"
    root.mkdir(parents=True)
    git(root, "init", "-q")
    git(root, "remote", "add", "origin", "https://example.org/ada/shop.git")
    house = House(files, replace(files, store=postgres), root, clock)
    (root / "pay.py").write_text("def pay():\n    return 3\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "Pay")
    memory = house.memory(files)
    memory.index()
    memory.remember("Payments are retried three times", refs=["pay.py"])
    memory.journal.add("Talked with the bank")
    memory.close()
    return house


def test_one_with_a_remote_keeps_its_id_and_its_folder(cloned: House) -> None:
    before = cloned.tables(cloned.files)
    moving = cloned.moving(cloned.files, cloned.database)
    assert moving.new_id == moving.space.space_id
    moving.run(ADA, quiet)
    memory = cloned.memory(cloned.database)
    assert "Talked with the bank" in memory.journal.show("2026-01-30").text
    assert memory.recall("payments").hits
    memory.close()
    folder = cloned.files.memory_root / moving.space.space_id
    moving.remove_old()
    assert sorted(path.name for path in folder.glob("memory.db*")) == []
    assert list((folder / "journal").rglob("2026-01-30.md"))
    cloned.back()
    after = without_moves(cloned.tables(cloned.files))
    for name in ("memories", "vectors", "passages", "code_refs", "journal_places", "edges", "tombstones"):
        assert after[name] == before[name], name


def test_what_another_machine_added_comes_along_under_its_own_ids(
    cloned: House, tmp_path: Path, git: Git, clock: TestClock
) -> None:
    cloned.there()
    clone = tmp_path / "laptop" / "shop"
    clone.parent.mkdir(parents=True)
    git(tmp_path, "clone", "-q", str(cloned.root), str(clone))
    git(clone, "remote", "set-url", "origin", "https://example.org/ada/shop.git")
    (clone / "pay.py").unlink()
    (clone / "other.py").write_text("def other():\n    return 4\n")
    laptop = replace(cloned.database, home=tmp_path / "laptop" / "home", machine="laptop")
    there = cloned.memory(laptop, clone)
    there.index()
    there.remember("Refunds take two days")
    there.journal.add("Written on the laptop")
    there.close()
    cloned.back()
    tables = cloned.tables(cloned.files)
    assert {row[0]: row[1] for row in tables["checkouts"]} == {
        path_id(cloned.root, ""): str(cloned.root),
        path_id(clone, "laptop"): f"laptop:{clone}",
    }
    assert {row[0] for row in tables["journal_files"]} == {"", machine_journal("laptop")}
    memory = cloned.memory(cloned.files)
    assert memory.recall("refunds").hits[0].text == "Refunds take two days"
    assert {hit.path for hit in memory.recall("pay function", scope="code").hits} == {"pay.py"}
    assert [one.message for one in memory.admin.doctor() if not one.ok] == []
    memory.close()
    cloned.there()
    assert {row[0] for row in cloned.tables(cloned.database)["checkouts"]} == {
        path_id(cloned.root, MACHINE),
        path_id(clone, "laptop"),
    }


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize(
    ("direction", "where"), [("there", "Copying: vectors"), ("back", "Copying: vectors"), ("back", "Finishing: source")]
)
def test_a_move_whose_process_is_killed_is_finished_by_the_next(cloned: House, direction: str, where: str) -> None:
    before = cloned.tables(cloned.files)
    ends = [cloned.files.store, cloned.database.store]
    if direction == "back":
        cloned.there()
        ends.reverse()
    killed = subprocess.run(
        [sys.executable, "-c", _CHILD, *ends, MACHINE, where, str(cloned.root)], check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    assert (cloned.there() if direction == "there" else cloned.back()).resumed
    if direction == "there":
        cloned.back()
    assert without_moves(cloned.tables(cloned.files)) == before
