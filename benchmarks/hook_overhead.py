"""What the git hooks add to a commit: `python -m benchmarks.hook_overhead [--memories 5000] [--commits 60]`.

The same commits are made by turns in three repositories: one without hooks, one with hooks and nothing remembered, one
with hooks and thousands of memories that point into its files. `alone`: each commit is made when everything that hooks
started has ended; `burst`: one right after the other, while the processes of the ones before are at work.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.clock import Figures, percentiles, seconds

from waypost.faces.hooks.git.script import PENDING_NAME

FILES = 200
FUNCTIONS = 25
_COMMIT = ["git", "-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", "edit"]


def main() -> None:
    options = _options()
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        _isolate(work)
        names = ("without", "hooks", "memories")
        trees = {name: _tree(work / name) for name in names}
        _remember(trees["memories"], options.memories)
        for name in names[1:]:
            _run([sys.executable, "-P", "-m", "waypost", "-C", str(trees[name]), "hook", "install", "git", "--json"])
        results = {"alone": _alone(trees, options.commits), "burst": _burst(trees, options.commits)}
    print(json.dumps({"memories": options.memories, "commits": options.commits, **results}, indent=2))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memories", type=int, default=5000)
    parser.add_argument("--commits", type=int, default=60)
    return parser.parse_args()


def _isolate(work: Path) -> None:
    for name in [name for name in os.environ if name.startswith(("GIT_", "WAYPOST_"))]:
        del os.environ[name]
    (work / "user").mkdir()
    os.environ |= {
        "HOME": str(work / "user"),
        "WAYPOST_HOME": str(work / "home"),
        "WAYPOST_BACKGROUND": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
    }


def _tree(root: Path) -> Path:
    root.mkdir()
    for number in range(FILES):
        text = "".join(
            f"def work_{number}_{place}(value):\n    total = value + {place}\n    return total * {number}\n\n\n"
            for place in range(FUNCTIONS)
        )
        (root / f"part_{number}.py").write_text(text)
    _run(["git", "init", "-q", "-b", "main"], root)
    _run(["git", "add", "-A"], root)
    _run(_COMMIT, root)
    return root


def _remember(root: Path, count: int) -> None:
    """Memories about one function each. Vectors have no part in this: a stand-in for the engine makes them."""
    from waypost import memory
    from waypost.embed.fake import FakeEngine

    engine = FakeEngine()
    memory.open_engine = lambda _name, _settings: engine
    with memory.Memory.open(root) as opened:
        drafts = []
        for number in range(count):
            file, place = number % FILES, number // FILES % FUNCTIONS
            line = place * 5 + 1
            refs = [f"part_{file}.py#L{line}-L{line + 2}"]
            drafts.append({"text": f"Memory {number}: work_{file}_{place} adds {place} to its value.", "refs": refs})
        opened.remember_many(drafts)
        print(f"{count} memories written", file=sys.stderr)


def _alone(trees: dict[str, Path], commits: int) -> dict[str, Figures]:
    """By turns, so that whatever else the machine does falls on all of them; what is added is measured in pairs."""
    taken: dict[str, list[float]] = {name: [] for name in trees}
    for number in range(commits):
        for name, root in trees.items():
            _edit(root, number)
            taken[name].append(_timed(_COMMIT, root, wait=True))
    figures = {name: percentiles(times, "commit") for name, times in taken.items()}
    for name in ("hooks", "memories"):
        added = [one - other for one, other in zip(taken[name], taken["without"], strict=True)]
        hook = [_timed([".git/hooks/post-commit"], trees[name], wait=True) for _ in range(commits)]
        figures[name] |= percentiles(added, "added") | percentiles(hook, "hook_by_itself")
    return figures


def _burst(trees: dict[str, Path], commits: int) -> dict[str, Figures]:
    """One repository after the other: each bears the processes that it started itself."""
    figures: dict[str, Figures] = {}
    for name, root in trees.items():
        taken = []
        for number in range(commits):
            _edit(root, number)
            taken.append(_timed(_COMMIT, root, wait=False))
        _await_quiet(root)
        figures[name] = percentiles(taken, "commit")
    return figures


def _await_quiet(root: Path) -> None:
    """Until all that hooks started has ended: each works in its turn, and so do we."""
    command = [sys.executable, "-P", "-m", "waypost", "-C", str(root), "hook", "run", "git", "post-commit"]
    while (root / ".git" / PENDING_NAME).exists():
        _run(command)
    _run(command)


def _edit(root: Path, number: int) -> None:
    file = root / f"part_{number % FILES}.py"
    file.write_text(f"# edit {number}\n" + file.read_text())
    _run(["git", "add", "-A"], root)


def _timed(command: list[str], root: Path, *, wait: bool) -> float:
    """Milliseconds until the command has ended. With `wait`, return when all that it started has ended too: every one
    of these processes holds a pipe, which ends with the last."""
    reading, writing = os.pipe()
    taken = seconds(lambda: subprocess.run(command, cwd=root, check=True, pass_fds=[writing] if wait else []))
    os.close(writing)
    if wait:
        os.read(reading, 1)
    os.close(reading)
    return taken * 1000


def _run(command: list[str], folder: Path | None = None) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
