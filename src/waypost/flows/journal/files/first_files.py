"""What the database held of the journal before there were files: moved into them, once."""

from waypost.flows.journal.files.changes import MOVED
from waypost.flows.journal.files.write import journal_writer, write_through
from waypost.flows.open_space import OpenSpace

_AT_ONCE = 500


def move_into_files(space: OpenSpace) -> int:
    """Write a day's entry for every memory of the journal's kinds that stands in no file. Returns how many."""
    with space.store.read() as reader:
        if reader.meta.get(MOVED):
            return 0
    moved = 0
    while True:
        with journal_writer(space) as writer:
            ids = writer.journal.unfiled(_AT_ONCE)
            write_through(space, writer, ids)
            still = set(writer.journal.unfiled(_AT_ONCE)) & set(ids)
            if not ids or still:
                writer.meta.set(MOVED, "1")
                return moved
            moved += len(ids)
