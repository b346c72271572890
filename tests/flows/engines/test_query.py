"""A question is embedded while keywords are searched."""

import threading
from collections.abc import Sequence

import pytest

from waypost.embed.fake import FakeEngine
from waypost.flows.engines import query
from waypost.flows.recall import candidates
from waypost.memory import Memory


@pytest.fixture
def queried(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> Memory:
    """A memory that was queried before: it knows which engine serves."""
    monkeypatch.setattr(query, "cores", lambda: 2)
    memory.remember("The deployment runs on Tuesday.")
    memory.recall("When is the deployment?")
    return memory


def test_keywords_are_searched_while_the_question_is_embedded(
    queried: Memory, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched, in_time = threading.Event(), list[bool]()
    terms_of = candidates.question_terms

    def note_search(*arguments: object) -> list[str]:
        searched.set()
        return terms_of(*arguments)  # type: ignore[arg-type]

    def wait_for_search(_: Sequence[str]) -> bool:
        in_time.append(searched.wait(20))
        return False

    monkeypatch.setattr(candidates, "question_terms", note_search)
    fake_engine.fail = wait_for_search
    assert [hit.text for hit in queried.recall("Which day is the deployment?").hits] == [
        "The deployment runs on Tuesday."
    ]
    assert in_time == [True]


def test_with_one_core_the_question_is_embedded_by_its_own_thread(
    queried: Memory, fake_engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query, "cores", lambda: 1)
    threads = list[threading.Thread]()

    def note_thread(_: Sequence[str]) -> bool:
        threads.append(threading.current_thread())
        return False

    fake_engine.fail = note_thread
    assert queried.recall("Which day is the deployment?").hits
    assert threads == [threading.current_thread()]


def test_an_engine_that_fails_ahead_leaves_keywords_and_a_notice(queried: Memory, fake_engine: FakeEngine) -> None:
    fake_engine.fail = True
    answer = queried.recall("Which day is the deployment?")
    assert [hit.text for hit in answer.hits] == ["The deployment runs on Tuesday."]
    assert any("The fake engine is set to fail." in notice for notice in answer.notices)


def test_a_defect_of_an_engine_is_raised_where_its_vector_is_needed(queried: Memory, fake_engine: FakeEngine) -> None:
    def break_down(_: Sequence[str]) -> bool:
        raise ZeroDivisionError("a defect")

    fake_engine.fail = break_down
    with pytest.raises(ZeroDivisionError, match="a defect"):
        queried.recall("Which day is the deployment?")
