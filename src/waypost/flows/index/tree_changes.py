"""Bring the index up to date with the files on disk before a question about code is answered.

Git names the files that may differ. They are not as in the last commit, or were not at the last look; or the commits of
the two looks have them otherwise; or they were indexed between. Only these are compared with the index. Without git, or at
the first look, all files are.
"""

import os
import time as timing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.code.git.history import git_state_files, head, touched_since
from waypost.errors import StoreCorrupt
from waypost.flows.index.freshness import index_now, on_disk
from waypost.flows.index.seen_files import SeenFiles, Stamp, keep_look
from waypost.flows.open_space import OpenSpace, tree_seen_key
from waypost.store.protocol import FileRow

MOST_INDEXED = 200  # changed files that an answer waits for; more are left to the worker
_LONGEST_TRUST = 2.0  # seconds that a process answers without another look
_WORTH = 20.0  # a look must be as old as this many times what it took
_SMALL_TREE = 300  # files; of so few all times are read for each answer, in half a millisecond
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class _Look:
    """A look of this process at a tree."""

    ended: float
    seconds: float
    stamps: Mapping[str, Stamp]  # of files that change with it


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
        seen = SeenFiles.read(reader.meta.get(tree_seen_key(space)))
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
    try:
        index_now(space, differing)
    except StoreCorrupt:  # an answer from what can still be read says that the database is damaged
        return (_notice("changed and can't be indexed in a damaged database", differing),)
    if space.store.may_write:
        looked_at = (touched or frozenset()).union(differing, skipped)
        _note_look(space, root, SeenFiles(commit, touched or frozenset()), looked_at, seen)
    _remember(space, root, started)
    return ()


def _compare(space: OpenSpace, root: Path, paths: Collection[str], skipped: Mapping[str, Stamp] = {}) -> list[str]:
    """Those of these paths that are not indexed as they are on disk."""
    with space.store.read() as reader:
        rows = reader.code.files(space.identity.checkout_id, paths) if paths else {}
    return sorted(path for path in paths if on_disk(root, path) != (_stamp(rows.get(path)) or skipped.get(path)))


def _compare_all(space: OpenSpace) -> list[str]:
    from waypost.flows.index.build import changed_in_tree  # parsers: only for the first look, and without git

    return changed_in_tree(space)


def _stamp(row: FileRow | None) -> Stamp:
    return None if row is None else (row.size, row.mtime_ns)


def _note_look(
    space: OpenSpace, root: Path, look: SeenFiles, looked_at: frozenset[str], before: SeenFiles | None
) -> None:
    """Store what this look saw, and what was indexed meanwhile."""
    with space.store.read() as reader:
        stored = reader.meta.get(tree_seen_key(space))
        rows = reader.code.files(space.identity.checkout_id, looked_at) if looked_at else {}
    stamps = {path: on_disk(root, path) for path in looked_at - rows.keys()}
    now = SeenFiles.read(stored)
    meanwhile = now.paths.difference(before.paths if before is not None else ()) if now is not None else ()
    skipped = {path: stamp for path, stamp in stamps.items() if stamp is not None}
    seen = SeenFiles(look.commit, look.paths.union(meanwhile), skipped)
    if stored != seen.written():
        with space.store.write() as writer:
            keep_look(space, writer, seen)


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


def _state(place: str) -> Stamp:
    try:
        state = os.stat(place)
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns


def _notice(what: str, paths: Sequence[str]) -> str:
    is_single = len(paths) == 1
    words = {
        "they": "it" if is_single else "they",
        "were": "was" if is_single else "were",
        "are": "is" if is_single else "are",
    }
    names = ", ".join(paths[:_MOST_NAMED]) + (", …" if len(paths) > _MOST_NAMED else "")
    number = "1 file has" if is_single else f"{len(paths):,} files have"
    return f"{number} {what.format(**words)}: {names}."
