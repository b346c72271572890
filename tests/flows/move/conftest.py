"""A memory with something in every table, and what it takes to move it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.conftest import TestClock

from waypost import config
from waypost.config import Settings
from waypost.embed.fake import FakeEngine
from waypost.flows.move.migrate import Moved
from waypost.memory import Memory
from waypost.memory.migration import SpaceMigration, find_stored_space
from waypost.memory.migration_places import place_of
from waypost.memory.spaces import open_spaces
from waypost.model.candidate import CandidateRow
from waypost.model.memory import Caller
from waypost.store.protocol import Store, Writer
from waypost.store.tables import TABLES

ADA = Caller("person", "ada")
CODE = '''"""Paying for a basket."""


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
MACHINE = "workshop"
Tables = dict[str, list[tuple[Any, ...]]]


def quiet(phase: str, done: int, total: int, note: str = "") -> None:
    del phase, done, total, note


@dataclass
class House:
    """A home, the project in it, and where its memories go."""

    files: Settings
    database: Settings
    root: Path
    clock: TestClock

    def memory(self, settings: Settings, root: Path | None = None) -> Memory:
        return Memory.open(root or self.root, caller=ADA, settings=settings, clock=self.clock)

    def moving(self, source: Settings, target: Settings, root: Path | None = None) -> SpaceMigration:
        return SpaceMigration(source, target, find_stored_space(source, root or self.root, None), self.clock)

    def there(self, report: Callable[..., None] = quiet) -> Moved:
        return self.moving(self.files, self.database).run(ADA, report)

    def back(self, report: Callable[..., None] = quiet) -> Moved:
        return self.moving(self.database, self.files).run(ADA, report)

    def write(self, settings: Settings, change: Callable[[Writer], None]) -> None:
        """Past all that refuses it."""
        with self._opened(settings) as store, store.write() as writer:
            change(writer)

    def tables(self, settings: Settings) -> Tables:
        """Every row there is, but for the notes of moves."""
        with self._opened(settings) as store, store.read() as reader:
            return {name: reader.tables().rows(table, None, 100_000) for name, table in TABLES.items()}

    def _opened(self, settings: Settings) -> AbstractContextManager[Store]:
        return place_of(settings, find_stored_space(settings, self.root, None), self.clock).open()


def without_moves(tables: Tables) -> Tables:
    """A move is noted in the audit."""
    return {**tables, "audit": [row for row in tables["audit"] if row[2] != "migrate"]}


@pytest.fixture(scope="session")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, datetime]:
    """A folder with a house as it is, `new`, which tests have one after the other as `used`, since a memory knows where
    its tree is; and what time it is then."""
    folder, clock, engine = tmp_path_factory.mktemp("house"), TestClock(), FakeEngine()
    root = folder / "used" / "work" / "shop"
    root.mkdir(parents=True)
    settings = config.load({"WAYPOST_HOME": str(folder / "used" / "home"), "WAYPOST_BACKGROUND": "0"})
    files = replace(settings, machine=MACHINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
        furnish(House(files, files, root, clock))
    open_spaces.drop_all()
    (folder / "used").rename(folder / "new")
    return folder, clock.now


@pytest.fixture
def house(
    furnished: tuple[Path, datetime],
    clock: TestClock,
    fake_engine: FakeEngine,
    postgres: str,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[House]:
    folder, clock.now = furnished
    used = folder / "used"
    shutil.copytree(folder / "new", used)
    monkeypatch.setenv("WAYPOST_HOME", str(used / "home"))
    files = replace(config.load(), store="", machine=MACHINE)
    yield House(files, replace(files, store=postgres), used / "work" / "shop", clock)
    open_spaces.drop_all()
    shutil.rmtree(used)


def furnish(house: House) -> None:
    """Facts with a history, decisions, edges, candidates, a journal, code, verdicts, tombstones, shares, two engines."""
    clock, root = house.clock, house.root
    (root / "pay.py").write_text(CODE)
    (root / "README.md").write_text("# Shop\n\nSells things. Größe, 東京, 👩‍🚀.\n")
    memory = house.memory(house.files)
    memory.index()
    keep(memory, clock)
    other = root.parent / "web"
    other.mkdir()
    web = house.memory(house.files, other)
    web.remember("The start page shows six products")
    memory.admin.shares.offer(str(other), kinds=["decision"])
    web.admin.shares.accept(str(root))
    (root / "pay.py").write_text(CODE.replace("result += price", "result += price * 2"))
    memory.code.stale()
    memory.code.track("README.md")
    memory.close()
    web.close()
    house.write(house.files, _more)


def keep(memory: Memory, clock: TestClock) -> None:
    first = memory.remember("Invoices are written in euros", domain="billing", refs=["pay.py#L4-L9"]).id
    clock.advance(hours=1)
    memory.correct(str(first), "Invoices are written in euros and in francs")
    memory.remember("Цены указаны с налогом, 税込み, für Größe 5 🎉", domain="billing", tags={"who": "Zoë"})
    memory.remember("A long story. " * 8_000, key="story")
    memory.decide("We pay by card", because=["Nobody carries cash"], leads_to=["Fees"])
    gone = memory.remember("The key of the safe is under the mat").id
    memory.forget(str(gone))
    memory.protect(str(first))
    memory.facts.set_ttl(str(memory.remember("The sale ends soon").id), seconds=3600)
    memory.journal.add("Talked with the bank about fees")
    clock.advance(days=1)
    memory.journal.add("Wrote the contract")
    memory.journal.stats()


def _more(writer: Writer) -> None:
    """What takes another program or another model to happen."""
    hashes = [row[2] for row in writer.tables().rows(TABLES["passages"], None, 20) if row[2]]
    vectors = np.random.default_rng(7).normal(size=(len(hashes), 24)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    writer.vectors.queue_missing("another-model")
    writer.vectors.put("another-model", [(one, "en", vector) for one, vector in zip(hashes, vectors, strict=True)][:15])
    now = TestClock()()
    draft = {"text": "Fees are paid monthly", "kind": "fact"}
    writer.facts.put_candidate(
        CandidateRow("c" * 26, now, 0.6, "readme", "fees", "said once", b"f" * 16, b"t" * 16, draft)
    )
    writer.meta.set("import_batches:x:0", "[]")
