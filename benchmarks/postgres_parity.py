"""The same questions, the same answers: memories in files beside the same memories in PostgreSQL.

    python -m benchmarks.postgres_parity [--conversations DIR/data/dev/locomo.json.xz] [--most 2] [--tree DIR] [--questions 50]

Conversations come as an evaluation of conversation memory packs them (sessions with turns, stores, queries), and all their
questions are asked. A tree of code (the source of Waypost unless told) is asked questions made of its own docstrings. Both sides
use the real engines and `Memory.recall`; a text is embedded once and its vector given to both, so that the stores are compared.
Ends with an error where less than .95 of the first ten are the same.
"""

import argparse
import ast
import json
import lzma
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.clock import percentiles
from benchmarks.eval_adapter import keep_vectors
from tests.postgres_server import Postgres

from waypost import Memory, config
from waypost.config import Settings
from waypost.model.recall import Hit

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks" / "results" / "postgres_parity.jsonl"
K = 10
LEAST = 0.95
_WORDS = (5, 30)  # of a docstring's first sentence that makes a question
Name = tuple[object, ...]
Question = tuple[str, str | None]  # and when it is asked


@dataclass(slots=True)
class Comparison:
    """The answers of two stores to the same questions."""

    overlaps: list[float] = field(default_factory=list)
    same_order: int = 0
    same_first: int = 0
    times: tuple[list[float], list[float]] = field(default_factory=lambda: ([], []))
    different: list[str] = field(default_factory=list)

    def add(self, question: str, ours: Sequence[Name], theirs: Sequence[Name]) -> None:
        every = max(len(ours), len(theirs))
        self.overlaps.append(len(set(ours) & set(theirs)) / every if every else 1.0)
        self.same_order += ours == theirs
        self.same_first += ours[:1] == theirs[:1]
        if ours != theirs:
            self.different.append(question)

    @property
    def overlap(self) -> float:
        return sum(self.overlaps) / len(self.overlaps)

    def figures(self) -> dict[str, Any]:
        count = len(self.overlaps)
        return {
            "questions": count,
            "overlap_at_10": round(self.overlap, 4),
            "worst_overlap": round(min(self.overlaps), 2),
            "same_order": round(self.same_order / count, 4),
            "same_first": round(self.same_first / count, 4),
            **{name: round(value, 1) for name, value in percentiles(self.times[0], "files").items()},
            **{name: round(value, 1) for name, value in percentiles(self.times[1], "postgres").items()},
        }


def compare(memories: tuple[Memory, Memory], asked: Iterable[Question], scope: str) -> Comparison:
    found = Comparison()
    for question, date in asked:
        answers: list[list[Name]] = []
        for side, memory in enumerate(memories):
            began = time.perf_counter()
            hits = memory.recall(question, K, scope=scope, now=date).hits
            found.times[side].append((time.perf_counter() - began) * 1000)
            answers.append([_name(hit) for hit in hits])
        found.add(question, *answers)
    return found


def _name(hit: Hit) -> Name:
    """What is the same thing in both stores: ids are drawn anew in each."""
    return hit.key or "", hit.kind, hit.path, hit.line, hit.end_line, hit.name, hit.text


# -- what is compared ---------------------------------------------------------------------------------------------


def conversations(file: Path, most: int, sides: tuple[Settings, Settings]) -> Iterator[tuple[str, Comparison]]:
    packed = json.loads(lzma.decompress(file.read_bytes()))
    for store in packed["stores"][:most]:
        drafts = [
            _draft(turn, session, date)
            for session, date in store["sessions"]
            for turn in packed["sessions"][session]["turns"]
        ]
        asked = [(one["query"], one["date"]) for one in packed["queries"] if one["store"] == store["id"]]
        memories = _both(sides, person=store["id"])
        for memory in memories:
            memory.remember_many(drafts)
            memory.admin.embed_pending()
        yield f"conversation {store['id']}, {len(drafts)} turns", compare(memories, asked, "all")
        for memory in memories:
            memory.close()


def _draft(turn: dict[str, Any], session: str, date: str | None) -> dict[str, Any]:
    return {
        "text": turn["text"],
        "kind": "conversation",
        "key": turn["id"],
        "session": session,
        "speaker": turn["speaker"],
        "time": turn.get("date") or date,
    }


def code(tree: Path, count: int, sides: tuple[Settings, Settings]) -> Iterator[tuple[str, Comparison]]:
    memories = _both(sides, path=tree)
    for memory in memories:
        memory.index()
    asked = [(one, None) for one in docstring_questions(tree, count)]
    yield f"code of {tree.name}", compare(memories, asked, "code")
    yield f"code of {tree.name}, everything asked", compare(memories, asked, "all")
    for memory in memories:
        memory.close()


def docstring_questions(tree: Path, count: int) -> list[str]:
    """First sentences of docstrings, drawn at random, always the same for the same tree."""
    found = []
    for path in sorted(tree.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                first = " ".join((ast.get_docstring(node) or "").split()).split(". ", maxsplit=1)[0]
                if _WORDS[0] <= len(first.split()) <= _WORDS[1]:
                    found.append(first.rstrip("."))
    found = list(dict.fromkeys(found))
    return random.Random(5).sample(found, min(count, len(found)))


def _both(sides: tuple[Settings, Settings], **place: Any) -> tuple[Memory, Memory]:
    now = datetime.now(UTC)
    first, second = (Memory.open(settings=one, clock=lambda: now, **place) for one in sides)
    return first, second


# -- the run ------------------------------------------------------------------------------------------------------


def noted(name: str, found: Comparison) -> None:
    row = {"at": datetime.now(UTC).isoformat(timespec="seconds"), "load": round(os.getloadavg()[0], 1), "set": name}
    row |= found.figures()
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(row) + "\n")
    print(", ".join(f"{key} {value}" for key, value in row.items() if key != "at"), flush=True)
    for question in found.different[:3]:
        print(f"  not in the same order: {question[:100]}", flush=True)


def main() -> None:
    options = _options()
    poorest = 1.0
    with tempfile.TemporaryDirectory(prefix="parity-") as folder, Postgres() as server:
        work = Path(folder)
        keep_vectors(str(work / "vectors.db"))
        plain = {"WAYPOST_BACKGROUND": "0"}
        sides = (
            config.load({**plain, "WAYPOST_HOME": str(work / "files")}),
            config.load({**plain, "WAYPOST_HOME": str(work / "postgres"), "WAYPOST_STORE": server.new_database()}),
        )
        if options.conversations is not None:
            for name, found in conversations(options.conversations, options.most, sides):
                noted(name, found)
                poorest = min(poorest, found.overlap)
        if options.questions:
            tree = work / options.tree.name
            shutil.copytree(options.tree, tree, ignore=shutil.ignore_patterns("__pycache__", ".git"))
            for name, found in code(tree, options.questions, sides):
                noted(name, found)
                poorest = min(poorest, found.overlap)
    if poorest < LEAST:
        sys.exit(f"The first ten agree by {poorest:.3f}; at least {LEAST} is wanted.")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=Path, metavar="FILE", help="packed conversations with questions")
    parser.add_argument("--most", type=int, help="only so many conversations")
    parser.add_argument("--tree", type=Path, default=ROOT / "src" / "waypost", help="of code with Python in it")
    parser.add_argument("--questions", type=int, default=50, help="about the tree; 0 leaves it out")
    return parser.parse_args()


if __name__ == "__main__":
    main()
