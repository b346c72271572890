"""Erase memories from every snapshot, with the code that erases them in the database.

The transaction that erases them in the database notes it. The note is removed when every snapshot is done. If the
process is killed, the next one that opens the memory continues.
"""

import contextlib
from collections.abc import Iterable, Sequence

from waypost.config import Settings
from waypost.errors import ForeignFile, StoreBusy, StoreCorrupt, StoreError
from waypost.flows.backup.snapshots import (
    FOLDER,
    JOURNAL,
    MemoryBackup,
    backups_in,
    describe,
    description_of,
    remove,
    snapshots_lock,
)
from waypost.flows.journal_files.erase_from_files import erase_in
from waypost.flows.journal_files.media import drop_media_in
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.erase_rows import ErasureTargets, TargetRows, erase_rows, rows_to_erase, traces_of
from waypost.journal.files import JournalFolder
from waypost.model.memory import HEADING, Version
from waypost.model.time import Clock
from waypost.space.place import DATABASE_FILE
from waypost.store.protocol import Writer
from waypost.store.sqlite.snapshot import fold_log, holds
from waypost.store.sqlite.store import SqliteStore

BACKUPS_OWED = "backups_owed"  # in the table `meta`: what must still be erased from snapshots, as JSON


def note_for_snapshots(space: OpenSpace, writer: Writer, rows: TargetRows, fingerprints: Iterable[bytes] = ()) -> None:
    """Note, in the transaction that erases these rows, that snapshots must lose them too.

    Snapshots also lose every version with one of the fingerprints.
    """
    if space.settings.store:
        return
    targets = ErasureTargets.of(writer.meta.get(BACKUPS_OWED))
    targets.ids.update(rows.memories, (row.candidate_id for row in rows.candidates))
    targets.fingerprints.update(fingerprints)
    writer.meta.set(BACKUPS_OWED, targets.to_json())


def erase_noted(space: OpenSpace, *, wait: bool = True) -> bool:
    """Erase from every snapshot what is noted.

    Returns False if another process holds the snapshots or one cannot be written: the note stays.
    """
    with space.store.read() as reader:
        targets = ErasureTargets.of(reader.meta.get(BACKUPS_OWED))
    if not targets:
        return True
    if (space.folder / FOLDER).is_dir():  # else the first snapshot is made after the erasing
        try:
            with snapshots_lock(space.folder, space.settings.busy_timeout_seconds if wait else 0.0) as place:
                for backup in backups_in(place, check=False):
                    erase_from(backup, targets, space.settings, space.clock)
        except (StoreError, OSError):  # `doctor` reports it, and every opening tries again
            return False
    with space.store.write() as writer:
        left = ErasureTargets.of(writer.meta.get(BACKUPS_OWED))
        left.ids -= targets.ids
        left.fingerprints -= targets.fingerprints
        writer.meta.set(BACKUPS_OWED, left.to_json())
        return not left


def erase_from(backup: MemoryBackup, targets: ErasureTargets, settings: Settings, clock: Clock) -> None:
    """Erase these memories from one snapshot. The caller holds the lock. An unreadable snapshot is removed."""
    if backup.made_at is None:
        remove(backup)
        return
    try:
        _erase(backup, targets, settings, clock)
    except (StoreCorrupt, ForeignFile):
        remove(backup)


def _erase(backup: MemoryBackup, targets: ErasureTargets, settings: Settings, clock: Clock) -> None:
    if backup.is_sealed and not holds(backup.path / DATABASE_FILE, targets.ids, targets.fingerprints, targets.topics):
        return
    if backup.is_sealed:
        for end in ("-wal", "-shm", "-journal"):  # not ours: SQLite would apply it to the database
            (backup.path / f"{DATABASE_FILE}{end}").unlink(missing_ok=True)
    else:
        fold_log(backup.path / DATABASE_FILE)
    describe(backup.path, description_of(backup), sums=False)  # from here on its sums do not match
    for left in backup.path.rglob(".*.tmp"):  # of a process that was killed here
        left.unlink(missing_ok=True)
    folder = JournalFolder(backup.path / JOURNAL, backup.path / "journal.lock", settings.journal)
    with contextlib.closing(SqliteStore(backup.path, clock=clock, busy_seconds=settings.busy_timeout_seconds)) as store:
        with store.write() as writer:
            rows = rows_to_erase(writer, targets)
            # Files first: their lines are found by the texts, which are erased below.
            ids = frozenset(version.memory_id for version in rows.versions)
            digests = frozenset(place.digest for _, place in writer.journal.places_of(ids))
            if folder.root.is_dir() and any(version.collection == "journal" for version in rows.versions):
                texts = tuple(dict.fromkeys(version.text for version in rows.versions))
                for path in erase_in(folder, ids, texts, digests):
                    _note_file(folder, writer, path)
                drop_media_in(folder, _media(rows.versions))
            erase_rows(writer, rows)
        if not store.scrub(traces_of(rows.texts)):
            raise StoreBusy(f"{backup.path} is in use.", "Repeat `waypost doctor --fix`.")
    describe(backup.path, description_of(backup))


def _media(copies: Sequence[Version]) -> list[str]:
    return [name for version in copies if (name := version.details.get(HEADING, {}).get("media"))]


def _note_file(folder: JournalFolder, writer: Writer, path: str) -> None:
    stamp = folder.stamp(path) if path.endswith(".md") else None
    if stamp is not None:
        writer.journal.extend_file("", path, stamp, [])
