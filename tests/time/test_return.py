"""A value that was given up returns by import, batch or extractor only if its own time is later."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import flows
from waypost.embed.fake import FakeEngine
from waypost.facts import duplicates
from waypost.memory import Memory
from waypost.model.draft import Draft
from waypost.model.memory import Caller
from waypost.model.receipt import Receipt
from waypost.model.time import format_time

pytestmark = pytest.mark.slow  # not for the inner loop

OLD, NEW = "The quay is 200 m long", "The quay is 300 m long"
A_DAY = timedelta(days=1)

Ending = Callable[[Memory, str, datetime], object]
ENDINGS: dict[str, Ending] = {
    "replaced": lambda memory, old, _: memory.remember(NEW, replaces=old),
    "replaced for a while": lambda memory, old, now: memory.remember(NEW, replaces=old, valid_until=now + 20 * A_DAY),
    "replaced, since long ago": lambda memory, old, now: memory.remember(NEW, replaces=old, valid_from=now - 3 * A_DAY),
    "corrected": lambda memory, old, _: memory.correct(old, NEW),
    "retracted": lambda memory, old, _: memory.retract(old),
    "retracted from a day on": lambda memory, old, now: memory.retract(old, valid_until=now - A_DAY),
    "its time was corrected": lambda memory, old, now: memory.correct(old, OLD, valid_until=now - A_DAY),
    "rejected": lambda memory, old, _: memory.reject(old),
}

Way = Callable[[Memory, Path, dict[str, Any]], Receipt]


def by_batch(memory: Memory, _: Path, given: dict[str, Any]) -> Receipt:
    return memory.remember_many([given])[0]


def by_import(memory: Memory, folder: Path, given: dict[str, Any]) -> Receipt:
    file = folder / "elsewhere.jsonl"
    file.write_text(json.dumps(given) + "\n")
    (receipt,) = memory.admin.import_file(file)
    return receipt


def by_extractor(memory: Memory, _: Path, given: dict[str, Any]) -> Receipt:
    caller = Caller("extractor", "changes")
    return next(flows.write.remember.remember(memory.space, [Draft.of(given)], caller, direct=False))


WAYS: dict[str, Way] = {"batch": by_batch, "import": by_import, "extractor": by_extractor}


Answers = dict[tuple[datetime, datetime | None], list[str]]
answered: dict[str, Answers] = {}  # by how the fact ended: the same in every life, so it is asked for once


class Life:
    """A fact of ten days that was given up today; five days later somebody brings it again."""

    def __init__(self, memory: Memory, clock: TestClock, ending: str, folder: Path) -> None:
        self.memory, self.begun = memory, clock.now
        old = memory.remember(OLD).id
        assert old is not None
        self.export = folder / "before.jsonl"
        memory.admin.export(self.export)
        self.ended = clock.advance(days=10)
        ENDINGS[ending](memory, old, self.ended)
        self.now = clock.advance(days=5)
        if ending not in answered:
            answered[ending] = self.answers()
        self.before = answered[ending]

    def answers(self, *, known_until: datetime | None = None) -> Answers:
        """What is answered of every day, by what was known on every day; with `known_until`, only by what was then."""
        days = [self.begun + count * A_DAY for count in (-1, 0, 3, 7, 9, 10, 11, 12, 15, 20, 29, 30, 35)]
        known = [day for day in days if day <= (known_until or self.now)]
        return {
            (as_of, known_at): [row["text"] for row in self.memory.list(as_of=as_of, known_at=known_at)]
            for as_of, known_at in product(days, [*known, *([] if known_until else [None])])
        }


@pytest.mark.parametrize("own_time", ["none", "valid_from", "time"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_what_was_given_up_does_not_come_back(
    memory: Memory, clock: TestClock, tmp_path: Path, ending: str, way: str, own_time: str
) -> None:
    life = Life(memory, clock, ending, tmp_path)
    given = {"text": OLD} if own_time == "none" else {"text": OLD, own_time: format_time(life.ended - A_DAY / 2)}
    receipt = WAYS[way](memory, tmp_path, given)
    assert receipt.status == "refused", receipt
    assert life.answers() == life.before


@pytest.mark.parametrize("ending", ENDINGS)
def test_an_older_export_changes_nothing(memory: Memory, clock: TestClock, tmp_path: Path, ending: str) -> None:
    life = Life(memory, clock, ending, tmp_path)
    assert [receipt.status for receipt in memory.admin.import_file(life.export)] == ["refused"]
    assert life.answers() == life.before


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ending", [name for name in ENDINGS if name != "rejected"])
def test_what_is_said_of_a_later_time_is_taken_for_that_time(
    memory: Memory, clock: TestClock, tmp_path: Path, ending: str, way: str
) -> None:
    life = Life(memory, clock, ending, tmp_path)
    since = life.ended + 2 * A_DAY
    receipt = WAYS[way](memory, tmp_path, {"text": OLD, "valid_from": format_time(since)})
    assert receipt.status in ("added", "merged"), receipt
    now = life.answers()
    for (as_of, known_at), told in life.before.items():
        comes = as_of >= since and known_at in (None, life.now) and OLD not in told
        assert sorted(now[as_of, known_at]) == sorted([*told, OLD] if comes else told), (as_of, known_at)


def test_a_rejected_value_stays_away_whatever_its_time(memory: Memory, clock: TestClock, tmp_path: Path) -> None:
    life = Life(memory, clock, "rejected", tmp_path)
    for way in WAYS.values():
        assert way(memory, tmp_path, {"text": OLD, "valid_from": format_time(life.now)}).status == "refused"
    assert life.answers() == life.before


@pytest.mark.parametrize("by_meaning", [False, True])
def test_an_export_of_the_time_before_a_reversal_leaves_the_time_between_alone(
    memory: Memory,
    clock: TestClock,
    tmp_path: Path,
    fake_engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
    by_meaning: bool,
) -> None:
    if by_meaning:
        fake_engine.label = "minilm"
        thresholds = {**duplicates.THRESHOLDS, fake_engine.name: (0.95, 0.85)}
        for place in ("waypost.flows.write.insert", "waypost.flows.write.remember", "waypost.flows.versions.prepare"):
            monkeypatch.setattr(f"{place}.THRESHOLDS", thresholds, raising=False)
    first = memory.remember(OLD).id
    memory.admin.export(tmp_path / "before.jsonl")
    between = clock.advance(days=1)
    second = memory.remember(NEW, replaces=first).id
    clock.advance(days=1)
    memory.remember(OLD, replaces=second)
    clock.advance(days=1)
    (receipt,) = memory.admin.import_file(tmp_path / "before.jsonl")
    assert receipt.status == "refused"
    assert [row["text"] for row in memory.list(as_of=between)] == [NEW]


def test_what_only_got_another_place_or_a_longer_time_was_not_given_up(memory: Memory, clock: TestClock) -> None:
    """It is held by other versions: nobody said that it is wrong, and a batch may add to it."""
    start = clock.now
    week: dict[str, Any] = {"valid_from": format_time(start), "valid_until": format_time(start + 7 * A_DAY)}
    fact = memory.remember(OLD, **week).id
    assert fact is not None
    clock.advance(hours=1)
    memory.facts.promote(fact, 2)
    clock.advance(hours=1)
    for days in (14, 21):
        longer = {"valid_from": format_time(start), "valid_until": format_time(start + days * A_DAY)}
        (receipt,) = memory.remember_many([{"text": OLD, **longer}])
        assert (receipt.status, receipt.id) == ("merged", fact), receipt
        assert memory.show(fact).version.valid_until == start + days * A_DAY
