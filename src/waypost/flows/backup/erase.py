"""Taking erased memories out of every snapshot, by the code that erases them in the memory itself.

What is to be erased is noted in the transaction that erases it in the memory, and the note goes when every snapshot is
done. A process that is killed in between leaves the note, and the next one that opens the memory finishes the work.
"""

from collections.abc import Iterable, Sequence

from waypost.config import Settings
from waypost.errors import ForeignFile, StoreBusy, StoreCorrupt, StoreError
from waypost.flows.backup.snapshots import (
    FOLDER,
    JOURNAL,
    MemoryBackup,
    backups_in,
    describe,
    described,
    locked,
    remove,
)
from waypost.flows.journal.files.erase import erase_in
from waypost.flows.journal.files.media import drop_media_in
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.erase import traces_of
from waypost.flows.write.erasure import Doomed, DoomedRows, doomed_rows, erase_rows
from waypost.flows.write.prepare import HEADING
from waypost.journal.files import JournalFolder
from waypost.model.memory import Version
from waypost.model.time import Clock
from waypost.space.place import DATABASE_FILE
from waypost.store.journal import KnownFile
from waypost.store.protocol import Writer
from waypost.store.sqlite.snapshot import fold_log, holds
from waypost.store.sqlite.store import SqliteStore

BACKUPS_OWED = "backups_owed"  # in the table `meta`: what is still to be erased from snapshots, as JSON


def owe_erasure(space: OpenSpace, writer: Writer, rows: DoomedRows, fingerprints: Iterable[bytes] = ()) -> None:
    """Note, in the transaction that erases them, that these rows are to go from the snapshots too, and all that says one
    of these things."""
    if space.settings.store:
        return
    doomed = Doomed.of(writer.meta.get(BACKUPS_OWED))
    doomed.ids.update(rows.memories, (row.candidate_id for row in rows.candidates))
    doomed.fingerprints.update(fingerprints)
    writer.meta.set(BACKUPS_OWED, doomed.to_json())


def owed_erasure(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        return bool(reader.meta.get(BACKUPS_OWED))


def erase_owed(space: OpenSpace, *, wait: bool = True) -> bool:
    """Erase from every snapshot what is noted. False: another process holds the snapshots, or one cannot be written; the
    note stays."""
    with space.store.read() as reader:
        doomed = Doomed.of(reader.meta.get(BACKUPS_OWED))
    if not doomed:
        return True
    if (space.folder / FOLDER).is_dir():  # else whoever makes the first snapshot begins after what was erased
        try:
            with locked(space.folder, space.settings.busy_timeout_seconds if wait else 0.0) as place:
                for one in backups_in(place, check=False):
                    erase_from(one, doomed, space.settings, space.clock)
        except (StoreError, OSError):  # `doctor` reports it, and every opening tries again
            return False
    with space.store.write() as writer:
        left = Doomed.of(writer.meta.get(BACKUPS_OWED))
        left.ids -= doomed.ids
        left.fingerprints -= doomed.fingerprints
        writer.meta.set(BACKUPS_OWED, left.to_json())
        return not left


def erase_from(one: MemoryBackup, doomed: Doomed, settings: Settings, clock: Clock) -> None:
    """Erase it from one snapshot, for who holds the lock. One that cannot be read goes as a whole: nobody can tell what it
    holds, and it cannot be restored either."""
    if one.made_at is None:
        remove(one)
        return
    try:
        _erase(one, doomed, settings, clock)
    except (StoreCorrupt, ForeignFile):
        remove(one)


def _erase(one: MemoryBackup, doomed: Doomed, settings: Settings, clock: Clock) -> None:
    if one.is_sealed and not holds(one.path / DATABASE_FILE, doomed.ids, doomed.fingerprints, doomed.topics):
        return
    if one.is_sealed:
        for end in ("-wal", "-shm", "-journal"):  # not of ours: it would be played into the database
            (one.path / f"{DATABASE_FILE}{end}").unlink(missing_ok=True)
    else:
        fold_log(one.path / DATABASE_FILE)
    describe(one.path, described(one), sums=False)  # from here on it is not as it was written
    for left in one.path.rglob(".*.tmp"):  # by one who was killed here
        left.unlink(missing_ok=True)
    folder = JournalFolder(one.path / JOURNAL, one.path / "journal.lock", settings.journal)
    store = SqliteStore(one.path, clock=clock, busy_seconds=settings.busy_timeout_seconds)
    try:
        with store.write() as writer:
            rows = doomed_rows(writer, doomed)
            # The files first: which of their lines are meant can only be told while the words are known.
            ids = frozenset(version.memory_id for version in rows.versions)
            digests = frozenset(place.digest for _, place in writer.journal.places_of(ids))
            if folder.root.is_dir() and any(version.collection == "journal" for version in rows.versions):
                texts = tuple(dict.fromkeys(version.text for version in rows.versions))
                for path in erase_in(folder, ids, texts, digests):
                    _note_file(folder, writer, path)
                drop_media_in(folder, _media(rows.versions))
            erase_rows(writer, rows)
        if not store.scrub(traces_of(rows.texts)):
            raise StoreBusy(f"{one.path} is in use.", "Repeat `waypost doctor --fix`.")
    finally:
        store.close()
    describe(one.path, described(one))


def _media(copies: Sequence[Version]) -> list[str]:
    return [name for version in copies if (name := version.details.get(HEADING, {}).get("media"))]


def _note_file(folder: JournalFolder, writer: Writer, path: str) -> None:
    stamp = folder.stamp(path) if path.endswith(".md") else None
    if stamp is not None:
        writer.journal.extend_file("", path, KnownFile(stamp.size, stamp.mtime, stamp.gzipped), [])
