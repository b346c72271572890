"""Whether a hand has changed the journal's files: asked before every read, so it must cost next to nothing."""

import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from waypost.errors import StoreCorrupt
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import FileStamp, JournalFolder
from waypost.store.journal_protocol import KnownFile
from waypost.store.protocol import Reader

_ARCHIVE_SECONDS = 1.0
_looked_at: dict[Path, float] = {}  # when this process looked at the whole journal
IN_TREES = "journals_in_trees"  # set once a journal of the space was read in a tree
MOVED = "journal_moved"  # set once what the database held before there were files stands in them


def look(space: OpenSpace) -> None:
    """Read changed journal files into the index."""
    with space.store.read() as reader:
        chore = journal_chore(space, reader)
    if chore is not None:
        chore()


def journal_chore(space: OpenSpace, reader: Reader) -> Callable[[], None] | None:
    """Read changed journal files into the index, if there are any."""
    return partial(take_changes, space) if has_changed(space, reader) else None


def has_changed(space: OpenSpace, reader: Reader) -> bool:
    """Whether journal files differ from the index. The archive, with a file for each day that ever was, is compared at
    most once a second."""
    now, folder = time.monotonic(), space.journal
    whole = now - _looked_at.get(folder.root, -_ARCHIVE_SECONDS) >= _ARCHIVE_SECONDS
    if whole:
        _looked_at[folder.root] = now
    return not _is_current(space, reader, folder, whole)


def take_changes(space: OpenSpace) -> None:
    """Read changed journal files into the index. In a damaged database, do nothing: what can be read is read."""
    from waypost.flows.journal.files.sync import sync  # what only a change needs

    with suppress(StoreCorrupt):
        sync(space)


def is_current(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        return _is_current(space, reader, space.journal, archive=True)


def _is_current(space: OpenSpace, reader: Reader, folder: JournalFolder, archive: bool) -> bool:
    if not reader.meta(MOVED):
        return False
    known = reader.journal_files(space.journal_id, archive=archive)
    return (not known and not folder.root.is_dir()) or known == known_files(folder.scan(archive=archive))


def tree_seen(space: OpenSpace, reader: Reader) -> str | None:
    """The tree whose entries a reader sees, where journals of this space are kept in trees; None where none is."""
    return space.journal_id if reader.meta(IN_TREES) else None


def known_files(stamps: dict[str, FileStamp]) -> dict[str, KnownFile]:
    return {path: KnownFile(one.size, one.mtime, one.gzipped) for path, one in stamps.items()}
