"""The two kinds of places to move a memory between: files of this machine, and a PostgreSQL database."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from waypost.config import Settings
from waypost.errors import StoreBusy
from waypost.flows.move.notes import Notes, notes_of
from waypost.memory.storage import need_driver, open_store
from waypost.model.memory import StoredSpace
from waypost.model.time import Clock
from waypost.space.metadata import METADATA_FILE, Metadata, write_metadata
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.store.protocol import Store
from waypost.system.platform import make_private_directory, sync_directory, write_failure, write_private_file

_INCOMING = "incoming"  # a folder beside the database for an unfinished copy
_SIDECARS = "vectors-*.bin"


class MemoryPlace(Protocol):
    """Where a memory is, or where it will be."""

    description: str  # stable, without secrets
    folder: Path  # its other files on this machine

    def notes(self) -> Notes | None:
        """The move notes of the memory here, or None without a memory. Creates nothing."""

    def growing_notes(self) -> Notes | None:
        """The move notes of the unfinished copy, else of the memory here."""

    def check_makeable(self) -> None:
        """Raise SecurityError if the caller may not create the memory here. Creates nothing."""

    def clear(self) -> None:
        """Remove an unfinished copy, so that a new one can begin."""

    def open(self) -> AbstractContextManager[Store]:
        """Open the memory for moving."""

    def growing(self, *, has_arrived: bool) -> AbstractContextManager[Store]:
        """Open the copy, and create it if needed. A complete copy may be in its final place already."""

    def arrive(self) -> None:
        """Put the complete, closed copy into its final place. May be repeated."""

    def remove(self) -> None:
        """Delete the memory permanently."""


def place_of(settings: Settings, space: StoredSpace, clock: Clock) -> MemoryPlace:
    return PostgresPlace(settings, space, clock) if settings.store else FilePlace(settings, space, clock)


class FilePlace:
    """A folder of this machine. A copy grows in a subfolder and replaces the database when it is complete."""

    def __init__(self, settings: Settings, space: StoredSpace, clock: Clock) -> None:
        self._settings, self._space, self._clock = settings, space, clock
        self.folder = space_directory(settings.memory_root, space.space_id)
        self.description = f"{self.folder} on {settings.machine}"

    @property
    def _incoming(self) -> Path:
        return self.folder / _INCOMING

    def notes(self) -> Notes | None:
        return self._notes_in(self.folder)

    def growing_notes(self) -> Notes | None:
        return self._notes_in(self._incoming) or self.notes()

    def _notes_in(self, folder: Path) -> Notes | None:
        if not (folder / DATABASE_FILE).is_file():
            return None
        with self._store(folder) as store, store.read() as reader:
            return notes_of(reader)

    def check_makeable(self) -> None:
        """Files of this machine are always allowed."""

    def clear(self) -> None:
        """The database itself stays until the copy replaces it."""
        remove_folder(self._incoming)

    def open(self) -> AbstractContextManager[Store]:
        return self._store(self.folder)

    def growing(self, *, has_arrived: bool) -> AbstractContextManager[Store]:
        make_home(self.folder, self._space)
        if has_arrived and not (self._incoming / DATABASE_FILE).is_file():
            return self._store(self.folder)
        make_private_directory(self._incoming)
        return self._store(self._incoming)

    def arrive(self) -> None:
        copy = self._incoming / DATABASE_FILE
        if not copy.is_file():
            return
        log = copy.with_name(f"{DATABASE_FILE}-wal")
        if log.is_file() and log.stat().st_size:  # its rows are not in the file yet: another process has it open
            raise StoreBusy(f"{copy} is open in another process.", "Wait for it to finish, and repeat the command.")
        try:
            _remove_database(self.folder)  # with its log: SQLite would apply it to the new file
            os.replace(copy, self.folder / DATABASE_FILE)
            sync_directory(self.folder)
        except OSError as error:
            raise write_failure(error, self.folder) from error
        remove_folder(self._incoming)

    def remove(self) -> None:
        _remove_database(self.folder)

    def _store(self, folder: Path) -> AbstractContextManager[Store]:
        settings = replace(self._settings, store="")
        return closing(open_store(settings, self._space, folder, self._clock, for_moving=True))


class PostgresPlace:
    """A schema in a PostgreSQL database."""

    def __init__(self, settings: Settings, space: StoredSpace, clock: Clock) -> None:
        need_driver()
        from waypost.store.postgres.errors import without_password

        self._settings, self._space, self._clock = settings, space, clock
        self.folder = space_directory(settings.memory_root, space.space_id)
        self.description = without_password(settings.store)

    def notes(self) -> Notes | None:
        from waypost.store.postgres.store import holds

        if not holds(self._settings.store, self._space.space_id):
            return None
        with self.open() as store, store.read() as reader:
            return notes_of(reader)

    def growing_notes(self) -> Notes | None:
        return self.notes()

    def check_makeable(self) -> None:
        from waypost.store.postgres.creation import check_makeable

        check_makeable(self._settings.store, self._space)

    def clear(self) -> None:
        from waypost.store.postgres.store import drop_tables

        drop_tables(self._settings.store, self._space.space_id)

    def open(self) -> AbstractContextManager[Store]:
        return closing(open_store(self._settings, self._space, self.folder, self._clock, for_moving=True))

    def growing(self, *, has_arrived: bool) -> AbstractContextManager[Store]:  # noqa: ARG002  always in its final place
        make_home(self.folder, self._space)
        return self.open()

    def arrive(self) -> None:
        """The schema is in its final place already."""

    def remove(self) -> None:
        from waypost.store.postgres.store import forget_space

        forget_space(self._settings.store, self._space.space_id)


def make_home(folder: Path, space: StoredSpace) -> None:
    """Create the folder of a memory on this machine with its metadata. An existing one stays unchanged."""
    make_private_directory(folder.parent)
    make_private_directory(folder)
    metadata = Metadata(space.name, space.kind, space.source, space.origin, space.created)
    write_metadata(folder, metadata, replace=False)


def carry_files(source: Path, target: Path, *, exact: bool) -> None:
    """Copy the files of a memory beside its database, such as its journal, to a folder with another name.

    `exact`: delete files of the target that the source does not have.
    """
    if source == target or not source.is_dir():
        return
    names = {path.relative_to(source) for path in _files(source)}
    for name in names:
        there, stat = target / name, (source / name).stat()
        if there.is_file() and (there.stat().st_size, there.stat().st_mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            continue
        make_private_directory(there.parent)
        write_private_file(there, (source / name).read_bytes(), replace=True)
        os.utime(there, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    if exact:
        for path in list(_files(target)):
            if path.relative_to(target) not in names:
                path.unlink(missing_ok=True)


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != _INCOMING or Path(place) != folder]
        for name in names:
            path = Path(place) / name
            is_own = Path(place) == folder and (
                name.startswith(DATABASE_FILE) or path.match(_SIDECARS) or name in (METADATA_FILE,)
            )
            if not is_own and not name.endswith((".lock", ".tmp")) and path.is_file() and not path.is_symlink():
                yield path


def _remove_database(folder: Path) -> None:
    # The database file last: while it exists, the place counts as a memory.
    for pattern in (_SIDECARS, f"{DATABASE_FILE}-*", DATABASE_FILE):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)


def remove_folder(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
