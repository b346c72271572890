"""Mixed spaces: a real repository with its first facts, memories of a team, and a journal that is full of questions."""

import os
import subprocess
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waypost import Memory, config
from waypost.model.memory import Caller

DATA = Path(__file__).with_name("data")
HALVES = {"dev": ("flask", "gin"), "check": ("starlette", "cobra"), "third": ("commander",)}
PERSON = Caller("person", "benchmark")
AGENT = Caller("agent", "benchmark")
FILES = {"ci": ".github/workflows/", "licence": "LICENSE"}  # not every repository gets such a fact, but these files
_PROMISE = "assistant: Let me look into that."


@dataclass(frozen=True, slots=True)
class SignalQuestion:
    text: str
    topic: str  # "code", "facts" or "journal": the single scope that has its answer; "" if nothing answers it
    keys: frozenset[str] = frozenset()  # of the memories that answer
    names: frozenset[str] = frozenset()  # of the code that answers, or openings of memories
    current: str = ""  # key of the current value, if the memory has changed
    paths: tuple[str, ...] = ()  # files that answer too begin with these

    @property
    def is_answerable(self) -> bool:
        return bool(self.topic)


def read_half(half: str) -> dict[str, Any]:
    return tomllib.loads((DATA / f"{half}.toml").read_text("utf-8"))


def questions_of(half: str, repository: str) -> list[SignalQuestion]:
    data, code = read_half(half), tomllib.loads((DATA / f"{repository}.toml").read_text("utf-8"))
    questions = [SignalQuestion(text, "code", names=frozenset(names)) for text, names in code["questions"]]
    for number, memory in enumerate(data["memories"]):
        keys = {f"fact-{number}"} | ({f"fact-{number}-now"} if "now" in memory else set())
        current = f"fact-{number}-now" if "now" in memory else ""
        questions += [SignalQuestion(text, "facts", frozenset(keys), current=current) for text in memory.get("ask", ())]
    for text, ends in data["project"]:
        keys, paths = (f"learned:project:{end}" for end in ends), tuple(FILES[end] for end in ends if end in FILES)
        questions.append(SignalQuestion(text, "facts", frozenset(keys), paths=paths))
    for number, talk in enumerate(data["talks"]):
        keys = frozenset(f"talk-{number}-{turn}" for turn in talk["answer"])
        questions += [SignalQuestion(text, "journal", keys) for text in talk["ask"]]
    return [*questions, *(SignalQuestion(text, "") for text in data["unanswerable"])]


def open_space(work: Path, half: str, repository: str, source: Path, *, models: bool = True) -> Memory:
    """The space of a repository; made on first use, and kept in `work`. It may be searched without models."""
    home, tree = work / "home", work / repository
    if not tree.exists():
        subprocess.run(["git", "clone", "--quiet", str(source), str(tree)], check=True)
    settings = config.load({**os.environ, "WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"})
    memory = Memory.open(tree, settings=settings, caller=PERSON)
    done = work / f"{repository}.done"
    if not done.exists():
        memory.index(facts=True)
        for caller, drafts in _drafts(half, repository):
            Memory.open(tree, settings=settings, caller=caller).remember_many(drafts)
        memory.admin.embed_pending()
        done.touch()
    if not models:
        memory.close()
        memory = Memory.open(tree, settings=replace(settings, models=(work,)), caller=PERSON)
    return memory


def _drafts(half: str, repository: str) -> Iterator[tuple[Caller, list[dict[str, Any]]]]:
    data = read_half(half)
    first, later = list[dict[str, Any]](), list[dict[str, Any]]()
    for number, memory in enumerate(data["memories"]):
        first.append({"text": memory["says"], "key": f"fact-{number}"})
        if "now" in memory:
            later.append({"text": memory["now"], "key": f"fact-{number}-now"})
    yield PERSON, first[::2]
    yield AGENT, first[1::2]
    yield PERSON, later
    talks = [_turns(f"talk-{number}", talk["turns"]) for number, talk in enumerate(data["talks"])]
    earlier = [question.text for question in questions_of(half, repository)][::2]
    asked = [_turns(f"asked-{at}", (f"user: {text}", _PROMISE)[: 1 + at % 2]) for at, text in enumerate(earlier)]
    chatter = _turns("chatter", [f"user: {text}" for text in data["chatter"]])
    yield AGENT, [turn for turns in (*talks, *asked, chatter) for turn in turns]


def _turns(session: str, turns: Sequence[str]) -> list[dict[str, Any]]:
    drafts = []
    for number, turn in enumerate(turns):
        speaker, _, text = turn.partition(": ")
        drafts.append(
            {"text": text, "kind": "conversation", "session": session, "speaker": speaker, "key": f"{session}-{number}"}
        )
    return drafts
