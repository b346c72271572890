"""Two projects and a person who decides for both."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory
from waypost.model.memory import Caller

PERSON = Caller("person", "anna")
AGENT = Caller("agent", "coder")

OpenAs = Callable[..., Memory]


@pytest.fixture
def project(tmp_path: Path, clock: TestClock, fake_engine: FakeEngine) -> OpenAs:
    """The memory of a named project of this home, in the hands of a person unless told."""

    def open_(name: str, caller: Caller = PERSON, **options: object) -> Memory:
        directory = tmp_path / "work" / name
        directory.mkdir(parents=True, exist_ok=True)
        return Memory.open_as(caller, directory, clock=clock, **options)  # type: ignore[arg-type]

    return open_
