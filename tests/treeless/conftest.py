"""A shop whose tree was indexed, judged, and taken away: what is left of it is its memory."""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.memory.catalog import Spaces, open_by_id
from waypost.model.memory import Caller

ADA = Caller("person", "ada")
CHECKOUT = '''"""Paying for a basket."""


def total(prices):
    """The sum of what is in the basket."""
    result = 0
    for price in prices:
        result += price
    return result


class Card:
    def charge(self, amount):
        return amount
'''
CHANGED = CHECKOUT.replace(
    "    result = 0\n    for price in prices:\n        result += price\n    return result\n", "    pass\n"
)
SESSION = '"""Who is signed in."""\n\n\ndef is_open(session):\n    return session.user is not None\n'
JUDGED = "2026-01-30 12:00 UTC"


@dataclass(slots=True)
class Shop:
    """What is left of it, and where it was."""

    root: Path
    space_id: str
    ids: dict[str, str] = field(default_factory=dict)


Leave = Callable[..., Shop]


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory) -> tuple[Shop, Path]:
    """A shop that was left, and the home with its memory, for tests to copy: nothing in it tells of where it is."""
    folder, engine = tmp_path_factory.mktemp("left"), FakeEngine()
    home = {"WAYPOST_HOME": str(folder / "home"), "WAYPOST_BACKGROUND": "0", "HOME": str(folder)}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
        return leave(folder / "work" / "shop", TestClock(), settings=config.load(home)), folder / "home"


@pytest.fixture
def shop(
    request: pytest.FixtureRequest, tmp_path: Path, clock: TestClock, fake_engine: FakeEngine, store_address: str
) -> Iterator[Shop]:
    """A memory without its tree: one fact is fresh, one stale, one was never judged."""
    if store_address:  # no files to copy
        yield leave(tmp_path / "work" / "shop", clock)
        return
    shop, home = request.getfixturevalue("left")
    shutil.copytree(home, tmp_path / "home")
    (tmp_path / "work").mkdir()
    yield Shop(shop.root, shop.space_id, dict(shop.ids))
    shutil.rmtree(shop.root, ignore_errors=True)  # some bring it back


@pytest.fixture
def away(shop: Shop, clock: TestClock) -> Memory:
    """The memory of the shop, five days after its tree went."""
    clock.advance(days=5)
    return open_by_id(config.load(), ADA, shop.space_id, clock)


@pytest.fixture
def spaces(shop: Shop, clock: TestClock) -> Spaces:
    """What a server has that was started for a person."""
    return Spaces(Memory.open(caller=ADA, person="ada", clock=clock), config.load(), clock)


def leave(
    root: Path, clock: TestClock, *, journal_in_tree: bool = False, settings: config.Settings | None = None
) -> Shop:
    make_tree(root)
    memory = Memory.open(root, caller=ADA, clock=clock, settings=settings)
    memory.index()
    shop = Shop(root, memory.identity.space_id)
    if journal_in_tree:
        memory.journal.keep_in_tree()

    def keep(name: str, text: str, **options: Any) -> None:
        shop.ids[name] = memory.remember(text, **options).id or ""

    keep("stale", "The total adds up prices without tax.", refs=["src/checkout.py#total"])
    keep("fresh", "A session is open while it has a user.", refs=["src/session.py#is_open"])
    keep("plain", "Cards are charged once, never twice.")
    shop.ids["note"] = memory.journal.add("We met about refunds.", time=datetime(2026, 1, 29, 9, tzinfo=UTC)).id or ""
    decided = memory.decide("One provider for payments.", because=["Two doubled the work."])
    shop.ids["decision"] = decided.id or ""
    (root / "src" / "checkout.py").write_text(CHANGED)
    memory.code.stale(check=True)
    (root / "src" / "checkout.py").write_text(CHECKOUT)  # nobody looks again
    keep("unjudged", "Amounts are in cents.", refs=["src/checkout.py#Card"])
    memory.close()
    shutil.rmtree(root)
    return shop


def make_tree(root: Path) -> None:
    (root / "src").mkdir(parents=True)
    (root / "src" / "checkout.py").write_text(CHECKOUT)
    (root / "src" / "session.py").write_text(SESSION)
    (root / "README.md").write_text("# Shop\n\nSells things.\n\n## Payments\n\nBy card only.\n")
    for arguments in (("init", "-q", "-b", "main", "--template="), ("add", "."), ("commit", "-qm", "Begin")):
        command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", *arguments]
        subprocess.run(command, cwd=root, check=True, capture_output=True)
