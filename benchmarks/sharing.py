"""Recall over shared projects beside the same memories in one space: `python -m benchmarks.sharing` in the repository.

Facts with questions (inject_pairs.toml in English and German, and those of tests/flows/one_index) among sentences that answer
none of them are dealt out to four projects, of which one reads the other three; the sizes are uneven, so that a project of a few
facts stands beside one of hundreds. A question should be answered as though all stood in one space. Times are of the same
question with and without shares, in one process.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from waypost import config
from waypost.memory import Memory
from waypost.model.memory import Caller

HERE = Path(__file__).parent
RESULTS = HERE / "results" / "sharing.json"
TESTS = HERE.parent / "tests"
PERSON = Caller("person", "benchmark")
PARTS = {"own": 0.5, "large": 0.3, "middle": 0.15, "small": 0.05}  # of all facts
ROUNDS = 3


def facts_and_questions() -> tuple[list[str], list[tuple[str, str]]]:
    """All sentences, and questions with the sentence that answers each."""
    pairs = tomllib.loads((HERE / "inject_pairs.toml").read_text("utf-8"))["pair"]
    asked = [(one[name][1], one[name][0]) for one in pairs for name in ("en", "de")]
    known = {row["key"]: row["text"] for row in _rows(TESTS / "flows" / "one_index" / "facts.jsonl")}
    questions = _rows(TESTS / "flows" / "one_index" / "questions.jsonl")
    asked += [(row["q"], known[row["at"]]) for row in questions if row["in"] == "facts"]
    beside = [
        row["a"] for name in ("unseen_pairs", "minimal_pairs") for row in _rows(TESTS / "facts" / f"{name}.jsonl")
    ]
    sentences = list(dict.fromkeys([*known.values(), *(answer for _, answer in asked), *beside]))
    return sentences, asked


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def measure(seed: int) -> dict[str, Any]:
    sentences, asked = facts_and_questions()
    random.Random(seed).shuffle(sentences)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        whole = _project(root, "whole", sentences)
        alone, projects = _dealt(root, sentences)
        before = _times(alone, asked)
        for name, project in projects.items():
            if name != "own":
                project.admin.shares.offer(alone.identity.space_id)
                alone.admin.shares.accept(project.identity.space_id)
        ranks_whole = [_rank(whole, *one) for one in asked]
        ranks = [_rank(alone, *one) for one in asked]
        after = _times(alone, asked)
        for memory in (whole, *projects.values()):
            memory.close()
    return {
        "seed": seed,
        "facts": len(sentences),
        "questions": len(asked),
        "one space": _figures(ranks_whole),
        "shared": _figures(ranks),
        "ms without shares": before,
        "ms with three shares": after,
    }


def _dealt(root: Path, sentences: Sequence[str]) -> tuple[Memory, dict[str, Memory]]:
    projects, start = {}, 0
    for name, part in PARTS.items():
        end = start + round(part * len(sentences))
        projects[name] = _project(root, name, sentences[start : end if name != "small" else None])
        start = end
    return projects["own"], projects


def _project(root: Path, name: str, sentences: Sequence[str]) -> Memory:
    place = root / name
    place.mkdir()
    settings = config.load({"WAYPOST_HOME": str(root / "home"), "WAYPOST_BACKGROUND": "0"})
    memory = Memory.open(place, caller=PERSON, settings=settings)
    memory.remember_many([{"text": text} for text in sentences])
    memory.admin.embed_pending()
    return memory


def _rank(memory: Memory, question: str, answer: str) -> int:
    found = [hit.text for hit in memory.recall(question, 10)]
    return found.index(answer) + 1 if answer in found else 0


def _figures(ranks: Sequence[int]) -> dict[str, float]:
    first = sum(rank == 1 for rank in ranks) / len(ranks)
    five = sum(0 < rank <= 5 for rank in ranks) / len(ranks)
    return {"R@1": round(first, 3), "R@5": round(five, 3), "MRR": round(sum(1 / r for r in ranks if r) / len(ranks), 3)}


def _times(memory: Memory, asked: Sequence[tuple[str, str]]) -> dict[str, float]:
    taken = []
    for question, _ in asked:
        started = time.perf_counter()
        memory.recall(question)
        taken.append((time.perf_counter() - started) * 1000)
    return {"median": round(statistics.median(taken), 1), "p95": round(statistics.quantiles(taken, n=20)[-1], 1)}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--save", action="store_true")
    given = arguments.parse_args()
    found = [measure(seed) for seed in range(ROUNDS)]
    print(json.dumps(found, indent=1))
    if given.save:
        RESULTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
