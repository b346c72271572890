"""Indexing a tree, from the first look to the last vector, and everything that follows: `python -m benchmarks.indexing TREE`.

With `--copy` the tree is copied and made a git repository first, and then edited, asked and checked out a second time;
without it the tree is only read. Each part runs in a process of its own. Processor seconds stand beside seconds: on a
machine that others use they are what carries over. Important files are those whose urgency is above the median.

`--semble PYTHON` names an interpreter with semble 0.7.0, which then indexes the same tree: without vectors, and unless
`--no-vectors` with MiniLM in the place of its own model, which is not to be had without a network.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.clock import best_process
from benchmarks.meter import cpu_seconds
from benchmarks.speed import table

Figures = dict[str, Any]
ROOT = Path(__file__).resolve().parent.parent
RESULTS = Path(__file__).parent / "results"
ASKED = "where is the order of retries decided?"
COLD_RUNS = 5
DIFFERENT = 12  # files that differ in the second worktree
_GIT = ("git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "-c", "commit.gpgsign=false")


def copy_tree(tree: Path, target: Path) -> None:
    """A repository with one commit of what is in the tree."""
    shutil.copytree(tree, target, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    for arguments in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-qm", "As it was")):
        subprocess.run([*_GIT, *arguments], cwd=target, check=True, stdout=subprocess.DEVNULL)


class Indexing:
    """Runs the parts and collects their figures."""

    def __init__(self, work: Path, vectors: bool) -> None:
        self._work = work
        self._what = "vectors" if vectors else "structure"
        self.figures: Figures = {}
        self._environment = os.environ | {
            "WAYPOST_HOME": str(work / "home"),
            "WAYPOST_BACKGROUND": "0",
            "TOKENIZERS_PARALLELISM": "false",
        }

    def part(self, *arguments: Any) -> None:
        self._run([sys.executable, "-m", "benchmarks.indexing_stages", *map(str, arguments)], "")

    def _run(self, command: list[str], prefix: str) -> None:
        print(f"… {' '.join(command[2:5])}", file=sys.stderr, flush=True)
        done = subprocess.run(command, env=self._environment, cwd=ROOT, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"  failed: {done.stderr.strip()[-2000:]}", file=sys.stderr)
            return
        told = json.loads(done.stdout.splitlines()[-1])
        self.figures |= {f"{prefix}{name}": value for name, value in told.items()}

    def measure(self, project: Path, copied: bool) -> None:
        self.part("first", project, self._what)
        self.part("ask", project)
        self._cold(project)
        if copied:
            self._worktree(project)
            self.part("edits", project)

    def _cold(self, project: Path) -> None:
        waypost = shutil.which("waypost", path=str(Path(sys.executable).parent)) or "waypost"
        command = [waypost, "-C", str(project), "ask", ASKED, "--in", "code"]
        before = cpu_seconds()
        self.figures["cold_ask_ms"] = best_process(command, COLD_RUNS, env=self._environment, stderr=subprocess.DEVNULL)
        self.figures["cold_ask_cpu_ms"] = (cpu_seconds() - before) * 1000 / (COLD_RUNS + 1)

    def _worktree(self, project: Path) -> None:
        from random import Random

        from benchmarks.indexing_stages import change, editable

        second = project.with_name(f"{project.name}-second")
        subprocess.run([*_GIT, "worktree", "add", "-q", "-b", "second", str(second)], cwd=project, check=True)
        chance = Random(29)
        for path in editable(second, chance)[:DIFFERENT]:
            change(second / path, chance)
        self.part("worktree", second, self._what)

    def peer(self, python: str, project: Path) -> None:
        for model in ("none", "minilm") if self._what == "vectors" else ("none",):
            script = str(ROOT / "benchmarks" / "peers" / "semble_index.py")
            self._run([python, script, str(project), model], f"semble_{model}_")


def report(figures: Figures) -> str:
    def cell(name: str, form: str = "{:.1f}") -> str:
        return form.format(figures[name]) if name in figures else "–"

    def times(label: str, name: str) -> list[str]:
        return [label, cell(f"{name}_s"), cell(f"{name}_cpu_s")]

    def moments(label: str, name: str) -> list[str]:
        return [label, cell(f"{name}_p50_ms"), cell(f"{name}_p95_ms"), cell(f"{name}_cpu_ms")]

    whole = "{:,.0f}"
    sizes = (
        "files",
        "lines",
        "symbols",
        "passages",
        "texts",
        "important_texts",
        "broken",
        "disk_mb",
        "bytes_a_passage",
    )
    first = [
        times("questions can be asked", "answers"),
        times("important files have vectors", "important"),
        times("everything has", "all"),
        times("second worktree, all", "second"),
        times("again, one file changed", "index_one_changed"),
        times("again, nothing changed", "index_unchanged"),
        times("semble, no vectors", "semble_none"),
        times("semble, MiniLM", "semble_minilm"),
    ]
    single = [
        moments(label, name)
        for label, name in (
            ("one file changed", "edit"),
            ("one file added", "add"),
            ("one file deleted", "delete"),
            ("one file renamed", "rename"),
            ("recall, warm", "recall"),
        )
    ]
    parts = [
        table([*sizes], [[cell(name, whole) for name in sizes]]),
        table(["", "seconds", "processor seconds"], [row for row in first if row[1] != "–"]),
        table(["", "p50, ms", "p95, ms", "processor, ms"], [row for row in single if row[1] != "–"]),
        f"`ask` in a new process: {cell('cold_ask_ms', whole)} ms (processor {cell('cold_ask_cpu_ms', whole)} ms). "
        f"Peak memory: {cell('peak_mb', whole)} MB, and {cell('children_mb', whole)} MB in children that parse. "
        f"The second worktree embeds {cell('second_texts', whole)} of {cell('first_texts', whole)} texts.",
        "\nSkipped: " + json.dumps(figures.get("skipped", {})),
    ]
    return "\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree", type=Path)
    parser.add_argument("--copy", action="store_true", help="copy the tree, make it a repository, and edit it")
    parser.add_argument("--no-vectors", action="store_true", help="structure and keywords only")
    parser.add_argument("--semble", metavar="PYTHON", help="an interpreter that has semble: measure it too")
    parser.add_argument("--work", type=Path, help="keep everything here (default: a temporary directory)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (given.work or Path(temporary)).absolute()
        bench = Indexing(work, vectors=not given.no_vectors)
        project = given.tree.absolute()
        if given.copy:
            project = work / given.tree.absolute().name
            copy_tree(given.tree, project)
        if given.semble:  # before the tree is edited
            bench.peer(given.semble, project)
        bench.measure(project, copied=given.copy)
    RESULTS.mkdir(exist_ok=True)
    target = RESULTS / f"indexing-{project.name}.json"
    target.write_text(json.dumps(bench.figures, indent=1), "utf-8")
    print(report(bench.figures))


if __name__ == "__main__":
    main()
