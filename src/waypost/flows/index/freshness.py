"""The tree as it is now: what an answer is about to show is looked at on disk first."""

import contextlib
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from waypost.errors import StoreError
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.model.recall import Hit

MOST_AT_ONCE = 20  # files that an answer waits for; more are left to the worker
ASKED_FOR = 0.95  # urgency: before all other code, after what people said
MOST_ROUNDS = 4  # that an answer is made again


def catch_up(space: OpenSpace) -> None:
    """Index what was tracked, when it is little: whoever asks next wants to see it."""
    if not space.identity.has_tree:
        return
    with space.store.read() as reader:
        waiting = reader.code.tracked(space.identity.checkout_id)
    if 0 < len(waiting) <= MOST_AT_ONCE and space.store.may_write:
        _index(space, waiting)


def refresh(space: OpenSpace, hits: Sequence[Hit]) -> bool:
    """Index the files of these hits again that are not on disk as they were read. False: all are."""
    changed, gone = _outdated(space, hits)
    if gone:  # where one is gone there are often more: one look finds them all
        with space.store.read() as reader:
            known = reader.code.files(space.identity.checkout_id)
        gone = [path for path in known if _on_disk(tree_of(space), path) is None]
    return _index(space, [*gone, *changed[:MOST_AT_ONCE]]) if (gone or changed) and space.store.may_write else False


def notice_full(space: OpenSpace) -> tuple[str, ...]:
    """What an answer should say on a full disk: nothing of what changed can be read in."""
    if space.settings.store or space.store.may_write or space.store.known_damage():
        return ()
    return ("The disk is full: answered from what was stored before. Free some space to index what has changed.",)


def leave_outdated(space: OpenSpace, hits: Sequence[Hit]) -> list[Hit]:
    """Without those read out of files that are not on disk as they were read: for who cannot wait until these are indexed.
    They are left to the worker, with all that waits for it."""
    changed, gone = _outdated(space, hits)
    old = {*changed, *gone}
    with space.store.read() as reader:
        waiting = set(reader.code.tracked(space.identity.checkout_id))
    if old - waiting and space.store.may_write:
        # An answer does not fail because nothing can be noted.
        with contextlib.suppress(StoreError), space.store.write() as writer:
            writer.code.track(space.identity.checkout_id, sorted(old - waiting))
    if old or waiting:
        space.start_worker(space)
    return [hit for hit in hits if not _read_here(hit) or not old.intersection(_paths(hit))]


def _outdated(space: OpenSpace, hits: Sequence[Hit]) -> tuple[list[str], list[str]]:
    """The files of these hits that have changed since they were read, and those that are gone."""
    root = space.identity.root
    if root is None or not root.is_dir():  # a tree that is away is not an empty tree
        return [], []
    paths = {path for hit in hits if _read_here(hit) for path in _paths(hit)}
    with space.store.read() as reader:
        known = reader.code.files(space.identity.checkout_id, paths) if paths else {}
    there = {path: _on_disk(root, path) for path in known}
    changed = [path for path, row in known.items() if there[path] not in (None, (row.size, row.mtime_ns))]
    return changed, [path for path, state in there.items() if state is None]


def hurry(space: OpenSpace, hits: Sequence[Hit]) -> None:
    """What is asked for is embedded before the rest of the tree."""
    paths = {path for hit in hits if _read_here(hit) for path in _paths(hit)}
    if paths and space.store.may_write:
        # An answer does not fail because nothing can be noted.
        with contextlib.suppress(StoreError), space.store.write() as writer:
            writer.vectors.set_urgency(space.identity.checkout_id, dict.fromkeys(paths, ASKED_FOR))


def still_there(space: OpenSpace, hits: Iterable[Hit]) -> list[Hit]:
    """Without those that were concluded from files that are no longer in the index."""
    found = list(hits)
    paths = {path for hit in found if _read_here(hit) for path in _paths(hit)}
    if not paths:
        return found
    with space.store.read() as reader:
        known = reader.code.files(space.identity.checkout_id, paths)
    return [
        hit
        for hit in found
        if hit.kind != "table" or not _read_here(hit) or not _paths(hit) or any(p in known for p in _paths(hit))
    ]


def _read_here(hit: Hit) -> bool:
    """Whether it was read out of this tree, and not out of that of a project which shares it."""
    return hit.source == "code" and hit.project is None


def _paths(hit: Hit) -> list[str]:
    return [reference.file_path for reference in hit.code_refs]


def _on_disk(root: Path, path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(root / path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _index(space: OpenSpace, paths: Sequence[str]) -> bool:
    from waypost.flows.index.build import index_paths  # parsers: only who meets a change pays for them
    from waypost.flows.index.patterns import stored_patterns

    changed = bool(index_paths(space, paths, patterns=stored_patterns(space)).changed)
    if changed:  # what follows from all files together is owed now: until it is drawn the index counts as not whole
        space.start_worker(space)
    return changed
