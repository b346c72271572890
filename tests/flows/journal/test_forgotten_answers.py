"""Forgetting what a person said also forgets what the assistant answered to it."""

from typing import Any

import pytest
from tests.conftest import TestClock
from tests.flows.journal.days import root_of
from tests.home_files import contents

from waypost.memory import Memory

Turn = tuple[str, str]


def converse(memory: Memory, clock: TestClock, *turns: Turn, session: str = "s") -> list[str]:
    rows: list[dict[str, Any]] = []
    for speaker, text in turns:
        clock.advance(seconds=20)
        rows.append({"text": text, "kind": "conversation", "session": session, "speaker": speaker, "time": clock.now})
    return [receipt.id or "" for receipt in memory.remember_many(rows)]


TALK: tuple[Turn, ...] = (
    ("user", "Where does Xanthippe sleep?"),
    ("tool", "search: zebra Xanthippe, 1 result"),
    ("assistant", "Your zebra Xanthippe sleeps in the pantry."),
    ("user", "And when does the train leave?"),
    ("assistant", "At half past nine."),
)


@pytest.mark.both_stores
def test_an_answer_goes_with_its_question(memory: Memory, clock: TestClock) -> None:
    ids = converse(memory, clock, *TALK)
    assert memory.forget(ids[0], dry_run=True).answers == (ids[1], ids[2])
    gone = memory.forget(ids[0])
    assert gone.answers == (ids[1], ids[2])
    assert [row["id"] for row in memory.list()] == ids[3:]
    assert not [path for path, content in contents(root_of(memory)).items() if b"Xanthippe" in content]


def test_entries_of_the_same_second_keep_their_order(memory: Memory, clock: TestClock) -> None:
    turn = {"kind": "conversation", "session": "s", "time": clock.now}
    rows = [turn | {"text": text, "speaker": speaker} for speaker, text in TALK]
    ids = [receipt.id or "" for receipt in memory.remember_many(rows)]
    memory.forget(ids[0])
    assert [row["id"] for row in memory.list()] == ids[3:]


def test_answers_stay_if_wanted_or_protected(memory: Memory, clock: TestClock) -> None:
    ids = converse(memory, clock, *TALK)
    memory.protect(ids[2])
    assert memory.forget(ids[0]).answers == (ids[1],)
    assert memory.forget(ids[3], keep_answers=True).answers == ()
    assert [row["id"] for row in memory.list()] == [ids[2], ids[4]]


def test_another_conversation_of_the_same_minute_stays(memory: Memory, clock: TestClock) -> None:
    first = converse(memory, clock, TALK[0], session="a")
    others = converse(memory, clock, TALK[4], session="b")
    answer = converse(memory, clock, TALK[2], session="a")
    assert memory.forget(first[0]).answers == tuple(answer)
    assert [row["id"] for row in memory.list()] == others


@pytest.mark.parametrize("which", [2, 4])
def test_forgetting_an_answer_leaves_its_question(memory: Memory, clock: TestClock, which: int) -> None:
    ids = converse(memory, clock, *TALK)
    assert memory.forget(ids[which]).answers == ()
    assert [row["id"] for row in memory.list()] == [memory_id for memory_id in ids if memory_id != ids[which]]


def test_a_forgotten_answer_can_be_given_to_another_question(memory: Memory, clock: TestClock) -> None:
    answer = ("assistant", "I have written that down for you, as always.")
    ids = converse(memory, clock, TALK[0], answer)
    memory.forget(ids[0])
    clock.advance(hours=1)
    again = converse(memory, clock, TALK[3], answer)
    assert [row["id"] for row in memory.list()] == again
