"""The loop of a watcher: wait until a burst of changes is over, then tell what it changed.

    watch(root, update, stop=stop, ignored=rules.ignored)       # returns when `stop` is set

An editor that writes a temporary file and renames it has modified one file. A checkout of a branch is one batch, and
says that everything may have changed. Nothing is told when the root itself vanishes: that ends the watch.
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
from waypost.space.platform import read_small_file
from waypost.space.repository import find_repository

DEBOUNCE_MS = 300  # an editor is done by then, and a person has not yet asked
MANY = 2_000  # paths touched at once: looking at everything is cheaper then, and events may have been lost
_IDLE_MS = 5_000
_LONGEST_HOLD = 30.0  # seconds: a burst that never ends is told in parts, and a forgotten lock of git's stops nobody
_RULES = (".gitignore", ".waypostignore")  # when these change, so does what belongs to the tree
_MOST_TRIES = 3  # folders may vanish between being listed and being watched
_LARGEST_HEAD = 4_096


@dataclass(frozen=True, slots=True)
class ChangeBatch:
    changes: tuple[FileEvent, ...]  # in the order of paths, each path once
    everything: bool = False  # more may have changed than is listed: another branch, other rules, very many files


def watch(
    root: Path,
    on_changes: Callable[[ChangeBatch], None],
    *,
    stop: Event,
    ignored: Ignored = lambda _: False,
    debounce_ms: int = DEBOUNCE_MS,
    poll_ms: int | None = None,
    on_ready: Callable[[int], None] = lambda _: None,
) -> None:
    """Call `on_changes` after each burst of changes, until `stop` is set. Blocks.

    `ignored` is asked with paths relative to the root, those of folders with a `/` at the end. `on_ready` is called once,
    with the number of files, when no later change can be missed: what was indexed before that should be checked again.
    With `poll_ms` the tree is looked at that often, for file systems that tell nothing and systems out of watches.
    Whatever the callbacks raise ends the watch. Raises InvalidInput for a root that is no directory and WaypostError
    when the system refuses, or the root is gone.
    """
    watched = _Watched(root, ignored)
    if poll_ms is None:
        _be_told(watched, on_changes, on_ready, stop, debounce_ms)
    else:
        _ask(watched, on_changes, on_ready, stop, poll_ms)


class _Watched:
    """A tree, the repository it belongs to, and whether both are as they were."""

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
        """Raises when the root is gone: that its files are gone as well is no news about the project."""
        try:
            same = _identity(self.root) == self._identity
        except OSError:
            same = False
        if not same:
            raise WaypostError(
                f"{self.root} is gone; it is no longer watched.", "Start again where the project is now."
            )

    def beside(self) -> list[Path]:
        """What is watched beside the tree's folders: where git says which branch is checked out."""
        return [self.git_dir] if self.git_dir is not None and self.git_dir.is_dir() else []

    def git_is_busy(self) -> bool:
        return self.git_dir is not None and os.path.lexists(self.git_dir / "index.lock")

    def switched(self) -> bool:
        """Whether another branch or commit has been checked out since the last time."""
        before, self._head = self._head, self._read_head()
        return before != self._head

    def _read_head(self) -> bytes:
        """Git's index is of no interest: `git status` writes it too, and the files tell the rest."""
        if self.git_dir is None:
            return b""
        try:
            return read_small_file(self.git_dir / "HEAD", _LARGEST_HEAD)
        except (OSError, InvalidInput):
            return b""

    def batch(self, changes: Iterable[FileEvent], *, everything: bool) -> ChangeBatch:
        """Several looks at one burst become one."""
        listed = tuple(merge(changes))
        rules = any(change.path.rpartition("/")[2] in _RULES for change in listed)
        return ChangeBatch(listed, everything or rules)


def _identity(path: Path) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_dev, found.st_ino


@dataclass(slots=True)
class _Burst:
    """What has come in since the last batch."""

    touched: Touched = field(default_factory=dict)
    missed: bool = False  # something may not have been seen: all must be looked at, and watched anew
    since: float = field(default_factory=time.monotonic)

    def __bool__(self) -> bool:
        return bool(self.touched) or self.missed

    def add(self, news: Touched) -> None:
        if not self:
            self.since = time.monotonic()
        self.touched |= {path: is_new or self.touched.get(path, False) for path, is_new in news.items()}

    def is_over(self, news: Touched, *, busy: bool) -> bool:
        return (not news and not busy) or time.monotonic() - self.since > _LONGEST_HOLD


def _be_told(
    watched: _Watched,
    on_changes: Callable[[ChangeBatch], None],
    on_ready: Callable[[int], None],
    stop: Event,
    quiet_ms: int,
) -> None:
    with Notifications() as notifications:
        watched.tree.look()
        _, burst = _arm(watched, notifications)
        on_ready(len(watched.tree))
        while not stop.is_set():
            news: Touched = {}
            try:
                news = notifications.wait(quiet_ms if burst else _IDLE_MS, stop)
            except Missed:
                burst.missed = True
                stop.wait(quiet_ms / 1000)  # whatever makes it fail may go on doing so
            watched.check()
            burst.add(news)
            if stop.is_set() or not burst or not burst.is_over(news, busy=watched.git_is_busy()):
                continue
            batch, burst = _collect(watched, notifications, burst)
            if batch.changes or batch.everything:
                on_changes(batch)


def _collect(watched: _Watched, notifications: Notifications, burst: _Burst) -> tuple[ChangeBatch, _Burst]:
    """What a burst has changed; and what came in meanwhile, the next one."""
    inside = _inside(watched.root, burst.touched)
    everything = watched.switched() or len(inside) > MANY
    folders = watched.tree.folders
    changes = watched.tree.look() if everything or burst.missed else watched.tree.look_at(inside)
    replaced = any(is_new and path in watched.tree.folders for path, is_new in inside.items())
    later = _Burst()
    if burst.missed or replaced or not watched.tree.folders <= folders:
        more, later = _arm(watched, notifications)
        changes += more
    watched.check()
    return watched.batch(changes, everything=everything), later


def _arm(watched: _Watched, notifications: Notifications) -> tuple[list[FileEvent], _Burst]:
    """Watch all folders that there are now. What came between listing and watching them is found by looking again.

    Folders that come and go too fast are left for the next burst.
    """
    changes: list[FileEvent] = []
    burst = _Burst()
    for last in (*[False] * _MOST_TRIES, True):
        folders = watched.tree.folders
        try:
            burst.add(notifications.arm(watched.root, [""] if last else sorted(folders), watched.beside()))
            complete = not last
        except Vanished:
            complete = False
        except Missed:
            complete = not last  # the look below sees what the old watches could not tell
        watched.check()
        changes += watched.tree.look()
        if complete and watched.tree.folders <= folders:
            return changes, burst
    burst.missed = True
    return changes, burst


def _inside(root: Path, touched: Touched) -> Touched:
    """The paths below the root, relative to it, without what git keeps for itself."""
    start = str(root).rstrip(os.sep) + os.sep
    below = {
        path.removeprefix(start).replace(os.sep, "/"): is_new
        for path, is_new in touched.items()
        if path.startswith(start)
    }
    return {path: is_new for path, is_new in below.items() if GIT not in path.split("/")}


def _ask(
    watched: _Watched,
    on_changes: Callable[[ChangeBatch], None],
    on_ready: Callable[[int], None],
    stop: Event,
    poll_ms: int,
) -> None:
    watched.tree.look()
    on_ready(len(watched.tree))
    waited = 0.0
    while not stop.wait(poll_ms / 1000):
        watched.check()
        waited += poll_ms / 1000
        if watched.git_is_busy() and waited < _LONGEST_HOLD:
            continue
        waited = 0.0
        changes = watched.tree.look()
        watched.check()
        batch = watched.batch(changes, everything=watched.switched() or len(changes) > MANY)
        if batch.changes or batch.everything:
            on_changes(batch)
