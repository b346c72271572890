"""Files opened before the right one: `python -m benchmarks.freshness_tasks MIRRORS [--repos …] [--tasks N]`.

Somebody gets a task and opens one file after another until it is one that has to be changed. The task is the subject of a
commit, without issue numbers; right are the source files that this commit changed. The tree stands still before the
first task, so that a later task meets a tree that is a little too old. Tests, documents and examples are left out,
for everybody.

What is known by then: the messages of the 300 commits before, each remembered with the tree at the end of its hundred, so
that much of what they point at has changed since and is found stale. The orders in which files are opened:

words     files with most different words of the task in name and content, then those with most of all: what a search
          by words gives
code      recall in the index of the tree
memories  recall in the index and the memories, whose places in the code were found in their text
told      the same, with memories that were given the files they are about, as `finish` does

A memory opens the files that it points at, one after another. Where an answer of 50 ends without a right file, the index
alone is asked, and then the order by words goes on. Nothing is known about the minutes that a person or an agent needs: only files are counted.
"""

import argparse
import json
import re
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from benchmarks.freshness_histories import REPOSITORIES, without_numbers
from benchmarks.freshness_spaces import Tree
from benchmarks.speed import table
from benchmarks.staleness.histories import git_directory

from waypost import Memory, config
from waypost.model.recall import Hit

USUAL = ("pallets/flask", "pallets/click", "pre-commit/pre-commit", "pytest-dev/pytest")
STEPS, IN_STEP = 3, 100  # commits that are remembered
K = 50
_MOST_FILES = 6
_LEFT_OUT = tuple(
    f"{name}/**" for name in ["tests", "testing", "doc", "docs", "examples", "bench", "extra", "scripts", "ext"]
)
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|testing|docs?|examples?|bench|extra|scripts|ext)/|(?:^|/)(?:conftest|setup|test_\w+)\.py$"
)
_BOTS = re.compile(
    r"dependabot|pre-commit-ci|renovate|^Bump |^Merge |^Revert |^v?\d+\.\d+|release|version", re.IGNORECASE
)
_WORD = re.compile(r"[a-z][a-z0-9_]{2,}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
    the and for with from that this when not are use into add adds added fix fixes fixed remove removed
    update make support allow instead only can all has have its was more some should also now code
""",
    )
)
ORDERS = ("words", "code", "memories", "told")


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    subject: str
    message: str
    files: tuple[str, ...]  # source files that it changed


def commits(directory: Path, head: str, many: int) -> list[Commit]:
    """The latest commits that change few source files and say what they do, the oldest first."""
    command = ["git", f"--git-dir={directory}", "log", "--no-merges", "--no-renames", "--name-only", "-n6000"]
    command += ["--format=%x1e%H%x1f%s%x1f%b%x1f", head, "--", "*.py"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8", "replace")
    found = []
    for row in told.split("\x1e")[1:]:
        sha, subject, body, names = row.split("\x1f", 3)
        files = tuple(name for name in names.split("\n") if name.endswith(".py") and not _ASIDE.search(name))
        subject = without_numbers(subject)
        if 0 < len(files) <= _MOST_FILES and not _BOTS.search(subject) and len(subject.split()) >= 3:
            found.append(Commit(sha, subject, f"{subject}\n\n{body.strip()}".strip(), files))
        if len(found) == many:
            break
    return found[::-1]


def by_words(root: Path, files: Sequence[str], task: str) -> list[str]:
    words = dict.fromkeys(word for word in _WORD.findall(task.lower()) if word not in _COMMON)

    def worth(path: str) -> tuple[int, int, str]:
        text = f"{path}\n{(root / path).read_text('utf-8', 'replace')}".lower()
        counts = [text.count(word) for word in words]
        return -sum(count > 0 for count in counts), -sum(counts), path

    return sorted(files, key=worth)


def places(hits: Iterable[Hit]) -> Iterator[str]:
    for hit in hits:
        if hit.source == "code":
            if hit.path:
                yield hit.path
        else:
            yield from (reference.file_path for reference in hit.code_refs)


def opened(order: Iterable[str], rest: Sequence[str], right: Iterable[str]) -> int:
    """How many files come before the first right one."""
    known, wanted = set(rest), set(right)
    line = dict.fromkeys(path for path in (*order, *rest) if path in known)
    return next(number for number, path in enumerate(line) if path in wanted)


class Repository:
    def __init__(self, mirrors: Path, repo: str, work: Path, tasks: int) -> None:
        head, _ = REPOSITORIES[repo]
        line = commits(git_directory(mirrors, repo), head, tasks + STEPS * IN_STEP)
        self.earlier, self.tasks = line[: STEPS * IN_STEP], line[STEPS * IN_STEP :]
        self.tree = Tree(mirrors, repo, work / "tree")
        self.homes = [
            config.load({"WAYPOST_HOME": f"{work}/{name}", "WAYPOST_BACKGROUND": "0", "HOME": str(work)})
            for name in ("found", "told")
        ]
        self.counts: dict[str, int] = {}

    def remember(self) -> None:
        for start in range(0, len(self.earlier), IN_STEP):
            some = self.earlier[start : start + IN_STEP]
            self.tree.move(some[-1].sha)
            with self._open(0) as memory:
                memory.index(exclude=_LEFT_OUT, wait=False)
                memory.remember_many([{"text": one.message, "kind": "learning"} for one in some])
            with self._open(1) as memory:
                there = [[path for path in one.files if (self.tree.folder / path).exists()] for one in some]
                drafts = [
                    {"text": one.message, "kind": "learning", "refs": refs}
                    for one, refs in zip(some, there, strict=True)
                ]
                memory.remember_many(drafts)
        with self._open(0) as memory:
            memory.index(exclude=_LEFT_OUT)

    def _open(self, number: int) -> Memory:
        return Memory.open(self.tree.folder, settings=self.homes[number])

    def ask(self) -> list[dict[str, int]]:
        root = self.tree.folder
        files = [str(path.relative_to(root)) for path in sorted(root.rglob("*.py"))]
        files = [path for path in files if not _ASIDE.search(path)]
        answers = []
        with self._open(0) as found, self._open(1) as told:
            for name, memory in (("found", found), ("told", told)):
                report = memory.code.stale()
                self.counts |= {f"{name}: pointing": report.checked, f"{name}: stale": report.stale}
            for task in self.tasks:
                if not set(task.files) & set(files):
                    continue
                rest = by_words(root, files, task.subject)
                code = found.recall(task.subject, K, scope="code").hits
                both = sorted((*code, *told.recall(task.subject, K, scope="facts").hits), key=lambda hit: -hit.score)
                index = tuple(places(code))
                orders = (
                    (),
                    index,
                    (*places(found.recall(task.subject, K).hits), *index),
                    (*places(both[:K]), *index),
                )
                answers.append(
                    {name: opened(order, rest, task.files) for name, order in zip(ORDERS, orders, strict=True)}
                )
        self.counts |= {"files": len(files), "memories": len(self.earlier), "tasks": len(answers)}
        return answers


def report(answers: dict[str, list[dict[str, int]]]) -> str:
    rows = []
    every = [one for some in answers.values() for one in some]
    for label, some in (*answers.items(), ("all", every)):
        for name in ORDERS:
            numbers = [one[name] for one in some]
            less = [1 - fmean(numbers) / max(fmean(one[other] for one in some), 1e-9) for other in ("words", "code")]
            rows.append(
                [
                    f"{label} ({len(some)})",
                    name,
                    f"{fmean(numbers):.2f}",
                    f"{median(numbers):g}",
                    f"{fmean(number == 0 for number in numbers):.0%}",
                    f"{fmean(number < 3 for number in numbers):.0%}",
                    *(f"{-part:+.0%}" for part in less),
                ]
            )
    head = [
        "repository (tasks)",
        "order",
        "files before, mean",
        "median",
        "first is right",
        "within 3",
        "to words",
        "to code",
    ]
    return table(head, rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mirrors", type=Path)
    parser.add_argument("--repos", nargs="*", default=list(USUAL))
    parser.add_argument("--tasks", type=int, default=60, help="of each repository")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "freshness_tasks.json")
    chosen = parser.parse_args()
    answers = {}
    for repo in chosen.repos:
        with tempfile.TemporaryDirectory(prefix="waypost-tasks-") as work:
            one = Repository(chosen.mirrors.absolute(), repo, Path(work), chosen.tasks)
            one.remember()
            answers[repo] = one.ask()
            print(f"… {repo}: {one.counts}", flush=True)
            chosen.out.parent.mkdir(exist_ok=True)
            chosen.out.write_text(json.dumps(answers), "utf-8")
    print(report(answers))


if __name__ == "__main__":
    main()
