"""Whether a hand has changed the journal's files: asked before every read, so it must cost next to nothing."""

import time
from contextlib import suppress
from pathlib import Path

from waypost.errors import StoreCorrupt
from waypost.flows.journal_files.known_files import is_current
from waypost.flows.open_space import OpenSpace

_ARCHIVE_SECONDS = 1.0
_looked_at: dict[Path, float] = {}  # when this process looked at the whole journal


def look(space: OpenSpace) -> None:
    """Bring the index up to what the files say, if they say something else. The archive, which has a file for each day that
    ever was, is looked at once a second at most."""
    now, root = time.monotonic(), space.journal.root
    whole = now - _looked_at.get(root, -_ARCHIVE_SECONDS) >= _ARCHIVE_SECONDS
    if whole:
        _looked_at[root] = now
    if not is_current(space, archive=whole):
        from waypost.flows.journal_files.sync import sync  # what only a change needs

        with suppress(StoreCorrupt):  # what can be read is read; a write would fail, and say what to do
            sync(space)
