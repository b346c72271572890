"""MB-2: the real memory against the naive one, over random lives of facts, at every instant that matters."""

from itertools import product
from pathlib import Path
from random import Random

import pytest
from tests.conftest import TestClock
from tests.time.conftest import FreshMemory
from tests.time.world import Broken, Step, World, make_steps, shortest

LIVES = 10
STEPS = 30
SOAK_LIVES = 400


class Player:
    """Plays lives, each on a memory of its own."""

    def __init__(self, fresh_memory: FreshMemory, folder: Path) -> None:
        self._fresh_memory, self._folder = fresh_memory, folder

    def complaint(self, steps: list[Step], seed: int, pairs: int) -> str | None:
        clock, random = TestClock(), Random(seed)
        world = World(self._fresh_memory(clock), clock, self._folder)
        try:
            for step in steps:
                world.play(step)
                world.compare(random, pairs)
            clock.advance(hours=1)
            valid, known = world.instants()
            world.compare_lists(random.sample([*product(valid, known)], min(60 * pairs, len(valid) * len(known))))
            world.ask_again(random, 10 * pairs)
        except Broken as broken:
            return str(broken)
        finally:
            world.memory.close()
        return None

    def check(self, seed: int, count: int, pairs: int) -> None:
        steps = make_steps(Random(seed), count)
        found = self.complaint(steps, seed, pairs)
        if found is not None:
            steps = shortest(steps, lambda fewer: self.complaint(fewer, seed, pairs) is not None)
            told = "\n".join(map(str, steps))
            pytest.fail(f"seed {seed}:\n{told}\n{self.complaint(steps, seed, pairs) or found}")


@pytest.fixture
def player(fresh_memory: FreshMemory, tmp_path: Path) -> Player:
    return Player(fresh_memory, tmp_path)


@pytest.mark.parametrize("seed", range(LIVES))
def test_every_query_answers_as_the_naive_model_does(player: Player, seed: int) -> None:
    player.check(seed, STEPS, pairs=1)


@pytest.mark.soak
def test_every_query_answers_as_the_naive_model_does_for_long(player: Player) -> None:
    for seed in range(1000, 1000 + SOAK_LIVES):
        player.check(seed, 4 * STEPS, pairs=6)
