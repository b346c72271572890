"""What `learn` proposes out of real histories: `python -m benchmarks.learning REPOSITORY… [--commits 200] [--sample 50]`.

A REPOSITORY is a git directory or a working tree. Its last commits are read, parsed and turned into candidates, as
`learn` does before anything is stored. Printed: a table of what became of the commits, then a sample of the candidates
(`--seed`), drawn over all repositories, with the commits they came from, for a person to judge. `--all` prints every
candidate. `--before REV` takes the commits that lead to REV.
"""

import argparse
import random
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from waypost.code.changes import change_set, commits
from waypost.facts.domains import Layout
from waypost.facts.learn.span import Proposed, over_range
from waypost.model.candidate import Candidate


def learned(repository: Path, count: int, before: str) -> tuple[Proposed, float]:
    """The candidates of the last commits of a repository, and the seconds that took."""
    with tempfile.TemporaryDirectory() as folder:
        tree = repository if (repository / ".git").exists() else _checkout(repository, Path(folder) / "tree", before)
        paths = _git(tree, "ls-tree", "-r", "-z", "--name-only", before).split("\0")
        known = {path for path in paths if path}
        started = time.perf_counter()
        changes = [change_set(raw) for raw in commits(tree, before, limit=count)]
        found = over_range(changes, Layout.of(known), still=_still(known))
        return found, time.perf_counter() - started


def _still(paths: set[str]) -> Callable[[str, str], bool]:
    return lambda path, _symbol: path in paths


def _checkout(repository: Path, tree: Path, before: str) -> Path:
    """A working tree without files that borrows the objects of a bare repository."""
    clone = ["git", "clone", "--quiet", "--shared", "--no-checkout", str(repository), str(tree)]
    subprocess.run(clone, check=True, stderr=subprocess.DEVNULL)
    if before != "HEAD":
        _git(tree, "update-ref", "--no-deref", "HEAD", _git(repository, "rev-parse", before).strip())
    return tree


def _git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=folder, check=True, stdout=subprocess.PIPE)
    return done.stdout.decode("utf-8", "replace")


def table(results: dict[str, tuple[Proposed, float]]) -> str:
    lines = [
        "| repository | commits | certain (≥ 0.8) | held | merged | skipped | seconds |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for name, (found, seconds) in results.items():
        held = len(found.candidates) - found.certain
        skipped = sum(found.skipped.values())
        lines.append(
            f"| {name} | {found.commits} | {found.certain} | {held} | {found.merged} | {skipped} | {seconds:.1f} |"
        )
    lines += ["", "Skipped, by reason:", ""]
    for name, (found, _) in results.items():
        reasons = ", ".join(f"{reason} {count}" for reason, count in Counter(found.skipped).most_common())
        lines.append(f"- {name}: {reasons}")
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
    results: dict[str, tuple[Proposed, float]] = {}
    for repository in options.repositories:
        name = (
            repository.name
            if repository.name not in ("repo", ".")
            else repository.resolve().parent.name.replace("+", "/")
        )
        results[name] = learned(repository, options.commits, options.before)
    print(table(results))
    drawn = [(name, one) for name, (found, _) in results.items() for one in found.candidates]
    if not options.all:
        drawn = random.Random(options.seed).sample(drawn, min(options.sample, len(drawn)))
    print()
    for number, (name, one) in enumerate(drawn, 1):
        print(f"{number:3}. {line(name, one)}")


if __name__ == "__main__":
    main()
