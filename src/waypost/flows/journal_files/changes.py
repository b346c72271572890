"""Notice edits by hand before every read, at almost no cost."""

import time
from contextlib import suppress
from pathlib import Path

from waypost.errors import StoreCorrupt
from waypost.flows.journal_files.known_files import is_current
from waypost.flows.open_space import OpenSpace

_ARCHIVE_SECONDS = 1.0
_looked_at: dict[Path, float] = {}  # when this process last checked the whole journal


def sync_if_changed(space: OpenSpace) -> None:
    """Sync the index if files have changed. The archive, with a file for every day, is checked at most once a second."""
    now, root = time.monotonic(), space.journal.root
    whole = now - _looked_at.get(root, -_ARCHIVE_SECONDS) >= _ARCHIVE_SECONDS
    if whole:
        _looked_at[root] = now
    if not is_current(space, archive=whole):
        from waypost.flows.journal_files.sync import sync  # heavy, and only for changed files

        with suppress(StoreCorrupt):  # reading continues; a write would report the damage
            sync(space)
