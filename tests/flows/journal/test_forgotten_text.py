"""The text of a forgotten entry does not come back at another time or from another speaker. Small talk does."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.flows.journal.days import root_of
from tests.home_files import contents, unpacked

from waypost.memory import Memory

ZEBRA = "My quizzical zebra Xanthippe sleeps in the pantry."


def say(memory: Memory, text: str, **more: Any) -> str:
    return memory.remember(text, kind="conversation", session="s", speaker="user", **more).id or ""


@pytest.mark.both_stores
def test_a_forgotten_text_is_refused_at_any_other_time(memory: Memory, clock: TestClock) -> None:
    memory.forget(say(memory, ZEBRA))
    clock.advance(hours=1)
    turn: dict[str, Any] = {"kind": "conversation", "session": "t", "speaker": "user"}
    for more in ({}, {"time": "2026-01-29T10:00:00Z"}, {"time": "2026-01-30T12:30:00Z", "speaker": "anna"}):
        receipt = memory.remember(ZEBRA.upper(), **(turn | more))
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
_STATES: dict[str, Callable[[str], str]] = {
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


OLD_WEEK = """## Kalenderwoche 2

### Hauptthemen
- Mittwoch: My quizzical zebra Xanthippe sleeps in the pantry. Danach Tee.
- Memory 2.0

We spoke about much. my **quizzical** zebra Xanthippe sleeps in the pantry, she said.
Xanthippe is well.
"""


@pytest.fixture
def imported(memory: Memory, tmp_path: Path) -> Memory:
    root = tmp_path / "users" / "42"
    for name in ("daily", "weekly", "monthly"):
        (root / name).mkdir(parents=True)
    day = f"# 2026-01-07\n\n### Benutzer - 10:00:00\n{ZEBRA}\n\n### Benutzer - 11:00:00\nWe sail to Bergen on Friday.\n"
    (root / "daily" / "20260107.md").write_text(day)
    (root / "weekly" / "2026-W02.md").write_text(OLD_WEEK)
    (root / "monthly" / "2026-01.md").write_text(f"# 2026-01\n\n- {ZEBRA}\n- Sailing\n")
    index = f"# Memory\n\n## Persönliche Details\n- Name: Raimund\n- Merke: {ZEBRA}\n\nAm 7.1.: {ZEBRA}\n"
    (root / "memory.md").write_text(index)
    memory.journal.import_folder("crowdbot", root)
    return memory


def holding(folder: Path, word: str) -> list[str]:
    return [path.name for path, content in contents(folder).items() if word.encode() in unpacked(path, content)]


def test_a_forgotten_entry_is_gone_from_imported_pages(imported: Memory) -> None:
    root = root_of(imported)
    assert "pantry" in (root / "weekly" / "2026-W02.md").read_text()
    [entry] = [row["id"] for row in imported.list() if row["text"] == ZEBRA and row["speaker"]]
    imported.forget(entry)
    assert holding(imported.space.folder, "pantry") == []
    week = (root / "weekly" / "2026-W02.md").read_text()
    assert "- Memory 2.0\n" in week and "We spoke about much." in week and "Danach Tee." in week
    assert "- Name: Raimund" in (root / "MEMORY.md").read_text()
    assert "- Sailing" in (root / "monthly" / "2026-01.md").read_text()
    assert not [row for row in imported.list() if "pantry" in row["text"]]
