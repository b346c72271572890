"""Whether a hand has changed the journal's files: asked before every read, so it must cost next to nothing."""

import time
from contextlib import suppress
from pathlib import Path

from waypost.errors import StoreCorrupt
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import FileStamp
from waypost.store.journal import KnownFile

_ARCHIVE_SECONDS = 1.0
_looked_at: dict[Path, float] = {}  # when this process looked at the whole journal
IN_TREES = "journals_in_trees"  # set once a journal of the space was read in a tree
MOVED = "journal_moved"  # set once what the database held before there were files stands in them


def look(space: OpenSpace) -> None:
    """Bring the index up to what the files say, if they say something else. The archive, which has a file for each day that
    ever was, is looked at once a second at most."""
    now, root = time.monotonic(), space.journal.root
    whole = now - _looked_at.get(root, -_ARCHIVE_SECONDS) >= _ARCHIVE_SECONDS
    if whole:
        _looked_at[root] = now
    if not is_current(space, archive=whole):
        from waypost.flows.journal.files.sync import sync  # what only a change needs

        with suppress(StoreCorrupt):  # what can be read is read; a write would fail, and say what to do
            sync(space)


def is_current(space: OpenSpace, *, archive: bool = True) -> bool:
    with space.store.read() as reader:
        known, moved = reader.journal.files(space.journal_id, archive=archive), reader.meta.get(MOVED)
    if not moved:
        return False
    folder = space.journal
    return (not known and not folder.root.is_dir()) or known == known_files(folder.scan(archive=archive))


def tree_seen(space: OpenSpace) -> str | None:
    """The tree whose entries a reader sees, where journals of this space are kept in trees; None where none is."""
    with space.store.read() as reader:
        return space.journal_id if reader.meta.get(IN_TREES) else None


def known_files(stamps: dict[str, FileStamp]) -> dict[str, KnownFile]:
    return {path: KnownFile(one.size, one.mtime, one.gzipped) for path, one in stamps.items()}
