"""A life in a person's own memory, with an engine of hashed words: sizes and files do not depend on meaning."""

from collections.abc import Callable
from datetime import date

import pytest
from tests.simulation.life import Life
from tests.simulation.world import World

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory

Begin = Callable[[Life], World]


@pytest.fixture
def begin(fake_engine: FakeEngine) -> Begin:
    return lambda life: World.begin(life, lambda clock: Memory.open(person="somebody", clock=clock))


START = date(2024, 1, 1)
