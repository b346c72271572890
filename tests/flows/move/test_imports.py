"""Imports keep lifetimes, protection, parents, the archive and edited exports."""

import json
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop


def test_an_export_printed_over_several_lines_can_be_read(memory: Memory, open_memory: OpenMemory) -> None:
    memory.remember("Deploys happen on Mondays")
    path = memory.admin.export(form="json").path
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")), indent=2), "utf-8")
    assert [receipt.status for receipt in open_memory("another").admin.import_file(path)] == ["added"]


def test_what_lives_for_a_while_does_so_after_an_import(
    memory: Memory, open_memory: OpenMemory, clock: TestClock
) -> None:
    memory.remember("The build is broken", ttl=60)
    memory.remember("The build was fixed", ttl=10)
    path = memory.admin.export().path
    clock.advance(seconds=20)
    other = open_memory("another")
    list(other.admin.import_file(path))
    assert {row["text"]: row["is_stale"] for row in other.list()} == {
        "The build is broken": False,
        "The build was fixed": True,
    }
    clock.advance(seconds=41)
    assert all(row["is_stale"] for row in other.list())


def test_what_is_protected_stays_protected_after_an_import(memory: Memory, open_memory: OpenMemory) -> None:
    kept = memory.remember("Never deploy without a backup").id
    memory.protect(kept or "")
    path = memory.admin.export().path
    other = open_memory("another")
    list(other.admin.import_file(path))
    assert [row["protected"] for row in other.list()] == [True]


def test_an_imported_child_stands_under_its_parent_also_where_that_was_known(
    open_memory: OpenMemory, tmp_path: Path
) -> None:
    here, there = open_memory("here"), open_memory("there")
    top = here.remember("Logins use tokens", level=1, domain="auth")
    child = here.remember("Tokens live for an hour", level=2, domain="auth", parent=str(top.id))
    known = there.remember("Logins use tokens", level=1, domain="auth")
    here.admin.export(tmp_path / "e.jsonl")
    list(there.admin.import_file(tmp_path / "e.jsonl"))
    assert [row["text"] for row in there.facts.subtree(str(known.id))] == [
        "Logins use tokens",
        "Tokens live for an hour",
    ]
    assert child.id


def test_an_import_keeps_what_was_archived_in_the_archive(
    open_memory: OpenMemory, tmp_path: Path, clock: TestClock
) -> None:
    here, there = open_memory("here"), open_memory("there")
    here.remember("The old gate is blue", ttl=60, on_expire="archive")
    clock.advance(days=1)
    here.admin.maintain()
    here.admin.export(tmp_path / "e.jsonl")
    list(there.admin.import_file(tmp_path / "e.jsonl"))
    assert there.list() == []


def test_links_of_an_import_are_audited(open_memory: OpenMemory, tmp_path: Path) -> None:
    here, there = open_memory("here"), open_memory("there")
    here.decide("Use SQLite", because=["It needs no server"])
    here.admin.export(tmp_path / "e.jsonl")
    list(there.admin.import_file(tmp_path / "e.jsonl"))
    assert "link" in [entry.action for entry in there.admin.audit()]


def test_what_was_put_into_the_archive_is_there_after_an_import(
    open_memory: OpenMemory, tmp_path: Path, clock: TestClock
) -> None:
    here, there = open_memory("here"), open_memory("there")
    said = here.remember("The old gate is blue", ttl=60, on_expire="archive")
    clock.advance(days=1)
    here.admin.maintain()
    rows = json.dumps(next(iter(here.list(archived=True))) | {"expires_at": None, "ttl": None, "on_expire": None})
    (tmp_path / "e.jsonl").write_text(rows + "\n")
    list(there.admin.import_file(tmp_path / "e.jsonl"))
    assert there.list() == []
    assert [row["id"] for row in there.list(archived=True)] == [said.id]
