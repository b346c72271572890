"""One pair of commits in a memory of its own: what was said at each, and how the questions are answered."""

import random
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any
from unittest import mock

from benchmarks.freshness_histories import Function, Pair
from benchmarks.staleness.histories import git_directory

from waypost import Memory
from waypost.config import Settings
from waypost.model.receipt import Receipt
from waypost.retrieve.score import ScoredMemory

K = 10
TWINS, ALONE, SAME, OTHERS, PLAIN = 45, 20, 20, 150, 40  # of each, at most
LATER = {"next day": 1, "next month": 30, "next year": 365}  # days from the second commit to the questions
_SHORTEST, _LONGEST = 80, 600  # letters of a commit's message that is kept as a memory without a place in the code
_CHECKED = 7  # of so many answers one is compared with the library's own
_WEIGHED = "waypost.flows.recall.candidates.with_freshness"
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    source: str  # name | docstring | commit
    about: str  # twins | alone | same | plain
    right: frozenset[str]  # memories that answer
    stale: frozenset[str] = frozenset()  # what was said of the same functions before


@dataclass(slots=True)
class Looked:
    """A memory that may be shown, as ranking sees it before freshness counts."""

    role: str  # right | stale twin | other
    place: str  # the function it is about
    total: float
    points: bool
    is_stale: bool
    confidence: float
    is_outdone: bool  # a fresh one about the same code was looked at too


@dataclass(slots=True)
class Asked:
    repo: str
    when: str
    source: str
    about: str
    looked: list[Looked]  # without freshness, best first
    ranked: list[str] | None = None  # roles of the answer as the library gives it, where that was asked for


@dataclass(slots=True)
class Outcome:
    """What a pair gave: questions, and counts of what was left out and why."""

    asked: list[Asked] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, name: str, number: int) -> None:
        self.counts[name] = self.counts.get(name, 0) + number

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Clock:
    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def set(self, day: date, days: int = 0) -> None:
        self.now = datetime.combine(day, time(12), UTC) + timedelta(days=days)


class Tree:
    """A checkout of a history, to be moved from commit to commit."""

    def __init__(self, mirrors: Path, repo: str, folder: Path) -> None:
        self.folder = folder
        source = git_directory(mirrors, repo)
        self._git("clone", "-q", "--shared", "--no-checkout", str(source), str(folder), at=folder.parent)

    def move(self, commit: str) -> None:
        self._git("checkout", "-q", "-f", commit, at=self.folder)

    def _git(self, *arguments: str, at: Path) -> None:
        subprocess.run(["git", "-c", "advice.detachedHead=false", *arguments], cwd=at, check=True)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which functions play which part."""

    twins: tuple[Key, ...]
    alone: tuple[Key, ...]
    same: tuple[Key, ...]  # asked about
    others: tuple[Key, ...]  # only in the way


def choose(pair: Pair) -> Chosen:
    chance = random.Random(pair.a)
    telling = [key for key in pair.changed if pair.before[key].text != pair.after[key].text]
    chance.shuffle(telling)
    unchanged = pair.unchanged
    chance.shuffle(unchanged)
    part = min(TWINS, max(1, len(telling) * 2 // 3))
    twins, alone = telling[:part], telling[part : part + ALONE]
    return Chosen(tuple(twins), tuple(alone), tuple(unchanged[:SAME]), tuple(unchanged[SAME : SAME + OTHERS]))


def run(pair: Pair, tree: Tree, settings: Settings) -> Outcome:
    """Remember at both commits, and ask."""
    clock, chosen, outcome = Clock(), choose(pair), Outcome()
    identical = sum(pair.before[key].text == pair.after[key].text for key in pair.changed)
    outcome.add("functions changed", len(pair.changed))
    outcome.add("of these with the same text", identical)
    clock.set(pair.day_a)
    tree.move(pair.a)
    with Memory.open(tree.folder, settings=settings, clock=clock) as memory:
        early = [*chosen.twins, *chosen.alone, *chosen.same, *chosen.others]
        old = _remember(memory, [pair.before[key] for key in early])
        plain = _plain(memory, pair)
        clock.set(pair.day_b)
        tree.move(pair.b)
        new = _remember(memory, [pair.after[key] for key in chosen.twins])
        outcome.add("twins", len(new))
        for status in ("merged", "duplicate"):
            outcome.add(f"twins whose second text was {status}", sum(one.status == status for one in new.values()))
        outcome.add("memories", sum(one.status == "added" for one in (*old.values(), *new.values())) + len(plain))
        _judge(memory, old, new, chosen, outcome)
        ids = _Ids(_added(old), {key: one for key, one in _added(new).items() if key in _added(old)}, plain)
        places = ids.places()
        for when, days in LATER.items():
            clock.set(pair.day_b, days)
            for number, question in enumerate(questions(pair, chosen, ids)):
                outcome.asked.append(ask(memory, question, pair.repo, when, places, twice=number % _CHECKED == 0))
    return outcome


@dataclass(frozen=True, slots=True)
class _Ids:
    old: Mapping[Key, str]
    new: Mapping[Key, str]
    plain: Mapping[str, str]  # by question

    def places(self) -> dict[str, str]:
        """The function that each memory is about."""
        return {name: "#".join(key) for ids in (self.old, self.new) for key, name in ids.items()}


def _remember(memory: Memory, functions: Sequence[Function]) -> dict[Key, Receipt]:
    drafts = [{"text": one.text, "kind": "fact", "refs": [one.reference]} for one in functions]
    receipts = memory.remember_many(drafts)
    return {(one.path, one.name): receipt for one, receipt in zip(functions, receipts, strict=True)}


def _added(receipts: Mapping[Key, Receipt]) -> dict[Key, str]:
    return {key: one.id for key, one in receipts.items() if one.status == "added" and one.id}


def _plain(memory: Memory, pair: Pair) -> dict[str, str]:
    """Messages of commits without their subjects, which ask for them; they point at nothing."""
    told = [one for one in pair.told if _SHORTEST <= len(one.body) <= _LONGEST][:PLAIN]
    receipts = memory.remember_many([{"text": one.body, "kind": "fact"} for one in told])
    return {one.subject: receipt.id for one, receipt in zip(told, receipts, strict=True) if receipt.id}


def _judge(
    memory: Memory, old: Mapping[Key, Receipt], new: Mapping[Key, Receipt], chosen: Chosen, outcome: Outcome
) -> None:
    """Count whether those are stale that should be."""
    stale = {one.version.memory_id for one in memory.code.stale().memories}
    pinned_again = new.keys() - _added(new).keys()  # what was merged points at the code as it is now
    changed = {
        one for key, one in _added(old).items() if key in {*chosen.twins, *chosen.alone} and key not in pinned_again
    }
    true = {one for key, one in _added(old).items() if key in {*chosen.same, *chosen.others}} | {*_added(new).values()}
    outcome.add("changed", len(changed))
    outcome.add("changed and found stale", len(changed & stale))
    outcome.add("unchanged", len(true))
    outcome.add("unchanged and found stale", len(true & stale))


def questions(pair: Pair, chosen: Chosen, ids: _Ids) -> Iterator[Question]:
    parts = [("twins", key) for key in chosen.twins if key in ids.new]
    parts += [(about, key) for about in ("alone", "same") for key in getattr(chosen, about) if key in ids.old]
    for about, key in parts:
        right = frozenset({ids.new[key] if about == "twins" else ids.old[key]})
        stale = frozenset({ids.old[key]} if about == "twins" else ())
        yield Question(f"What does {key[1]} do?", "name", about, right, stale)
        between = pair.between.get(key)
        if between is not None and len(between.summary.split()) > 2:
            yield Question(between.summary, "docstring", about, right, stale)
    yield from _by_commits(pair, chosen, ids)
    for subject, memory_id in ids.plain.items():
        yield Question(subject, "commit", "plain", frozenset({memory_id}))


def _by_commits(pair: Pair, chosen: Chosen, ids: _Ids) -> Iterator[Question]:
    """Later commits that change functions which memories are about, of one sort only."""
    sorts = {key: about for about in ("twins", "alone", "same") for key in getattr(chosen, about)}
    sorts = {key: about for key, about in sorts.items() if key in (ids.new if about == "twins" else ids.old)}
    for commit in pair.asking:
        touched = [key for key in commit.touched if key in sorts]
        abouts = {sorts[key] for key in touched}
        if len(abouts) != 1:
            continue
        about = abouts.pop()
        right = frozenset((ids.new if about == "twins" else ids.old)[key] for key in touched)
        stale = frozenset(ids.old[key] for key in touched) if about == "twins" else frozenset[str]()
        yield Question(commit.subject, "commit", about, right, stale)


def ask(memory: Memory, question: Question, repo: str, when: str, places: Mapping[str, str], *, twice: bool) -> Asked:
    """What the library looked at for an answer without freshness, and if asked `twice`, its answer with it."""
    with _without_freshness() as seen:
        plain = memory.recall(question.text, K, scope="facts")
    if [hit.id for hit in plain.hits] != list(seen)[:K]:
        raise AssertionError(f"The order without freshness is not that of the totals: {question.text!r}.")
    looked = [replace(one, role=_role(name, question), place=places.get(name, "")) for name, one in seen.items()]
    asked = Asked(repo, when, question.source, question.about, looked)
    if twice:
        answer = memory.recall(question.text, K, scope="facts")
        asked.ranked = [_role(hit.id, question) for hit in answer.hits]
        if any("freshness" in hit.why for hit in answer.hits if not hit.links):
            raise AssertionError(f"What points at nothing was weighed by freshness: {question.text!r}.")
    return asked


@contextmanager
def _without_freshness() -> Iterator[dict[str, Looked]]:
    """Ranking without freshness, and what it would have known."""
    seen: dict[str, Looked] = {}

    def untouched(
        one: ScoredMemory, *, points_at_code: bool, is_stale: bool, confidence: float, is_outdone: bool
    ) -> ScoredMemory:
        seen[one.memory_id] = Looked("", "", one.total, points_at_code, is_stale, confidence, is_outdone)
        return one

    with mock.patch(_WEIGHED, untouched):
        yield seen


def _role(memory_id: str, question: Question) -> str:
    return "right" if memory_id in question.right else "stale twin" if memory_id in question.stale else "other"
