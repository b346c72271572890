"""Detect a database that is empty or gone: SQLite would create a new one and remove the old log."""

from pathlib import Path

from waypost.errors import ForeignFile, NotFound, StoreCorrupt
from waypost.flows.backup.snapshots import FOLDER, backups_in
from waypost.flows.findings import DATABASE, EMPTIED, Finding
from waypost.space.metadata import read_metadata
from waypost.space.place import DATABASE_FILE


def refuse_emptied(folder: Path) -> None:
    """Raise StoreCorrupt if this folder held a memory whose database is empty or gone."""
    if is_emptied(folder):
        finding = emptied_finding(folder)
        raise StoreCorrupt(finding.message, finding.remedy)


def is_emptied(folder: Path) -> bool:
    """The traces of a memory are read before the size: another process may just be creating both, the database first."""
    database = folder / DATABASE_FILE
    was_used = _was_used(folder)
    had_content = _size(folder / f"{DATABASE_FILE}-wal") > 0 or bool(_snapshots(folder))
    return (had_content or (was_used and database.exists())) and _size(database) == 0


def emptied_finding(folder: Path) -> Finding:
    """What happened and what to do: restore a snapshot, or save what the log holds."""
    database = folder / DATABASE_FILE
    what = f"{database} is empty" if database.exists() else f"{database} is gone"
    snapshots = _snapshots(folder)
    if snapshots:
        return EMPTIED.finding(f"{what}. {snapshots[0]} is the latest snapshot of the memory.", folder=folder / FOLDER)
    log = " Its log is left." if _size(folder / f"{DATABASE_FILE}-wal") > 0 else ""
    return DATABASE.finding(f"{what}, and there is no snapshot of the memory.{log}")


def has_snapshots(folder: Path) -> bool:
    return bool(_snapshots(folder))


def _snapshots(folder: Path) -> list[str]:
    return [backup.id for backup in backups_in(folder / FOLDER, check=False)]


def _was_used(folder: Path) -> bool:
    try:
        return read_metadata(folder).schema_version > 0
    except (NotFound, ForeignFile):
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
