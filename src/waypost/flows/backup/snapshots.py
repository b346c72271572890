"""Snapshots of a memory: make, list, check and prune.

A snapshot is a folder in `<space folder>/backups/`. It holds the database without what can be rebuilt, the journal's
files, and `backup.json`, which describes it. It gets its name after it is complete and checked. One lock guards all
snapshots.
"""

import contextlib
import filecmp
import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from waypost.errors import NotFound, Refused, StoreCorrupt, WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.model.json_row import json_row
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.time import format_time, parse_time
from waypost.space.metadata import METADATA_FILE
from waypost.space.place import DATABASE_FILE
from waypost.store.sqlite.snapshot import check_file, copy_pages, count_current, fold_log, keep_only_kept
from waypost.system.platform import (
    PRIVATE_FILE,
    make_private_directory,
    read_small_file,
    sync_directory,
    wait_lock,
    write_failure,
    write_private_file,
)

FOLDER, DESCRIPTION, JOURNAL = "backups", "backup.json", "journal"
LOCK = "backups.lock"
DAILY, ASKED, BEFORE_RESTORE = "daily", "asked for", "before a restore"
# Prefixes of keys in the table `meta` that cannot be recomputed.
KEPT_NOTES = (
    "tombstone_key",
    "import",
    "dna_approved:",
    "journal_moved",
    "journals_in_trees",
    "journal_fought:",
    "importance:",
    "discovered:",
    "learned_commit:",
)
_NAME = re.compile(r"(\d{6})-\d{8}T\d{6}Z")
TEMPORARY = ".making-"
_LARGEST_DESCRIPTION = 64 * 1024 * 1024  # bytes: one line for each journal file
_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MemoryBackup:
    """A snapshot. Numbers follow the order in which they were made: a clock may have been wrong."""

    id: str
    path: Path
    number: int
    made_at: datetime | None
    cause: str
    memories: int
    problem: str = ""  # why it cannot be restored, or empty
    mark: str = ""  # `mark_of` the memory at that time
    space_id: str = ""
    is_sealed: bool = True  # False: a process was killed while erasing something in it

    @property
    def is_sound(self) -> bool:
        return not self.problem

    @property
    def size(self) -> int:
        """Bytes of all files; each is looked at."""
        return sum(file.lstat().st_size for file in _files(self.path))

    def to_json(self) -> dict[str, Any]:
        unsaid = ("number", "mark", "space_id", "is_sealed")
        return json_row(self, *unsaid, sound=self.is_sound, problem=self.problem or None, size=self.size)


def refuse_servers(store: str) -> None:
    if store:
        raise Refused(
            "This memory is in PostgreSQL; Waypost makes no snapshots there.",
            "Back it up with the tools of the database: docs/how-to/postgres.md, Back up.",
        )


@contextlib.contextmanager
def snapshots_lock(folder: Path, seconds: float) -> Iterator[Path]:
    """Hold the lock of the snapshots in `folder`. Yields their folder."""
    make_private_directory(folder)
    with wait_lock(folder / LOCK, seconds):
        place = folder / FOLDER
        if place.is_symlink():
            raise Refused(f"{place} is a symlink.", "Put a folder in its place.")
        make_private_directory(place)
        _sweep(place)
        yield place


# -- reading


def backups_in(place: Path, *, check: bool = True) -> list[MemoryBackup]:
    """The snapshots, newest first. `check` reads all of each; otherwise only its description."""
    backups = []
    for path in sorted(place.iterdir()) if place.is_dir() else ():
        match = _NAME.fullmatch(path.name)
        if match and path.is_dir() and not path.is_symlink():
            backups.append(_read(path, int(match[1]), check=check))
    return sorted(backups, key=lambda backup: (backup.number, backup.id), reverse=True)


def find_backup(place: Path, which: str) -> MemoryBackup:
    """The snapshot with this id or number. `latest` is the newest sound one. Raises NotFound."""
    backups = backups_in(place, check=False)
    if which == "latest":
        for backup in backups:
            checked = _read(backup.path, backup.number, check=True)
            if checked.is_sound:
                return checked
        raise NotFound("There is no sound snapshot of this memory.", "`waypost backup make` makes one.")
    for backup in backups:
        if backup.id == which or (which.isdecimal() and backup.number == int(which)):
            return _read(backup.path, backup.number, check=True)
    raise NotFound(f"There is no snapshot {which[:60]!r}.", "`waypost backup list` shows what there is.")


def _read(path: Path, number: int, *, check: bool) -> MemoryBackup:
    try:
        row = json.loads(read_small_file(path / DESCRIPTION, _LARGEST_DESCRIPTION))
        made_at = parse_time(row["made_at"], "made_at")
        cause, memories, mark = str(row["cause"]), int(row["memories"]), str(row["mark"])
        sums, space_id = row["files"], str(row["space"])
        if sums is not None and not isinstance(sums, dict):
            raise ValueError("files is no table")
    except (OSError, ValueError, KeyError, TypeError, RecursionError, WaypostError):
        return MemoryBackup(path.name, path, number, None, "", 0, f"{DESCRIPTION} is missing or damaged")
    problem = _problem(path, sums) if check else ""
    return MemoryBackup(
        path.name, path, number, made_at, cause, memories, problem, mark, space_id, is_sealed=sums is not None
    )


def _files(path: Path) -> list[Path]:
    """All files of a snapshot, except for the description, SQLite's side files and leftovers of killed processes."""
    return sorted(
        Path(folder) / name
        for folder, _, names in os.walk(path)
        for name in names
        if name != DESCRIPTION and not name.startswith((".", f"{DATABASE_FILE}-"))
    )


def _problem(path: Path, sums: dict[str, str] | None) -> str:
    files = _files(path)
    if (path / DATABASE_FILE) not in files:
        return f"{DATABASE_FILE} is missing"
    if any(file.is_symlink() or not file.is_file() for file in files):
        return "it holds a link or something else that is no file"
    if sums is not None:  # else a process was killed while erasing something, and the sums are outdated
        sums_now = {file.relative_to(path).as_posix(): _sum_of(file) for file in files}
        wrong = sorted(name for name in sums_now | sums if sums_now.get(name) != sums.get(name))
        if wrong:
            return f"{wrong[0]} is not as it was written"
    else:
        fold_log(path / DATABASE_FILE)
    return "; ".join(check_file(path / DATABASE_FILE)[:1])


def _sum_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


# -- making


def make(space: OpenSpace, cause: str = ASKED) -> MemoryBackup:
    """Make a snapshot, check it, and remove old ones as `[backup] keep` says."""
    refuse_servers(space.settings.store)
    with snapshots_lock(space.folder, space.settings.busy_timeout_seconds) as place:
        return make_in(space, place, cause)


def make_in(space: OpenSpace, place: Path, cause: str) -> MemoryBackup:
    backups = backups_in(place, check=False)
    number = max((backup.number for backup in backups), default=0) + 1
    now = space.clock()
    temporary = place / f"{TEMPORARY}{os.urandom(6).hex()}"
    target = place / f"{number:06d}-{now:%Y%m%dT%H%M%SZ}"
    try:
        temporary.mkdir(mode=0o700)
        before = backups[0].path / JOURNAL if backups else None
        with space.own_journal.locked():  # files and rows of the same moment
            mark = mark_of(space)
            _copy_journal(space.folder / JOURNAL, temporary / JOURNAL, before)
            copy_pages(
                space.folder / DATABASE_FILE, temporary / "whole.db", busy_seconds=space.settings.busy_timeout_seconds
            )
        _copy_file(space.folder / METADATA_FILE, temporary / METADATA_FILE, None)
        memories = keep_only_kept(
            temporary / "whole.db", temporary / DATABASE_FILE, derived=CODE_COLLECTIONS, meta=KEPT_NOTES
        )
        description = {"made_at": format_time(now), "cause": cause, "memories": memories, "mark": mark}
        describe(temporary, {**description, "space": space.identity.space_id})
        _check(temporary)
        temporary.rename(target)
        sync_directory(place)
    except OSError as error:
        raise write_failure(error, target) from error
    except StoreCorrupt as error:
        raise StoreCorrupt(
            f"The memory is damaged, so no snapshot was made: {error.what}",
            "Run `waypost doctor --fix`, or go back to an older snapshot with `waypost backup restore`.",
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    _prune(place, space.settings.backup.keep)
    return _read(target, number, check=False)


def describe(path: Path, description: dict[str, Any], *, sums: bool = True) -> None:
    """Write `backup.json` with sums of all files, which are synced to disk. Without `sums`, mark it as being changed."""
    files = _files(path)
    if sums:
        for path_of_file in files:
            with path_of_file.open("rb") as file:
                os.fsync(file.fileno())
        for folder, *_ in os.walk(path):
            sync_directory(Path(folder))
    all_sums = {file.relative_to(path).as_posix(): _sum_of(file) for file in files} if sums else None
    content = json.dumps({"format": 1, **description, "files": all_sums}, indent=1)
    write_private_file(path / DESCRIPTION, content.encode(), replace=True)


def description_of(backup: MemoryBackup) -> dict[str, Any]:
    """The content of `backup.json`, with the current number of memories."""
    made_at = format_time(backup.made_at) if backup.made_at else ""
    description = {"made_at": made_at, "cause": backup.cause, "memories": count_current(backup.path / DATABASE_FILE)}
    return {**description, "mark": backup.mark, "space": backup.space_id}


def _check(path: Path) -> None:
    """Read the snapshot back from disk: older ones are removed only if this one is complete."""
    problem = _read(path, 0, check=True).problem
    if problem:
        raise StoreCorrupt(f"What was written cannot be read again: {problem}.", "Check the disk.")


def _copy_journal(source: Path, target: Path, before: Path | None) -> None:
    """Copy the journal's folder. Files that are unchanged since the previous snapshot are hard links to it.

    Modification times are kept, because files are recognised by them.
    """
    if not source.is_dir() or source.is_symlink():
        return
    for folder, folders, names in os.walk(source):
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
        inside = Path(folder).relative_to(source)
        (target / inside).mkdir(mode=0o700)
        for name in names:
            place = Path(folder) / name
            if not name.startswith(".") and place.is_file() and not place.is_symlink():
                _copy_file(place, target / inside / name, None if before is None else before / inside / name)


def _copy_file(source: Path, target: Path, earlier: Path | None) -> None:
    if earlier is not None and _is_same(source, earlier):
        with contextlib.suppress(OSError):  # a file system without hard links
            os.link(earlier, target)
            return
    with (
        source.open("rb") as given,
        open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb") as to,
    ):
        shutil.copyfileobj(given, to)
        state = os.fstat(given.fileno())
    os.utime(target, ns=(state.st_mtime_ns, state.st_mtime_ns))


def _is_same(source: Path, earlier: Path) -> bool:
    try:
        same = not earlier.is_symlink() and source.stat().st_mtime_ns == earlier.stat().st_mtime_ns
        return same and filecmp.cmp(source, earlier, shallow=False)
    except OSError:
        return False


def mark_of(space: OpenSpace) -> str:
    """A value that changes with everything that a snapshot contains."""
    with space.store.read() as reader:
        last, audit = reader.memories.last_number(), reader.audit.entries(None, 1)
        waiting = reader.facts.count_candidates()
    stamps = sorted((path, stamp.size, stamp.mtime) for path, stamp in space.own_journal.scan().items())
    state = json.dumps([last, audit[0].number if audit else 0, waiting, stamps])
    return hashlib.sha256(state.encode()).hexdigest()[:32]


# -- when, and how many


def is_due(space: OpenSpace) -> bool:
    """Whether today's snapshot is missing and something has changed since the last one."""
    if space.settings.store or not space.settings.backup.daily:
        return False
    backups = backups_in(space.folder / FOLDER, check=False)
    today = space.clock().date()
    if any(
        backup.cause == DAILY and backup.made_at is not None and backup.made_at.date() == today for backup in backups
    ):
        return False
    if backups:
        return backups[0].mark != mark_of(space)
    with space.store.read() as reader:
        return bool(reader.audit.entries(None, 1))


def make_daily(space: OpenSpace) -> MemoryBackup | None:
    """Make today's snapshot if it is due. Several processes make one."""
    if not is_due(space):
        return None
    with snapshots_lock(space.folder, space.settings.busy_timeout_seconds) as place:
        return make_in(space, place, DAILY) if is_due(space) else None


def _prune(place: Path, keep: int) -> None:
    """Keep the newest daily snapshots, and as many others. Unreadable ones stay."""
    backups = [backup for backup in backups_in(place, check=False) if backup.made_at is not None]
    for is_daily in (True, False):
        for backup in [backup for backup in backups if (backup.cause == DAILY) is is_daily][keep:]:
            remove(backup)


def remove(backup: MemoryBackup) -> None:
    """Remove a snapshot. It is renamed first: the next lock removes leftovers after a kill."""
    hidden = backup.path.with_name(f"{TEMPORARY}{backup.id}-{os.urandom(4).hex()}")
    backup.path.rename(hidden)
    sync_directory(hidden.parent)
    shutil.rmtree(hidden, ignore_errors=True)


def _sweep(place: Path) -> None:
    for left in place.glob(f"{TEMPORARY}*"):
        if not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
