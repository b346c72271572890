"""Which commit made a memory stale."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from waypost.code.git.commits import FileCommit
from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CausingCommit, CodeVerdict
from waypost.model.reference import CodeReference, LineRange
from waypost.model.shape import FileShape

if TYPE_CHECKING:
    from waypost.flows.checkouts.current_tree import Pin, TreeNow

_LONGEST_AUTHOR = 60
_LONGEST_CALL = 9.0  # seconds; a git that takes longer counts as silent
_MOST_FETCHED = 8  # commits whose files are read in one go; of more, only some are looked at


@dataclass(slots=True)
class CauseSearch:
    """Finds the commits that changed or removed pinned code, until its time is up."""

    tree: "TreeNow"
    seconds: float
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    @property
    def has_time(self) -> bool:
        return time.monotonic() < self._until

    def find(self, reference: CodeReference, pin: "Pin", finding: CodeVerdict) -> CausingCommit | None:
        """The commit after the pin that changed the code. None if the change is not committed, or git does not know."""
        if pin.commit in ("", self.tree.head.commit) or not reference.anchor or not self.has_time:
            return None
        past = self.tree.past_paths(pin) if finding.path != pin.path else ()
        paths = tuple(dict.fromkeys(path for path in (pin.path, finding.path, *past) if path))
        start = self.tree.fork_from(pin.commit)
        commits = {row.commit: row for row in self.tree.commits_since(start, paths, self._left)}
        latest = next(iter(commits.values()), None)
        if latest is not None and len(commits) == 1 and start == pin.commit and self.tree.is_committed(paths):
            return _cause_of(self._author(latest, reference, pin, paths))  # no other commit touched the files
        if len(commits) <= _MOST_FETCHED:
            self.tree.expect_past((commit, path) for commit in (*commits, start) for path in paths)
        if latest is None:
            return None
        # What is gone may have been edited before: the commit that removed it is the one to name.
        is_there = partial(self._has, reference, pin, paths, finding.state == DELETED)
        if is_there(latest.commit) and finding.state == DELETED:  # nothing but a likeness of it
            is_there = partial(self._has, reference, pin, paths, False)
        if is_there(latest.commit):
            return None
        is_known = is_there(start)  # not if it was committed later, or on another branch
        while True:
            line = _first_parents(latest, commits)
            number = self._first_without([row.commit for row in line], is_there, is_known)
            if number is None:
                return None
            merged = (commits[parent] for parent in line[number].parents[1:] if parent in commits)
            other = next((row for row in merged if not is_there(row.commit)), None)
            if other is None:
                author = self._author(line[number], reference, pin, paths)
                return _cause_of(self._with_lines(author, paths, is_there) if author is line[number] else author)
            latest = other  # the change came from there

    @property
    def _left(self) -> float:
        """Seconds for one call of git."""
        return max(0.1, min(_LONGEST_CALL, self._until - time.monotonic()))

    def _author(self, cause: FileCommit, reference: CodeReference, pin: "Pin", paths: Sequence[str]) -> FileCommit:
        """The commit of a merged branch that wrote the code, if the cause is a merge.

        Such a branch may have begun before the pin. Then none of its commits ever had the pinned code.
        """
        if not self.tree.is_merge(cause.commit):
            return cause
        verdict = self.followed_at(reference, pin, paths, cause.commit)
        before, was = self.tree.past_shape(pin.path, pin), reference.line_range
        now = self.tree.past_shape(verdict.path, pin._replace(commit=cause.commit)) if verdict.path else None
        if before is None or now is None or was is None or verdict.lines is None:
            return cause
        change = _WordChange.between(_words_on(before, was), _words_on(now, verdict.lines))
        merged = self.tree.merged_commits(cause.commit, tuple(paths), self._left)
        for row in (row for row in merged if row.parents):
            files = [(path, commit) for path in paths for commit in (row.parents[0], row.commit)]
            self.tree.expect_past((commit, path) for path, commit in files)
            shapes = [self.tree.past_shape(path, pin._replace(commit=commit)) for path, commit in files]
            words = [Counter(shape.words) if shape is not None else Counter[int]() for shape in shapes]
            pairs = zip(words[::2], words[1::2], strict=False)
            if any(change.is_in(_WordChange.between(older, newer)) for older, newer in pairs):
                return row
        return cause

    def _first_without(self, line: Sequence[str], is_there: Callable[[str], bool], is_known: bool) -> int | None:
        """Which commit of a line, latest first, is the one after the last that had the pinned code.

        `is_known`: the code was there where the line begins. Then half of the rest is skipped each time.
        """
        if not is_known:
            for number, commit in enumerate(line[1:]):
                if not self.has_time:
                    return None
                if is_there(commit):
                    return number
            return None
        low, high = 0, len(line) - 1
        while low < high:
            if not self.has_time:
                return None
            middle = (low + high + 1) // 2
            if is_there(line[middle]):
                high = middle - 1
            else:
                low = middle
        return low

    def _with_lines(self, cause: FileCommit, paths: Sequence[str], is_there: Callable[[str], bool]) -> FileCommit:
        """A merge with the lines that differ from the parent that had the code, which need not be the first."""
        parents = cause.parents if len(cause.parents) > 1 else ()
        parent = next((commit for commit in parents if is_there(commit)), None)
        if parent is None or parent == cause.parents[0]:
            return cause
        added, removed = self.tree.lines_between(parent, cause.commit, tuple(paths))
        return replace(cause, added=added, removed=removed)

    def _has(self, reference: CodeReference, pin: "Pin", paths: Sequence[str], in_any_form: bool, commit: str) -> bool:
        """Whether the code was at this commit in one of these files: as it was pinned, or `in_any_form`."""
        from waypost.refs.anchor import SYMBOL, unpack

        verdict, anchor = self.followed_at(reference, pin, paths, commit), unpack(reference.anchor)
        if verdict.state != CHANGED or not in_any_form or anchor is None:
            return verdict.state in (UNCHANGED, MOVED)
        return anchor.what != SYMBOL or verdict.name == anchor.qualified  # another name: only something like it

    def followed_at(self, reference: CodeReference, pin: "Pin", paths: Sequence[str], commit: str) -> CodeVerdict:
        """Where the code was at this commit in these files."""
        from waypost.refs.follow import FollowedPlace, follow

        here, *others = (self.tree.past_shape(path, pin._replace(commit=commit)) for path in paths)
        was = FollowedPlace(pin.path, reference.line_range)
        pinned = self.tree.past_shape(pin.path, pin)
        successors = _Successors([shape for shape in others if shape is not None], pinned)
        return follow(reference.anchor, was, here, successors)


@dataclass(frozen=True, slots=True)
class _WordChange:
    """The words that a commit added and removed, in any order, so that quotes and layout do not count."""

    added: Counter[int]
    removed: Counter[int]

    @classmethod
    def between(cls, older: Counter[int], newer: Counter[int]) -> "_WordChange":
        return cls(newer - older, older - newer)

    def is_in(self, other: "_WordChange") -> bool:
        """Whether the other change makes most of this one."""
        common = (self.added & other.added).total() + (self.removed & other.removed).total()
        return 2 * common > self.added.total() + self.removed.total()


def _words_on(shape: FileShape, lines: LineRange) -> Counter[int]:
    first, behind = shape.between(lines.start, lines.end)
    return Counter(shape.words[first:behind])


def _first_parents(latest: FileCommit, commits: Mapping[str, FileCommit]) -> list[FileCommit]:
    """A commit and those before it on its line, latest first."""
    line, row = [], commits.get(latest.commit)
    while row is not None:
        line.append(row)
        row = next((commits[parent] for parent in row.parents if parent in commits), None)
    return line


def _cause_of(commit: FileCommit) -> CausingCommit:
    author = " ".join("".join(sign if sign.isprintable() else " " for sign in commit.author).split())
    return CausingCommit(commit.commit, commit.at, author[:_LONGEST_AUTHOR], commit.added, commit.removed)


@dataclass(frozen=True, slots=True)
class _Successors:
    """The files that a file was renamed to, and no others."""

    shapes: Sequence[FileShape]
    pinned: FileShape | None  # the file as it was pinned

    def successors(self) -> Iterable[FileShape]:
        return self.shapes

    def named(self, _name: str) -> Iterable[FileShape]:
        return ()

    def changed(self) -> Iterable[FileShape]:
        return ()

    def before(self, path: str) -> FileShape | None:
        return self.pinned if self.pinned is not None and path == self.pinned.path else None
