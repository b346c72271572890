"""Which journal files the index knows, and in which state."""

from waypost.flows.open_space import OpenSpace
from waypost.journal.files import JournalFolder
from waypost.store.protocol import Reader

IN_TREES = "journals_in_trees"  # set once a journal was read in a repository
MOVED = "journal_moved"  # set once entries from before there were files are written to files


def is_current(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        return files_match(space, reader, space.journal, archive=True)


def files_match(space: OpenSpace, reader: Reader, folder: JournalFolder, archive: bool) -> bool:
    """Whether the index knows every file in its present state."""
    if not reader.meta.get(MOVED):
        return False
    stored = reader.journal.files(space.journal_id, archive=archive)
    return (not stored and not folder.root.is_dir()) or stored == folder.scan(archive=archive)


def tree_seen(space: OpenSpace, reader: Reader) -> str | None:
    """The checkout whose entries a reader sees if journals are kept in repositories, or None."""
    return space.journal_id if reader.meta.get(IN_TREES) else None
