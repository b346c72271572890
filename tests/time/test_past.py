"""The past stays as it was told, whatever is done: also where meaning merges facts, code moves, turns are recorded."""

from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.time.world import SUBJECT, World, check_versions

from waypost.embed.fake import FakeEngine
from waypost.errors import InvalidInput, NotFound, Refused
from waypost.facts import duplicates

pytestmark = pytest.mark.slow  # not for the inner loop

STEPS = 40
SOAK_LIVES = 15
PARTS = ("near the mole", "by the old mole", "at night", "in winter", "for fishing boats", "for ferries")


class Crowd:
    """People and agents who do everything that can be done to memories, at random."""

    def __init__(self, world: World, random: Random) -> None:
        self.world, self.memory, self.random = world, world.memory, random
        self.merged = 0
        self._actions: tuple[Callable[[], Any], ...] = (
            *(self._remember,) * 6,
            *(self._batch,) * 2,
            self._say,
            lambda: self.memory.correct(self._chosen(), self._text(), valid_until=self._later()),
            lambda: self.memory.retract(self._chosen(), valid_until=self._later()),
            lambda: self.memory.reject(self._chosen()),
            lambda: self.memory.facts.promote(
                self._chosen(), random.randrange(4), parent=random.choice(("", self._chosen()))
            ),
            lambda: self.memory.code.relink(self._chosen(), [f"{random.choice('ab')}.py#L{random.randint(1, 3)}"]),
            lambda: self.memory.verify(self._chosen()),
            self._edit,
            lambda: self.memory.protect(self._chosen()),
            lambda: self.memory.facts.lift_rejection(self._text()),
            lambda: list(self.memory.admin.import_file(self.memory.admin.export().path)),
            lambda: self.memory.admin.maintain(force=True),
        )

    def act(self) -> None:
        self.world.clock.advance(hours=self.random.choice((0, 1, 3)), microseconds=self.random.choice((0, 1)))
        try:
            self.random.choice(self._actions)()
        except (InvalidInput, NotFound, Refused):
            return

    def _text(self) -> str:
        return " ".join((f"The {SUBJECT} has lamps", *self.random.sample(PARTS, self.random.randint(1, 3))))

    def _chosen(self) -> str:
        if not self.world.ids:
            raise NotFound("There is nothing yet.", "")
        return self.random.choice(self.world.ids)

    def _later(self) -> datetime | None:
        chosen = self.world.clock.now + timedelta(hours=self.random.randint(-5, 20))
        return self.random.choice((None, chosen))

    def _options(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if self.random.random() < 0.3:
            found["refs"] = [f"{self.random.choice('ab')}.py"]
        if self.random.random() < 0.3:
            found["valid_until"] = self.world.clock.now + timedelta(hours=self.random.randint(1, 20))
        if self.random.random() < 0.2:
            found["key"] = f"key-{self.random.randrange(5)}"
        if self.world.ids and self.random.random() < 0.3:
            found["replaces"] = self._chosen()
        return found

    def _remember(self) -> None:
        self._keep(self.memory.remember(self._text(), **self._options()))

    def _batch(self) -> None:
        for receipt in self.memory.remember_many([{"text": self._text(), **self._options()} for _ in range(2)]):
            self._keep(receipt)

    def _say(self) -> None:
        said = self.world.clock.now + timedelta(hours=self.random.randint(-3, 1))
        self._keep(self.memory.remember(self._text(), kind="conversation", session="pier", speaker="Ada", time=said))

    def _keep(self, receipt: Any) -> None:
        self.merged += receipt.status == "merged"
        if receipt.id is not None and receipt.id not in self.world.ids:
            self.world.ids.append(receipt.id)

    def _edit(self) -> None:
        lines = "".join(f"def lamp{number}():\n    return {self.random.randrange(9)}\n" for number in range(3))
        (self.memory.code.root / f"{self.random.choice('ab')}.py").write_text(lines)


def live(open_memory: OpenMemory, clock: TestClock, folder: Path, seed: int, steps: int) -> int:
    """A life in which the past is asked about all the time. Returns how many facts were merged."""
    random = Random(seed)
    world = World(open_memory(f"harbour-{seed}"), clock, folder)
    for name in "ab":
        (world.memory.code.root / f"{name}.py").write_text("def lamp():\n    return 1\n\n")
    crowd, begun = Crowd(world, random), clock.now
    for _ in range(steps):
        crowd.act()
        for memory_id in world.ids:
            check_versions(world.memory.history(memory_id).versions)
        if clock.now > begun:
            span = clock.now - begun
            known_at = begun + random.random() * (span - timedelta(microseconds=1))
            world.note(random.choice((known_at, begun + 1.2 * random.random() * span)), known_at)
        world.ask_again(random, 1)
    world.ask_again(random, 20)
    world.memory.close()
    return crowd.merged


@pytest.fixture(autouse=True)
def judging(monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine) -> None:
    """The fake engine's cosines judge what means the same."""
    monkeypatch.setattr(duplicates, "THRESHOLDS", {**duplicates.THRESHOLDS, fake_engine.name: (0.95, 0.7)})
    for module in ("waypost.flows.write.remember",):
        monkeypatch.setattr(f"{module}.THRESHOLDS", duplicates.THRESHOLDS, raising=False)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_whatever_is_done_the_past_stays_as_it_was_told(
    open_memory: OpenMemory, clock: TestClock, tmp_path: Path, seed: int
) -> None:
    assert live(open_memory, clock, tmp_path, seed, STEPS) > 0


@pytest.mark.soak
def test_whatever_is_done_for_long_the_past_stays_as_it_was_told(
    open_memory: OpenMemory, clock: TestClock, tmp_path: Path
) -> None:
    for seed in range(100, 100 + SOAK_LIVES):
        live(open_memory, clock, tmp_path, seed, 3 * STEPS)
