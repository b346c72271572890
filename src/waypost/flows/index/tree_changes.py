"""Bring the index up to date with the files on disk before a question about code is answered.

Git names the files that may differ: those that are not as in the last commit, now or at the last look, those in which
the commits of the two looks differ, and those that were indexed between. Only these are compared with the index. Without
git, or at the first look, all files are.
"""

import json
import os
import time as timing
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from waypost.code.git.history import git_state_files, head, touched_since
from waypost.flows.index.freshness import index_now, on_disk
from waypost.flows.open_space import OpenSpace, tree_seen_key
from waypost.store.protocol import FileRow, Writer

MOST_INDEXED = 200  # changed files that an answer waits for; more are left to the worker
_LONGEST_TRUST = 2.0  # seconds that a process answers without another look
_WORTH = 20.0  # a look must be as old as this many times what it took
_SMALL_TREE = 300  # files; of so few all times are read for each answer, in half a millisecond
_MOST_KEPT = 20_000  # paths that are noted; with more, all files are compared each time
_MOST_NAMED = 3

_Stamp = tuple[int, int] | None  # size and time of change of a file; None if there is none


@dataclass(frozen=True, slots=True)
class _Seen:
    """What the last look saw, as it is stored."""

    commit: str = ""
    paths: frozenset[str] = frozenset()  # that were not as in the commit, or were indexed since
    skipped: Mapping[str, _Stamp] = field(default_factory=dict)  # of these, those that are not indexed

    @classmethod
    def read(cls, stored: str | None) -> "_Seen | None":
        if not stored:
            return None
        row = json.loads(stored)
        skipped = {path: (size, time) for path, size, time in row["skipped"]}
        return cls(row["commit"], frozenset(row["paths"]), skipped)

    def written(self) -> str:
        skipped = [[path, *stamp] for path, stamp in sorted(self.skipped.items()) if stamp is not None]
        return json.dumps({"commit": self.commit, "paths": sorted(self.paths), "skipped": skipped})


@dataclass(frozen=True, slots=True)
class _Look:
    """A look of this process at a tree."""

    ended: float
    seconds: float
    stamps: Mapping[str, _Stamp]  # of files that change with it


_looks: dict[tuple[Path, str], _Look] = {}


def follow_tree(space: OpenSpace) -> tuple[str, ...]:
    """Index what has changed on disk. Returns notices about what could not be indexed."""
    root = space.identity.root
    if root is None or not root.is_dir() or _is_recent(space):
        return ()
    started = timing.monotonic()
    with space.store.read() as reader:
        if not reader.code.has_any(space.identity.checkout_id):
            return ()
        seen = _Seen.read(reader.meta.get(tree_seen_key(space)))
    commit = head(root).commit
    touched = touched_since(root, commit if seen is None else seen.commit, commit)
    skipped = seen.skipped if seen is not None else {}
    if seen is None or touched is None:
        differing = [
            path for path in _compare_all(space) if path not in skipped or on_disk(root, path) != skipped[path]
        ]
    else:
        differing = _compare(space, root, touched | seen.paths, skipped)
    if differing and not space.store.may_write:
        return (_notice("changed since {they} {were} indexed, and can't be indexed now", differing),)
    if len(differing) > MOST_INDEXED:
        with space.store.write() as writer:
            writer.code.track(space.identity.checkout_id, differing)
        space.start_worker(space)
        return (_notice("changed and {are} being indexed in the background", differing),)
    index_now(space, differing)
    if space.store.may_write:
        looked_at = (touched or frozenset()).union(differing, skipped)
        _note_look(space, root, _Seen(commit, touched or frozenset()), looked_at, seen)
    _remember(space, root, started)
    return ()


def note_indexed(space: OpenSpace, writer: Writer, paths: Iterable[str]) -> None:
    """Keep in mind that these files may be indexed as they are in no commit."""
    seen = _Seen.read(writer.meta.get(tree_seen_key(space)))
    if seen is not None and not seen.paths.issuperset(paths):
        _keep(space, writer, _Seen(seen.commit, seen.paths.union(paths), seen.skipped))


def forget_look(space: OpenSpace, writer: Writer) -> None:
    """Compare all files at the next look."""
    writer.meta.set(tree_seen_key(space), "")


def _keep(space: OpenSpace, writer: Writer, seen: _Seen) -> None:
    writer.meta.set(tree_seen_key(space), seen.written() if len(seen.paths) <= _MOST_KEPT else "")


def _compare(space: OpenSpace, root: Path, paths: Collection[str], skipped: Mapping[str, _Stamp] = {}) -> list[str]:
    """Those of these paths that are not indexed as they are on disk."""
    with space.store.read() as reader:
        rows = reader.code.files(space.identity.checkout_id, paths) if paths else {}
    return sorted(path for path in paths if on_disk(root, path) != (_stamp(rows.get(path)) or skipped.get(path)))


def _compare_all(space: OpenSpace) -> list[str]:
    from waypost.flows.index.build import changed_in_tree  # parsers: only for the first look, and without git

    return changed_in_tree(space)


def _stamp(row: FileRow | None) -> _Stamp:
    return None if row is None else (row.size, row.mtime_ns)


def _note_look(space: OpenSpace, root: Path, look: _Seen, looked_at: frozenset[str], before: _Seen | None) -> None:
    """Store what this look saw, and what was indexed meanwhile."""
    with space.store.read() as reader:
        stored = reader.meta.get(tree_seen_key(space))
        rows = reader.code.files(space.identity.checkout_id, looked_at) if looked_at else {}
    stamps = {path: on_disk(root, path) for path in looked_at - rows.keys()}
    now = _Seen.read(stored)
    meanwhile = now.paths.difference(before.paths if before is not None else ()) if now is not None else ()
    skipped = {path: stamp for path, stamp in stamps.items() if stamp is not None}
    seen = _Seen(look.commit, look.paths.union(meanwhile), skipped)
    if stored != seen.written():
        with space.store.write() as writer:
            _keep(space, writer, seen)


def _is_recent(space: OpenSpace) -> bool:
    """Whether this process has looked a moment ago, and nothing shows a change since."""
    look = _looks.get((space.folder, space.identity.checkout_id))
    if look is None or timing.monotonic() - look.ended > min(_LONGEST_TRUST, _WORTH * look.seconds):
        return False
    return all(_state(place) == stamp for place, stamp in look.stamps.items())


def _remember(space: OpenSpace, root: Path, started: float) -> None:
    with space.store.read() as reader:
        paths = list(reader.code.files(space.identity.checkout_id))
    places = [os.fspath(path) for path in git_state_files(root)]
    if len(paths) <= _SMALL_TREE:
        places += [os.path.join(root, path) for path in {*paths, *map(os.path.dirname, paths), ""}]
    ended = timing.monotonic()
    stamps = {place: _state(place) for place in places}
    _looks[space.folder, space.identity.checkout_id] = _Look(ended, ended - started, stamps)


def _state(place: str) -> _Stamp:
    try:
        state = os.stat(place)
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns


def _notice(what: str, paths: Sequence[str]) -> str:
    one = len(paths) == 1
    words = {"they": "it" if one else "they", "were": "was" if one else "were", "are": "is" if one else "are"}
    names = ", ".join(paths[:_MOST_NAMED]) + (", …" if len(paths) > _MOST_NAMED else "")
    number = "1 file has" if one else f"{len(paths):,} files have"
    return f"{number} {what.format(**words)}: {names}."
