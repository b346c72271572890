"""The files and folders of a tree as they were last seen, and how they differ from what is there now.

Symlinks are not followed and not listed, and neither is git's own folder. What vanishes while it is being looked at is
gone; what cannot be read is not there.
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

# What two actions on one file, one after the other, are together, where it is not the second.
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
    """What is known of a tree; each look at it answers with the changes since the last one, in the order of paths.

    `ignored` is asked with relative paths; the path of a folder ends with `/`.
    """

    def __init__(self, root: Path, ignored: Ignored) -> None:
        self.folders: frozenset[str] = frozenset()  # relative; the root is ""
        self._start = str(root).rstrip(os.sep) + os.sep
        self._ignored = ignored
        self._files: dict[str, int] = {}  # relative path → stamp

    def __len__(self) -> int:
        return len(self._files)

    def look(self) -> list[FileEvent]:
        """Compare the whole tree."""
        files, self.folders = self._listed("")
        before, self._files = self._files, files
        return merge(_differences(before, files))

    def look_at(self, touched: Mapping[str, bool]) -> list[FileEvent]:
        """Compare these paths only; the value says whether something new stands there, which may be a whole folder."""
        changes: list[FileEvent] = []
        for path in sorted(touched):  # a folder before what is in it
            if not path or path.rpartition("/")[0] not in self.folders:
                continue
            mode, stamp = self._state(path)
            if stat.S_ISDIR(mode):
                if touched[path] or path not in self.folders:
                    changes += self._look_below(path)
            elif stat.S_ISREG(mode) and not self._ignored(path):
                changes += self._forget_folder(path)
                changes.append(FileEvent(path, "modified" if path in self._files else "added"))
                self._files[path] = stamp
            else:
                changes += self._forget_folder(path)
                changes += self._forget_file(path)
        return merge(changes)

    def _look_below(self, folder: str) -> list[FileEvent]:
        """A folder that is new, or was replaced by another one of its name."""
        gone = self._forget_folder(folder) + self._forget_file(folder)
        if self._ignored(folder + "/"):
            return gone
        files, folders = self._listed(folder)
        self._files |= files
        self.folders |= folders
        return gone + [FileEvent(path, "added") for path in files]

    def _forget_file(self, path: str) -> list[FileEvent]:
        return [FileEvent(path, "deleted")] if self._files.pop(path, None) is not None else []

    def _forget_folder(self, folder: str) -> list[FileEvent]:
        """All that was known to be in a folder is gone with it."""
        if folder not in self.folders:
            return []
        inside = folder + "/"
        self.folders = frozenset(one for one in self.folders if one != folder and not one.startswith(inside))
        return [change for path in list(self._files) if path.startswith(inside) for change in self._forget_file(path)]

    def _listed(self, top: str) -> tuple[dict[str, int], frozenset[str]]:
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
        """(mode, stamp) of what is there, without following a link; zeros for nothing."""
        try:
            found = os.lstat(self._start + path)
        except (OSError, ValueError):
            return 0, 0
        # Whether a file was written or replaced, in one number: a tree may have a hundred thousand files.
        return found.st_mode, hash((found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino))


def _differences(before: Mapping[str, int], now: Mapping[str, int]) -> list[FileEvent]:
    changes = [FileEvent(path, "deleted") for path in before.keys() - now.keys()]
    for path, stamp in now.items():
        if before.get(path) != stamp:
            changes.append(FileEvent(path, "modified" if path in before else "added"))
    return changes


def merge(changes: Iterable[FileEvent]) -> list[FileEvent]:
    """One change for each path, in the order of paths, out of several, one after the other.

    What came and went is nothing, what went and came is modified.
    """
    merged: dict[str, Action | None] = {}
    for change in changes:
        merged[change.path] = _TOGETHER.get((merged.get(change.path), change.action), change.action)
    return [FileEvent(path, action) for path, action in sorted(merged.items()) if action]


def _is_text(name: str) -> bool:
    """Whether a name can be written down. The watcher of the system fails at one that cannot."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
