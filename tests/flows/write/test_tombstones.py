"""A rejected value is not stored again, by any path or in any spelling."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.home_files import files_with

from waypost import Memory
from waypost.errors import InvalidInput, Refused
from waypost.facts.identity import tombstone
from waypost.model.memory import Caller

VARIANTS = tomllib.loads(
    (Path(__file__).parents[2] / "facts" / "rejection" / "rejected_variants.toml").read_text("utf-8")
)["value"]

pytestmark = pytest.mark.both_stores

VALUE = "The admin panel is open to everyone"

SPELLINGS = {
    "case": "THE ADMIN PANEL IS OPEN TO EVERYONE",
    "white space": "  The  admin\tpanel\nis open\u00a0to   everyone ",
    "full stop": "The admin panel is open to everyone.",
    "Cyrillic look-alikes": "The аdmin рanel is оpen tо еveryоne",
    "Greek look-alikes": "The admin panel is οpen tο everyοne",
    "full width": "Ｔｈｅ ａｄｍｉｎ ｐａｎｅｌ is open to everyone",
    "mathematical": "𝐓𝐡𝐞 𝐚𝐝𝐦𝐢𝐧 𝐩𝐚𝐧𝐞𝐥 is open to everyone",
    "zero width": "The ad\u200bmin pa\u200dnel is op\ufeffen to every\u2060one",
    "soft hyphen": "The ad\u00admin panel is open to every\u00adone",
    "direction marks": "\u202aThe admin panel\u202c is open to everyone",
    "variation selector": "The admin\ufe0f panel is open to everyone",
}


@pytest.fixture
def rejected(memory: Memory) -> Memory:
    receipt = memory.remember(VALUE)
    assert receipt.id
    memory.reject(receipt.id)
    return memory


@pytest.mark.parametrize("spelling", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_no_spelling_of_a_rejected_value_is_stored(rejected: Memory, spelling: str) -> None:
    receipt = rejected.remember(spelling)
    assert receipt.status == "refused"
    assert "rejected" in (receipt.reason or "")
    assert rejected.list() == []


def test_other_values_of_the_same_subject_are_stored(rejected: Memory) -> None:
    for text in (
        "The admin panel is not open to everyone",
        "The admin panel is open to admins",
        "The admin panel 2 is open to everyone",
    ):
        assert rejected.remember(text).status == "added"
    assert len(rejected.list()) == 3


@pytest.mark.parametrize("kind", ["fact", "decision", "reason", "consequence", "constraint", "learning", "fix"])
def test_a_rejected_value_is_refused_as_another_kind_and_in_another_domain(rejected: Memory, kind: str) -> None:
    assert rejected.remember(VALUE, kind=kind).status == "refused"
    assert rejected.remember(f"Note: {VALUE}", kind=kind, domain="staging").status == "refused"


def test_what_is_said_in_a_conversation_meets_no_rejection_of_a_fact(rejected: Memory) -> None:
    assert rejected.remember(VALUE, kind="conversation", session="s1").status == "added"


@pytest.mark.parametrize("row", VARIANTS, ids=lambda row: row["text"])
def test_a_rejected_value_stays_rejected_in_every_variant_and_near_ones_are_stored(
    memory: Memory, row: dict[str, Any]
) -> None:
    receipt = memory.remember(row["text"])
    assert receipt.id
    memory.reject(receipt.id)
    again = memory.remember_many([{"text": text} for text in row["again"]])
    assert [text for text, one in zip(row["again"], again, strict=True) if one.status != "refused"] == []
    other = memory.remember_many([{"text": text} for text in row["other"]])
    assert [text for text, one in zip(row["other"], other, strict=True) if one.status == "refused"] == []


@pytest.mark.parametrize("variant", [VALUE, f"Note: {VALUE}", f"{VALUE}, as agreed", f"**{VALUE}** because it is new"])
def test_any_variant_lifts_the_whole_rejection(
    rejected: Memory, tmp_path: Path, clock: TestClock, variant: str
) -> None:
    person = Memory.open(tmp_path / "work" / "project", caller=Caller("person", "anna"), clock=clock)
    assert person.facts.lift_rejection(variant, kind="decision", domain="elsewhere") is True
    assert person.facts.lift_rejection(VALUE) is False
    assert rejected.remember(f"Wichtig: {VALUE}").status == "added"


def test_what_a_held_memory_contains_can_be_rejected_without_locking_it(memory: Memory) -> None:
    longer = memory.remember(f"{VALUE} because the tests need it")
    shorter = memory.remember(VALUE)
    assert longer.id and shorter.id and longer.id != shorter.id
    memory.reject(shorter.id)
    assert memory.remember(f"{VALUE} because the tests need it").status == "duplicate"
    assert memory.facts.promote(longer.id, domain="admin").status == "added"


def test_a_rejection_of_an_earlier_version_still_holds(memory: Memory) -> None:
    """Its mark is scoped by kind and domain, and stands alone."""
    receipt = memory.remember(VALUE, domain="auth")
    assert receipt.id
    version = memory.history(receipt.id).versions[0]
    memory.retract(receipt.id)
    with memory.space.store.write() as writer:
        writer.tombstones.add(tombstone(memory.space.tombstone_key(), version), version.recorded_at)
    assert memory.remember(VALUE.upper(), domain="auth").status == "refused"
    assert memory.remember(VALUE, kind="decision", domain="auth").status == "refused"
    assert memory.remember(VALUE, domain="billing").status == "added"


def test_every_path_meets_the_tombstone(rejected: Memory, tmp_path: Path, clock: TestClock) -> None:
    export = tmp_path / "old.jsonl"
    export.write_text(json.dumps({"text": VALUE, "kind": "fact"}) + "\n" + json.dumps({"text": "Still fine"}) + "\n")
    assert [r.status for r in rejected.admin.import_file(export)] == ["refused", "added"]
    later = clock.advance(days=400)
    (batch,) = rejected.remember_many([{"text": VALUE, "time": later}])
    assert batch.status == "refused"
    assert rejected.remember(VALUE).status == "refused"
    other = rejected.remember("The admin panel needs a login")
    assert other.id
    with pytest.raises(Refused, match="rejected"):
        rejected.correct(other.id, VALUE)
    assert {row["text"] for row in rejected.list()} == {"Still fine", "The admin panel needs a login"}


def test_the_value_stays_out_after_a_rebuild_and_an_older_export(memory: Memory, tmp_path: Path) -> None:
    receipt = memory.remember(VALUE)
    assert receipt.id
    memory.admin.export(tmp_path / "before.jsonl")
    memory.reject(receipt.id)
    memory.admin.rebuild()
    assert [r.status for r in memory.admin.import_file(tmp_path / "before.jsonl")] == ["refused"]
    assert memory.list() == []


def test_the_database_holds_no_text_for_a_tombstone_and_history_stays(memory: Memory) -> None:
    receipt = memory.remember(VALUE)
    assert receipt.id
    memory.reject(receipt.id)
    assert [v.text for v in memory.history(receipt.id).versions] == [VALUE]
    memory.forget(receipt.id)
    assert memory.remember(VALUE).status == "refused"
    memory.close()
    assert files_with(memory.space.folder, VALUE) == []


def test_only_a_person_lifts_a_rejection_and_it_is_audited(rejected: Memory, tmp_path: Path, clock: TestClock) -> None:
    with pytest.raises(Refused, match="Only a person"):
        rejected.facts.lift_rejection(VALUE)
    person = Memory.open(tmp_path / "work" / "project", caller=Caller("person", "anna"), clock=clock)
    assert person.facts.lift_rejection("something else") is False
    assert person.facts.lift_rejection(VALUE.upper()) is True
    assert person.remember(VALUE).status == "added"
    assert [(e.action, e.actor) for e in person.admin.audit()][1] == ("lift", "anna")


def test_what_was_said_in_a_conversation_is_retracted_or_forgotten_not_rejected(memory: Memory) -> None:
    turn = memory.remember("I like tea", kind="conversation", session="s1", speaker="Anna")
    assert turn.id
    with pytest.raises(InvalidInput, match="cannot be rejected"):
        memory.reject(turn.id)
    assert [hit.text for hit in memory.recall("tea")] == ["I like tea"]


def test_a_forgotten_turn_does_not_come_back_but_its_words_may_be_said_again(memory: Memory) -> None:
    said: dict[str, Any] = {"kind": "conversation", "session": "s1", "speaker": "Anna", "time": "2026-01-02T10:00:00Z"}
    turn = memory.remember("I like tea", **said)
    assert turn.id
    memory.forget(turn.id)
    assert memory.remember_many([{"text": "I like tea", **said}])[0].status == "refused"
    later = said | {"time": "2026-01-03T10:00:00Z"}
    assert memory.remember_many([{"text": "I like tea", **later}])[0].status == "added"
    assert memory.remember_many([{"text": "I like tea", **said, "speaker": "Boris"}])[0].status == "added"
