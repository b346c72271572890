"""Questions that name a time: what was said then comes first, and a subject still counts."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock

from waypost import Memory

FIRST = date(2025, 12, 1)
SUBJECTS = (
    "The heating engineer comes at nine",
    "We chose oak for the kitchen floor",
    "Clara passed her driving test",
    "The train to Vienna was two hours late",
    "Peter asked for the slides of the talk in January",
    "We planted three apple trees behind the house",
    "On 15 tables there were flowers, said the waiter",
)


@pytest.fixture
def memory(open_memory: OpenMemory, tmp_path: Path, clock: TestClock) -> Memory:
    """Sixty days with four remarks each, by the clock of New York; today is Friday, 30 January 2026."""
    (tmp_path / "home").mkdir(exist_ok=True)
    (tmp_path / "home" / "config.toml").write_text('[journal]\ntimezone = "America/New_York"\n')
    memory = open_memory()
    rows = []
    for day in range(60):
        for turn in range(4):
            number = day * 4 + turn
            rows.append(
                {
                    "text": f"{SUBJECTS[number % len(SUBJECTS)]}, remark {number}",
                    "kind": "conversation",
                    "session": f"s{day}",
                    "speaker": "user",
                    "time": f"{FIRST + timedelta(days=day)}T{14 + turn:02}:00:00-05:00",
                }
            )
    memory.remember_many(rows)
    memory.admin.embed_pending()
    return memory


def days_of(memory: Memory, question: str, k: int = 4) -> set[str]:
    hits = memory.recall(question, k=k).hits
    return {memory.space.journal.local(hit.time).date().isoformat() for hit in hits if hit.time}


ASKED = {
    "What did we discuss on 15 January?": {"2026-01-15"},
    "what did we talk about yesterday?": {"2026-01-29"},
    "Was haben wir letzten Dienstag besprochen?": {"2026-01-27"},
    "Worüber haben wir am 15. Januar gesprochen?": {"2026-01-15"},
    "Was war vorgestern los?": {"2026-01-28"},
    "О чём мы говорили 15 января?": {"2026-01-15"},
    "Что мы обсуждали вчера?": {"2026-01-29"},
    "What happened between 3 and 4 January?": {"2026-01-03", "2026-01-04"},
}


@pytest.mark.slow
def test_who_asks_only_for_a_time_is_told_what_was_said_then(memory: Memory) -> None:
    found = {question: days_of(memory, question) for question in ASKED}
    assert {question: days - ASKED[question] for question, days in found.items() if days - ASKED[question]} == {}
    assert all(found.values())


@pytest.mark.slow
def test_a_subject_with_a_day_finds_what_was_said_of_it_on_that_day(memory: Memory) -> None:
    best = memory.recall("What was said about the apple trees on 15 January?", k=1).hits[0]
    assert "apple trees" in best.text
    assert best.time and memory.space.journal.local(best.time).date() == date(2026, 1, 15)


@pytest.mark.slow
@pytest.mark.usefixtures("fitted")
def test_a_time_of_which_nothing_is_known_is_answered_with_nothing(memory: Memory) -> None:
    question = "What did we discuss on 3 March 2020?"
    assert not memory.recall(question, k=3).hits
    assert memory.recall(question, k=3, unlikely=True).hits


@pytest.mark.slow
def test_a_note_of_the_asked_day_is_told_too(memory: Memory) -> None:
    memory.journal.add("The gutter leaks", time="2025-12-24")
    assert "The gutter leaks" in [hit.text for hit in memory.recall("What did I note on 24 December?", k=5).hits]
