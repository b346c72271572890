"""The tree as it is now: what an answer is about to show is looked at on disk first."""

import os
from collections.abc import Sequence

from waypost.flows.open_space import OpenSpace
from waypost.model.recall import Hit

MOST_AT_ONCE = 20  # files that an answer waits for; more are left to the worker


def catch_up(space: OpenSpace) -> None:
    """Index what was tracked, when it is little: whoever asks next wants to see it."""
    if space.identity.kind != "project":
        return
    with space.store.read() as reader:
        waiting = reader.tracked(space.identity.checkout_id)
    if 0 < len(waiting) <= MOST_AT_ONCE:
        _index(space, waiting)


def refresh(space: OpenSpace, hits: Sequence[Hit]) -> bool:
    """Index the files of these hits again that are not on disk as they were read. False: all are."""
    if space.identity.kind != "project":
        return False
    paths = {hit.path for hit in hits if hit.path and hit.source == "code"}
    with space.store.read() as reader:
        known = reader.files(space.identity.checkout_id, paths) if paths else {}
    changed = [path for path, row in known.items() if _on_disk(space, path) != (row.size, row.mtime_ns)]
    if not changed or not space.identity.root.is_dir():  # a tree that is away is not an empty tree
        return False
    return _index(space, changed[:MOST_AT_ONCE])


def _on_disk(space: OpenSpace, path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(space.identity.root / path, follow_symlinks=False)
    except (OSError, ValueError):
        return None
    return found.st_size, found.st_mtime_ns


def _index(space: OpenSpace, paths: Sequence[str]) -> bool:
    from waypost.flows.index import index_paths  # parsers: only who meets a change pays for them
    from waypost.flows.init import settle_patterns

    return bool(index_paths(space, paths, patterns=settle_patterns(space, None, None)).changed)
