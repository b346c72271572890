"""What in git's own directory would keep git waiting or reading without end: a pipe, a device, a link to one.

Git opens whatever has the right name. A repository that came in an archive or lies in a shared folder can hold a named
pipe as its index; then git waits for somebody to write into it.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

_LARGEST_HEAD = 64_000  # bytes: it holds one name
_MOST_LOOKED_AT = 20_000  # entries; a repository with more references takes its time anyway
_FOLDERS = ("", "info", "objects/info", "objects/pack", "reftable")
_TREES = ("refs",)
_IN_TREE = (".gitattributes", ".gitignore", ".gitmodules", ".mailmap")


def obstacle(top: Path, git_dir: Path, common_dir: Path) -> Path | None:
    """The first file at which git would hang, None when there is none."""
    places = [top / name for name in _IN_TREE]
    for base in dict.fromkeys((git_dir, common_dir)):
        places += [entry for folder in _FOLDERS for entry in _entries(base / folder)]
        for folder in _TREES:
            places += _below(base / folder)
    return next((place for place in places[:_MOST_LOOKED_AT] if _hangs(place)), None)


def _below(folder: Path) -> Iterator[Path]:
    waiting = [folder]
    while waiting:
        for entry in _entries(waiting.pop()):
            if entry.is_dir() and not entry.is_symlink():
                waiting.append(entry)
            else:
                yield entry


def _entries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            return [Path(entry.path) for entry, _ in zip(found, range(_MOST_LOOKED_AT), strict=False)]
    except OSError:
        return []


def _hangs(place: Path) -> bool:
    try:
        state = os.stat(place)
    except (OSError, ValueError):
        return False  # a link in a circle or to nowhere is an error for git, at once
    if stat.S_ISDIR(state.st_mode):
        return False
    return not stat.S_ISREG(state.st_mode) or (place.name == "HEAD" and state.st_size > _LARGEST_HEAD)
