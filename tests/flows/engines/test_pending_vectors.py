"""Without its engine a memory refuses nothing and hides nothing; when the engine returns, what is owed is paid once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory

import waypost.memory.spaces
from waypost import config
from waypost.config import Settings
from waypost.embed.fake import FakeEngine
from waypost.embed.weights import MINILM, MULTILINGUAL
from waypost.errors import EngineUnavailable
from waypost.flows.engines.pending_vectors import settle
from waypost.flows.engines.query import ON_THE_SPOT
from waypost.memory import Memory

# Shares no word with TEXT, only parts of words: found by its vector or not at all.
TEXT, NEAR = "Deployments happen nightly", "deploymentsx happenx nightlyx"


class Engines:
    """A separate fake for each engine of the settings; `missing` ones cannot even be opened."""

    def __init__(self) -> None:
        self.by_name: dict[str, FakeEngine] = {}
        self.missing: set[str] = set()

    def __getitem__(self, name: str) -> FakeEngine:
        if name not in self.by_name:
            self.by_name[name] = FakeEngine(label=name.replace(":", "-"), calls=[])
        return self.by_name[name]

    def open(self, name: str, _settings: Settings) -> FakeEngine:
        if name in self.missing:
            raise EngineUnavailable(f"{name} is not here.", "Bring it.")
        return self[name]

    def lose(self, name: str) -> None:
        """As in a process that starts while the engine is not there."""
        self.missing.add(name)
        waypost.memory.spaces._engines.clear()

    def embedded(self, name: str) -> list[str]:
        return [text for call in self[name].calls or () for text in call]


@pytest.fixture
def engines(monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine) -> Engines:
    engines = Engines()
    monkeypatch.setattr("waypost.memory.spaces.open_engine", engines.open)
    return engines


@pytest.fixture
def open_with(open_memory: OpenMemory) -> Callable[..., Memory]:
    """Open the project's memory with some settings changed."""

    def open_(**changes: object) -> Memory:
        return open_memory(settings=replace(config.load(), **changes))  # type: ignore[arg-type]

    return open_


def found(memory: Memory, question: str, k: int = 5) -> list[str]:
    return [hit.text for hit in memory.recall(question, k)]


def by_meaning(memory: Memory, question: str) -> list[str]:
    return [hit.text for hit in memory.recall(question, 5) if "meaning" in hit.why]


def test_what_is_written_while_the_engine_is_away_is_stored_and_found_by_keywords(
    engines: Engines, open_memory: OpenMemory
) -> None:
    engines["minilm"].fail = True
    memory = open_memory()
    receipt = memory.remember(TEXT)
    assert (receipt.status, receipt.pending) == ("added", (MINILM.name,))
    assert [r.status for r in memory.remember_many([{"text": "Releases are tagged"}, {"text": TEXT}])] == [
        "added", "duplicate"
    ]  # fmt: skip
    answer = memory.recall("Deployments")
    assert [hit.text for hit in answer] == [TEXT]
    assert any("Answered without" in notice and "set to fail" in notice for notice in answer.notices)
    assert any("2 texts are not embedded yet" in notice for notice in answer.notices)
    assert memory.status()["pending"] == {MINILM.name: 2}
    [vectors] = [one for one in memory.admin.doctor() if one.check == "vectors"]
    assert vectors.severity == "problem"
    assert vectors.message.startswith(f"2 texts cannot be embedded by {MINILM.name}: ")
    assert memory.correct(str(receipt.id), "Deployments happen weekly").pending == (MINILM.name,)
    assert found(memory, "weekly") == ["Deployments happen weekly"]


def test_when_the_engine_returns_the_debt_is_paid_and_vectors_are_used(
    engines: Engines, open_memory: OpenMemory
) -> None:
    engines["minilm"].fail = True
    memory = open_memory()
    memory.remember(TEXT)
    assert found(memory, NEAR) == []  # the control: no keyword finds it
    engines["minilm"].fail = False
    assert memory.admin.embed_pending() == {MINILM.name: 0}
    assert memory.status()["pending"] == {MINILM.name: 0}
    answer = memory.recall(NEAR)
    assert [hit.text for hit in answer] == [TEXT]
    assert answer.notices == ()
    assert engines.embedded("minilm").count(TEXT) == 1


def test_a_small_debt_is_paid_by_the_question_itself(engines: Engines, open_memory: OpenMemory) -> None:
    engines["minilm"].fail = True
    memory = open_memory()
    memory.remember(TEXT)
    engines["minilm"].fail = False
    assert found(memory, NEAR) == [TEXT]
    assert memory.status()["pending"] == {MINILM.name: 0}


@pytest.mark.slow
def test_a_large_debt_is_told_and_left_to_the_worker(engines: Engines, open_memory: OpenMemory) -> None:
    engines["minilm"].fail = True
    memory = open_memory()
    memory.remember_many([{"text": f"Entry {n} of the log", "kind": "note"} for n in range(ON_THE_SPOT + 1)])
    engines["minilm"].fail = False
    answer = memory.recall("Entry 77")
    assert answer.hits[0].text == "Entry 77 of the log"
    assert any(f"{ON_THE_SPOT + 1} texts are not embedded yet" in notice for notice in answer.notices)
    assert memory.admin.run_worker() == {MINILM.name: 0}
    assert memory.recall("Entry 77").notices == ()


def test_what_is_written_while_the_worker_is_about_to_end_is_embedded_too(
    engines: Engines, open_memory: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    late = ["Written at the last moment"]

    def settle_and_be_late(*given: Any, **named: Any) -> dict[str, int]:
        left = settle(*given, **named)
        engines["minilm"].fail = True
        while late:
            memory.remember(late.pop())
        engines["minilm"].fail = False
        return left

    monkeypatch.setattr("waypost.flows.admin.worker.settle", settle_and_be_late)
    assert memory.admin.run_worker() == {MINILM.name: 0}
    assert memory.status()["pending"] == {MINILM.name: 0}


def test_nothing_is_embedded_twice(engines: Engines, open_memory: OpenMemory) -> None:
    memory = open_memory()
    first = memory.remember(TEXT)
    memory.remember_many([{"text": "A note", "kind": "note", "session": s} for s in ("one", "two", "three")])
    memory.remember("Another fact about caches")
    memory.admin.embed_pending()
    memory.admin.run_worker()
    memory.retract(str(first.id), valid_until="2200-01-01")
    passages = [text for text in engines.embedded("minilm") if "?" not in text]
    assert sorted(passages) == sorted(set(passages))


@pytest.mark.slow
def test_an_engine_that_fails_in_the_middle_leaves_the_rest_owed(engines: Engines, open_memory: OpenMemory) -> None:
    engines["minilm"].fail = True
    memory = open_memory()
    memory.remember_many([{"text": f"Entry {n} of the log", "kind": "note"} for n in range(600)])
    calls = 0

    def fail_the_third_time(_texts: object) -> bool:
        nonlocal calls
        calls += 1
        return calls > 2

    engines["minilm"].fail = fail_the_third_time
    owed = memory.admin.embed_pending()[MINILM.name]
    assert 0 < owed < 600
    engines["minilm"].fail = False
    assert memory.admin.embed_pending() == {MINILM.name: 0}
    embedded = engines.embedded("minilm")
    assert len(embedded) == len(set(embedded)) == 600


@pytest.mark.slow
def test_both_engines_serve_while_a_new_one_catches_up_and_then_the_old_vectors_go(
    engines: Engines, open_with: Callable[..., Memory]
) -> None:
    memory = open_with(engine="onnx:one")
    memory.remember(TEXT)
    memory.remember_many([{"text": f"Entry {n} of the log", "kind": "note"} for n in range(ON_THE_SPOT)])
    memory.close()
    changed = open_with(engine="onnx:two")
    name_one, name_two = engines["onnx:one"].name, engines["onnx:two"].name
    assert changed.status()["pending"] == {name_two: ON_THE_SPOT + 1}
    assert TEXT in by_meaning(changed, NEAR)  # by the old engine's vectors
    changed.remember("Migrations happen weekly")  # and this by the new one's
    assert found(changed, "migrations")[0] == "Migrations happen weekly"
    assert stored_vectors(changed) == {name_one: ON_THE_SPOT + 1, name_two: 1}
    assert changed.admin.embed_pending() == {name_two: 0}
    assert stored_vectors(changed) == {name_two: ON_THE_SPOT + 2}
    assert TEXT in by_meaning(changed, NEAR)
    before = len(engines.embedded("onnx:one"))
    changed.recall(NEAR)
    assert len(engines.embedded("onnx:one")) == before  # the old one is not even asked


def stored_vectors(memory: Memory) -> dict[str, int]:
    with memory.space.store.read() as reader:
        rows = reader.database.connection.execute(  # type: ignore[attr-defined]
            "SELECT e.name, count(*) FROM vectors v JOIN engines e USING (engine_id) GROUP BY 1 ORDER BY 1"
        )
        return dict(rows.fetchall())


def test_going_back_to_the_old_engine_before_the_new_one_has_caught_up_loses_nothing(
    engines: Engines, open_with: Callable[..., Memory]
) -> None:
    open_with(engine="onnx:one").remember(TEXT)
    changed = open_with(engine="onnx:two")
    engines["onnx:two"].fail = True
    changed.remember("Migrations happen weekly")
    changed.close()
    back = open_with(engine="onnx:one")
    assert back.admin.embed_pending() == {engines["onnx:one"].name: 0}
    assert stored_vectors(back) == {engines["onnx:one"].name: 2}
    assert TEXT in by_meaning(back, NEAR)
    assert engines.embedded("onnx:one").count(TEXT) == 1


def test_an_engine_of_unknown_name_that_is_away_for_a_while_keeps_its_vectors(
    engines: Engines, open_with: Callable[..., Memory]
) -> None:
    """The folder of `onnx:DIR` is on a disk that is not plugged in when the memory is opened."""
    open_with(engine="onnx:one").remember(TEXT)
    open_with(engine="onnx:one").close()
    engines.lose("onnx:one")
    memory = open_with(engine="onnx:one")
    name = engines["onnx:one"].name
    assert memory.status()["pending"] == {name: 0}
    memory.remember("Migrations happen weekly")
    answer = memory.recall("migrations")
    assert [hit.text for hit in answer] == ["Migrations happen weekly"]
    assert any("is not here" in notice for notice in answer.notices)
    assert memory.status()["pending"] == {name: 1}
    engines.missing.clear()
    assert memory.admin.embed_pending() == {name: 0}
    assert stored_vectors(memory) == {name: 2}
    assert TEXT in by_meaning(memory, NEAR)
    assert engines.embedded("onnx:one").count(TEXT) == 1


def test_an_engine_that_was_never_seen_embeds_everything_when_it_comes(
    engines: Engines, open_with: Callable[..., Memory]
) -> None:
    engines.lose("onnx:one")
    memory = open_with(engine="onnx:one")
    memory.remember(TEXT)
    assert sum(memory.status()["pending"].values()) == 1
    engines.missing.clear()
    memory.admin.embed_pending()
    assert stored_vectors(memory) == {engines["onnx:one"].name: 1}
    assert memory.status()["pending"] == {engines["onnx:one"].name: 0}
    memory.close()
    assert found(memory, NEAR) == [TEXT]


@pytest.mark.parametrize("awaken", ["text", "question"])
def test_the_multilingual_engine_awakens_with_the_first_words_that_are_not_english(
    engines: Engines, open_memory: OpenMemory, awaken: str
) -> None:
    memory = open_memory()
    memory.remember("The nightly backup takes two hours")
    memory.recall("How long does the backup take?")
    assert engines.embedded("multilingual") == []
    assert memory.status()["pending"] == {MINILM.name: 0}
    if awaken == "text":
        memory.remember("Die Sicherung läuft jede Nacht und dauert zwei Stunden")
    else:
        memory.recall("Wie lange dauert die Sicherung in der Nacht?")
    assert set(memory.status()["pending"]) == {MINILM.name, MULTILINGUAL.name}
    memory.admin.embed_pending()
    assert memory.status()["pending"] == {MINILM.name: 0, MULTILINGUAL.name: 0}
    assert "The nightly backup takes two hours" in engines.embedded("multilingual")
    texts = [text for text in engines.embedded("multilingual") if "?" not in text]
    assert len(texts) == len(set(texts))


def test_without_the_multilingual_engine_other_languages_are_found_by_keywords(
    engines: Engines, open_memory: OpenMemory
) -> None:
    engines.lose("multilingual")
    memory = open_memory()
    memory.remember("Die Sicherung läuft jede Nacht und dauert zwei Stunden")
    answer = memory.recall("Wie lange dauert die Sicherung?")
    assert [hit.text for hit in answer] == ["Die Sicherung läuft jede Nacht und dauert zwei Stunden"]
    assert any(MULTILINGUAL.name in notice for notice in answer.notices)
    engines.missing.clear()
    memory.admin.embed_pending()
    assert memory.recall("Wie lange dauert die Sicherung?").notices == ()


def test_the_multilingual_engine_stays_asleep_when_the_settings_say_so(
    engines: Engines, open_with: Callable[..., Memory]
) -> None:
    memory = open_with(multilingual=False)
    memory.remember("Die Sicherung läuft jede Nacht und dauert zwei Stunden")
    assert found(memory, "Wie lange dauert die Sicherung?")
    assert engines.embedded("multilingual") == []
    assert set(memory.status()["pending"]) == {MINILM.name}


@pytest.mark.slow
def test_a_very_long_text_is_stored_at_once_and_embedded_later(memory: Memory, fake_engine: FakeEngine) -> None:
    fake_engine.calls = []
    long = "\n\n".join(f"Paragraph {n} tells about part {n} of the manual. " * 20 for n in range(90))
    receipt = memory.remember(long, kind="note")
    assert receipt.pending
    assert fake_engine.calls == []
    assert memory.recall("paragraph manual").hits[0].id == receipt.id
    assert not any(memory.admin.embed_pending().values())


@pytest.mark.slow
def test_an_engine_that_was_changed_again_before_it_had_everything_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines = {f"onnx:{name}": FakeEngine(label=name, fail=name == "b") for name in "abc"}
    monkeypatch.setattr("waypost.memory.spaces.open_engine", lambda name, _settings: engines[name])
    settings = replace(config.load(), multilingual=False)
    for name in engines:
        memory = Memory.open(tmp_path, settings=replace(settings, engine=name))
        memory.remember(f"Written with {name}")
    assert memory.admin.embed_pending() == {"c-64": 0}
    with memory.space.store.read() as reader:
        assert reader.vectors.pending() == {"c-64": 0}
    assert len(memory.recall("written with")) == 3


def test_the_first_german_question_waits_for_what_people_said_but_not_for_much_code(
    engines: Engines, open_with: Callable[..., Memory]
) -> None:
    memory = open_with(multilingual=True)
    root = memory.code.root
    (root / "many.py").write_text("\n\n".join(f"def f{n}(a):\n    return {n}" for n in range(2 * ON_THE_SPOT)))
    memory.index()
    memory.remember(TEXT)
    answer = memory.recall("Wann genau wird hier wieder ausgeliefert und von wem?", 5)
    assert TEXT in engines.embedded("multilingual")
    assert len(engines.embedded("multilingual")) < ON_THE_SPOT
    assert any("texts are not embedded yet" in notice for notice in answer.notices)


def test_an_english_question_is_not_answered_with_what_only_the_other_engine_has_to_do(
    open_with: Callable[..., Memory],
) -> None:
    memory = open_with(multilingual=True)
    root = memory.code.root
    (root / "many.py").write_text("\n\n".join(f"def f{n}(a):\n    return {n}" for n in range(2 * ON_THE_SPOT)))
    memory.index()
    settle(memory.space)
    assert memory.recall("Wann genau wird hier wieder ausgeliefert und von wem?").notices
    assert memory.recall("When do we deliver, and who does it?").notices == ()
