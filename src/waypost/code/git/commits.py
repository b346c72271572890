"""Commits that touched given files: when, by whom, and how many lines."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from waypost.code.files.skip import unsafe_name
from waypost.code.git.command import LITERAL, open_checkout
from waypost.code.git.history import commit_time

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_MARK = "\x1e"
_MOST_COMMITS = 2_000
_MOST_MERGED = 20  # commits of one merge
_SECONDS = 3.0


@dataclass(frozen=True, slots=True)
class FileCommit:
    commit: str
    parents: tuple[str, ...]  # among commits that touched the files or merged such ones; then `since`
    at: datetime
    author: str
    added: int  # lines in the given files, compared with the first parent
    removed: int


@dataclass(frozen=True, slots=True)
class CurrentCommit:
    """The commit that is checked out, with the lines it added and removed in each file."""

    commit: FileCommit
    lines: dict[str, tuple[int, int]]

    def touching(self, paths: Sequence[str]) -> tuple[FileCommit, ...]:
        """The commit, with its lines in these files. Empty if it touched none of them."""
        counts = [self.lines[path] for path in paths if path in self.lines]
        added, removed = sum(count[0] for count in counts), sum(count[1] for count in counts)
        return (replace(self.commit, added=added, removed=removed),) if counts else ()


def current_commit(root: Path, *, seconds: float = _SECONDS) -> CurrentCommit | None:
    checkout = open_checkout(root)
    if checkout is None:
        return None
    answer = checkout.ask(
        *("log", "-1", "-z", "--format=tformat:%H%x1f%P%x1f%ct%x1f%an", "--diff-merges=first-parent", "--numstat"),
        *("--no-renames", "--relative", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-color"),
        *("--ignore-submodules=all", "HEAD"),
        seconds=seconds,
    )
    head, *stat = (answer or b"").decode("utf-8", "surrogateescape").split("\0")
    commit = _commit_of(head)
    rows = [row.lstrip("\n").split("\t", 2) for row in stat if row.count("\t") >= 2]
    lines = {path: (_count(added), _count(removed)) for added, removed, path in rows}
    return None if commit is None else CurrentCommit(commit, lines)


def _count(text: str) -> int:
    """The number of lines; a dash stands for a file that is no text."""
    return int(text) if text.isdecimal() else 0


def commits_since(root: Path, since: str, paths: Sequence[str], *, seconds: float = _SECONDS) -> tuple[FileCommit, ...]:
    """The commits from `since` to the current one that touched these files, latest first. Empty if git does not know.

    Commits that do not descend from `since` are left out: nobody changed there what `since` had.
    """
    checkout = open_checkout(root)
    safe = [path for path in dict.fromkeys(paths) if unsafe_name(path) is None]
    if checkout is None or not safe or not _COMMIT.fullmatch(since):
        return ()
    answer = checkout.ask(
        *("log", "--topo-order", f"--max-count={_MOST_COMMITS}", f"--format=tformat:{_MARK}%H%x1f%P%x1f%ct%x1f%an"),
        *("--ancestry-path", "--simplify-merges", "--parents", "--diff-merges=first-parent"),
        *("--numstat", "--no-renames", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-color"),
        *("--ignore-submodules=all", f"{since}..HEAD", "--", *safe),
        seconds=seconds,
        variables=LITERAL,
    )
    return _commits_of(answer)


def lines_between(
    root: Path, before: str, after: str, paths: Sequence[str], *, seconds: float = _SECONDS
) -> tuple[int, int]:
    """How many lines of these files were added and removed from one commit to another. Zero if git does not know."""
    checkout = open_checkout(root)
    safe = [path for path in dict.fromkeys(paths) if unsafe_name(path) is None]
    if checkout is None or not safe or not (_COMMIT.fullmatch(before) and _COMMIT.fullmatch(after)):
        return 0, 0
    answer = checkout.ask(
        *("diff", "--numstat", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"),
        *("--ignore-submodules=all", before, after, "--", *safe),
        seconds=seconds,
        variables=LITERAL,
    )
    return _sums((answer or b"").decode("utf-8", "replace"))


def is_merge(root: Path, commit: str, *, seconds: float = _SECONDS) -> bool:
    checkout = open_checkout(root)
    if checkout is None or not _COMMIT.fullmatch(commit):
        return False
    return checkout.ask("rev-parse", "--verify", "--quiet", f"{commit}^2", seconds=seconds) is not None


def merged_commits(
    root: Path, merge: str, paths: Sequence[str], *, seconds: float = _SECONDS
) -> tuple[FileCommit, ...]:
    """The commits that a merge brought and that touched these files, latest first. Their parents are the real ones."""
    checkout = open_checkout(root)
    safe = [path for path in dict.fromkeys(paths) if unsafe_name(path) is None]
    if checkout is None or not safe or not _COMMIT.fullmatch(merge):
        return ()
    answer = checkout.ask(
        *("log", "--no-merges", f"--max-count={_MOST_MERGED}", f"--format=tformat:{_MARK}%H%x1f%P%x1f%ct%x1f%an"),
        *("--numstat", "--no-renames", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-color"),
        *("--ignore-submodules=all", f"{merge}^1..{merge}", "--", *safe),
        seconds=seconds,
        variables=LITERAL,
    )
    return _commits_of(answer)


def _commits_of(answer: bytes | None) -> tuple[FileCommit, ...]:
    text = (answer or b"").decode("utf-8", "replace")
    return tuple(commit for record in text.split(_MARK)[1:] if (commit := _commit_of(record)) is not None)


def _sums(numstat: str) -> tuple[int, int]:
    counts = [line.split("\t")[:2] for line in numstat.splitlines() if line.count("\t") >= 2]
    return sum(_count(added) for added, _ in counts), sum(_count(removed) for _, removed in counts)


def _commit_of(record: str) -> FileCommit | None:
    head, _, stat = record.partition("\n")
    fields = head.split("\x1f")
    time = commit_time(fields[2]) if len(fields) == 4 else None
    if time is None or not _COMMIT.fullmatch(fields[0]):
        return None
    return FileCommit(fields[0], tuple(fields[1].split()), time, fields[3], *_sums(stat))
