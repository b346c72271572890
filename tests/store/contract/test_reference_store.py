"""What every store promises about where memories point, and about verdicts."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference, LineRange
from waypost.model.time import Moment
from waypost.store.protocol import Store, StoredVerdict

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0 + timedelta(days=100)), KEPT_COLLECTIONS, "here")
FULL = CodeReference(
    file_path="src/a.py",
    line_range=LineRange(3, 9),
    symbol_id="scip-python . . src/`a.py`/A#b().",
    repo_id="0123456789abcdef",
    git_commit="ab" * 20,
    git_branch="main",
    code_hash="sha256:" + "cd" * 32,
    created_at=T0,
    last_verified_at=T0 + timedelta(days=1),
    stale_since=T0 + timedelta(days=2),
    confidence_score=0.9,
    confidence_reason="inferred_from_code_index",
    whole=True,
    anchor=b"\x01\x02\x03",
)


def fact(memory_id: str, *refs: CodeReference, **changes: Any) -> Version:
    values: dict[str, Any] = {
        "memory_id": memory_id,
        "kind": "fact",
        "text": f"About {memory_id}",
        "recorded_at": T0,
        "valid_from": T0,
        "source": "agent",
        "actor": "test",
        "fingerprint": memory_id.encode(),
        "refs": refs,
    }
    return Version(**(values | changes))


def add(store: Store, version: Version) -> int:
    with store.write() as writer:
        return writer.memories.add(version, [], [])


def at(path: str, lines: str = "") -> CodeReference:
    return CodeReference.parse(path + lines)


def verdict(
    number: int, finding: CodeVerdict, *, digest: bytes = b"\1" * 32, days: int = 1, **changes: Any
) -> StoredVerdict:
    return StoredVerdict(number, 0, digest, finding, T0 + timedelta(days=days), **changes)


def put(store: Store, *verdicts: StoredVerdict, checkout: str = "here") -> None:
    with store.write() as writer:
        writer.references.put_verdicts(checkout, verdicts)


@pytest.mark.parametrize(
    "reference",
    [
        FULL,
        CodeReference("a.py"),
        CodeReference("a.py", git_commit="abc123def"),  # no whole number of bytes
        CodeReference("a.py", git_commit="ABCDEF"),  # not as git writes it
        CodeReference("a.py", LineRange(1, 1), anchor=b"\0"),
        replace(FULL, file_path="straße/дом.py", git_branch="feature/ä"),
    ],
)
def test_a_reference_comes_back_as_it_was(store: Store, reference: CodeReference) -> None:
    number = add(store, fact("one", reference))
    with store.read() as reader:
        assert reader.memories.by_number([number])[number].refs == (reference,)
        assert [row.reference for row in reader.references.visible(NOW)] == [reference]


def test_references_are_those_of_what_is_held_now(store: Store) -> None:
    old = add(store, fact("one", at("a.py")))
    add(store, fact("two", at("b.py"), at("c.py")))
    add(store, fact("three"))
    add(store, fact("symbol", at("a.py"), kind="symbol", checkout_id="here", name="x"))
    with store.write() as writer:
        writer.memories.supersede(old, T0 + timedelta(days=1))
    with store.read() as reader:
        assert [(row.memory_id, row.place) for row in reader.references.visible(NOW)] == [("two", 0), ("two", 1)]
        assert reader.references.visible(NOW, numbers=[old]) == []


def test_references_to_a_file_are_found_by_word_and_by_verdict(store: Store) -> None:
    said = add(store, fact("said", at("src/a.py", "#L1-L2")))
    moved = add(store, fact("moved", at("old/b.py")))
    add(store, fact("other", at("src/ab.py")))
    put(store, verdict(moved, CodeVerdict(MOVED, "src/a.py", LineRange(5, 6))))
    with store.read() as reader:
        assert {row.number for row in reader.references.to_files("here", ["src/a.py"], NOW)} == {said, moved}
        assert {row.number for row in reader.references.to_files("there", ["src/a.py"], NOW)} == {said}
        assert {row.memory_id for row in reader.references.to_files("here", ["src/"], NOW)} == {
            "said",
            "moved",
            "other",
        }
        assert reader.references.to_files("here", ["sr"], NOW) == []


def test_a_verdict_comes_back_as_it_was(store: Store) -> None:
    number = add(store, fact("one", FULL))
    finding = CodeVerdict(CHANGED, "src/b.py", LineRange(4, 8), 0.25, "A.b", ("x.py:1", "y.py:2"))
    made = verdict(number, finding, since=T0, target_hash=b"\2" * 32, tree="abc")
    put(store, made)
    with store.read() as reader:
        assert reader.references.verdicts("here", [number]) == {(number, 0): made}
        assert reader.references.verdicts("there", [number]) == {}


def test_the_last_one_is_current_and_others_are_known_by_the_files_content(store: Store) -> None:
    number = add(store, fact("one", FULL))
    first = verdict(number, CodeVerdict(UNCHANGED, "src/a.py"))
    second = verdict(number, CodeVerdict(DELETED), digest=b"", days=2, since=T0)
    put(store, first)
    put(store, second)
    with store.read() as reader:
        assert reader.references.verdicts("here", [number])[number, 0] == second
        assert reader.references.verdicts_for("here", {(number, 0): b"\1" * 32}) == {(number, 0): first}
        assert reader.references.verdicts_for("here", {(number, 0): b""}) == {(number, 0): second}
        assert reader.references.verdicts_for("here", {(number, 0): b"\3" * 32}) == {}
    put(store, first)
    with store.read() as reader:
        assert reader.references.verdicts("here", [number])[number, 0] == first


def test_checkouts_do_not_disturb_each_other(store: Store) -> None:
    number = add(store, fact("one", FULL))
    here, there = verdict(number, CodeVerdict(UNCHANGED, "src/a.py")), verdict(number, CodeVerdict(DELETED), digest=b"")
    put(store, here)
    put(store, there, checkout="there")
    with store.read() as reader:
        assert reader.references.verdicts("here", [number])[number, 0] == here
        assert reader.references.verdicts("there", [number])[number, 0] == there


def test_pinned_anew_all_verdicts_are_void(store: Store) -> None:
    number = add(store, fact("one", FULL, at("b.py")))
    put(store, verdict(number, CodeVerdict(DELETED)))
    put(store, verdict(number, CodeVerdict(DELETED)), checkout="there")
    with store.write() as writer:
        writer.references.repin(number, 0, at("src/c.py", "#L1-L4"))
    with store.read() as reader:
        assert reader.memories.by_number([number])[number].refs == (at("src/c.py", "#L1-L4"), at("b.py"))
        assert not reader.references.verdicts("here", [number])
        assert not reader.references.verdicts("there", [number])


def test_a_verdict_on_what_was_forgotten_meanwhile_is_dropped(store: Store) -> None:
    number = add(store, fact("one", FULL))
    put(store, verdict(number, CodeVerdict(DELETED)))
    with store.write() as writer:
        writer.memories.erase("one", [number])
    put(store, verdict(number, CodeVerdict(DELETED)))
    with store.write() as writer:
        writer.references.repin(number, 0, at("a.py"))
    with store.read() as reader:
        assert not reader.references.verdicts("here", [number])
        assert reader.references.visible(NOW) == []


def test_old_verdicts_are_those_that_are_not_current_or_not_held(store: Store) -> None:
    kept, gone = add(store, fact("one", FULL)), add(store, fact("two", FULL))
    put(store, verdict(kept, CodeVerdict(UNCHANGED, "src/a.py")))
    put(store, verdict(kept, CodeVerdict(DELETED), digest=b"", days=2))
    put(store, verdict(gone, CodeVerdict(UNCHANGED, "src/a.py")))
    with store.write() as writer:
        writer.memories.supersede(gone, T0 + timedelta(days=3))
    before = T0 + timedelta(days=30)
    with store.read() as reader:
        assert reader.references.count_old_verdicts(T0) == 0
        assert reader.references.count_old_verdicts(before) == 2
    with store.write() as writer:
        assert writer.references.drop_old_verdicts(before) == 2
    with store.read() as reader:
        assert reader.references.verdicts("here", [kept])[kept, 0].finding.state == DELETED
        assert not reader.references.verdicts("here", [gone])


def test_a_symbol_is_found_by_its_id(store: Store) -> None:
    number = add(store, fact("symbol", FULL, kind="symbol", checkout_id="here", name="A.b", source="code"))
    add(store, fact("fact", FULL))
    view = View(Moment(T0 + timedelta(days=1)), checkout_id="here")
    with store.read() as reader:
        assert reader.code.symbols_with_id(FULL.symbol_id or "", view) == [number]
        assert reader.code.symbols_with_id("scip-python . . other", view) == []
