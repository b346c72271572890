"""What `learn` makes of real histories: `python -m benchmarks.learning REPOSITORY… [--commits 200] [--sample 50]`.

A REPOSITORY is a git directory or a working tree. It is cloned, and its last commits are learned from in a memory of its
own, twice: what the second round adds are duplicates. Printed: a table of what became of the commits and candidates,
then a sample of the candidates (`--seed`), drawn over all repositories, with the commits they came from, for a person to
judge; or with `--all` every candidate. `--before REV` takes the commits that lead to REV.
"""

import argparse
import os
import random
import subprocess
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from waypost import Memory, config
from waypost.code.changes import change_set, commits
from waypost.facts.learn.commit_range import RangeProposals
from waypost.flows.facts.candidates import take
from waypost.flows.learn.changes import propose
from waypost.model.candidate import Candidate

_NEW = ("stored", "replaced", "merged", "held")
_COLUMNS = (
    "repository",
    "commits",
    "skipped",
    "candidates",
    "merged in range",
    "certain",
    "held",
    "second round",
    "seconds",
)


@dataclass(frozen=True, slots=True)
class Result:
    proposed: RangeProposals
    first: Counter[str]  # what became of the candidates, by status
    second: Counter[str]  # the same, when all is learned again
    seconds: float  # to read, propose and store, once


def learned(repository: Path, count: int, before: str) -> Result:
    with tempfile.TemporaryDirectory() as folder:
        tree = _clone(repository, Path(folder) / "tree", before)
        home = {**os.environ, "WAYPOST_HOME": str(Path(folder) / "home"), "WAYPOST_BACKGROUND": "0"}
        with Memory.open(tree, settings=config.load(home)) as memory:
            started = time.perf_counter()
            changes = [change_set(raw) for raw in commits(tree, "HEAD", limit=count)]
            proposed = propose(memory.space, changes)
            first = Counter(one.status for one in take(memory.space, proposed.candidates))
            seconds = time.perf_counter() - started
            again = take(memory.space, propose(memory.space, changes).candidates)
    return Result(proposed, first, Counter(one.status for one in again), seconds)


def _clone(repository: Path, tree: Path, before: str) -> Path:
    commit = _git(repository, "rev-parse", before).strip()
    _git(repository, "clone", "-q", "--shared", "--no-checkout", str(repository.resolve()), str(tree))
    # A partial copy lacks its largest files; git writes all the others and says that it failed.
    subprocess.run(["git", "checkout", "-q", "--detach", commit], cwd=tree, check=False, stderr=subprocess.DEVNULL)
    if not any(one.name != ".git" for one in tree.iterdir()):
        raise SystemExit(f"Nothing of {repository} could be checked out.")
    return tree


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace")


def table(results: dict[str, Result]) -> str:
    lines = [f"| {' | '.join(_COLUMNS)} |", "|---|" + "--:|" * (len(_COLUMNS) - 1)]
    for name, one in results.items():
        found = one.proposed
        new = sum(one.second[status] for status in _NEW)
        cells: tuple[object, ...] = (
            name,
            found.commits,
            sum(found.skipped.values()),
            len(found.candidates),
            found.merged,
            found.certain,
        )
        cells += (len(found.candidates) - found.certain, f"{new} new", f"{one.seconds:.0f}")
        lines.append(f"| {' | '.join(map(str, cells))} |")
    for title, counts in (
        ("Skipped commits", {name: Counter(one.proposed.skipped) for name, one in results.items()}),
        ("First round", {name: one.first for name, one in results.items()}),
        ("Second round", {name: one.second for name, one in results.items()}),
    ):
        lines += ["", f"{title}:", ""]
        for name, each in counts.items():
            lines.append(f"- {name}: {', '.join(f'{what} {count}' for what, count in each.most_common())}")
    return "\n".join(lines)


def line(name: str, one: Candidate) -> str:
    commit = next((each.split()[1].rstrip(":") for each in one.evidence[::-1] if each.startswith("commit")), "")
    return f"{name} {commit} [{one.confidence:.2f} {one.kind} L{one.level} {one.topic.partition(':')[0]}] {one.text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--sample", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--before", default="HEAD")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    results: dict[str, Result] = {}
    for repository in options.repositories:
        folder = repository.resolve()
        name = folder.parent.name.replace("+", "/") if folder.name == "repo" else folder.name
        results[name] = learned(repository, options.commits, options.before)
    print(table(results))
    drawn = [(name, one) for name, result in results.items() for one in result.proposed.candidates]
    if not options.all:
        drawn = random.Random(options.seed).sample(drawn, min(options.sample, len(drawn)))
    print()
    for number, (name, one) in enumerate(drawn, 1):
        print(f"{number:3}. {line(name, one)}")


if __name__ == "__main__":
    main()
