"""The SQLite store of one space."""

import contextlib
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw

from waypost.errors import WaypostError
from waypost.model.time import Clock, utc_now
from waypost.store.salvaged import Index, Salvaged
from waypost.store.sql.meta import SELECT_NOTES, refuse_moved
from waypost.store.sqlite.connection import FilePool, check_library, translated_errors
from waypost.store.sqlite.damage import damage_of, has_kept_damage
from waypost.store.sqlite.files import contains
from waypost.store.sqlite.full_disk import has_no_room
from waypost.store.sqlite.known_damage import KnownDamage
from waypost.store.sqlite.lost_writes import keep_lost_writes, logged_commits
from waypost.store.sqlite.repair import repair
from waypost.store.sqlite.schema import MIGRATIONS, migrate, refuse_foreign
from waypost.store.sqlite.transactions import SqliteReader, SqliteWriter

if TYPE_CHECKING:
    from waypost.store.sqlite.vectors import EngineVectors

DATABASE_NAME = "memory.db"
_ODD = (TypeError, ValueError, LookupError, AttributeError, ArithmeticError, zlib.error)


class SqliteStore:
    """Opens `<folder>/memory.db`, and creates or migrates it if needed. The folder must exist.

    A memory that was moved to another database raises StoreError. Only `for_moving` allows it.
    """

    def __init__(
        self, folder: Path, *, clock: Clock = utc_now, busy_seconds: float = 60.0, for_moving: bool = False
    ) -> None:
        check_library()
        self._folder = folder
        self._for_moving = for_moving
        self._clock, self._busy_seconds = clock, busy_seconds
        self._path = folder / DATABASE_NAME
        self._connections = FilePool(self._path, busy_seconds)
        self._known_damage = KnownDamage(self._path)
        self._engines: dict[tuple[int, int], EngineVectors] = {}  # by id and dimensions: ids can be assigned again
        with translated_errors(self._path):
            refuse_foreign(self._path)
        logged = logged_commits(self._path)
        with translated_errors(self._path), self._connections.lend() as connection:
            if logged is not None:
                keep_lost_writes(self._path, connection, logged, clock())
            migrate(connection, str(self._path), clock())
            with contextlib.suppress(apsw.CorruptError):  # each transaction checks too
                self._refuse_moved(connection.execute(SELECT_NOTES).fetchall())

    @contextmanager
    def read(self) -> Iterator[SqliteReader]:
        with translated_errors(self._path), self._connections.lend() as connection:
            connection.execute("BEGIN")
            reader = SqliteReader(connection, self._vectors)
            try:
                self._refuse_moved(reader.moved_notes())  # another process may have moved it since it was opened
                yield reader
            except _ODD as error:
                self._blame_damage(error, connection)
                raise
            finally:
                self._known_damage.add(reader.damage(), reader.copied)
                if connection.in_transaction:  # else this would hide the real error
                    connection.execute("ROLLBACK")

    @contextmanager
    def write(self) -> Iterator[SqliteWriter]:
        with translated_errors(self._path), self._connections.turn, self._connections.lend() as connection:
            if self._known_damage.forbids_writing(connection):
                raise apsw.CorruptError("what a write must know cannot be read")
            connection.execute("BEGIN IMMEDIATE")
            try:
                self._refuse_moved(connection.execute(SELECT_NOTES).fetchall())
                yield SqliteWriter(connection, self._vectors)
                connection.execute("COMMIT")
                self._connections.confirm(connection)
            except BaseException as error:
                if isinstance(error, _ODD):
                    self._blame_damage(error, connection)
                if connection.in_transaction:  # SQLite itself rolls back on some errors
                    connection.execute("ROLLBACK")
                raise

    def _blame_damage(self, error: Exception, connection: apsw.Connection) -> None:
        """Raise CorruptError if an unexpected error may come from a damaged value."""
        if not isinstance(error, WaypostError) and has_kept_damage(self._path, self._connections.only(connection)):
            raise apsw.CorruptError(f"a value is not as it was written: {error!r}") from error

    def scrub(self, traces: Sequence[str], *, wait: bool = True, rewrite: bool = False) -> bool:
        """Merge the keyword index so that no erased word remains, drop the sidecars, empty the log.

        Freed pages were overwritten (`secure_delete`). If a text is still there, or with `rewrite`, the whole file is
        written again. Then only another memory can contain it.
        """
        self.compact()
        with translated_errors(self._path), self._connections.lend(patient=wait) as connection:
            done = _empty_log(connection)
            # Afterwards: readers that still saw the erased rows have finished now and write no sidecar of them.
            for vectors in self._all_vectors(connection):
                vectors.drop_sidecars()
            if rewrite or contains(self._path, [trace.encode() for trace in traces]):
                try:
                    with self._connections.turn:
                        connection.execute("VACUUM")
                except apsw.BusyError:
                    return False
                done = _empty_log(connection)
        return done

    def compact(self) -> None:
        with self.write() as writer:
            writer.index.compact_keywords()
            kept = {str(engine_id) for engine_id in writer.index.engine_ids()}
        for path in self._folder.glob("vectors-*.bin"):
            if path.name.split("-")[1] not in kept:  # of a dropped engine
                path.unlink(missing_ok=True)

    def _refuse_moved(self, notes: list[Any]) -> None:
        if notes and not self._for_moving:
            refuse_moved(notes)

    def problems(self) -> Iterator[str]:
        # While a connection is open: the check, as the last one to close the database, would empty the log.
        with translated_errors(self._path), self._connections.lend() as connection:
            yield from damage_of(self._path, self._clock(), self._connections.only(connection))

    def is_sound(self) -> bool:
        with translated_errors(self._path), self._connections.lend() as connection:
            return not has_kept_damage(self._path, self._connections.only(connection))

    def repair(self, index: Index) -> Salvaged:
        self._connections.close()
        try:
            return repair(self._path, index, self._clock(), self._busy_seconds)
        finally:
            self._known_damage.clear()
            self._connections.open_again()
            self._engines.clear()

    @property
    def place(self) -> str:
        return str(self._folder)

    @property
    def may_write(self) -> bool:
        """Not on a full disk or a damaged file: reads then skip what they would note."""
        if has_no_room(self._path):
            return False
        if not self._known_damage.is_any:
            return True
        with translated_errors(self._path), self._connections.lend() as connection:
            return not self._known_damage.forbids_writing(connection)

    def known_damage(self) -> tuple[str, ...]:
        if not self._known_damage.is_any:
            return ()
        with translated_errors(self._path), self._connections.lend() as connection:
            return self._known_damage.tables(connection)

    def unreadable(self) -> tuple[str, ...]:
        return self._known_damage.unreadable(self._clock())

    @property
    def schema_version(self) -> int:
        return len(MIGRATIONS)

    def size_bytes(self) -> int:
        total = 0
        for folder, _, names in os.walk(self._folder):
            for name in names:
                with contextlib.suppress(OSError):  # it vanished meanwhile, as parts of a snapshot do
                    total += os.lstat(os.path.join(folder, name)).st_size
        return total

    def close(self) -> None:
        """Close idle connections. Work in progress may finish; later calls open the file only for their time."""
        self._connections.close()

    def _vectors(self, connection: apsw.Connection, engine: str) -> "EngineVectors | None":
        rows: list[Any] = connection.execute(
            "SELECT engine_id, dimensions FROM engines WHERE name = ?", (engine,)
        ).fetchall()
        if not rows or not rows[0][1]:
            return None
        return self._engine_vectors(*rows[0])

    def _all_vectors(self, connection: apsw.Connection) -> "list[EngineVectors]":
        rows: list[Any] = connection.execute(
            "SELECT engine_id, dimensions FROM engines WHERE dimensions > 0"
        ).fetchall()
        return [self._engine_vectors(*row) for row in rows]

    def _engine_vectors(self, engine_id: int, dimensions: int) -> "EngineVectors":
        from waypost.store.sqlite.vectors import EngineVectors  # needs numpy; keyword-only work does without

        vectors = self._engines.get((engine_id, dimensions))
        if vectors is None:
            vectors = self._engines[engine_id, dimensions] = EngineVectors(self._folder, engine_id, dimensions)
        return vectors


def _empty_log(connection: apsw.Connection) -> bool:
    """Move the write-ahead log into the database and truncate it. False: a reader used it for too long."""
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0]
    except apsw.BusyError:
        return False
    return not busy
