"""Snapshots of a memory: made, listed, checked, and thrown away when they are old.

A snapshot is a folder in `<space folder>/backups/`: the database without what can be made again, the journal's files, and
`backup.json`, which describes it. It gets its name when it is whole and checked. All who touch snapshots hold one lock.
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
from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.time import format_time, parse_time
from waypost.space.metadata import METADATA_FILE
from waypost.space.place import DATABASE_FILE
from waypost.space.platform import (
    PRIVATE_FILE,
    make_private_directory,
    read_small_file,
    sync_directory,
    wait_lock,
    write_failure,
    write_private_file,
)
from waypost.store.sqlite.snapshot import check_file, copy_pages, count_current, fold_log, keep_only_kept

FOLDER, DESCRIPTION, JOURNAL = "backups", "backup.json", "journal"
LOCK = "backups.lock"
DAILY, ASKED, BEFORE_RESTORE = "daily", "asked for", "before a restore"
# What is noted beside the rows and cannot be made again, by the beginnings of its names in the table `meta`.
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
_LARGEST_DESCRIPTION = 64 * 1024 * 1024  # bytes: a line for each file of the journal
_PIECE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class MemoryBackup:
    """A snapshot. They are numbered in the order in which they were made: a clock may have been wrong."""

    id: str
    path: Path
    number: int
    made_at: datetime | None
    cause: str
    memories: int
    size: int
    problem: str = ""  # why it cannot be restored; empty: it can
    mark: str = ""  # of the memory as it was
    space_id: str = ""
    is_sealed: bool = True  # False: a process was killed while it erased something in it

    @property
    def is_sound(self) -> bool:
        return not self.problem

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "path": str(self.path),
            "made_at": format_time(self.made_at) if self.made_at else None,
            "cause": self.cause,
            "memories": self.memories,
            "size": self.size,
            "sound": self.is_sound,
            "problem": self.problem or None,
        }


def refuse_servers(store: str) -> None:
    if store:
        raise Refused(
            "This memory is in PostgreSQL; Waypost makes no snapshots there.",
            "Back it up with the tools of the database: docs/operations.md, Backups.",
        )


@contextlib.contextmanager
def locked(folder: Path, seconds: float) -> Iterator[Path]:
    """The folder of the snapshots of the memory in `folder`, for one process and thread at a time."""
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
    """The snapshots, newest first. `check` reads all of each; without it, only what it says of itself."""
    found = []
    for path in sorted(place.iterdir()) if place.is_dir() else ():
        named = _NAME.fullmatch(path.name)
        if named and path.is_dir() and not path.is_symlink():
            found.append(_read(path, int(named[1]), check=check))
    return sorted(found, key=lambda one: (one.number, one.id), reverse=True)


def chosen(place: Path, which: str) -> MemoryBackup:
    """The snapshot with this id or number; `latest` is the newest that is sound. Raises NotFound."""
    known = backups_in(place, check=False)
    if which == "latest":
        for one in known:
            checked = _read(one.path, one.number, check=True)
            if checked.is_sound:
                return checked
        raise NotFound("There is no sound snapshot of this memory.", "`waypost backup make` makes one.")
    for one in known:
        if one.id == which or (which.isdecimal() and one.number == int(which)):
            return _read(one.path, one.number, check=True)
    raise NotFound(f"There is no snapshot {which[:60]!r}.", "`waypost backup list` shows what there is.")


def _read(path: Path, number: int, *, check: bool) -> MemoryBackup:
    files = _files(path)
    size = sum(one.lstat().st_size for one in files)
    try:
        told = json.loads(read_small_file(path / DESCRIPTION, _LARGEST_DESCRIPTION))
        made_at = parse_time(told["made_at"], "made_at")
        cause, memories, mark = str(told["cause"]), int(told["memories"]), str(told["mark"])
        sums, space_id = told["files"], str(told["space"])
        if sums is not None and not isinstance(sums, dict):
            raise ValueError("files is no table")
    except (OSError, ValueError, KeyError, TypeError, RecursionError, WaypostError):
        return MemoryBackup(path.name, path, number, None, "", 0, size, f"{DESCRIPTION} is missing or damaged")
    problem = _problem(path, files, sums) if check else ""
    return MemoryBackup(
        path.name, path, number, made_at, cause, memories, size, problem, mark, space_id, is_sealed=sums is not None
    )


def _files(path: Path) -> list[Path]:
    """Everything in it but the description, what SQLite keeps beside a database while it is open, and what a killed
    process left."""
    return sorted(
        Path(folder) / name
        for folder, _, names in os.walk(path)
        for name in names
        if name != DESCRIPTION and not name.startswith((".", f"{DATABASE_FILE}-"))
    )


def _problem(path: Path, files: list[Path], sums: dict[str, str] | None) -> str:
    if (path / DATABASE_FILE) not in files:
        return f"{DATABASE_FILE} is missing"
    if any(one.is_symlink() or not one.is_file() for one in files):
        return "it holds a link or something else that is no file"
    if sums is not None:  # else a process was killed while it erased something there, and the sums are to be made again
        found = {one.relative_to(path).as_posix(): _sum_of(one) for one in files}
        wrong = sorted(name for name in found | sums if found.get(name) != sums.get(name))
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
    """Write a snapshot, check it, and throw away what is older than `[backup] keep` says."""
    refuse_servers(space.settings.store)
    with locked(space.folder, space.settings.busy_timeout_seconds) as place:
        return make_in(space, place, cause)


def make_in(space: OpenSpace, place: Path, cause: str) -> MemoryBackup:
    """The same for who holds the lock."""
    known = backups_in(place, check=False)
    number = max((one.number for one in known), default=0) + 1
    now = space.clock()
    temporary = place / f"{TEMPORARY}{os.urandom(6).hex()}"
    target = place / f"{number:06d}-{now:%Y%m%dT%H%M%SZ}"
    try:
        temporary.mkdir(mode=0o700)
        before = known[0].path / JOURNAL if known else None
        with space.own_journal.locked():  # files and rows of one moment
            mark = mark_of(space)
            _copy_journal(space.folder / JOURNAL, temporary / JOURNAL, before)
            copy_pages(
                space.folder / DATABASE_FILE, temporary / "whole.db", busy_seconds=space.settings.busy_timeout_seconds
            )
        _copy_file(space.folder / METADATA_FILE, temporary / METADATA_FILE, None)
        memories = keep_only_kept(
            temporary / "whole.db", temporary / DATABASE_FILE, derived=CODE_COLLECTIONS, meta=KEPT_NOTES
        )
        told = {"made_at": format_time(now), "cause": cause, "memories": memories, "mark": mark}
        describe(temporary, {**told, "space": space.identity.space_id})
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


def describe(path: Path, told: dict[str, Any], *, sums: bool = True) -> None:
    """Write `backup.json`, with sums of all files, which are on disk then; without `sums` while they are changed."""
    files = _files(path)
    if sums:
        for one in files:
            with one.open("rb") as file:
                os.fsync(file.fileno())
        for folder, *_ in os.walk(path):
            sync_directory(Path(folder))
    found = {one.relative_to(path).as_posix(): _sum_of(one) for one in files} if sums else None
    content = json.dumps({"format": 1, **told, "files": found}, indent=1)
    write_private_file(path / DESCRIPTION, content.encode(), replace=True)


def described(one: MemoryBackup) -> dict[str, Any]:
    """What `backup.json` says, to be written again; the count of memories as it is now."""
    made_at = format_time(one.made_at) if one.made_at else ""
    told = {"made_at": made_at, "cause": one.cause, "memories": count_current(one.path / DATABASE_FILE)}
    return {**told, "mark": one.mark, "space": one.space_id}


def _check(path: Path) -> None:
    """Read it again from the disk: an older one is thrown away only for one that is whole."""
    problem = _read(path, 0, check=True).problem
    if problem:
        raise StoreCorrupt(f"What was written cannot be read again: {problem}.", "Check the disk.")


def _copy_journal(source: Path, target: Path, before: Path | None) -> None:
    """Copy the journal's folder. A file that the snapshot before has already is shared with it: none is written to in
    place. The times of files are kept, by which they are known for read."""
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


def _copy_file(source: Path, target: Path, known: Path | None) -> None:
    if known is not None and _is_same(source, known):
        with contextlib.suppress(OSError):  # a file system without hard links
            os.link(known, target)
            return
    with (
        source.open("rb") as given,
        open(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "wb") as to,
    ):
        shutil.copyfileobj(given, to)
        state = os.fstat(given.fileno())
    os.utime(target, ns=(state.st_mtime_ns, state.st_mtime_ns))


def _is_same(source: Path, known: Path) -> bool:
    try:
        same = not known.is_symlink() and source.stat().st_mtime_ns == known.stat().st_mtime_ns
        return same and filecmp.cmp(source, known, shallow=False)
    except OSError:
        return False


def mark_of(space: OpenSpace) -> str:
    """Another value once something that a snapshot holds has changed."""
    with space.store.read() as reader:
        last, audit = reader.memories.last_number(), reader.audit.entries(None, 1)
        waiting = reader.facts.count_candidates()
    stamps = sorted((path, one.size, one.mtime) for path, one in space.own_journal.scan().items())
    told = json.dumps([last, audit[0].number if audit else 0, waiting, stamps])
    return hashlib.sha256(told.encode()).hexdigest()[:32]


# -- when, and how many


def due(space: OpenSpace) -> bool:
    """Whether today's snapshot is still to be made: none was made today, and something has changed since the last one."""
    if space.settings.store or not space.settings.backup.daily:
        return False
    known = backups_in(space.folder / FOLDER, check=False)
    today = space.clock().date()
    if any(one.cause == DAILY and one.made_at is not None and one.made_at.date() == today for one in known):
        return False
    if known:
        return known[0].mark != mark_of(space)
    with space.store.read() as reader:
        return bool(reader.audit.entries(None, 1))


def make_daily(space: OpenSpace) -> MemoryBackup | None:
    """Make today's snapshot if it is due; one of several processes does."""
    if not due(space):
        return None
    with locked(space.folder, space.settings.busy_timeout_seconds) as place:
        return make_in(space, place, DAILY) if due(space) else None


def _prune(place: Path, keep: int) -> None:
    """The newest of the daily ones stay, and as many of the others. Those that are not ours to judge stay too."""
    known = [one for one in backups_in(place, check=False) if one.made_at is not None]
    for is_daily in (True, False):
        for one in [one for one in known if (one.cause == DAILY) is is_daily][keep:]:
            remove(one)


def remove(one: MemoryBackup) -> None:
    """Its name goes first: what is left of it after a kill is swept away with the next lock."""
    hidden = one.path.with_name(f"{TEMPORARY}{one.id}-{os.urandom(4).hex()}")
    one.path.rename(hidden)
    sync_directory(hidden.parent)
    shutil.rmtree(hidden, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Remove what killed processes left; whoever holds the lock is alone."""
    for left in place.glob(f"{TEMPORARY}*"):
        if not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
