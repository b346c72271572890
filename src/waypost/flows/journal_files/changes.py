"""Notice edits by hand before every read, at almost no cost."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from waypost.errors import StoreCorrupt
from waypost.flows.journal_files.known_files import files_match
from waypost.flows.open_space import OpenSpace
from waypost.store.protocol import Reader

_ARCHIVE_SECONDS = 1.0
_looked_at: dict[Path, float] = {}  # when this process last checked the whole journal


def sync_if_changed(space: OpenSpace) -> None:
    with space.store.read() as reader:
        task = pending_sync(space, reader)
    if task is not None:
        task()


def pending_sync(space: OpenSpace, reader: Reader) -> Callable[[], None] | None:
    """A task that reads changed journal files into the index, or None if nothing changed."""
    return partial(take_changes, space) if has_changed(space, reader) else None


def has_changed(space: OpenSpace, reader: Reader) -> bool:
    """Whether files differ from the index. The archive, with a file for every day, is checked at most once a second."""
    now, folder = time.monotonic(), space.journal
    whole = now - _looked_at.get(folder.root, -_ARCHIVE_SECONDS) >= _ARCHIVE_SECONDS
    if whole:
        _looked_at[folder.root] = now
    return not files_match(space, reader, folder, whole)


def take_changes(space: OpenSpace) -> None:
    from waypost.flows.journal_files.sync import sync  # heavy, and only for changed files

    with suppress(StoreCorrupt):  # reading continues; a write would report the damage
        sync(space)
