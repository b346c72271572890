"""Which commit made a memory stale."""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waypost.code.git.commits import FileCommit
from waypost.model.code_verdict import MOVED, UNCHANGED, CausingCommit, CodeVerdict
from waypost.model.reference import CodeReference
from waypost.model.shape import FileShape

if TYPE_CHECKING:
    from waypost.flows.checkouts.current_tree import Pin, TreeNow

SECONDS = 0.6  # for all memories of one check; the others are explained when they are shown next
SECONDS_FOR_ONE = 4.0  # for a memory that is shown alone
_LONGEST_AUTHOR = 60


@dataclass(slots=True)
class CauseSearch:
    """Finds the commits that changed or removed pinned code, until its time is up."""

    tree: "TreeNow"
    seconds: float = SECONDS
    _until: float = field(init=False)

    def __post_init__(self) -> None:
        self._until = time.monotonic() + self.seconds

    @property
    def has_time(self) -> bool:
        return time.monotonic() < self._until

    def find(self, reference: CodeReference, pin: "Pin", finding: CodeVerdict) -> CausingCommit | None:
        """The first commit after the pin with other code. None if the change is not committed, or git does not know."""
        if not pin.commit or not reference.anchor or not self.has_time:
            return None
        paths = [path for path in (pin.path, finding.path, *self.tree.past_paths(pin)) if path]
        left = self._until - time.monotonic()
        commits = self.tree.commits_since(pin.commit, tuple(dict.fromkeys(paths)), max(0.1, left))
        if not commits or self._is_same(reference, pin, commits[-1].commit, paths):
            return None
        low, high = 0, len(commits) - 1  # commits[high] has other code
        while low < high:
            if not self.has_time:
                return None
            middle = (low + high) // 2
            if self._is_same(reference, pin, commits[middle].commit, paths):
                low = middle + 1
            else:
                high = middle
        return _cause_of(commits[low])

    def _is_same(self, reference: CodeReference, pin: "Pin", commit: str, paths: Sequence[str]) -> bool:
        """Whether the code was at this commit as it was pinned, in one of these files."""
        from waypost.refs.follow import FollowedPlace, follow

        here, *others = (self.tree.past_shape(path, pin._replace(commit=commit)) for path in paths)
        was = FollowedPlace(pin.path, reference.line_range)
        successors = _Successors([shape for shape in others if shape is not None])
        return follow(reference.anchor, was, here, successors).state in (UNCHANGED, MOVED)


def _cause_of(commit: FileCommit) -> CausingCommit:
    author = " ".join("".join(sign if sign.isprintable() else " " for sign in commit.author).split())
    return CausingCommit(commit.commit, commit.at, author[:_LONGEST_AUTHOR], commit.added, commit.removed)


@dataclass(frozen=True, slots=True)
class _Successors:
    """The files that a file was renamed to, and no others."""

    shapes: Sequence[FileShape]

    def successors(self) -> Iterable[FileShape]:
        return self.shapes

    def named(self, _name: str) -> Iterable[FileShape]:
        return ()

    def changed(self) -> Iterable[FileShape]:
        return ()

    def before(self, _path: str) -> FileShape | None:
        return None
