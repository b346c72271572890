"""The tree as it is now: before an answer shows code, its files are compared with the disk."""

import contextlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from waypost.errors import StoreError
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.recall import Hit
from waypost.store.protocol import FileRow, Reader

MOST_AT_ONCE = 20  # files that an answer waits for; more are left to the worker
SHOWN = 0.95  # urgency: before all other code, after what people said
MOST_ROUNDS = 4  # times that an answer is made again because files have changed


@dataclass(frozen=True, slots=True)
class HitFiles:
    """The files that hits were read from: as they were indexed, and what became of them since."""

    indexed: Mapping[str, FileRow]
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def outdated(self) -> frozenset[str]:
        return frozenset((*self.changed, *self.gone))

    def keep(self, hits: Iterable[Hit]) -> list[Hit]:
        """Without tables whose files are no longer in the index."""
        return [
            hit
            for hit in hits
            if hit.kind != "table"
            or not _is_from_here(hit)
            or not _paths(hit)
            or any(path in self.indexed for path in _paths(hit))
        ]


def files_of(space: OpenSpace, reader: Reader, hits: Iterable[Hit]) -> HitFiles:
    """Compare the files of these hits with the disk."""
    return files_at(space, reader, _paths_of(hits))


def files_at(space: OpenSpace, reader: Reader, paths: set[str]) -> HitFiles:
    """Compare these files with the disk."""
    indexed = reader.code.files(space.identity.checkout_id, paths) if paths else {}
    root = space.identity.root
    if not indexed or root is None or not root.is_dir():  # a tree that is away is not an empty tree
        return HitFiles(indexed)
    states = {path: on_disk(root, path) for path in indexed}
    changed = (path for path, row in indexed.items() if states[path] not in (None, (row.size, row.mtime_ns)))
    return HitFiles(indexed, tuple(changed), tuple(path for path, state in states.items() if state is None))


def pending_index(space: OpenSpace, reader: Reader) -> Callable[[], object] | None:
    """Index the changed files that are waiting, if there are any and they are few. Many are left to the worker."""
    waiting = reader.code.tracked(space.identity.checkout_id) if space.identity.has_tree else []
    return partial(index_now, space, waiting) if 0 < len(waiting) <= MOST_AT_ONCE else None


def catch_up(space: OpenSpace) -> None:
    """Index the changed files that are waiting, if they are few."""
    with space.store.read() as reader:
        task = pending_index(space, reader)
    if task is not None:
        task()


def refresh(space: OpenSpace, files: HitFiles) -> bool:
    """Index outdated files again. Returns whether the index has changed."""
    gone = list(files.gone)
    if gone:  # where one is gone there are often more: one look finds them all
        root = tree_of(space)
        with space.store.read() as reader:
            gone = [path for path in reader.code.files(space.identity.checkout_id) if on_disk(root, path) is None]
    return index_now(space, [*gone, *files.changed[:MOST_AT_ONCE]])


def index_now(space: OpenSpace, paths: Sequence[str]) -> bool:
    """Index these files, if the store can be written. Returns whether the index has changed."""
    if not paths or not space.store.may_write:
        return False
    from waypost.flows.index.build import index_paths  # parsers: only needed when a file has changed

    changed = bool(index_paths(space, paths).changed)
    if changed:  # the worker draws the conclusions from all files together
        space.start_worker(space)
    return changed


def leave_to_worker(space: OpenSpace, files: HitFiles, tracked: Iterable[str], hits: Iterable[Hit]) -> list[Hit]:
    """Without hits from outdated files, for callers that can't wait. The worker indexes these files."""
    old, waiting = files.outdated, set(tracked)
    if old - waiting and space.store.may_write:
        # An answer does not fail because nothing can be noted.
        with contextlib.suppress(StoreError), space.store.write() as writer:
            writer.code.track(space.identity.checkout_id, sorted(old - waiting))
    if old or waiting:
        space.start_worker(space)
    return [hit for hit in hits if not _is_from_here(hit) or not old.intersection(_paths(hit))]


def hurry(space: OpenSpace, hits: Iterable[Hit]) -> None:
    """Embed the files of these hits before the rest of the tree."""
    paths = _paths_of(hits)
    if paths and space.store.may_write:
        # An answer does not fail because nothing can be noted.
        with contextlib.suppress(StoreError), space.store.write() as writer:
            writer.vectors.set_urgency(space.identity.checkout_id, dict.fromkeys(paths, SHOWN))


def notice_full(space: OpenSpace) -> tuple[str, ...]:
    """The notice of an answer on a full disk, where changed files can't be indexed."""
    if space.settings.store or space.store.may_write or space.store.known_damage():
        return ()
    return ("The disk is full: answered from what was stored before. Free some space to index what has changed.",)


def _is_from_here(hit: Hit) -> bool:
    """Whether it was read from this tree, not from that of a project which shares it."""
    return hit.source == "code" and hit.project is None


def _paths_of(hits: Iterable[Hit]) -> set[str]:
    return {path for hit in hits if _is_from_here(hit) for path in _paths(hit)}


def _paths(hit: Hit) -> list[str]:
    return [reference.file_path for reference in hit.code_refs]


def on_disk(root: Path, path: str) -> tuple[int, int] | None:
    """Size and time of change, or None if there is no such file."""
    try:
        state = os.stat(root / path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    return state.st_size, state.st_mtime_ns
