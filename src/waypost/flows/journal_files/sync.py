"""Bring the index up to date with the journal's files."""

from waypost.flows.journal_files.known_files import MOVED, is_current
from waypost.flows.journal_files.reconcile import Synced, sync_in
from waypost.flows.journal_files.write import journal_writer, write_through
from waypost.flows.open_space import OpenSpace

_FILES_AT_ONCE = 200
_AT_ONCE = 500  # memories moved into files in one transaction


def sync(space: OpenSpace) -> Synced:
    """Sync the index with the files, if the caller may write."""
    if not space.store.may_write:
        return Synced()
    _move_into_files(space)
    folder, done = space.journal, Synced()
    while not is_current(space):
        with folder.locked(), space.store.write() as writer:
            if not sync_in(space, writer, done, limit=_FILES_AT_ONCE):
                break
    return done


def _move_into_files(space: OpenSpace) -> int:
    """Write entries from before there were journal files into day files. Returns how many."""
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
