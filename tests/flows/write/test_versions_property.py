"""At most one version of a memory is current for a valid instant, as known at any time."""

import itertools
import random
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.errors import WaypostError
from waypost.facts.validity import overlap
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

DEEDS = ("add", "add", "batch", "replace", "replace", "correct", "retract", "bound", "reject", "forget")


def some_day(chance: random.Random) -> str:
    return (datetime(2025, 6, 1, tzinfo=UTC) + timedelta(days=chance.randint(0, 500))).isoformat()


def do_something(memory: Memory, chance: random.Random, ids: list[str]) -> None:
    deed, text = chance.choice(DEEDS), f"value number {chance.randint(0, 6)} of things"
    times = {name: some_day(chance) for name in ("valid_from", "valid_until") if chance.random() < 0.4}
    given: dict[str, Any] = {"kind": chance.choice(("fact", "preference")), **times}
    if deed in ("add", "replace"):
        if deed == "replace" and ids:
            given["replaces"] = chance.choice(ids)
        receipt = memory.remember(text, **given)
        ids += [receipt.id] if receipt.id else []
    elif deed == "batch":
        memory.remember_many([{"text": text, **given}])
    elif ids and deed == "correct":
        memory.correct(chance.choice(ids), text, **times)
    elif ids and deed == "bound":
        memory.retract(chance.choice(ids), valid_until=some_day(chance))
    elif ids:
        getattr(memory, deed)(chance.choice(ids))


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_done_no_two_versions_hold_at_once(open_memory: OpenMemory, clock: TestClock, seed: int) -> None:
    memory, chance, ids, refused = open_memory(), random.Random(seed), list[str](), 0
    for _ in range(25):
        clock.advance(hours=chance.randint(1, 50))
        try:
            do_something(memory, chance, ids)
        except WaypostError:
            refused += 1
        listed = [row["id"] for row in memory.list(limit=1000)]
        assert len(listed) == len(set(listed))
    assert refused < 20
    with memory.space.store.read() as reader:
        for memory_id in set(ids):
            for one, other in itertools.combinations(reader.memories.versions(memory_id), 2):
                known = overlap((one.recorded_at, one.superseded_at), (other.recorded_at, other.superseded_at))
                assert not (known and overlap(one.period, other.period)), (one, other)
            for version in reader.memories.versions(memory_id):
                assert version.valid_until is None or version.valid_from < version.valid_until
