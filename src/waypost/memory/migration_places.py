"""The two sorts of places that a memory is moved between: files of this machine, and a PostgreSQL database."""

import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Protocol

from waypost.config import Settings
from waypost.errors import StoreBusy
from waypost.flows.move.notes import Notes, notes_of
from waypost.memory.storage import StoredSpace, need_driver, open_store, team_space
from waypost.model.time import Clock
from waypost.space.metadata import METADATA_FILE, Metadata, write_metadata
from waypost.space.place import DATABASE_FILE, space_directory
from waypost.space.platform import make_private_directory, sync_directory, write_failure, write_private_file
from waypost.store.protocol import Store

_INCOMING = "incoming"  # a folder beside the database: what is in it has not arrived
_SIDECARS = "vectors-*.bin"


class MemoryPlace(Protocol):
    """Where a memory is, or is to be."""

    shown: str  # in words, and the same each time; nothing secret
    folder: Path  # of its other files, on this machine

    def notes(self) -> Notes | None:
        """What it says about moves, as a place that a memory is in; None where there is none. Makes nothing."""

    def growing_notes(self) -> Notes | None:
        """The same, as a place that a memory goes to: of the copy, if one was begun."""

    def check_makeable(self) -> None:
        """Raises SecurityError where whoever asks may not make the memory there. Makes nothing."""

    def clear(self) -> None:
        """Make room for a copy that begins anew."""

    def opened(self) -> AbstractContextManager[Store]:
        """The memory, for moving."""

    def growing(self, *, has_arrived: bool) -> AbstractContextManager[Store]:
        """The copy, made where there is none; one that has arrived may be in its place already."""

    def arrive(self) -> None:
        """The copy is whole, and nobody has it open: put it where it is found. Again, if need be."""

    def remove(self) -> None:
        """Delete the memory for good."""


def place_of(settings: Settings, space: StoredSpace, clock: Clock) -> MemoryPlace:
    return PostgresPlace(settings, space, clock) if settings.store else FilePlace(settings, space, clock)


class FilePlace:
    """A folder of this machine. A copy grows in a folder of its own, and takes its place when it is whole."""

    def __init__(self, settings: Settings, space: StoredSpace, clock: Clock) -> None:
        self._settings, self._space, self._clock = settings, space, clock
        self.folder = space_directory(settings.memory_root, space.space_id)
        self.shown = f"{self.folder} on {settings.machine}"

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
        """Nobody is kept from one's own home."""

    def clear(self) -> None:
        """What is in its place stays there until the copy takes it."""
        _remove_folder(self._incoming)

    @contextmanager
    def opened(self) -> Iterator[Store]:
        with self._store(self.folder) as store:
            yield store

    @contextmanager
    def growing(self, *, has_arrived: bool) -> Iterator[Store]:
        make_home(self.folder, self._space)
        if has_arrived and not (self._incoming / DATABASE_FILE).is_file():
            with self._store(self.folder) as store:
                yield store
            return
        make_private_directory(self._incoming)
        with self._store(self._incoming) as store:
            yield store

    def arrive(self) -> None:
        copy = self._incoming / DATABASE_FILE
        if not copy.is_file():
            return
        log = copy.with_name(f"{DATABASE_FILE}-wal")
        if log.is_file() and log.stat().st_size:  # its rows are not in the file yet: somebody has it open
            raise StoreBusy(f"{copy} is open in another process.", "Wait for it to finish, and repeat the command.")
        try:
            _remove_database(self.folder)  # with its log: SQLite would take that for one of the new file
            os.replace(copy, self.folder / DATABASE_FILE)
            sync_directory(self.folder)
        except OSError as error:
            raise write_failure(error, self.folder) from error
        _remove_folder(self._incoming)

    def remove(self) -> None:
        _remove_database(self.folder)

    @contextmanager
    def _store(self, folder: Path) -> Iterator[Store]:
        files = _without_store(self._settings)
        store = open_store(files, self._space, folder, self._clock, for_moving=True)
        try:
            yield store
        finally:
            store.close()


class PostgresPlace:
    """A schema in a PostgreSQL database."""

    def __init__(self, settings: Settings, space: StoredSpace, clock: Clock) -> None:
        need_driver()
        from waypost.store.postgres.errors import without_password

        self._settings, self._space, self._clock = settings, space, clock
        self.folder = space_directory(settings.memory_root, space.space_id)
        self.shown = without_password(settings.store)

    def notes(self) -> Notes | None:
        from waypost.store.postgres.store import holds

        if not holds(self._settings.store, self._space.space_id):
            return None
        with self.opened() as store, store.read() as reader:
            return notes_of(reader)

    def growing_notes(self) -> Notes | None:
        return self.notes()

    def check_makeable(self) -> None:
        from waypost.store.postgres.creation import check_makeable

        check_makeable(self._settings.store, team_space(self._space))

    def clear(self) -> None:
        from waypost.store.postgres.store import drop_tables

        drop_tables(self._settings.store, self._space.space_id)

    @contextmanager
    def opened(self) -> Iterator[Store]:
        store = open_store(self._settings, self._space, self.folder, self._clock, for_moving=True)
        try:
            yield store
        finally:
            store.close()

    @contextmanager
    def growing(self, *, has_arrived: bool) -> Iterator[Store]:  # noqa: ARG002  it is always in its place
        make_home(self.folder, self._space)
        with self.opened() as store:
            yield store

    def arrive(self) -> None:
        """It grew in its place."""

    def remove(self) -> None:
        from waypost.store.postgres.store import forget_space

        forget_space(self._settings.store, self._space.space_id)


def make_home(folder: Path, space: StoredSpace) -> None:
    """The folder of a memory on this machine, which says what it is; one that is there stays as it is."""
    make_private_directory(folder.parent)
    make_private_directory(folder)
    metadata = Metadata(space.name, space.kind, space.source, space.origin, space.created)
    write_metadata(folder, metadata, replace=False)


def carry_files(source: Path, target: Path, *, exact: bool) -> None:
    """Copy what a memory keeps in files beside its database, as its journal: its folder has another name where its id
    changes. `exact`: what is not in the source goes from the target."""
    if source == target or not source.is_dir():
        return
    wanted = {path.relative_to(source) for path in _files(source)}
    for name in wanted:
        there, stat = target / name, (source / name).stat()
        if there.is_file() and (there.stat().st_size, there.stat().st_mtime_ns) == (stat.st_size, stat.st_mtime_ns):
            continue
        make_private_directory(there.parent)
        write_private_file(there, (source / name).read_bytes(), replace=True)
        os.utime(there, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    if exact:
        for path in list(_files(target)):
            if path.relative_to(target) not in wanted:
                path.unlink(missing_ok=True)


def remove_rest(folder: Path) -> None:
    """What `carry_files` has copied elsewhere, and the folder."""
    _remove_folder(folder)


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one != _INCOMING or Path(place) != folder]
        for name in names:
            path = Path(place) / name
            is_own = Path(place) == folder and (
                name.startswith(DATABASE_FILE) or path.match(_SIDECARS) or name in (METADATA_FILE,)
            )
            if not is_own and not name.endswith((".lock", ".tmp")) and path.is_file() and not path.is_symlink():
                yield path


def _without_store(settings: Settings) -> Settings:
    from dataclasses import replace

    return replace(settings, store="")


def _remove_database(folder: Path) -> None:
    # The file itself last: as long as it is there, the place is known to hold a memory.
    for pattern in (_SIDECARS, f"{DATABASE_FILE}-*", DATABASE_FILE):
        for path in folder.glob(pattern):
            path.unlink(missing_ok=True)


def _remove_folder(folder: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
