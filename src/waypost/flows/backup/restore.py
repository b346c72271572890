"""Restore a snapshot, except for what was rejected or forgotten since.

The rows are restored in one transaction, while other processes may use the memory. An unreadable database is copied
aside. Then its content is replaced through SQLite, if no other process has it open.
"""

import contextlib
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.config import Settings
from waypost.errors import ForeignFile, NotFound, Refused, StoreBusy, StoreCorrupt, StoreError
from waypost.flows.backup import RESTORE_OWED
from waypost.flows.backup.erase_from_snapshots import BACKUPS_OWED, erase_from
from waypost.flows.backup.rows import (
    TOMBSTONE_KEY,
    KeptRow,
    RowRestore,
    all_candidates,
    compare,
    rejected_candidates,
    rejected_versions,
)
from waypost.flows.backup.snapshots import (
    BEFORE_RESTORE,
    FOLDER,
    JOURNAL,
    TEMPORARY,
    MemoryBackup,
    backups_in,
    find_backup,
    make_in,
    mark_of,
    snapshots_lock,
)
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.erase_rows import ErasureTargets
from waypost.flows.write.proposals import target_of
from waypost.model.json_row import json_row
from waypost.model.memory import AuditEntry, Caller
from waypost.model.time import Clock, format_time, to_micros
from waypost.space.metadata import METADATA_FILE, read_metadata
from waypost.space.place import DATABASE_FILE
from waypost.store.protocol import Reader
from waypost.store.salvaged import FOLDER as DAMAGED
from waypost.store.sqlite.files import keep_copy
from waypost.store.sqlite.snapshot import Remains, check_file, overwrite, read_remains
from waypost.store.sqlite.store import SqliteStore
from waypost.store.tables import TABLES
from waypost.system.platform import make_private_directory, sync_directory


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What restoring a snapshot would change."""

    backup: MemoryBackup
    is_damaged: bool = False  # the current database cannot be read
    removed: int = 0  # memories written since
    changed: int = 0  # memories that change back
    returned: int = 0  # memories that come back
    files: int = 0  # journal files that are written, changed or removed

    @property
    def changes_nothing(self) -> bool:
        return not (self.is_damaged or self.removed or self.changed or self.returned or self.files)

    def to_json(self) -> dict[str, Any]:
        return json_row(self, "is_damaged", damaged=self.is_damaged)


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    plan: RestorePlan
    undo: str | None = None  # the snapshot made before the restore
    aside: Path | None = None  # the copy of the damaged database
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        status = "unchanged" if self.plan.changes_nothing else "restored"
        return {"status": status, **self.plan.to_json(), **json_row(self, "plan")}


@dataclass(frozen=True, slots=True)
class BackupPlace:
    """A memory that may be damaged: its folder, and how to open it."""

    space_id: str
    folder: Path
    settings: Settings
    clock: Clock
    open: Callable[[], OpenSpace]
    close: Callable[[], None]

    @property
    def database(self) -> Path:
        return self.folder / DATABASE_FILE

    def is_damaged(self) -> bool:
        """Whether the database is missing or cannot be opened."""
        if not self.database.exists() or self._is_only_log():
            return True
        try:
            self.open()
        except StoreCorrupt:
            return True
        except ForeignFile:
            if not check_file(self.database):  # another file here is not ours
                raise
            return True
        return False

    def _is_only_log(self) -> bool:
        """Whether the database is empty and its log is left: SQLite would remove the log."""
        log = Path(f"{self.database}-wal")
        return not self.database.stat().st_size and log.exists() and log.stat().st_size > 0


def plan(place: BackupPlace, which: str) -> RestorePlan:
    """What `restore` would do. Changes nothing."""
    _need_snapshots(place)
    with snapshots_lock(place.folder, place.settings.busy_timeout_seconds) as folder:
        backup = _need_usable(place, find_backup(folder, which))
        with contextlib.suppress(StoreCorrupt, ForeignFile):
            if not place.is_damaged():
                return _plan_with_targets(place, backup)[0]
        return RestorePlan(backup, is_damaged=True)


def restore(place: BackupPlace, which: str, caller: Caller) -> RestoredBackup:
    """Restore a snapshot. Makes a snapshot of the current state first, to undo the restore.

    If the database cannot be read, its file is kept aside instead.
    """
    _need_snapshots(place)
    with snapshots_lock(place.folder, place.settings.busy_timeout_seconds) as folder:
        backup = _need_usable(place, find_backup(folder, which))
        notices = _repair_metadata(place, backup)
        if not place.is_damaged():
            with contextlib.suppress(
                StoreCorrupt
            ):  # damage found while reading: the same as a database that cannot be opened
                return _restore_into(place, folder, backup, caller, notices)
        return _restore_damaged(place, backup, caller, notices)


def _need_snapshots(place: BackupPlace) -> None:
    if not (place.folder / FOLDER).is_dir():
        raise NotFound("There is no snapshot of this memory.", "`waypost backup make` makes one.")


def _need_usable(place: BackupPlace, backup: MemoryBackup) -> MemoryBackup:
    if not backup.is_sound:
        raise StoreCorrupt(
            f"The snapshot {backup.id} is damaged: {backup.problem}.", "Choose another: `waypost backup list`."
        )
    if backup.space_id != place.space_id:
        raise Refused(
            f"The snapshot {backup.id} is of another memory ({backup.space_id[:16]}).",
            "Choose one of this memory: `waypost backup list`.",
        )
    return backup


@contextmanager
def _staged_copy(place: BackupPlace, backup: MemoryBackup) -> Iterator[SqliteStore]:
    """A copy of the snapshot's database in the current schema. The snapshot stays as it is."""
    with _temporary_folder(place) as stage:
        shutil.copy2(backup.path / DATABASE_FILE, stage / DATABASE_FILE)
        with contextlib.closing(SqliteStore(stage, clock=place.clock)) as store:
            yield store


@contextmanager
def _temporary_folder(place: BackupPlace) -> Iterator[Path]:
    folder = place.folder / FOLDER / f"{TEMPORARY}{os.urandom(6).hex()}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _plan_with_targets(place: BackupPlace, backup: MemoryBackup) -> tuple[RestorePlan, ErasureTargets]:
    space = place.open()
    with _staged_copy(place, backup) as store, store.read() as saved, space.store.read() as live:
        compared = compare(saved.tables(), live.tables())
        targets = _erased_since(saved, live, compared.new)
        compared.new = [kept for kept in compared.new if not _is_target(kept, targets)]
        removed, changed, returned = compared.counts()
    files = len(_differing(backup.path / JOURNAL, place.folder / JOURNAL))
    return RestorePlan(backup, False, removed, changed, returned, files), targets


# -- what was forgotten since


def _erased_since(saved: Reader, live: Reader, rows: list[KeptRow]) -> ErasureTargets:
    """What was forgotten, or deleted when it expired, since the snapshot; and proposals about it.

    Snapshots usually hold none of it, unless one was stored elsewhere and copied back.
    """
    there = {row[0] for row in live.tables().rows(TABLES["candidates"], None, sys.maxsize)}
    candidates = [row for row in all_candidates(saved) if row.candidate_id not in there]
    mine = {row.memory_id for row in rows}
    mine |= {memory_id for row in candidates for memory_id in (row.candidate_id, target_of(row.topic))}
    erased = {entry.memory_id for entry in live.audit.entries(None, sys.maxsize) if _erases(entry)}
    targets = ErasureTargets(
        {memory_id for memory_id in erased if memory_id in mine and not live.memories.versions(memory_id)}
    )
    stored_key, theirs = live.meta.get(TOMBSTONE_KEY), {row[0] for row in _tombstones(saved)}
    if stored_key is not None:
        key, since = bytes.fromhex(stored_key), [row for row in _tombstones(live) if row[0] not in theirs]
        targets.fingerprints = {
            version.fingerprint for version in rejected_versions(saved, rows, key, {row[0] for row in since})
        }
        targets.ids |= rejected_candidates(candidates, key, {row[0] for row in since if row[2] in erased})
    return targets


def _erases(entry: AuditEntry) -> bool:
    return entry.action == "forget" or (entry.action == "expire" and entry.details.get("action") == "delete")


def _tombstones(reader: Reader) -> list[Any]:
    return reader.tables().rows(TABLES["tombstones"], None, sys.maxsize)


def _is_target(kept: KeptRow, targets: ErasureTargets) -> bool:
    (at,) = TABLES["memories"].at("fingerprint")
    return kept.memory_id in targets.ids or kept.row[at] in targets.fingerprints


# -- into a memory that is in use


def _restore_into(
    place: BackupPlace, folder: Path, backup: MemoryBackup, caller: Caller, notices: list[str]
) -> RestoredBackup:
    space = place.open()
    with space.store.read() as reader:
        owed = reader.meta.get(BACKUPS_OWED)
    plan, targets = _plan_with_targets(place, backup)
    if targets:
        erase_from(backup, targets, place.settings, place.clock)
    if plan.changes_nothing:
        return RestoredBackup(plan, notices=tuple(notices))
    undo = _undo_snapshot(space, folder)
    with _staged_copy(place, backup) as store, store.read() as saved, space.own_journal.locked():
        with space.store.write() as writer:
            if writer.meta.get(BACKUPS_OWED) != owed:  # the snapshot still holds it, and would restore it
                raise StoreBusy("Something was forgotten while the restore was prepared.", "Repeat the restore.")
            engines = [engine.name for engine in space.engines.active(writer)]
            notices += _key_notices(saved, writer)
            removed, changed, returned = RowRestore(writer, saved, engines, space.clock()).run().counts()
            plan = RestorePlan(backup, False, removed, changed, returned, plan.files)
            _note(writer.audit.add, plan, caller, space.clock())
            writer.meta.set(RESTORE_OWED, backup.id)
        _put_files(space, backup)
    space.start_worker(space)  # restored memories are embedded again
    return RestoredBackup(plan, undo.id, None, tuple(notices))


def _undo_snapshot(space: OpenSpace, folder: Path) -> MemoryBackup:
    backups = backups_in(folder, check=False)
    if backups and backups[0].mark == mark_of(space) and find_backup(folder, backups[0].id).is_sound:
        return backups[0]
    return make_in(space, folder, BEFORE_RESTORE)


def _note(add: Callable[[AuditEntry], None], plan: RestorePlan, caller: Caller, now: Any) -> None:
    details = {
        "backup": plan.backup.id,
        "removed": plan.removed,
        "changed": plan.changed,
        "returned": plan.returned,
        "damaged": plan.is_damaged,
        "owners_word": caller.owners_word,
    }
    add(AuditEntry(now, "restore", None, caller.source, caller.actor, details))


def _key_notices(saved: Reader, live: Reader) -> Iterator[str]:
    ours, theirs = live.meta.get(TOMBSTONE_KEY), saved.meta.get(TOMBSTONE_KEY)
    count = len(_tombstones(saved))
    if theirs is not None and ours != theirs and _tombstones(live) and count:
        yield f"{count} rejected or forgotten values of the snapshot are not known to this memory: reject them again."


# -- the journal's files


def finish_restore(space: OpenSpace) -> None:
    """Restore the journal's files after a restore that was killed before it did.

    Does not wait for another process that holds the snapshots: the next opening tries again.
    """
    with contextlib.suppress(StoreBusy), snapshots_lock(space.folder, 0.0) as folder, space.own_journal.locked():
        with space.store.read() as reader:
            owed = reader.meta.get(RESTORE_OWED)
        if not owed:
            return
        try:
            backup = find_backup(folder, owed)
        except NotFound:  # the snapshot was removed meanwhile: the current files count
            with space.store.write() as writer:
                writer.meta.set(RESTORE_OWED, "")
            return
        _put_files(space, backup)


def _put_files(space: OpenSpace, backup: MemoryBackup) -> None:
    source, target = backup.path / JOURNAL, space.folder / JOURNAL
    for name in sorted(_differing(source, target)):
        if (source / name).is_file():
            make_private_directory((target / name).parent)
            _put_file(source / name, target / name)
        else:
            (target / name).unlink(missing_ok=True)
            sync_directory((target / name).parent)
    with space.store.write() as writer:
        writer.meta.set(RESTORE_OWED, "")


def _put_file(source: Path, target: Path) -> None:
    """Replace a file atomically, and keep the modification time by which it is recognised."""
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        shutil.copyfile(source, temporary)
        temporary.chmod(0o600)
        state = source.stat()
        os.utime(temporary, ns=(state.st_mtime_ns, state.st_mtime_ns))
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(target.parent)


def _differing(source: Path, target: Path) -> set[str]:
    saved, there = _stamps(source), _stamps(target)
    return {name for name in saved | there if saved.get(name) != there.get(name)}


def _stamps(root: Path) -> dict[str, tuple[int, int]]:
    stamps = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        for name in names:
            path = Path(folder) / name
            if not name.startswith(".") and not path.is_symlink() and path.is_file():
                state = path.stat()
                stamps[path.relative_to(root).as_posix()] = (state.st_size, state.st_mtime_ns)
    return stamps


# -- into a database that cannot be read


def _restore_damaged(place: BackupPlace, backup: MemoryBackup, caller: Caller, notices: list[str]) -> RestoredBackup:
    place.close()  # this process may have it open
    aside = _keep_aside(place)  # first: SQLite would begin to repair it
    remains = read_remains(place.database) if place.database.exists() else Remains()
    targets = ErasureTargets(remains.expired | (set() if remains.tombstones else remains.forgotten))
    with _staged_copy(place, backup) as store, store.read() as saved:
        rows = [KeptRow(row[0], row) for row in saved.tables().rows(TABLES["memories"], None, sys.maxsize)]
        if remains.key is not None:
            since = set(remains.tombstones) - {row[0] for row in _tombstones(saved)}
            marked = rejected_versions(saved, rows, bytes.fromhex(remains.key), since)
            targets.fingerprints = {version.fingerprint for version in marked}
            targets.ids |= rejected_candidates(all_candidates(saved), bytes.fromhex(remains.key), since)
    if targets:
        erase_from(backup, targets, place.settings, place.clock)
    plan = RestorePlan(backup, is_damaged=True, returned=backup.memories)
    with _temporary_folder(place) as fresh:
        _fill(place, backup, fresh, remains, plan, caller)
        overwrite(fresh / DATABASE_FILE, place.database, busy_seconds=min(5.0, place.settings.busy_timeout_seconds))
    place.database.chmod(0o600)
    for left in place.folder.glob("vectors-*.bin"):
        left.unlink(missing_ok=True)
    if not _stamps(place.folder / JOURNAL):  # else its files are newer than the snapshot and count
        _put_files(place.open(), backup)
    if aside is not None and remains.key is None:
        notices.append("The damaged database does not show what was forgotten or rejected since the snapshot.")
    notices.append("Code is indexed again by `waypost init`; embeddings are made again in the background.")
    return RestoredBackup(plan, None, aside, tuple(notices))


def _fill(
    place: BackupPlace, backup: MemoryBackup, folder: Path, remains: Remains, plan: RestorePlan, caller: Caller
) -> None:
    now = place.clock()
    with contextlib.closing(SqliteStore(folder, clock=place.clock)) as store:
        with _staged_copy(place, backup) as copy, copy.read() as saved, store.write() as writer:
            RowRestore(writer, saved, [], now).run()
            if remains.key is not None and remains.key == saved.meta.get(TOMBSTONE_KEY):
                digests = {row[0] for row in _tombstones(writer)}
                missing = [(digest, at, "") for digest, at in remains.tombstones.items() if digest not in digests]
                writer.tables().load(TABLES["tombstones"], missing)
            # Other processes cache vectors by id: an id must not mean another text now.
            writer.tables().set_last_numbers({"vectors": to_micros(now)})
            _note(writer.audit.add, plan, caller, now)
        if not store.scrub([]):
            raise StoreError(f"{folder} is in use.", "Repeat.")


def _keep_aside(place: BackupPlace) -> Path | None:
    """Copy the database through SQLite: closing the file here would drop the locks of this process."""
    if not place.database.exists():
        return None
    make_private_directory(place.folder / DAMAGED)
    return keep_copy(place.database, place.folder / DAMAGED, f"{place.clock():%Y%m%dT%H%M%SZ}")


def _repair_metadata(place: BackupPlace, backup: MemoryBackup) -> list[str]:
    current, saved = place.folder / METADATA_FILE, backup.path / METADATA_FILE
    with contextlib.suppress(NotFound):
        try:
            read_metadata(place.folder)
            return []
        except ForeignFile:
            if not saved.is_file():
                return []
            current.rename(current.with_name(f"{METADATA_FILE}.damaged-{place.clock():%Y%m%dT%H%M%SZ}"))
    if saved.is_file():
        _put_file(saved, current)
        when = f"on {format_time(backup.made_at)[:10]}" if backup.made_at else "then"
        return [f"{METADATA_FILE} was missing or damaged and is as it was {when}."]
    return []
