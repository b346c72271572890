"""Finds files of another machine in this checkout.

`/apps/merlin/src/storage.ts` is `src/storage.ts` here if no other file's path ends like it. Such matches show which
folder of the other machine is this checkout. So deleted files and files with common names can be placed, too.
"""

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from waypost.errors import WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.model.draft import MAX_SHORT
from waypost.space.place import LONGEST_PATH, safe_relative_path

_DRIVE = re.compile(r"[A-Za-z]:(?=[\\/])")
_ABSOLUTE = re.compile(r"[A-Za-z]:[\\/]|[\\/]")
_MOST_PARTS = 100
UNPLACED = "unplaced_refs"  # the tag for references to files that are not here
Parts = tuple[str, ...]


class CheckoutFiles:
    """The files of a checkout, and the paths of other machines in it."""

    def __init__(self, root: Path, names: Collection[str], files: Iterable[str], paths: Iterable[str]) -> None:
        """`names` are the names of the project; `paths` are all paths that `find` will get."""
        self._root = root
        self._found: dict[str, str | None] = {}
        self._names = frozenset(names)
        self._files = {tuple(path.split("/")) for path in files}
        self._folders = {parts[0] for parts in self._files if len(parts) > 1}
        self._ends: dict[Parts, Parts | None] = {}  # every end of a path, and its file if only one ends so
        for parts in self._files:
            for end in (parts[place:] for place in range(len(parts))):
                self._ends[end] = None if end in self._ends else parts
        self._roots = self._learn({parts for path in paths if (parts := _parts(path))})

    @property
    def files(self) -> list[str]:
        """The files of the checkout, unordered."""
        return ["/".join(parts) for parts in self._files]

    def find(self, path: str) -> str | None:
        """The path in this checkout, never outside it; None if it is unknown or ambiguous."""
        if path not in self._found:
            self._found[path] = self._find(path)
        return self._found[path]

    def _find(self, path: str) -> str | None:
        parts = _parts(path)
        if not parts:
            return None
        here = self._literally(path) or self._by_name(parts) or self._by_end(parts) or self._gone(path, parts)
        return self._safe("/".join(here)) if here else None

    def _literally(self, path: str) -> Parts | None:
        """A path relative to the root, or an absolute path in this checkout."""
        inside = self._safe(path)
        return tuple(inside.split("/")) if inside and os.path.isfile(self._root / inside) else None

    def _safe(self, path: str) -> str | None:
        try:
            return safe_relative_path(self._root, path)
        except WaypostError:
            return None

    def _by_name(self, parts: Parts) -> Parts | None:
        """The part behind the project's name, if it is a file here."""
        rests = [parts[place + 1 :] for place, part in enumerate(parts[:-1]) if part in self._names]
        return next((rest for rest in rests if rest in self._files), None)

    def _by_end(self, parts: Parts) -> Parts | None:
        """The only file with the longest common end. The file name alone is not enough."""
        ends = (parts[place:] for place in range(len(parts)))
        longest = next((end for end in ends if end in self._ends), ())
        return self._ends[longest] if len(longest) > 1 or parts == longest != () else None

    def _gone(self, path: str, parts: Parts) -> Parts | None:
        """The path of a file that was deleted, or whose name and folder are ambiguous."""
        for length in range(len(parts) - 1, -1, -1):
            if parts[:length] in self._roots:
                here = (*self._roots[parts[:length]], *parts[length:])
                return here if here in self._files or len(here) > 1 else None
        rests = [parts[place + 1 :] for place, part in enumerate(parts[:-1]) if part in self._names]
        rests += [] if _ABSOLUTE.match(path.strip()) else [parts]
        return next((rest for rest in rests if len(rest) > 1 and rest[0] in self._folders), None)

    def _learn(self, paths: Collection[Parts]) -> dict[Parts, Parts]:
        """Folders of the other machine and their counterparts here, if at least half of their files exist here."""
        pairs: Counter[tuple[Parts, Parts]] = Counter()
        for parts in paths:
            here = self._by_name(parts) or self._by_end(parts)
            if here and (length := _common(parts, here)) < len(parts):
                pairs[parts[:-length], here[:-length]] += 1
        counterparts: dict[Parts, Parts] = {}
        for (there, here), _ in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
            counterparts.setdefault(there, here)
        beneath: Counter[Parts] = Counter()
        present: Counter[Parts] = Counter()
        for parts in paths:
            for length in range(len(parts)):
                if parts[:length] in counterparts:
                    beneath[parts[:length]] += 1
                    present[parts[:length]] += (*counterparts[parts[:length]], *parts[length:]) in self._files
        return {there: here for there, here in counterparts.items() if present[there] * 2 >= beneath[there]}


def _parts(path: str) -> Parts:
    """The parts of a path of any system, without root or drive; empty if it leads out of its root."""
    if len(path) > LONGEST_PATH:
        return ()
    parts: list[str] = []
    for part in _without_drive(path.strip()).replace("\\", "/").split("/"):
        if part == "..":
            if not parts:
                return ()
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return tuple(parts) if len(parts) <= _MOST_PARTS else ()


def _without_drive(path: str) -> str:
    drive = _DRIVE.match(path)
    return path[drive.end() :] if drive else path


def _common(path: Sequence[str], other: Sequence[str]) -> int:
    """The number of equal parts at the end."""
    length = 0
    for mine, theirs in zip(reversed(path), reversed(other), strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def checkout_files(space: OpenSpace, paths: Collection[str]) -> CheckoutFiles | None:
    """The files of the space's checkout, prepared for finding these paths; None without a checkout."""
    root = space.identity.root
    if root is None:
        return None
    from waypost.code.files.walk import walk  # heavy, and seldom needed

    files = [entry.path for entry in walk(root) if entry.skipped is None] if paths else []
    return CheckoutFiles(root, {root.name, space.identity.name}, files, paths)


def unplaced_tags(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tags with these references, as many in each as fit."""
    line, number = "", 1
    for text in texts:
        shortened = text if len(text) <= MAX_SHORT else f"…{text[1 - MAX_SHORT :]}"  # the end of a path matters most
        if line and len(line) + len(shortened) + 2 > MAX_SHORT:
            yield (UNPLACED if number == 1 else f"{UNPLACED}_{number}"), line
            line, number = "", number + 1
        line = f"{line}; {shortened}" if line else shortened
    if line:
        yield (UNPLACED if number == 1 else f"{UNPLACED}_{number}"), line
