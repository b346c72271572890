"""Going back to a snapshot: the memory as it was then, but for what was rejected or forgotten since.

The rows are put back in one transaction of the memory that others may have open meanwhile. A database that cannot be read
is copied aside, and its content is replaced through SQLite, if nobody else has it open.
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
from waypost.flows.backup.erase import BACKUPS_OWED, erase_from
from waypost.flows.backup.rows import (
    TOMBSTONE_KEY,
    KeptRow,
    PuttingBack,
    all_candidates,
    compare,
    unwanted,
    unwanted_candidates,
)
from waypost.flows.backup.snapshots import (
    BEFORE_RESTORE,
    FOLDER,
    JOURNAL,
    TEMPORARY,
    MemoryBackup,
    backups_in,
    chosen,
    locked,
    make_in,
    mark_of,
)
from waypost.flows.facts.proposals import target_of
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.erasure import Doomed
from waypost.flows.write.scrub import RESTORE_OWED
from waypost.model.audit import AuditEntry
from waypost.model.memory import Caller
from waypost.model.time import Clock, format_time, to_micros
from waypost.space.metadata import METADATA_FILE, read_metadata
from waypost.space.place import DATABASE_FILE
from waypost.space.platform import make_private_directory, sync_directory
from waypost.store.moved_tables import TABLES
from waypost.store.protocol import Reader
from waypost.store.salvaged import FOLDER as DAMAGED
from waypost.store.sqlite.file_copy import keep_copy
from waypost.store.sqlite.snapshot import Remains, check_file, overwrite, read_remains
from waypost.store.sqlite.store import SqliteStore


@dataclass(frozen=True, slots=True)
class RestorePlan:
    """What going back to a snapshot does, told before it is done."""

    backup: MemoryBackup
    is_damaged: bool = False  # the memory as it is cannot be read
    removed: int = 0  # memories that were written since
    changed: int = 0  # memories that are again as they were
    returned: int = 0  # memories that come back
    files: int = 0  # of the journal, that are written, changed or removed

    @property
    def changes_nothing(self) -> bool:
        return not (self.is_damaged or self.removed or self.changed or self.returned or self.files)

    def to_json(self) -> dict[str, Any]:
        counts = {"removed": self.removed, "changed": self.changed, "returned": self.returned, "files": self.files}
        return {"backup": self.backup.to_json(), "damaged": self.is_damaged, **counts}


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    """What was done."""

    plan: RestorePlan
    undo: str | None = None  # the snapshot of the memory as it was before
    aside: Path | None = None  # where the damaged database is kept
    notices: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        aside = None if self.aside is None else str(self.aside)
        status = "unchanged" if self.plan.changes_nothing else "restored"
        return {
            "status": status,
            **self.plan.to_json(),
            "undo": self.undo,
            "aside": aside,
            "notices": list(self.notices),
        }


@dataclass(frozen=True, slots=True)
class BackupPlace:
    """A memory that may be damaged: its folder, and how it is opened if it can be."""

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
            if not check_file(self.database):  # something else here is not ours
                raise
            return True
        return False

    def _is_only_log(self) -> bool:
        """Whether the file was emptied and its log is left, which SQLite would remove."""
        log = Path(f"{self.database}-wal")
        return not self.database.stat().st_size and log.exists() and log.stat().st_size > 0


def plan(place: BackupPlace, which: str) -> RestorePlan:
    """What `restore` would do. Changes nothing."""
    _need_snapshots(place)
    with locked(place.folder, place.settings.busy_timeout_seconds) as folder:
        backup = _usable(place, chosen(folder, which))
        with contextlib.suppress(StoreCorrupt, ForeignFile):
            if not place.is_damaged():
                return _planned(place, backup)[0]
        return RestorePlan(backup, is_damaged=True)


def restore(place: BackupPlace, which: str, caller: Caller) -> RestoredBackup:
    """Go back to a snapshot. The memory as it is becomes a snapshot first, by which this can be undone; where it cannot be
    read, its file is kept aside."""
    _need_snapshots(place)
    with locked(place.folder, place.settings.busy_timeout_seconds) as folder:
        backup = _usable(place, chosen(folder, which))
        notices = _repair_metadata(place, backup)
        if not place.is_damaged():
            with contextlib.suppress(StoreCorrupt):  # found while it was read: the same as if it could not be opened
                return _restore_into(place, folder, backup, caller, notices)
        return _restore_damaged(place, backup, caller, notices)


def _need_snapshots(place: BackupPlace) -> None:
    if not (place.folder / FOLDER).is_dir():
        raise NotFound("There is no snapshot of this memory.", "`waypost backup make` makes one.")


def _usable(place: BackupPlace, backup: MemoryBackup) -> MemoryBackup:
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
def _opened(place: BackupPlace, backup: MemoryBackup) -> Iterator[SqliteStore]:
    """A copy of the snapshot's database, in the schema of today: the snapshot itself stays as it is."""
    stage = place.folder / FOLDER / f"{TEMPORARY}{os.urandom(6).hex()}"
    stage.mkdir(mode=0o700)
    try:
        shutil.copy2(backup.path / DATABASE_FILE, stage / DATABASE_FILE)
        store = SqliteStore(stage, clock=place.clock)
        try:
            yield store
        finally:
            store.close()
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def _planned(place: BackupPlace, backup: MemoryBackup) -> tuple[RestorePlan, Doomed]:
    """What there is to do, and what of the snapshot must not come back."""
    space = place.open()
    with _opened(place, backup) as store, store.read() as saved, space.store.read() as live:
        compared = compare(saved.tables(), live.tables())
        doomed = _doomed_since(saved, live, compared.new)
        compared.new = [one for one in compared.new if not _is_doomed(one, doomed)]
        removed, changed, returned = compared.counts()
    files = len(_differing(backup.path / JOURNAL, place.folder / JOURNAL))
    return RestorePlan(backup, False, removed, changed, returned, files), doomed


# -- what was forgotten since


def _doomed_since(saved: Reader, live: Reader, rows: list[KeptRow]) -> Doomed:
    """Of versions and candidates that the memory does not have any more, those that were forgotten, or deleted at the end
    of their time, and proposals about them. A snapshot has none of them, unless it was kept elsewhere and put back."""
    there = {row[0] for row in live.tables().rows(TABLES["candidates"], None, sys.maxsize)}
    candidates = [row for row in all_candidates(saved) if row.candidate_id not in there]
    mine = {one.memory_id for one in rows}
    mine |= {one for row in candidates for one in (row.candidate_id, target_of(row.topic))}
    erased = {entry.memory_id for entry in live.audit_entries(None, sys.maxsize) if _erases(entry)}
    doomed = Doomed({one for one in erased if one in mine and not live.versions(one)})
    told, theirs = live.meta(TOMBSTONE_KEY), {row[0] for row in _tombstones(saved)}
    if told is not None:
        key, since = bytes.fromhex(told), [row for row in _tombstones(live) if row[0] not in theirs]
        doomed.fingerprints = {one.fingerprint for one in unwanted(saved, rows, key, {row[0] for row in since})}
        doomed.ids |= unwanted_candidates(candidates, key, {row[0] for row in since if row[2] in erased})
    return doomed


def _erases(entry: AuditEntry) -> bool:
    return entry.action == "forget" or (entry.action == "expire" and entry.details.get("action") == "delete")


def _tombstones(reader: Reader) -> list[Any]:
    return reader.tables().rows(TABLES["tombstones"], None, sys.maxsize)


def _is_doomed(one: KeptRow, doomed: Doomed) -> bool:
    (at,) = TABLES["memories"].at("fingerprint")
    return one.memory_id in doomed.ids or one.row[at] in doomed.fingerprints


# -- into a memory that is in use


def _restore_into(
    place: BackupPlace, folder: Path, backup: MemoryBackup, caller: Caller, notices: list[str]
) -> RestoredBackup:
    space = place.open()
    with space.store.read() as reader:
        owed = reader.meta(BACKUPS_OWED)
    told, doomed = _planned(place, backup)
    if doomed:
        erase_from(backup, doomed, place.settings, place.clock)
    if told.changes_nothing:
        return RestoredBackup(told, notices=tuple(notices))
    undo = _saved_now(space, folder)
    with _opened(place, backup) as store, store.read() as saved, space.own_journal.locked():
        with space.store.write() as writer:
            if writer.meta(BACKUPS_OWED) != owed:  # the snapshot still holds it: it would come back
                raise StoreBusy("Something was forgotten while the restore was prepared.", "Repeat the restore.")
            engines = [engine.name for engine in space.engines.active(writer)]
            notices += _key_notices(saved, writer)
            removed, changed, returned = PuttingBack(writer, saved, engines, space.clock()).run().counts()
            told = RestorePlan(backup, False, removed, changed, returned, told.files)
            _note(writer.add_audit, told, caller, space.clock())
            writer.set_meta(RESTORE_OWED, backup.id)
        _put_files(space, backup)
    space.start_worker(space)  # what came back is embedded again
    return RestoredBackup(told, undo.id, None, tuple(notices))


def _saved_now(space: OpenSpace, folder: Path) -> MemoryBackup:
    known = backups_in(folder, check=False)
    if known and known[0].mark == mark_of(space) and chosen(folder, known[0].id).is_sound:
        return known[0]
    return make_in(space, folder, BEFORE_RESTORE)


def _note(add: Callable[[AuditEntry], None], told: RestorePlan, caller: Caller, now: Any) -> None:
    details = {
        "backup": told.backup.id,
        "removed": told.removed,
        "changed": told.changed,
        "returned": told.returned,
        "damaged": told.is_damaged,
        "owners_word": caller.owners_word,
    }
    add(AuditEntry(now, "restore", None, caller.source, caller.actor, details))


def _key_notices(saved: Reader, live: Reader) -> Iterator[str]:
    ours, theirs = live.meta(TOMBSTONE_KEY), saved.meta(TOMBSTONE_KEY)
    count = len(_tombstones(saved))
    if theirs is not None and ours != theirs and _tombstones(live) and count:
        yield f"{count} rejected or forgotten values of the snapshot are not known to this memory: reject them again."


# -- the journal's files


def finish_restore(space: OpenSpace) -> None:
    """Put the journal's files back after a restore that was killed before it had done so. Whoever holds the snapshots
    now is not waited for: it is another restore, or the next opening tries again."""
    with contextlib.suppress(StoreBusy), locked(space.folder, 0.0) as folder, space.own_journal.locked():
        with space.store.read() as reader:
            owed = reader.meta(RESTORE_OWED)
        if not owed:
            return
        try:
            backup = chosen(folder, owed)
        except NotFound:  # it was thrown away meanwhile: the files as they are count
            with space.store.write() as writer:
                writer.set_meta(RESTORE_OWED, "")
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
        writer.set_meta(RESTORE_OWED, "")


def _put_file(source: Path, target: Path) -> None:
    """Whole or not at all, with the time that it is known by."""
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
    found = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        for name in names:
            path = Path(folder) / name
            if not name.startswith(".") and not path.is_symlink() and path.is_file():
                state = path.stat()
                found[path.relative_to(root).as_posix()] = (state.st_size, state.st_mtime_ns)
    return found


# -- into a database that cannot be read


def _restore_damaged(place: BackupPlace, backup: MemoryBackup, caller: Caller, notices: list[str]) -> RestoredBackup:
    place.close()  # what this process itself has open of it
    aside = _keep_aside(place)  # first: SQLite would begin to repair it
    remains = read_remains(place.database) if place.database.exists() else Remains()
    doomed = Doomed(remains.expired | (set() if remains.tombstones else remains.forgotten))
    with _opened(place, backup) as store, store.read() as saved:
        rows = [KeptRow(row[0], row) for row in saved.tables().rows(TABLES["memories"], None, sys.maxsize)]
        if remains.key is not None:
            since = set(remains.tombstones) - {row[0] for row in _tombstones(saved)}
            marked = unwanted(saved, rows, bytes.fromhex(remains.key), since)
            doomed.fingerprints = {version.fingerprint for version in marked}
            doomed.ids |= unwanted_candidates(all_candidates(saved), bytes.fromhex(remains.key), since)
    if doomed:
        erase_from(backup, doomed, place.settings, place.clock)
    told = RestorePlan(backup, is_damaged=True, returned=backup.memories)
    fresh = place.folder / FOLDER / f"{TEMPORARY}{os.urandom(6).hex()}"
    fresh.mkdir(mode=0o700)
    try:
        _fill(place, backup, fresh, remains, told, caller)
        overwrite(fresh / DATABASE_FILE, place.database, busy_seconds=min(5.0, place.settings.busy_timeout_seconds))
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    place.database.chmod(0o600)
    for left in place.folder.glob("vectors-*.bin"):
        left.unlink(missing_ok=True)
    if not _stamps(place.folder / JOURNAL):  # else its files are the truth, and later than the snapshot
        _put_files(place.open(), backup)
    if aside is not None and remains.key is None:
        notices.append("The damaged database does not tell what was forgotten or rejected since the snapshot.")
    notices.append("Code is indexed again by `waypost init`; embeddings are made again in the background.")
    return RestoredBackup(told, None, aside, tuple(notices))


def _fill(
    place: BackupPlace, backup: MemoryBackup, folder: Path, remains: Remains, told: RestorePlan, caller: Caller
) -> None:
    """A new database with all that the snapshot holds. It owes every vector to the engine that opens it."""
    now = place.clock()
    store = SqliteStore(folder, clock=place.clock)
    try:
        with _opened(place, backup) as copy, copy.read() as saved, store.write() as writer:
            PuttingBack(writer, saved, [], now).run()
            if remains.key is not None and remains.key == saved.meta(TOMBSTONE_KEY):
                known = {row[0] for row in _tombstones(writer)}
                missing = [(digest, at, "") for digest, at in remains.tombstones.items() if digest not in known]
                writer.tables().load(TABLES["tombstones"], missing)
            # Other processes know vectors by their ids: none may mean another text now.
            writer.tables().set_last_numbers({"vectors": to_micros(now)})
            _note(writer.add_audit, told, caller, now)
        if not store.scrub([]):
            raise StoreError(f"{folder} is in use.", "Repeat.")
    finally:
        store.close()


def _keep_aside(place: BackupPlace) -> Path | None:
    """Copy what there is of the database, through SQLite: closing the file here would drop the locks of this process."""
    if not place.database.exists():
        return None
    make_private_directory(place.folder / DAMAGED)
    return keep_copy(place.database, place.folder / DAMAGED, f"{place.clock():%Y%m%dT%H%M%SZ}")


def _repair_metadata(place: BackupPlace, backup: MemoryBackup) -> list[str]:
    known, saved = place.folder / METADATA_FILE, backup.path / METADATA_FILE
    with contextlib.suppress(NotFound):
        try:
            read_metadata(place.folder)
            return []
        except ForeignFile:
            if not saved.is_file():
                return []
            known.rename(known.with_name(f"{METADATA_FILE}.damaged-{place.clock():%Y%m%dT%H%M%SZ}"))
    if saved.is_file():
        _put_file(saved, known)
        return [f"{METADATA_FILE} was missing or damaged and is as it was {_when(backup)}."]
    return []


def _when(backup: MemoryBackup) -> str:
    return f"on {format_time(backup.made_at)[:10]}" if backup.made_at else "then"
