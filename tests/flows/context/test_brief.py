"""The default briefing: everything known about a task, with a bounded part for what is always told."""

from pathlib import Path

import pytest
from tests.flows.conftest import write_file

from waypost.context.budget import count_tokens
from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop


def test_level_0_takes_at_most_15_percent_of_the_default_briefing(memory: Memory) -> None:
    memory.remember_many(
        {"text": f"Rule {number}: every change of the ledger is {'reviewed and ' * 12}signed.", "level": 0}
        for number in range(40)
    )
    memory.remember("The ledger is closed on the last day of a quarter.", level=2)
    for tokens in (200, 500, 2000, 5000):
        told = memory.brief("when is the ledger closed", tokens)
        always = [line for line in told.text.splitlines() if line.startswith("- Rule")]
        assert sum(count_tokens(line) + 1 for line in always) <= 0.15 * tokens, tokens
        assert "The ledger is closed" in told.text, tokens
        assert told.tokens <= tokens


def test_the_routed_briefing_has_no_such_bound(memory: Memory) -> None:
    memory.remember_many(
        {"text": f"Rule {number} of the ledger {'stands and ' * 12}stays.", "level": 0} for number in range(40)
    )
    told = memory.brief("when is the ledger closed", 1000, preset="route")
    assert 800 < told.tokens <= 1000


def talk(memory: Memory, *said: str, session: str = "s", day: str = "2026-01-12", speakers: str = "Anna Boris") -> None:
    who = speakers.split()
    memory.remember_many(
        {
            "text": text,
            "kind": "conversation",
            "session": session,
            "speaker": who[place % len(who)],
            "time": f"{day}T10:{place:02}:00Z",
        }
        for place, text in enumerate(said)
    )


def test_what_was_said_around_a_hit_is_told_with_it_under_its_day(memory: Memory) -> None:
    talk(
        memory,
        "Hello!",
        "Where does the ferry to Hvar leave?",
        "From pier nine.",
        "At noon.",
        "Good.",
        "Bye.",
        "See you.",
    )
    talk(memory, "Bananas are cheap today.", session="t", day="2026-01-13")
    lines = memory.brief("Where does the ferry to Hvar leave?", 200).text.splitlines()
    at = lines.index("2026-01-12")
    assert lines[at + 1 : at + 5] == [
        "- Anna: Hello!",
        "- Boris: Where does the ferry to Hvar leave?",
        "- Anna: From pier nine.",
        "- Boris: At noon.",
    ]


def test_neighbours_obey_the_moment_that_is_asked_about(memory: Memory) -> None:
    talk(memory, "Where does the ferry to Hvar leave?", "From pier nine.")
    (answer,) = (row["id"] for row in memory.list(session="s") if "pier" in row["text"])
    memory.retract(answer)
    assert "pier nine" not in memory.brief("Where does the ferry to Hvar leave?").text


def test_the_moment_of_the_question_decides_what_yesterday_is(memory: Memory) -> None:
    for day in ("2026-01-12", "2026-01-20"):
        talk(memory, "We ate soup for dinner.", session=day, day=day)
    told = [
        memory.brief("What did we eat for dinner yesterday?", now=now).memories[0].time
        for now in ("2026-01-13T08:00:00Z", "2026-01-21T08:00:00Z")
    ]
    assert [time.day for time in told if time] == [12, 20]


def test_confidence_is_about_the_task_not_about_what_is_always_told(memory: Memory) -> None:
    memory.remember("We speak plainly", level=0)
    assert memory.brief("how do uploads work?").confidence < 1.0


def test_a_briefing_shows_no_file_that_is_gone(empty_tree: Path, memory: Memory) -> None:
    write_file(empty_tree, "banana.py", 'def peel_banana():\n    """Peel the banana function."""\n    return 1\n')
    write_file(empty_tree, "apple.py", "def apple():\n    return 1\n")
    memory.index()
    (empty_tree / "banana.py").unlink()
    assert "banana.py" not in memory.brief("peel banana function").text
