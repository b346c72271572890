"""Where a file of another machine is in this checkout.

`/apps/merlin/src/storage.ts` is `src/storage.ts` here, when that is the one file whose path ends like it. What is found so
tells which folder there is this tree, and with it where files are that exist no more, or whose name many have.
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
    """The files of a checkout, and what paths of other machines mean in it."""

    def __init__(self, root: Path, names: Collection[str], files: Iterable[str], asked: Iterable[str]) -> None:
        """`names` are those of the project; `asked` are all the paths that will be looked for."""
        self._root = root
        self._found: dict[str, str | None] = {}
        self._names = frozenset(names)
        self._files = {tuple(path.split("/")) for path in files}
        self._folders = {parts[0] for parts in self._files if len(parts) > 1}
        self._ends: dict[Parts, Parts | None] = {}  # every end of a path, and the file if only one ends so
        for parts in self._files:
            for end in (parts[place:] for place in range(len(parts))):
                self._ends[end] = None if end in self._ends else parts
        self._roots = self._learn({parts for path in asked if (parts := _parts(path))})

    @property
    def files(self) -> list[str]:
        """The files of the checkout, in no order."""
        return ["/".join(parts) for parts in self._files]

    def find(self, path: str) -> str | None:
        """The path in this checkout, inside it for certain; None when it is unknown or could be several files."""
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
        """A path relative to the root, or one of this very checkout."""
        inside = self._safe(path)
        return tuple(inside.split("/")) if inside and os.path.isfile(self._root / inside) else None

    def _safe(self, path: str) -> str | None:
        try:
            return safe_relative_path(self._root, path)
        except WaypostError:
            return None

    def _by_name(self, parts: Parts) -> Parts | None:
        """What follows the project's name in the path."""
        rests = [parts[place + 1 :] for place, part in enumerate(parts[:-1]) if part in self._names]
        return next((rest for rest in rests if rest in self._files), None)

    def _by_end(self, parts: Parts) -> Parts | None:
        """The one file that has the longest end in common. The bare name of a file is too little to go by."""
        ends = (parts[place:] for place in range(len(parts)))
        longest = next((end for end in ends if end in self._ends), ())
        return self._ends[longest] if len(longest) > 1 or parts == longest != () else None

    def _gone(self, path: str, parts: Parts) -> Parts | None:
        """Where a file was that is not here any more, or whose name and folder many have."""
        for length in range(len(parts) - 1, -1, -1):
            if parts[:length] in self._roots:
                here = (*self._roots[parts[:length]], *parts[length:])
                return here if here in self._files or len(here) > 1 else None
        rests = [parts[place + 1 :] for place, part in enumerate(parts[:-1]) if part in self._names]
        rests += [] if _ABSOLUTE.match(path.strip()) else [parts]
        return next((rest for rest in rests if len(rest) > 1 and rest[0] in self._folders), None)

    def _learn(self, asked: Collection[Parts]) -> dict[Parts, Parts]:
        """Folders of the other machine and what they are here: believed when half of what was in them is there."""
        pairs: Counter[tuple[Parts, Parts]] = Counter()
        for parts in asked:
            here = self._by_name(parts) or self._by_end(parts)
            if here and (length := _common(parts, here)) < len(parts):
                pairs[parts[:-length], here[:-length]] += 1
        meant: dict[Parts, Parts] = {}
        for (there, here), _ in sorted(pairs.items(), key=lambda pair: (-pair[1], pair[0])):
            meant.setdefault(there, here)
        beneath: Counter[Parts] = Counter()
        present: Counter[Parts] = Counter()
        for parts in asked:
            for length in range(len(parts)):
                if parts[:length] in meant:
                    beneath[parts[:length]] += 1
                    present[parts[:length]] += (*meant[parts[:length]], *parts[length:]) in self._files
        return {there: here for there, here in meant.items() if present[there] * 2 >= beneath[there]}


def _parts(path: str) -> Parts:
    """The folders and the name of a path of any system, without root or drive; empty when it leads out of its root."""
    if len(path) > LONGEST_PATH:
        return ()
    done: list[str] = []
    for part in _without_drive(path.strip()).replace("\\", "/").split("/"):
        if part == "..":
            if not done:
                return ()
            done.pop()
        elif part not in ("", "."):
            done.append(part)
    return tuple(done) if len(done) <= _MOST_PARTS else ()


def _without_drive(path: str) -> str:
    drive = _DRIVE.match(path)
    return path[drive.end() :] if drive else path


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """How many parts at the end are the same."""
    length = 0
    for mine, theirs in zip(reversed(one), reversed(other), strict=False):
        if mine != theirs:
            break
        length += 1
    return length


def places_for(space: OpenSpace, asked: Collection[str]) -> CheckoutFiles | None:
    """Where the files of these paths are in the space's tree. Without a tree at hand a path stays as it is."""
    root = space.identity.root
    if root is None:
        return None
    from waypost.code.files.walk import walk  # only when there is something to look for

    files = [entry.path for entry in walk(root) if entry.skipped is None] if asked else []
    return CheckoutFiles(root, {root.name, space.identity.name}, files, asked)


def packed(texts: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Tags that hold these texts, as many in each as fit."""
    line, number = "", 1
    for text in texts:
        one = text if len(text) <= MAX_SHORT else f"…{text[1 - MAX_SHORT :]}"  # the end of a path says more
        if line and len(line) + len(one) + 2 > MAX_SHORT:
            yield (UNPLACED if number == 1 else f"{UNPLACED}_{number}"), line
            line, number = "", number + 1
        line = f"{line}; {one}" if line else one
    if line:
        yield (UNPLACED if number == 1 else f"{UNPLACED}_{number}"), line
