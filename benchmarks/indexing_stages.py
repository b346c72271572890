"""One measurement of code memory in a process of its own: `python -m benchmarks.indexing_stages STAGE …` prints JSON.

`benchmarks/indexing.py` and `benchmarks/big_tree.py` start these. The environment says where memories are kept
(WAYPOST_HOME) and that no worker starts by itself (WAYPOST_BACKGROUND=0): it would be measured with everything else.
"""

import json
import random
import re
import sqlite3
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.clock import each, percentiles, seconds
from benchmarks.meter import Cost, cpu_seconds, measured

from waypost import Memory
from waypost.flows.admin.init import IndexReport
from waypost.space.place import DATABASE_FILE

Figures = dict[str, Any]

EDITS = 20
SINGLE = 7  # files added, deleted, renamed
QUESTIONS = 40
ROUNDS = 3
_EDITABLE = {".py", ".js", ".ts", ".tsx", ".go", ".rs", ".java", ".cs", ".rb", ".php", ".c", ".cc", ".cpp", ".kt"}
_HASH_COMMENT = {".py", ".rb"}


# -- the first time ---------------------------------------------------------------------------------------


class _Phases:
    """Notes when each phase of an index began, and when the important half had its vectors."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._began, self._busy = time.perf_counter(), cpu_seconds()
        self.at: dict[str, tuple[float, float]] = {}
        self._important: int | None = None
        self.important = self.owed = 0

    def now(self) -> tuple[float, float]:
        return time.perf_counter() - self._began, cpu_seconds() - self._busy

    def __call__(self, phase: str, done: int, of: int) -> None:
        self.at.setdefault(phase, self.now())
        if phase == "embedding":
            if self._important is None:
                before, busy = self.now()
                self._important = self.important = important_texts(self._memory)
                self.owed = of
                after, worked = self.now()  # the search for them is ours, not the index's
                self._began, self._busy = self._began + after - before, self._busy + worked - busy
            if done >= self._important:
                self.at.setdefault("important", self.now())


def first(project: Path, vectors: bool) -> Figures:
    """Index a tree that was never seen."""
    memory = Memory.open(project)
    phases, cost = _Phases(memory), Cost()
    with measured(cost):
        report = memory.index(wait=vectors, report=phases)
        phases.at["all"] = phases.now()
    phases.at.setdefault("embedding", phases.at["all"])
    figures = counts(memory, report) | {
        "answers_s": report.answers_after,
        "answers_cpu_s": phases.at["embedding"][1],
        "reading_s": phases.at.get("concluding", phases.at["all"])[0],
        "all_s": phases.at["all"][0],
        "all_cpu_s": phases.at["all"][1],
        "peak_mb": cost.peak_mb,
        "children_mb": cost.children_mb,
    }
    if vectors:
        wall, busy = phases.at.get("important", phases.at["all"])
        figures |= {"important_s": wall, "important_cpu_s": busy}
        figures |= {"important_texts": phases.important, "texts": phases.owed}
    return figures


def important_texts(memory: Memory) -> int:
    """How many of the texts that are owed belong to files with an urgency above the median of all files."""
    with _database(memory) as base:
        by_file = base.execute(
            "SELECT r.path, max(o.urgency) FROM owed o JOIN passages p ON p.hash = o.hash"
            " JOIN code_refs r ON r.number = p.number AND r.place = 0 GROUP BY r.path"
        ).fetchall()
        middle = statistics.median(urgency for _, urgency in by_file) if by_file else 0.0
        return int(base.execute("SELECT count(*) FROM owed WHERE urgency > ?", (middle,)).fetchone()[0])


def counts(memory: Memory, report: IndexReport) -> Figures:
    told = report.to_json()
    with _database(memory) as base:
        passages = base.execute("SELECT count(*) FROM passages").fetchone()[0]
        symbols = base.execute("SELECT count(*) FROM memories WHERE kind = 'symbol'").fetchone()[0]
        lines = base.execute("SELECT coalesce(sum(lines), 0) FROM files").fetchone()[0]
    memory.close()  # the log is written back
    disk = sum(path.stat().st_size for path in memory.space.folder.rglob("*") if path.is_file())
    chosen = ("files", "functions", "classes", "tables", "endpoints", "documents", "masked", "broken")
    skipped = Counter(reason for reason in report.indexed.skipped.values())
    return {name: told[name] for name in chosen} | {
        "symbols": symbols,
        "lines": lines,
        "passages": passages,
        "disk_mb": disk / 1e6,
        "bytes_a_passage": disk / max(passages, 1),
        "skipped": dict(skipped.most_common()),
    }


def _database(memory: Memory) -> closing[sqlite3.Connection]:
    """The same file through another door, to count in."""
    return closing(sqlite3.connect(f"file:{memory.space.folder / DATABASE_FILE}?mode=ro", uri=True))


# -- afterwards -------------------------------------------------------------------------------------------


def edits(project: Path) -> Figures:
    """Change a copy of a real tree, a file at a time, in a process that stays."""
    memory, chance = Memory.open(project), random.Random(19)
    files = editable(project, chance)
    memory.code.update([files[-1]])  # what is loaded once is loaded
    changes = iter(files)
    figures: Figures = {}

    def batch(name: str, count: int, change: Callable[[Path], Sequence[str]]) -> None:
        wall, busy = [], []
        for _ in range(min(count, len(files) // 4)):
            paths = change(project / next(changes))
            started = cpu_seconds()
            wall.append(seconds(lambda paths=paths: memory.code.update(paths)) * 1000)  # type: ignore[misc]
            busy.append((cpu_seconds() - started) * 1000)
        if wall:
            figures.update(percentiles(wall, name) | {f"{name}_cpu_ms": statistics.median(busy)})

    def relative(path: Path) -> str:
        return path.relative_to(project).as_posix()

    def edit(path: Path) -> list[str]:
        change(path, chance)
        return [relative(path)]

    def add(path: Path) -> list[str]:
        new = path.with_name(f"added_{path.name}")
        new.write_bytes(path.read_bytes())
        change(new, chance)
        return [relative(new)]

    def delete(path: Path) -> list[str]:
        path.unlink()
        return [relative(path)]

    def rename(path: Path) -> list[str]:
        new = path.with_name(f"renamed_{path.name}")
        path.rename(new)
        return [relative(path), relative(new)]

    batch("edit", EDITS, edit)
    batch("add", SINGLE, add)
    batch("delete", SINGLE, delete)
    batch("rename", SINGLE, rename)
    return figures | _again(memory, project / next(changes), chance)


def _again(memory: Memory, path: Path, chance: random.Random) -> Figures:
    """The whole tree once more: with all that was just changed, with one file changed, with nothing changed."""
    figures: Figures = {"index_after_edits_s": seconds(lambda: memory.index(wait=False))}
    change(path, chance)
    cost = Cost()
    with measured(cost):
        memory.index(wait=False)
    figures |= {"index_one_changed_s": cost.wall_s, "index_one_changed_cpu_s": cost.cpu_s}
    rounds = []
    for _ in range(ROUNDS):
        cost = Cost()
        with measured(cost):
            memory.index(wait=False)
        rounds.append(cost)
    quietest = min(rounds, key=lambda cost: cost.wall_s)
    return figures | {"index_unchanged_s": quietest.wall_s, "index_unchanged_cpu_s": quietest.cpu_s}


def editable(project: Path, chance: random.Random) -> list[str]:
    """Files of code of usual size, in an order of chance."""
    found = [
        path.relative_to(project).as_posix()
        for path in sorted(project.rglob("*"))
        if path.suffix in _EDITABLE and path.is_file() and 1_000 < path.stat().st_size < 60_000
    ]
    chance.shuffle(found)
    return found


def change(path: Path, chance: random.Random) -> None:
    """Write a line into the middle of a file, as one does while working."""
    mark = "#" if path.suffix in _HASH_COMMENT else "//"
    lines = path.read_bytes().split(b"\n")
    note = f"{mark} changed {chance.randrange(10**9)}: look at the order of retries again".encode()
    lines.insert(len(lines) // 2, note)
    path.write_bytes(b"\n".join(lines))


def ask(project: Path) -> Figures:
    """Questions in a process that stays."""
    memory = Memory.open(project)
    asked = questions(memory)
    for question in asked[:5]:
        memory.recall(question, scope="code")
    rounds = []
    for _ in range(ROUNDS):
        started = cpu_seconds()
        figures = percentiles(each(lambda one: memory.recall(one, scope="code"), asked), "recall")
        rounds.append(figures | {"recall_cpu_ms": (cpu_seconds() - started) * 1000 / len(asked)})
    return min(rounds, key=lambda figures: figures["recall_p50_ms"])


def questions(memory: Memory) -> list[str]:
    """What people ask of names they half remember: the words of symbols and of their folders."""
    with _database(memory) as base:
        rows = base.execute(
            "SELECT m.name, r.path FROM memories m JOIN code_refs r ON r.number = m.number AND r.place = 0"
            " WHERE m.kind = 'symbol' ORDER BY m.number"
        ).fetchall()
    chosen = random.Random(23).sample(rows, min(QUESTIONS, len(rows)))
    made = []
    for name, path in chosen:
        words = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name.rpartition(".")[2]) or [name]
        folder = Path(path).parent.name or "this project"
        made.append(f"Where does {folder} handle {' '.join(words).lower()}?")
    return made


# -- a second checkout ------------------------------------------------------------------------------------


def worktree(project: Path, vectors: bool) -> Figures:
    """Index another worktree of a repository that is indexed."""
    memory = Memory.open(project)
    with _database(memory) as base:
        before = base.execute("SELECT count(*) FROM vectors").fetchone()[0]
    cost = Cost()
    with measured(cost):
        report = memory.index(wait=vectors)
    with _database(memory) as base:
        after = base.execute("SELECT count(*) FROM vectors").fetchone()[0]
        owed = base.execute("SELECT count(*) FROM owed").fetchone()[0]
    figures = {"second_answers_s": report.answers_after, "second_s": cost.wall_s, "second_cpu_s": cost.cpu_s}
    return figures | ({"second_texts": after - before + owed, "first_texts": before} if vectors else {})


def main(stage: str, *given: str) -> Figures:
    match stage, given:
        case "first", (project, "vectors" | "structure" as what):
            return first(Path(project), what == "vectors")
        case "edits", (project,):
            return edits(Path(project))
        case "ask", (project,):
            return ask(Path(project))
        case "worktree", (project, "vectors" | "structure" as what):
            return worktree(Path(project), what == "vectors")
    raise SystemExit(f"There is no stage {stage} {given}.")


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
