"""One index: a space with code, facts and a journal in three languages answers each question from where its
answer is. The questions were written before they were first asked; none was changed since."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from waypost import Memory
from waypost.compat.chat.importer import import_chat
from waypost.model.memory import Caller
from waypost.model.recall import Hit
from waypost.text.language import language_of

pytestmark = pytest.mark.slow  # two real engines

DATA = Path(__file__).parent / "one_index"
NOW = datetime(2026, 2, 10, 12, 0, tzinfo=UTC)
Question = dict[str, str]


def plant_tree(root: Path) -> int:
    """Write the files of the project; how many there are."""
    parts = (DATA / "tree.txt").read_text().split("=== ")[1:]
    for part in parts:
        name, _, text = part.partition("\n")
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return len(parts)


def chat_lines() -> Iterator[tuple[dict[str, str], str | None]]:
    """The turns of the journal as lines of a chat export, each with the name that questions know it by."""
    at = NOW
    for line in (DATA / "journal.txt").read_text().splitlines():
        if line.startswith("# "):
            at = datetime.fromisoformat(line[2:]).replace(tzinfo=UTC)
            continue
        head, _, text = line.partition(": ")
        who, _, name = head.partition(" @")
        at += timedelta(seconds=40)
        yield {"role": {"u": "user", "a": "assistant"}[who], "content": text, "time": at.isoformat()}, name or None


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    root = tmp_path_factory.mktemp("paketo")
    plant_tree(root)
    chat = tmp_path_factory.mktemp("chat") / "chat.jsonl"
    chat.write_text("".join(json.dumps(line) + "\n" for line, _ in chat_lines()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WAYPOST_HOME", str(tmp_path_factory.mktemp("home")))
        patch.setenv("WAYPOST_BACKGROUND", "0")
        with Memory.open(root, clock=lambda: NOW) as opened:
            opened.index()
            opened.remember_many([json.loads(line) for line in (DATA / "facts.jsonl").read_text().splitlines()])
            import_chat(opened.space, chat, Caller("person", "tester"))
            opened.admin.embed_pending()
            yield opened


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return [json.loads(line) for line in (DATA / "questions.jsonl").read_text().splitlines()]


def is_there(hit: Hit, question: Question, names: dict[str, str]) -> bool:
    """Whether a hit is the place where the answer stands."""
    if question["in"] == "code":
        return hit.path == question["at"]
    return (names.get(hit.text) if question["in"] == "journal" else hit.key) == question["at"]


def test_each_of_fifty_questions_is_answered_from_where_its_answer_is(
    memory: Memory, questions: list[Question]
) -> None:
    names = {line["content"]: name for line, name in chat_lines() if name}
    missed = []
    for question in questions:
        hits = memory.recall(question["q"], k=5)
        if not any(is_there(hit, question, names) for hit in hits):
            found = [f"{hit.score:.2f} {hit.path or hit.key or hit.text[:40]}" for hit in hits]
            missed.append(f"{question['in']}: {question['q']} -> {found}")
    assert missed == []


def test_the_questions_ask_all_three_places_and_all_three_languages(questions: list[Question]) -> None:
    assert Counter(question["in"] for question in questions) == {"code": 17, "facts": 16, "journal": 17}
    turns = list(chat_lines())
    assert len(turns) > 190
    named = {name for _, name in turns if name}
    keys = {json.loads(line)["key"] for line in (DATA / "facts.jsonl").read_text().splitlines()}
    assert {question["at"] for question in questions if question["in"] == "journal"} <= named
    assert {question["at"] for question in questions if question["in"] == "facts"} <= keys
    languages = Counter(language_of(question["q"]) for question in questions)
    assert (languages["de"], languages["ru"]) == (10, 8)
