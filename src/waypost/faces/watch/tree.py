"""A snapshot of the files and folders of a tree, and the differences to the disk.

Symlinks and git's own folder are left out. A file that vanishes during a scan, or cannot be read, counts as missing.
"""

import os
import stat
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

GIT = ".git"

Action = Literal["added", "modified", "deleted"]
Ignored = Callable[[str], bool]

# Two actions on one file become one action. For all other pairs the second one counts.
_TOGETHER: dict[tuple[Action | None, Action], Action | None] = {
    ("added", "modified"): "added",
    ("added", "deleted"): None,
    ("deleted", "added"): "modified",
}


@dataclass(frozen=True, slots=True)
class FileEvent:
    """What happened to one file."""

    path: str  # relative to the root, with `/`
    action: Action


class WatchedTree:
    """A snapshot of a tree. Each scan updates it and returns the changes, sorted by path.

    `ignored` gets relative paths; those of folders end with `/`.
    """

    def __init__(self, root: Path, ignored: Ignored) -> None:
        self.folders: frozenset[str] = frozenset()  # relative; the root is ""
        self._start = str(root).rstrip(os.sep) + os.sep
        self._ignored = ignored
        self._files: dict[str, int] = {}  # relative path → stamp

    def __len__(self) -> int:
        return len(self._files)

    def scan(self) -> list[FileEvent]:
        """Compare the whole tree."""
        files, self.folders = self._list("")
        before, self._files = self._files, files
        return merge(_differences(before, files))

    def scan_paths(self, touched: Mapping[str, bool]) -> list[FileEvent]:
        """Compare these paths only. The value says whether the path is new, perhaps a whole folder."""
        changes: list[FileEvent] = []
        for path in sorted(touched):  # a folder before what is in it
            if not path or path.rpartition("/")[0] not in self.folders:
                continue
            mode, stamp = self._state(path)
            if stat.S_ISDIR(mode):
                if touched[path] or path not in self.folders:
                    changes += self._scan_below(path)
            elif stat.S_ISREG(mode) and not self._ignored(path):
                changes += self._forget_folder(path)
                changes.append(FileEvent(path, "modified" if path in self._files else "added"))
                self._files[path] = stamp
            else:
                changes += self._forget_folder(path)
                changes += self._forget_file(path)
        return merge(changes)

    def _scan_below(self, folder: str) -> list[FileEvent]:
        """Scan a folder that is new, or replaced by another of the same name."""
        gone = self._forget_folder(folder) + self._forget_file(folder)
        if self._ignored(folder + "/"):
            return gone
        files, folders = self._list(folder)
        self._files |= files
        self.folders |= folders
        return gone + [FileEvent(path, "added") for path in files]

    def _forget_file(self, path: str) -> list[FileEvent]:
        return [FileEvent(path, "deleted")] if self._files.pop(path, None) is not None else []

    def _forget_folder(self, folder: str) -> list[FileEvent]:
        if folder not in self.folders:
            return []
        inside = folder + "/"
        self.folders = frozenset(path for path in self.folders if path != folder and not path.startswith(inside))
        return [change for path in list(self._files) if path.startswith(inside) for change in self._forget_file(path)]

    def _list(self, top: str) -> tuple[dict[str, int], frozenset[str]]:
        files: dict[str, int] = {}
        folders: set[str] = set()
        waiting = [top]
        while waiting:
            folder = waiting.pop()
            try:
                names = os.listdir(self._start + folder)
            except OSError:
                continue
            folders.add(folder)
            for name in names:
                path = f"{folder}/{name}" if folder else name
                mode, stamp = self._state(path) if name != GIT and _is_text(name) else (0, 0)
                if stat.S_ISDIR(mode) and not self._ignored(path + "/"):
                    waiting.append(path)
                elif stat.S_ISREG(mode) and not self._ignored(path):
                    files[path] = stamp
        return files, frozenset(folders)

    def _state(self, path: str) -> tuple[int, int]:
        """Mode and stamp of a path, without following a link. Zeros if there is nothing."""
        try:
            state = os.lstat(self._start + path)
        except (OSError, ValueError):
            return 0, 0
        # One number for "written or replaced": a tree may have a hundred thousand files.
        return state.st_mode, hash((state.st_mtime_ns, state.st_ctime_ns, state.st_size, state.st_ino))


def _differences(before: Mapping[str, int], now: Mapping[str, int]) -> list[FileEvent]:
    changes = [FileEvent(path, "deleted") for path in before.keys() - now.keys()]
    for path, stamp in now.items():
        if before.get(path) != stamp:
            changes.append(FileEvent(path, "modified" if path in before else "added"))
    return changes


def merge(changes: Iterable[FileEvent]) -> list[FileEvent]:
    """Merge successive changes into one for each path, sorted by path.

    Added and deleted is nothing. Deleted and added is modified.
    """
    merged: dict[str, Action | None] = {}
    for change in changes:
        merged[change.path] = _TOGETHER.get((merged.get(change.path), change.action), change.action)
    return [FileEvent(path, action) for path, action in sorted(merged.items()) if action]


def _is_text(name: str) -> bool:
    """Whether a name is valid UTF-8. The system's watcher fails at other names."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
