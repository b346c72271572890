"""Where files of a repository went, along the renames in its history.

A diff between two distant commits misses renames: a file that moved and then changed a lot looks deleted there. In the
commit that moved it, git recognises it. Nothing here depends on which commits were checked out before.
"""

import re
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from waypost.code.files.skip import unsafe_name
from waypost.code.git.command import LITERAL, GitCheckout, open_checkout

_COMMIT = re.compile(rb"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECONDS = 3.0  # for all files of one call
_MOST_STEPS = 12  # renames of one file, one after the other
_MOST_PATHS = 500  # per call of git
_MOST_COMMITS = 200  # that deleted or added a file, per step
_MOST_RENAMES = 1_000  # git compares each deleted file with each new one


def later_paths(root: Path, paths: Iterable[str], *, seconds: float = _SECONDS) -> dict[str, tuple[str, ...]]:
    """For files that are gone, the paths they have had since, by commits up to the current one; latest first."""
    return _follow(root, "HEAD", paths, "D", seconds)


def earlier_paths(
    root: Path, commit: str, paths: Iterable[str], *, seconds: float = _SECONDS
) -> dict[str, tuple[str, ...]]:
    """For files of this commit, the paths they had before; latest first. Needed when an older commit is checked out."""
    if not _COMMIT.fullmatch(commit.encode("ascii", "replace")):
        return {}
    return _follow(root, commit, paths, "A", seconds)


def _follow(root: Path, tip: str, paths: Iterable[str], change: str, seconds: float) -> dict[str, tuple[str, ...]]:
    checkout = open_checkout(root)
    wanted = [path for path in dict.fromkeys(paths) if unsafe_name(path) is None]
    if checkout is None or not wanted:
        return {}
    end = time.monotonic() + seconds
    steps: dict[str, list[str]] = {}  # path to what it was renamed to (or from), latest first
    frontier = wanted
    for _ in range(_MOST_STEPS):
        if not frontier or time.monotonic() >= end:
            break
        renames = _renames(checkout, tip, frontier[:_MOST_PATHS], change, end)
        for path in frontier[:_MOST_PATHS]:
            steps[path] = renames.get(path, [])
        frontier = [path for path in dict.fromkeys(_all(renames)) if path not in steps]
    return {path: chain for path in wanted if (chain := _chain(path, steps))}


def _all(renames: dict[str, list[str]]) -> Iterator[str]:
    for paths in renames.values():
        yield from paths


def _chain(path: str, steps: dict[str, list[str]]) -> tuple[str, ...]:
    """All paths reached from this one, farthest first."""
    reached: dict[str, None] = {}
    layer = [path]
    while layer:
        layer = [new for old in layer for new in steps.get(old, ()) if new not in reached and new != path]
        reached |= dict.fromkeys(layer)
    return tuple(reversed(reached))


def _renames(checkout: GitCheckout, tip: str, paths: list[str], change: str, end: float) -> dict[str, list[str]]:
    """What these paths were renamed to in commits that deleted them, or from in commits that added them."""
    answer = checkout.ask(
        *("log", "-z", "--format=tformat:%H", f"--diff-filter={change}", "--no-renames", "--name-only", "--relative"),
        *("--no-notes", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--no-color"),
        *("--diff-merges=first-parent", tip, "--", *paths),
        seconds=max(0.1, end - time.monotonic()),
        variables=LITERAL,
        accept_part=True,
    )
    commits = [field for field in (answer or b"").split(b"\0") if _COMMIT.fullmatch(field.strip(b"\n"))]
    if not commits:
        return {}
    answer = checkout.ask(
        *("diff-tree", "-z", "-r", "-m", "--first-parent", "--stdin", "--find-renames", f"-l{_MOST_RENAMES}"),
        *(
            "--diff-filter=R",
            "--name-status",
            "--relative",
            "--no-ext-diff",
            "--no-textconv",
            "--ignore-submodules=all",
        ),
        given=b"".join(commit.strip(b"\n") + b"\n" for commit in commits[:_MOST_COMMITS]),
        seconds=max(0.1, end - time.monotonic()),
        accept_part=True,
    )
    renames: dict[str, list[str]] = {}
    for old, new in _pairs(answer or b""):
        source, target = (old, new) if change == "D" else (new, old)
        if source in paths and unsafe_name(target) is None and target not in renames.setdefault(source, []):
            renames[source].append(target)
    return renames


def _pairs(answer: bytes) -> Iterator[tuple[str, str]]:
    """Parse `R087`, old path, new path. Each field ends with a zero byte; commits stand between them."""
    fields = iter(answer.decode("utf-8", "surrogateescape").split("\0"))
    for status in fields:
        if status[:1] == "R":
            yield next(fields, ""), next(fields, "")
