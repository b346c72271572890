"""What the last look at a tree saw: the next one compares only what may differ since."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from waypost.flows.open_space import OpenSpace, tree_seen_key
from waypost.store.protocol import Writer

_MOST_KEPT = 20_000  # paths that are noted; with more, all files are compared each time

Stamp = tuple[int, int] | None  # size and time of change of a file; None if it does not exist


@dataclass(frozen=True, slots=True)
class SeenFiles:
    """What the last look saw, as it is stored."""

    commit: str = ""
    paths: frozenset[str] = frozenset()  # that were not as in the commit, or were indexed since
    skipped: Mapping[str, Stamp] = field(default_factory=dict)  # of these, those that are not indexed

    @classmethod
    def read(cls, stored: str | None) -> "SeenFiles | None":
        if not stored:
            return None
        row = json.loads(stored)
        skipped = {path: (size, time) for path, size, time in row["skipped"]}
        return cls(row["commit"], frozenset(row["paths"]), skipped)

    def written(self) -> str:
        skipped = [[path, *stamp] for path, stamp in sorted(self.skipped.items()) if stamp is not None]
        return json.dumps({"commit": self.commit, "paths": sorted(self.paths), "skipped": skipped})


def note_indexed(space: OpenSpace, writer: Writer, paths: Iterable[str]) -> None:
    """Keep in mind that these files may be indexed as they are in no commit."""
    seen = SeenFiles.read(writer.meta.get(tree_seen_key(space)))
    if seen is not None and not seen.paths.issuperset(paths):
        keep_look(space, writer, SeenFiles(seen.commit, seen.paths.union(paths), seen.skipped))


def forget_look(space: OpenSpace, writer: Writer) -> None:
    """Compare all files at the next look."""
    writer.meta.set(tree_seen_key(space), "")


def keep_look(space: OpenSpace, writer: Writer, seen: SeenFiles) -> None:
    """Store what a look saw."""
    writer.meta.set(tree_seen_key(space), seen.written() if len(seen.paths) <= _MOST_KEPT else "")
