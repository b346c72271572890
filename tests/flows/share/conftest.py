"""Projects of one home, and a person who decides for all of them."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost.embed.fake import FakeEngine
from waypost.memory import Memory
from waypost.model.memory import Caller

PERSON = Caller("person", "anna")

OpenAs = Callable[..., Memory]


@pytest.fixture
def project(tmp_path: Path, clock: TestClock, fake_engine: FakeEngine) -> OpenAs:
    """The memory of a named project of this home, in the hands of a person unless told."""

    def open_(name: str, caller: Caller = PERSON, **options: object) -> Memory:
        directory = tmp_path / "work" / name
        directory.mkdir(parents=True, exist_ok=True)
        return Memory.open(directory, caller=caller, clock=clock, **options)  # type: ignore[arg-type]

    return open_


@pytest.fixture
def shop(project: OpenAs) -> Memory:
    """A project that has something to tell."""
    memory = project("shop-api")
    memory.remember("Payments are retried three times before the order is cancelled", kind="decision")
    return memory


@pytest.fixture
def web(project: OpenAs) -> Memory:
    """A project that wants to know."""
    memory = project("web")
    memory.remember("The start page shows six products")
    return memory


@pytest.fixture
def shared(shop: Memory, web: Memory) -> tuple[Memory, Memory]:
    """Shop and web, when web reads shop."""
    shop.admin.shares.offer("web")
    web.admin.shares.accept("shop-api")
    return shop, web
