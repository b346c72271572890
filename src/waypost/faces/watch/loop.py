"""The loop of a watcher: wait until a burst of changes is over, then report it as one batch.

    watch(root, update, stop=stop, ignored=rules.ignored)       # returns when `stop` is set

Writing a temporary file and renaming it counts as one modified file. Checking out a branch is one batch, marked as
"everything may have changed". If the root itself vanishes, the watch ends without a batch.
"""

import os
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from waypost.errors import InvalidInput, WaypostError
from waypost.faces.watch.notify import Missed, Notifications, Touched, Vanished
from waypost.faces.watch.tree import GIT, FileEvent, Ignored, WatchedTree, merge
from waypost.space.repository import find_repository
from waypost.system.platform import read_small_file

DEBOUNCE_MS = 300  # editors have finished saving by then
MANY = 2_000  # touched paths: from here on scanning everything is cheaper, and events may be lost
_IDLE_MS = 5_000
_LONGEST_HOLD = 30.0  # seconds: an endless burst is reported in parts, and a stale git lock does not block forever
_RULES = (".gitignore", ".waypostignore")  # a change of these changes which files belong to the tree
_MOST_TRIES = 3  # folders may vanish between listing and watching
_LARGEST_HEAD = 4_096


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    changes: tuple[FileEvent, ...]  # sorted by path, each path once
    everything: bool = False  # more may have changed: another branch, other ignore rules, or very many files


def watch(
    root: Path,
    on_changes: Callable[[ChangeBatch], None],
    *,
    stop: Event,
    ignored: Ignored = lambda _: False,
    debounce_ms: int = DEBOUNCE_MS,
    on_ready: Callable[[int], None] = lambda _: None,
) -> None:
    """Call `on_changes` after each burst of changes, until `stop` is set. Blocks.

    `ignored` gets paths relative to the root; folders end with `/`. `on_ready` is called once, with the number of files,
    when no later change can be missed. Check anything indexed before that again.

    An exception from a callback ends the watch. Raises InvalidInput if the root is not a directory. Raises WaypostError
    if the system refuses to watch, or the root is gone.
    """
    watched = _Watched(root, ignored)
    with Notifications() as notifications:
        watched.tree.scan()
        _, burst = _arm(watched, notifications)
        on_ready(len(watched.tree))
        while not stop.is_set():
            events: Touched = {}
            try:
                events = notifications.wait(debounce_ms if burst else _IDLE_MS, stop)
            except Missed:
                burst.missed = True
                stop.wait(debounce_ms / 1000)  # the cause may persist
            watched.check()
            burst.add(events)
            if stop.is_set() or not burst or not burst.is_over(events, busy=watched.git_is_busy()):
                continue
            batch, burst = _collect(watched, notifications, burst)
            if batch.changes or batch.everything:
                on_changes(batch)


class _Watched:
    """A tree and its repository. Notices a vanished root and another checked-out commit."""

    def __init__(self, root: Path, ignored: Ignored) -> None:
        try:
            self.root = root.resolve(strict=True)
            self._identity = _identity(self.root)
        except OSError as error:
            raise InvalidInput(f"{root} cannot be watched: {error.strerror}.", "Name a directory.") from error
        if not self.root.is_dir():
            raise InvalidInput(f"{root} is not a directory.", "Name a directory.")
        self.tree = WatchedTree(self.root, ignored)
        repository = find_repository(self.root)
        self.git_dir = repository.git_dir if repository else None
        self._head = self._read_head()

    def check(self) -> None:
        """Raise WaypostError if the root is gone. Its missing files are then no changes of the project."""
        try:
            same = _identity(self.root) == self._identity
        except OSError:
            same = False
        if not same:
            raise WaypostError(
                f"{self.root} is gone; it is no longer watched.", "Start again where the project is now."
            )

    def extra_paths(self) -> list[Path]:
        """Paths to watch besides the folders of the tree: the folder where git stores HEAD."""
        return [self.git_dir] if self.git_dir is not None and self.git_dir.is_dir() else []

    def git_is_busy(self) -> bool:
        return self.git_dir is not None and os.path.lexists(self.git_dir / "index.lock")

    def head_changed(self) -> bool:
        """Whether another branch or commit was checked out since the last call."""
        before, self._head = self._head, self._read_head()
        return before != self._head

    def _read_head(self) -> bytes:
        """HEAD, not the index: `git status` writes that too."""
        if self.git_dir is None:
            return b""
        try:
            return read_small_file(self.git_dir / "HEAD", _LARGEST_HEAD)
        except (OSError, InvalidInput):
            return b""

    def batch(self, changes: Iterable[FileEvent], *, everything: bool) -> ChangeBatch:
        merged = tuple(merge(changes))
        rules = any(change.path.rpartition("/")[2] in _RULES for change in merged)
        return ChangeBatch(merged, everything or rules)


def _identity(path: Path) -> tuple[int, int]:
    state = os.stat(path)
    return state.st_dev, state.st_ino


@dataclass(slots=True)
class _Burst:
    touched: Touched = field(default_factory=dict)
    missed: bool = False  # events may be lost: scan everything and set the watches again
    since: float = field(default_factory=time.monotonic)

    def __bool__(self) -> bool:
        return bool(self.touched) or self.missed

    def add(self, events: Touched) -> None:
        if not self:
            self.since = time.monotonic()
        self.touched |= {path: is_new or self.touched.get(path, False) for path, is_new in events.items()}

    def is_over(self, events: Touched, *, busy: bool) -> bool:
        return (not events and not busy) or time.monotonic() - self.since > _LONGEST_HOLD


def _collect(watched: _Watched, notifications: Notifications, burst: _Burst) -> tuple[ChangeBatch, _Burst]:
    """The changes of a burst, and the next burst with the events that came in meanwhile."""
    inside = _inside(watched.root, burst.touched)
    everything = watched.head_changed() or len(inside) > MANY
    folders = watched.tree.folders
    changes = watched.tree.scan() if everything or burst.missed else watched.tree.scan_paths(inside)
    replaced = any(is_new and path in watched.tree.folders for path, is_new in inside.items())
    later = _Burst()
    if burst.missed or replaced or not watched.tree.folders <= folders:
        more, later = _arm(watched, notifications)
        changes += more
    watched.check()
    return watched.batch(changes, everything=everything), later


def _arm(watched: _Watched, notifications: Notifications) -> tuple[list[FileEvent], _Burst]:
    """Watch all current folders. Then scan again for what came between listing and watching them.

    Folders that come and go too fast are left to the next burst.
    """
    changes: list[FileEvent] = []
    burst = _Burst()
    for last in (*[False] * _MOST_TRIES, True):
        folders = watched.tree.folders
        try:
            burst.add(notifications.arm(watched.root, [""] if last else sorted(folders), watched.extra_paths()))
            complete = not last
        except Vanished:
            complete = False
        except Missed:
            complete = not last  # the scan below finds what the old watches missed
        watched.check()
        changes += watched.tree.scan()
        if complete and watched.tree.folders <= folders:
            return changes, burst
    burst.missed = True
    return changes, burst


def _inside(root: Path, touched: Touched) -> Touched:
    """The paths below the root, relative to it, without git's own."""
    start = str(root).rstrip(os.sep) + os.sep
    below = {
        path.removeprefix(start).replace(os.sep, "/"): is_new
        for path, is_new in touched.items()
        if path.startswith(start)
    }
    return {path: is_new for path, is_new in below.items() if GIT not in path.split("/")}
