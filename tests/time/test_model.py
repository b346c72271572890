"""The real memory against the naive one, over random lives of facts, at every instant that matters."""

from pathlib import Path
from random import Random

import pytest
from tests.time.conftest import FreshMemory
from tests.time.world import Player, make_steps

pytestmark = pytest.mark.slow  # not for the inner loop

LIVES = 3
STEPS = 30
SOAK_LIVES = 120


@pytest.fixture
def player(fresh_memory: FreshMemory, tmp_path: Path) -> Player:
    return Player(fresh_memory, tmp_path)


@pytest.mark.parametrize("seed", range(LIVES))
def test_every_query_answers_as_the_naive_model_does(player: Player, seed: int) -> None:
    complaint = player.shortest_complaint(seed, make_steps(Random(seed), STEPS))
    assert complaint is None, complaint


@pytest.mark.soak
def test_every_query_answers_as_the_naive_model_does_for_long(player: Player) -> None:
    for seed in range(1000, 1000 + SOAK_LIVES):
        complaint = player.shortest_complaint(seed, make_steps(Random(seed), 3 * STEPS), pairs=3)
        assert complaint is None, complaint
