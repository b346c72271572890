"""Each remedy that a repair names was run as it is printed; `tests/faces/cli/test_doctor.py` asks for that."""

import re
import shlex
from pathlib import Path

import pytest
from tests.store.damage.filled import Filled, flip_in, pages_of_table, zero

from waypost.faces.cli.entry import run
from waypost.flows import findings as finding
from waypost.flows.admin.recovery import damage_findings
from waypost.flows.findings import Finding, FindingKind
from waypost.memory.spaces import open_spaces


def repaired(filled: Filled) -> list[Finding]:
    findings = list(filled.open(for_repair=True).admin.doctor(fix=True))
    open_spaces.drop_all()
    return findings


def named(findings: list[Finding], kind: FindingKind) -> Finding:
    return next(one for one in findings if one.kind == kind.name)


def commands(filled: Filled, found: Finding) -> list[int]:
    done = []
    for command in re.findall(r"`waypost ([^`]+)`", found.remedy):
        words = ["The right text" if word == "TEXT" else word for word in shlex.split(command)]
        done.append(run(["-C", str(filled.project), *words]))
        open_spaces.drop_all()
    return done


def test_what_is_lost_can_be_looked_for_in_the_old_file(copied: Filled) -> None:
    doomed = next(one for one, text in copied.memories.items() if text.startswith("Service 41 "))
    zero(copied.database, min(copied.places[doomed]))
    lost = named(repaired(copied), finding.LOST)
    old = Path(lost.remedy.removeprefix("Look for them in a backup, or in ").removesuffix("."))
    assert old.is_file()


def test_what_is_left_of_a_memory_is_in_its_history(copied: Filled) -> None:
    """Its first version is on a page that is lost, the second one on another."""
    corrected = next(one for one, text in copied.memories.items() if text.startswith("Service 0 listens on port 9000"))
    first, *others = sorted(copied.places[corrected])
    assert others
    zero(copied.database, first)
    found = named(repaired(copied), finding.LOST_VERSIONS)
    assert commands(copied, found) == [0]


def test_a_memory_that_is_not_as_written_can_be_verified_or_corrected(copied: Filled) -> None:
    flip_in(copied.database, b"Service 43 listens on port 8043")
    assert commands(copied, named(repaired(copied), finding.NOT_AS_WRITTEN)) == [0, 0]
    assert [one for one in copied.open().admin.doctor() if not one.ok] == []


def test_lost_rows_of_other_tables_are_named_with_the_old_file(copied: Filled) -> None:
    zero(copied.database, pages_of_table(copied.database, "audit")[-1])
    lost = named(repaired(copied), finding.LOST_ROWS)
    assert Path(lost.remedy.removeprefix("The old file is ").removesuffix(".")).is_file()


def test_what_a_stopped_repair_left_goes_with_the_next(copied: Filled) -> None:
    (copied.database.parent / "damaged" / ".repair").mkdir(parents=True)
    left = [one for one in copied.open().admin.doctor() if one.kind == finding.UNFINISHED_REPAIR.name]
    assert len(left) == 1
    assert commands(copied, left[0]) == [0]
    assert [one for one in copied.open().admin.doctor() if not one.ok] == []


def test_a_full_disk_is_said_until_there_is_room(copied: Filled, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as full:
        full.setattr("waypost.store.sqlite.store.has_no_room", lambda _: True)
        assert any(one.kind == finding.DISK.name for one in copied.open().admin.doctor())
    assert not any(one.kind == finding.DISK.name for one in copied.open().admin.doctor())


def test_damage_of_a_server_is_left_to_its_administrator() -> None:
    (found,) = damage_findings(["database: a page of the server is damaged"], on_server=True)
    assert found.kind == finding.SERVER_DATABASE.name
    assert "`" not in found.remedy
