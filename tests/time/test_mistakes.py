"""The comparison with the naive model can fail: each of these mistakes is found."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.time.conftest import FreshMemory
from tests.time.world import TEXTS, Broken, Player, Step, World, make_steps

from waypost.facts import validity
from waypost.facts.validity import Period
from waypost.flows.versions import prepare
from waypost.flows.write import insert, lifecycle
from waypost.model.memory import Version
from waypost.model.time import Moment, to_micros
from waypost.retrieve.passages import passages_of
from waypost.store.sql import memories, rows
from waypost.store.sql.memories import MemoryChanges

pytestmark = pytest.mark.slow  # not for the inner loop

Patch = pytest.MonkeyPatch
Mistake = Callable[[Patch], None]


def other_sql(right: str, wrong: str) -> Mistake:
    """The rule of reading, with one of its comparisons another."""

    def make(patch: Patch) -> None:
        condition = rows.moment_condition

        def mistaken(moment: Moment, alias: str = "m") -> tuple[str, list[Any]]:
            sql, parameters = condition(moment, alias)
            return sql.replace(right, wrong), parameters

        for module in (rows, memories):
            patch.setattr(module, "moment_condition", mistaken)

    return make


def other_room(change: Callable[[list[Version]], list[Version]]) -> Mistake:
    """What is left of a fact when another takes its place is stored in another way."""

    def make(patch: Patch) -> None:
        def mistaken(writer: Any, held: Sequence[Version], cut: Period, at: datetime, embedded: Any, **_: Any) -> int:
            concerned = [version for version in held if validity.overlap(version.period, cut)]
            for version in concerned:
                writer.memories.supersede(version.number, at)
                left = [
                    replace(version, recorded_at=at, valid_from=start, valid_until=end)
                    for start, end in validity.without(version.period, cut)
                ]
                for rest in change(left):
                    prepare.put(writer, rest, passages_of(rest), embedded)
            return len(concerned)

        for module in (lifecycle, insert):
            patch.setattr(module, "make_room", mistaken)

    return make


def overwriting(patch: Patch) -> None:
    """A fact that another takes the place of is ended where it stands."""

    def mistaken(writer: Any, held: Sequence[Version], cut: Period, at: datetime, embedded: Any, **_: Any) -> int:
        concerned = [version for version in held if validity.overlap(version.period, cut)]
        for version in concerned:
            writer.database.change(
                "UPDATE memories SET valid_until = ? WHERE number = ?", (to_micros(cut[0]), version.number)
            )
        return len(concerned)

    for module in (lifecycle, insert):
        patch.setattr(module, "make_room", mistaken)


def deleting(patch: Patch) -> None:
    patch.setattr(
        MemoryChanges,
        "supersede",
        lambda self, number, at: self._db.change("DELETE FROM memories WHERE number = ?", (number,)),
    )


def keeping(patch: Patch) -> None:
    patch.setattr(MemoryChanges, "supersede", lambda self, number, at: None)


def given_up_later(patch: Patch) -> None:
    supersede = MemoryChanges.supersede
    patch.setattr(MemoryChanges, "supersede", lambda self, number, at: supersede(self, number, at + timedelta(hours=1)))


def dropping_the_rest(patch: Patch) -> None:
    for module in (prepare, insert):
        patch.setattr(module, "without", lambda whole, cut: validity.without(whole, cut)[:1])


def touching_is_overlapping(patch: Patch) -> None:
    def mistaken(one: Period, other: Period) -> bool:
        return (one[1] is None or other[0] <= one[1]) and (other[1] is None or one[0] <= other[1])

    for module in (prepare, insert):
        patch.setattr(module, "overlap", mistaken)


def coming_back(patch: Patch) -> None:
    """A batch brings back what was given up."""
    patch.setattr(insert.WriteGate, "_corrected_at", lambda self, item, copies: None)


MISTAKES: dict[str, Mistake] = {
    "true until an instant, included": other_sql("valid_until > ?", "valid_until >= ?"),
    "true from an instant, excluded": other_sql("valid_from <= ?", "valid_from < ?"),
    "given up at an instant, and known at it": other_sql("superseded_at > ?", "superseded_at >= ?"),
    "recorded at an instant, and not known at it": other_sql("recorded_at <= ?", "recorded_at < ?"),
    "what was given up is not known of the past": other_sql("m.superseded_at > ?", "? < 0"),
    "what is recorded now was known always": other_sql("m.recorded_at <= ?", "? > 0"),
    "the rest of a fact is forgotten": other_room(lambda left: []),
    "the rest of a fact was known before": other_room(
        lambda left: [replace(one, recorded_at=one.recorded_at - timedelta(minutes=1)) for one in left]
    ),
    "the rest of a fact has no end": other_room(lambda left: [replace(one, valid_until=None) for one in left]),
    "what comes after the new fact is forgotten": dropping_the_rest,
    "periods that touch overlap": touching_is_overlapping,
    "a fact is overwritten": overwriting,
    "what is given up is deleted": deleting,
    "nothing is given up": keeping,
    "it is given up an hour later": given_up_later,
    "what was given up comes back by a batch": coming_back,
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_found(
    mistake: str, fresh_memory: FreshMemory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    MISTAKES[mistake](monkeypatch)
    player = Player(fresh_memory, tmp_path)
    assert any(player.complaint(make_steps(Random(seed), 30), seed, pairs=0) for seed in range(10))


@pytest.mark.parametrize("mistake", [overwriting, deleting])
def test_a_past_that_changes_is_noticed_without_the_model(
    mistake: Mistake, fresh_memory: FreshMemory, tmp_path: Path, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World(fresh_memory(clock), clock, tmp_path)
    first = Step("remember", TEXTS[0], waited=0, memory=0, since=None, until=None, replaces=False, level=1)
    world.play(first)
    then = clock.now
    clock.advance(hours=1)
    world.compare_at(clock.now, then)
    mistake(monkeypatch)
    world.memory.remember(TEXTS[1], replaces=world.ids[0])
    monkeypatch.undo()
    with pytest.raises(Broken, match="asked again"):
        world.ask_again(Random(0), 1)
