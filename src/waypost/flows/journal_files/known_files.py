"""Which journal files the index knows, and in which state."""

from waypost.flows.open_space import OpenSpace
from waypost.journal.files import FileStamp
from waypost.store.journal_protocol import KnownFile

IN_TREES = "journals_in_trees"  # set once a journal of the space was read in a tree
MOVED = "journal_moved"  # set once what the database held before there were files stands in them


def is_current(space: OpenSpace, *, archive: bool = True) -> bool:
    with space.store.read() as reader:
        known, moved = reader.journal_files(space.journal_id, archive=archive), reader.meta(MOVED)
    if not moved:
        return False
    folder = space.journal
    return (not known and not folder.root.is_dir()) or known == known_files(folder.scan(archive=archive))


def tree_seen(space: OpenSpace) -> str | None:
    """The tree whose entries a reader sees, where journals of this space are kept in trees; None where none is."""
    with space.store.read() as reader:
        return space.journal_id if reader.meta(IN_TREES) else None


def known_files(stamps: dict[str, FileStamp]) -> dict[str, KnownFile]:
    return {path: KnownFile(one.size, one.mtime, one.gzipped) for path, one in stamps.items()}
