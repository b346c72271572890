"""The text of a forgotten entry does not come back at another time or from another speaker. Small talk does."""

import json
import re
from pathlib import Path

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.flows.journal.days import root_of

from waypost.memory import Memory

ZEBRA = "My quizzical zebra Xanthippe sleeps in the pantry."


def say(memory: Memory, text: str, **more: object) -> str:
    return memory.remember(text, kind="conversation", session="s", speaker="user", **more).id or ""


@pytest.mark.both_stores
def test_a_forgotten_text_is_refused_at_any_other_time(memory: Memory, clock: TestClock) -> None:
    memory.forget(say(memory, ZEBRA))
    clock.advance(hours=1)
    for more in ({}, {"time": "2026-01-29T10:00:00Z"}, {"time": "2026-01-30T12:30:00Z", "speaker": "anna"}):
        receipt = memory.remember(ZEBRA.upper(), **{"kind": "conversation", "session": "t", "speaker": "user", **more})
        assert receipt.status == "refused" and "forgotten" in (receipt.reason or "")
    assert memory.list() == []


def test_an_import_does_not_bring_a_forgotten_text_back(memory: Memory, tmp_path: Path) -> None:
    memory.forget(say(memory, ZEBRA))
    chat = tmp_path / "chat.jsonl"
    rows = [{"role": "user", "content": text, "time": "2026-01-20T10:00:00Z"} for text in (ZEBRA, "We sail on Friday.")]
    chat.write_text("".join(json.dumps(row) + "\n" for row in rows))
    memory.journal.import_chat(chat)
    assert [row["text"] for row in memory.list()] == ["We sail on Friday."]


@pytest.mark.parametrize("text", ["ok", "Thanks!", "Danke dir sehr", "да, спасибо", "Yes, please do it."])
def test_small_talk_can_be_said_again(memory: Memory, clock: TestClock, text: str) -> None:
    memory.forget(say(memory, text, time=clock.now))
    clock.advance(hours=1)
    assert say(memory, text, time=clock.now)
    assert [row["text"] for row in memory.list()] == [text]


def test_another_entry_with_the_same_text_stays(memory: Memory, clock: TestClock) -> None:
    first = say(memory, ZEBRA, time=clock.now)
    clock.advance(days=1)
    second = say(memory, ZEBRA, time=clock.now)
    memory.forget(first)
    memory.admin.rebuild()
    assert [row["id"] for row in memory.list()] == [second]


def test_a_person_can_allow_a_forgotten_text_again(memory: Memory, person: Memory, clock: TestClock) -> None:
    memory.forget(say(memory, ZEBRA))
    clock.advance(hours=1)
    assert person.facts.lift_rejection(ZEBRA, kind="conversation", session="s", speaker="user")
    assert say(memory, ZEBRA)


_COMMENT = re.compile(r" <!--[^\n]*-->")
_STATES = {
    "restored": lambda text: text,
    "without its comment": lambda text: _COMMENT.sub("", text),
    "without its id": lambda text: re.sub(r"id=\S+ ", "", text),
    "with half a comment": lambda text: text.replace(" -->", ""),
    "with another id": lambda text: re.sub(r"id=01\S", "id=01z", text),
    "with a wrong id": lambda text: re.sub(r"id=\S+", "id=xx", text),
    "twice": lambda text: text + "\n" + text.split("\n", 2)[2],
    "twice without its comment": lambda text: _COMMENT.sub("", text + "\n" + text.split("\n", 2)[2]),
    "without title": lambda text: _COMMENT.sub("", text.split("\n", 2)[2]),
    "without heading": lambda text: "\n".join(line for line in text.split("\n") if not line.startswith("###")),
    "emptied": lambda text: "",
    "with other line ends": lambda text: _COMMENT.sub("", text).replace("\n", "\r\n"),
}


@pytest.mark.parametrize("state", _STATES)
def test_a_restored_file_of_a_forgotten_entry_stops_no_command(
    open_memory: OpenMemory, clock: TestClock, state: str
) -> None:
    memory = open_memory()
    entry = say(memory, ZEBRA)
    [file] = (root_of(memory) / "daily").glob("*.md")
    before = file.read_text()
    memory.forget(entry)
    for shape in (_STATES["restored"], _STATES[state]):
        file.write_text(shape(before))
        assert memory.list() == []
        clock.advance(hours=1)
        memory.journal.condense(force=True)
        memory.admin.doctor()
    say(memory, "We sail to Bergen on Friday.")
    assert [row["text"] for row in memory.list()] == ["We sail to Bergen on Friday."]
