"""Which journal files the index knows, and in which state."""

from waypost.flows.open_space import OpenSpace
from waypost.journal.files import FileStamp
from waypost.store.journal import KnownFile

IN_TREES = "journals_in_trees"  # set once a journal was read in a repository
MOVED = "journal_moved"  # set once entries from before there were files are written to files


def is_current(space: OpenSpace, *, archive: bool = True) -> bool:
    with space.store.read() as reader:
        stored, moved = reader.journal.files(space.journal_id, archive=archive), reader.meta.get(MOVED)
    if not moved:
        return False
    folder = space.journal
    return (not stored and not folder.root.is_dir()) or stored == known_files(folder.scan(archive=archive))


def tree_seen(space: OpenSpace) -> str | None:
    """The checkout whose entries a reader sees if journals are kept in repositories, or None."""
    with space.store.read() as reader:
        return space.journal_id if reader.meta.get(IN_TREES) else None


def known_files(stamps: dict[str, FileStamp]) -> dict[str, KnownFile]:
    return {path: KnownFile(stamp.size, stamp.mtime, stamp.gzipped) for path, stamp in stamps.items()}
