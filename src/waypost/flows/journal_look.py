"""Whether a hand has changed the journal's files: asked before every read, so it must cost next to nothing."""

from waypost.flows.open_space import OpenSpace
from waypost.journal.files import Stamp
from waypost.store.journal_protocol import KnownFile

MOVED = "journal_moved"  # set once what the database held before there were files stands in them


def look(space: OpenSpace) -> None:
    """Bring the index up to what the files say, if they say something else."""
    if not is_current(space):
        from waypost.flows.journal_sync import sync  # what only a change needs

        sync(space)


def is_current(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        known, moved = reader.journal_files(space.journal_id), reader.meta(MOVED)
    if not moved:
        return False
    folder = space.journal
    return (not known and not folder.root.is_dir()) or known == known_files(folder.scan())


def known_files(stamps: dict[str, Stamp]) -> dict[str, KnownFile]:
    return {path: KnownFile(one.size, one.mtime, one.gzipped) for path, one in stamps.items()}
