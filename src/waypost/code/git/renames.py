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
SECONDS = 3.0  # for all files of one call
_MOST_STEPS = 12  # renames of one file, one after the other
_MOST_PATHS = 500  # per call of git
_MOST_COMMITS = 200  # that deleted or added a file, per step
_MOST_BASES = 200  # commits whose common ancestor is looked for
_MOST_RENAMES = 1_000  # git compares each deleted file with each new one


def later_paths(
    root: Path, paths: Iterable[str], since: Iterable[str], *, seconds: float = SECONDS
) -> dict[str, tuple[str, ...]]:
    """For files that are gone, the paths they have had since these commits, which had them; latest first."""
    checkout = open_checkout(root)
    if checkout is None:
        return {}
    end = time.monotonic() + seconds
    base = common_ancestor(root, since, seconds=seconds)
    return _follow(checkout, f"{base}..HEAD" if base else "HEAD", paths, "D", end)


def earlier_paths(
    root: Path, commit: str, paths: Iterable[str], *, seconds: float = SECONDS
) -> dict[str, tuple[str, ...]]:
    """For files of this commit, the paths they had before, down to the current commit or a common ancestor; latest first.

    They are needed when an older commit or another branch is checked out.
    """
    checkout = open_checkout(root)
    if checkout is None or not _COMMIT.fullmatch(commit.encode("ascii", "replace")):
        return {}
    return _follow(checkout, f"HEAD..{commit}", paths, "A", time.monotonic() + seconds)


def common_ancestor(root: Path, commits: Iterable[str], *, seconds: float = SECONDS) -> str:
    """The latest commit from which all these and the current one descend. Empty if git does not know it."""
    checkout = open_checkout(root)
    chosen = list(dict.fromkeys(commits))
    if checkout is None or not chosen or len(chosen) > _MOST_BASES:
        return ""
    if not all(_COMMIT.fullmatch(commit.encode("ascii", "replace")) for commit in chosen):
        return ""
    answer = checkout.ask("merge-base", "--octopus", "HEAD", *chosen, seconds=seconds) or b""
    base = answer.strip()
    return base.decode() if _COMMIT.fullmatch(base) else ""


def _follow(
    checkout: GitCheckout, tip: str, paths: Iterable[str], change: str, end: float
) -> dict[str, tuple[str, ...]]:
    wanted = [path for path in dict.fromkeys(paths) if unsafe_name(path) is None]
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
