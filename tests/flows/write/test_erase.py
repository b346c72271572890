"""Forgotten and rejected memories leave nothing in exports, histories or vectors."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.home_files import files_with

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput
from waypost.memory import Memory
from waypost.model.memory import Caller

pytestmark = pytest.mark.slow  # not for the inner loop

SECRET = "Quokka handlers meet at the old lighthouse"
OWNER = Caller("person", "owner")


def under(folder: Path, word: str) -> list[str]:
    return [path.name for path in files_with(folder, word)]


def remembered(memory: Memory, text: str, **options: Any) -> str:
    receipt = memory.remember(text, **options)
    assert receipt.status == "added" and receipt.id
    return receipt.id


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85"])
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_a_text_with_unusual_line_ends_is_taken_out_of_exports(memory: Memory, mark: str, form: str) -> None:
    gone = remembered(memory, f"First part{mark}{SECRET}")
    remembered(memory, "Wombats stay")
    export = memory.admin.export(form=form)
    assert memory.forget(gone).exports_changed == (export.path.name,)
    memory.close()
    assert under(memory.space.folder, "Quokka") == []
    assert under(memory.space.folder / "exports", "Wombats") == [export.path.name]


@pytest.mark.parametrize(
    "damage",
    [
        lambda good: good[: len(good) // 2],
        lambda good: good + "[" * 100_000,
        lambda good: good + '{"id": ' + "1" * 5000 + "}\n",
    ],
    ids=["torn", "nested", "huge number"],
)
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_a_damaged_export_keeps_nothing_of_what_is_forgotten(memory: Memory, damage, form: str) -> None:  # type: ignore[no-untyped-def]
    gone = remembered(memory, SECRET)
    export = memory.admin.export(form=form)
    export.path.write_text(damage(export.path.read_text("utf-8")), "utf-8")
    (export.path.parent / "folder.jsonl").mkdir()
    assert memory.forget(gone).complete
    memory.close()
    assert under(memory.space.folder, "Quokka") == []


def test_the_history_of_another_memory_does_not_keep_a_forgotten_value(memory: Memory, clock: TestClock) -> None:
    other = remembered(memory, f"{SECRET}.", valid_from="2020-01-01", valid_until="2021-01-01")
    clock.advance(seconds=1)
    memory.correct(other, "Wombats meet at the harbour")
    export = memory.admin.export(known_at="2026-01-30T12:00:00Z", as_of="2020-06-01")
    gone = remembered(memory, SECRET)
    clock.advance(seconds=1)
    memory.forget(gone)
    assert [version.text for version in memory.history(other).versions] == ["Wombats meet at the harbour"]
    memory.close()
    assert under(memory.space.folder, "Quokka") == []
    assert export.path.exists()
    assert ("forget", other) in [(entry.action, entry.memory_id) for entry in memory.admin.audit()]


@pytest.mark.parametrize("end", ["reject", "forget"])
def test_what_was_merged_does_not_come_back_by_either_of_its_texts(tmp_path: Path, end: str) -> None:
    one, two = "The report is exported as CSV", "The report is exported as CSV every night"
    with Memory.open(tmp_path) as memory:
        kept = memory.remember(one)
        assert memory.remember(two).status == "merged"
        assert kept.id
        memory.reject(kept.id) if end == "reject" else memory.forget(kept.id)
        assert [memory.remember(text).status for text in (one, two)] == ["refused", "refused"]
        assert memory.remember("The report is exported as PDF").status == "added"


def test_a_batch_of_what_was_merged_finds_it_known(tmp_path: Path) -> None:
    batch = [{"text": "The report is exported as CSV"}, {"text": "The report is exported as CSV every night"}]
    with Memory.open(tmp_path) as memory:
        assert [receipt.status for receipt in memory.remember_many(batch)] == ["added", "merged"]
        assert [receipt.status for receipt in memory.remember_many(batch)] == ["duplicate", "duplicate"]


def test_a_domain_spelled_with_invisible_characters_is_the_same_domain(memory: Memory) -> None:
    memory.reject(remembered(memory, SECRET, domain="auth"))
    assert memory.remember(SECRET, domain="Au\u200bth ").status == "refused"
    assert memory.remember(SECRET, domain="billing").status == "refused"


@pytest.mark.parametrize("kind", ["note", "preference", "fact", "learning"])
def test_a_person_lifts_what_was_forgotten_whatever_its_kind(
    open_memory: OpenMemory, tmp_path: Path, kind: str
) -> None:
    memory = open_memory()
    memory.forget(remembered(memory, SECRET, kind=kind))
    assert memory.remember(SECRET, kind=kind).status == "refused"
    person = Memory.open(tmp_path / "work" / "project", caller=OWNER)
    assert person.facts.lift_rejection(SECRET, kind=kind)
    assert memory.remember(SECRET, kind=kind).status == "added"


def test_a_person_lifts_what_was_said_whoever_said_it(open_memory: OpenMemory, tmp_path: Path) -> None:
    memory = open_memory()
    turn: dict[str, Any] = {"kind": "conversation", "session": "s1", "speaker": "Ada", "time": "2026-01-01T10:00:00Z"}
    memory.forget(remembered(memory, SECRET, **turn))
    person = Memory.open(tmp_path / "work" / "project", caller=OWNER)
    assert memory.remember(SECRET, **{**turn, "speaker": "Bob"}).status == "refused"
    assert person.facts.lift_rejection(SECRET, **{**turn, "speaker": "Bob"})
    assert not person.facts.lift_rejection(SECRET, **turn)
    assert memory.remember(SECRET, **turn).status == "added"
    with pytest.raises(InvalidInput):
        person.facts.lift_rejection(SECRET, kind="symbol")


@pytest.mark.parametrize("work", ["settle", "rebuild"])
def test_vectors_of_what_is_forgotten_meanwhile_are_not_stored(
    memory: Memory, fake_engine: FakeEngine, work: str
) -> None:
    fake_engine.fail = work == "settle"
    gone = remembered(memory, SECRET)
    remembered(memory, "Wombats stay")

    def forget_meanwhile(texts: object) -> bool:
        fake_engine.fail = False
        memory.forget(gone)
        return False

    fake_engine.fail = forget_meanwhile
    memory.admin.embed_pending() if work == "settle" else memory.admin.rebuild()
    exported = memory.admin.export(embeddings=True).path.read_text("utf-8")
    assert [json.loads(line)["text"] for line in exported.splitlines()] == ["Wombats stay"]
    with memory.space.store.read() as reader:
        rows = reader.database.rows("SELECT count(*), (SELECT count(DISTINCT hash) FROM passages) FROM vectors")  # type: ignore[attr-defined]
    assert rows == [(1, 1)]


def test_an_export_elsewhere_under_the_home_loses_what_is_forgotten(memory: Memory, tmp_path: Path) -> None:
    doomed, kept = memory.remember("The code word is zanzibarium"), memory.remember("The door is green")
    elsewhere = tmp_path / "home" / "backups"
    elsewhere.mkdir()
    memory.admin.export(elsewhere / "mine.jsonl")
    outside = tmp_path / "outside.jsonl"
    memory.admin.export(outside)
    gone = memory.forget(str(doomed.id))
    assert gone.exports_changed == ("mine.jsonl",)
    assert [json.loads(line)["id"] for line in (elsewhere / "mine.jsonl").read_text().splitlines()] == [kept.id]
    assert "zanzibarium" in outside.read_text()  # beyond reach, and said so
    assert any("outside of Waypost" in place for place in gone.beyond_reach)
