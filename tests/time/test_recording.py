"""When something became known: with the transaction that stored it, however long it was prepared before."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost.embed.fake import FakeEngine
from waypost.flows.links import repair
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

A_SECOND = timedelta(seconds=1)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine, clock: TestClock) -> list[datetime]:
    """Embedding takes ten seconds. The list has an instant from the midst of each."""
    during: list[datetime] = []
    embed = FakeEngine.embed

    def slowly(self: FakeEngine, texts: Sequence[str]) -> object:
        during.append(clock.advance(seconds=5))
        clock.advance(seconds=5)
        return embed(self, texts)

    monkeypatch.setattr(FakeEngine, "embed", slowly)
    return during


def texts(memory: Memory, known_at: datetime) -> list[str]:
    return [row["text"] for row in memory.list(known_at=known_at)]


def test_a_new_memory_is_not_known_while_it_is_embedded(
    open_memory: OpenMemory, clock: TestClock, slow: list[datetime]
) -> None:
    memory = open_memory()
    memory.remember("The jetty has 4 lamps")
    assert texts(memory, slow[-1]) == []
    assert texts(memory, clock.now) == ["The jetty has 4 lamps"]


def test_a_correction_is_not_known_while_it_is_embedded(
    open_memory: OpenMemory, clock: TestClock, slow: list[datetime]
) -> None:
    memory = open_memory()
    fact = memory.remember("The jetty has 4 lamps").id
    assert fact is not None
    clock.advance(hours=1)
    memory.correct(fact, "The jetty has 5 lamps")
    assert texts(memory, slow[-1]) == ["The jetty has 4 lamps"]  # as whoever asked then was told
    assert texts(memory, clock.now) == ["The jetty has 5 lamps"]


def test_that_a_memory_points_elsewhere_is_not_known_before_it_is_stored(
    open_memory: OpenMemory, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    for name in ("old.py", "new.py"):
        (memory.code.root / name).write_text("def light():\n    return 'on'\n")
    fact = memory.remember("The light stays on", refs=["old.py"]).id
    assert fact is not None
    before = clock.advance(hours=1)
    store = repair._store

    def later(*arguments: object, **options: object) -> None:
        clock.advance(hours=1)
        store(*arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(repair, "_store", later)
    memory.code.relink(fact, ["new.py"])
    for instant, path in ((before, "old.py"), (clock.now - A_SECOND, "old.py"), (clock.now, "new.py")):
        assert [ref.file_path for ref in memory.show(fact, known_at=instant).version.refs] == [path]
