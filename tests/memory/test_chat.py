"""`memory.chat(user)`: turns, sessions, context and the chat's own commands."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import TestClock
from tests.flows.journal.days import root_of

from waypost import AsyncMemory, Memory
from waypost.errors import InvalidInput

MARRIED = "I got married to Clara in Bergen today!"


@pytest.mark.both_stores
def test_a_turn_is_stored_in_the_users_own_memory(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat(4711)
    turn = chat.turn(MARRIED, "Congratulations to both of you!")
    assert chat.user == "4711" and len(turn.ids) == 2
    rows = chat.memory.list()
    assert [(row["id"], row["speaker"], row["text"]) for row in rows] == [
        (turn.ids[0], "user", MARRIED),
        (turn.ids[1], "assistant", "Congratulations to both of you!"),
    ]
    assert memory.list() == [] and memory.chat("4712").memory.list() == []


def test_a_question_without_an_answer_is_a_turn_too(memory: Memory) -> None:
    turn = memory.chat("ada").turn("Remind me to call Peter")
    assert turn.answer is None and len(turn.ids) == 1


def test_a_pause_begins_a_new_session(memory: Memory, clock: TestClock) -> None:
    first = memory.chat("ada").turn("Which exam first?", "The easy one.")
    clock.advance(minutes=29)
    second = memory.chat("ada").turn("And then?", "The hard one.")  # a new object, as after a restart
    clock.advance(minutes=31)
    third = memory.chat("ada").turn("Good morning!", "Good morning!")
    assert first.session == second.session != third.session
    assert memory.chat("ada", pause_minutes=120).turn("Still there?").session == third.session


def test_other_entries_of_the_journal_are_no_part_of_the_chat(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    first = chat.turn("Which exam first?", "The easy one.")
    chat.memory.journal.add("From another program", session="import", speaker="user")
    clock.advance(minutes=5)
    assert chat.turn("And then?").session == first.session


def test_an_older_turn_gets_a_session_of_its_own(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    now = chat.turn("Which exam first?", "The easy one.")
    assert chat.turn("Asked last year", time="2025-01-30T10:00:00Z").session != now.session
    assert chat.turn("And then?").session == now.session


def test_a_file_comes_with_the_question(memory: Memory, tmp_path: Path) -> None:
    picture = tmp_path / "board.jpg"
    picture.write_bytes(b"\xff\xd8 a picture")
    chat = memory.chat("ada")
    chat.turn("The plan on the board", "Got it.", media=picture)
    question, answer = chat.memory.journal.timeline("today").entries
    kept = chat.memory.journal.root / question.entry.more["media"]
    assert kept.read_bytes() == b"\xff\xd8 a picture" and "media" not in answer.entry.more


def test_the_context_has_what_was_said(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    chat.turn(MARRIED, "Congratulations!")
    clock.advance(days=40)
    assert MARRIED in chat.context("Who did I marry?").text


@pytest.mark.parametrize("pause", [float("nan"), float("inf"), -1])
def test_a_pause_that_is_no_length_of_time_is_refused(memory: Memory, pause: float) -> None:
    with pytest.raises(InvalidInput, match="pause_minutes"):
        memory.chat("ada", pause_minutes=pause)


@pytest.mark.parametrize("user", [None, True, 1.5])
def test_a_user_is_a_name_or_a_number(memory: Memory, user: Any) -> None:
    with pytest.raises(InvalidInput, match="user"):
        memory.chat(user)


def test_an_empty_question_is_refused_and_nothing_is_written(memory: Memory) -> None:
    chat = memory.chat("ada")
    with pytest.raises(InvalidInput):
        chat.turn("  ", "Hello?")
    with pytest.raises(InvalidInput):
        memory.chat("\n")
    assert chat.memory.list() == []


# -- commands


@pytest.mark.parametrize("text", ["Hello", "what is /memory stats?", "/start", "/memorystats", ""])
def test_an_ordinary_message_is_no_command(memory: Memory, text: str) -> None:
    assert memory.chat("ada").command(text) is None


@pytest.mark.parametrize(
    ("command", "name", "part"),
    [
        ("/memory stats", "stats", "Entries: 2, conversations: 1"),
        ("/memory@my_bot stats", "stats", "Entries: 2"),
        ("/memory statistik", "stats", "Einträge: 2, Gespräche: 1"),
        ("/memory статистика", "stats", "Записей: 2"),
        ("/memory search Clara", "search", MARRIED),
        ("/memory suche Clara", "search", MARRIED),
        ("/MEMORY поиск Clara", "search", MARRIED),
        ("/memory search Xanthippe", "search", "Nothing found for “Xanthippe”"),
        ("/memory search", "search", "/memory search WORDS"),
        ("/memory timeline 2026-01-30", "timeline", MARRIED),
        ("/memory zeitleiste heute", "timeline", MARRIED),
        ("/memory хронология сегодня", "timeline", MARRIED),
        ("/memory timeline 2020-01-30", "timeline", "Nothing found"),
        ("/memory timeline soonish", "timeline", "is not a time"),
        ("/memory cleanup", "cleanup", "Nothing is due"),
        ("/memory", "help", "/memory search WORDS"),
        ("/memory dance", "help", "/memory protect WORDS"),
        ("/memory hilfe", "help", "/memory suche WÖRTER"),
    ],
)
def test_the_chat_answers_its_own_commands(memory: Memory, command: str, name: str, part: str) -> None:
    chat = memory.chat("ada")
    chat.turn(MARRIED, "Congratulations!")
    reply = chat.command(command)
    assert reply is not None and reply.command == name
    assert part in reply.text
    assert len(chat.memory.list()) == 2  # a command is not stored


@pytest.mark.parametrize(
    "command", ["/memory protect married to Clara", '/protect "married to Clara"', "/memory schütze married to Clara"]
)
def test_a_command_protects_the_entry_with_these_words(memory: Memory, command: str) -> None:
    chat = memory.chat("ada")
    turn = chat.turn(MARRIED, "Congratulations!")
    reply = chat.command(command)
    assert reply is not None and reply.data == {"id": turn.ids[0]} and MARRIED in reply.text
    assert chat.memory.show(turn.ids[0]).state.protected


def test_cleanup_condenses_what_is_due(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    chat.turn(MARRIED, "Congratulations!")
    clock.advance(days=20)
    reply = chat.command("/memory cleanup force")
    assert reply is not None and "weekly/2026-W05.md" in reply.text


def test_a_search_also_shows_lines_of_pages_without_a_time(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    chat.turn(MARRIED)
    page = root_of(chat.memory) / "monthly" / "2026-01.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("# January\n\nA note about a lighthouse.\n", encoding="utf-8")
    reply = chat.command("/memory search lighthouse")
    assert reply is not None and reply.text == "A note about a lighthouse."


def test_a_long_answer_to_a_command_is_cut(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    for number in range(20):
        clock.advance(seconds=1)
        chat.turn(f"Train number {number} is late")
    reply = chat.command("/memory search Train")
    assert reply is not None and reply.text.endswith("… and 5 more.")


# -- many users, and an event loop


def test_a_program_with_an_event_loop_uses_the_same_memory(memory: Memory) -> None:
    async def talk() -> list[str]:
        client = AsyncMemory(memory)
        chats = [await client.chat(user) for user in ("ada", "ben")]
        await asyncio.gather(*(chat.turn(f"I am {chat.user}", "Hello!") for chat in chats))
        await client.journal.add("A note")
        replies = [await chat.command("/memory search I am") for chat in chats]
        return [reply.text for reply in replies]

    texts = asyncio.run(talk())
    assert ["I am ada" in texts[0], "I am ben" in texts[1]] == [True, True]
    assert [row["text"] for row in memory.list()] == ["A note"]


def test_errors_reach_the_event_loop(memory: Memory) -> None:
    async def ask() -> None:
        async with AsyncMemory(memory) as client:
            await client.recall("")

    with pytest.raises(InvalidInput):
        asyncio.run(ask())


@pytest.mark.both_stores
def test_one_call_maintains_every_memory(memory: Memory, clock: TestClock) -> None:
    for user in ("ada", "ben"):
        memory.chat(user).turn(MARRIED, "Congratulations!")
    clock.advance(days=20)
    done = memory.admin.maintain_all(force=True)
    assert {row.name for row in done} >= {"ada", "ben"} and not [row.problem for row in done if row.problem]
    assert (memory.chat("ada").memory.journal.root / "weekly" / "2026-W05.md").is_file()
    assert (memory.chat("ben").memory.journal.root / "weekly" / "2026-W05.md").is_file()


def test_a_damaged_memory_stops_no_other(memory: Memory, clock: TestClock) -> None:
    chat = memory.chat("ada")
    chat.turn(MARRIED, "Congratulations!")
    broken = memory.chat("ben").memory
    broken.journal.add("A note")
    folder = broken.space.folder
    broken.close()
    (folder / "memory.db").write_bytes(b"no database" * 1000)
    clock.advance(days=20)
    done = {row.name: row for row in memory.admin.maintain_all(force=True)}
    assert done["ben"].problem and not done["ada"].problem
    assert (chat.memory.journal.root / "weekly" / "2026-W05.md").is_file()
