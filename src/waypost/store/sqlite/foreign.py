"""Reads an untrusted SQLite file of another program.

The file itself is only read as bytes: a private copy of it, its log and its journal is opened instead. Only ordinary
tables of the copy are read. Views, virtual tables, triggers and computed columns are code: they are never used.
"""

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

import apsw

from waypost.errors import InvalidInput, StoreBusy, StoreCorrupt
from waypost.store.open_databases import refuse_open_database

LARGEST_FILE = 16 * 1024**3
LARGEST_VALUE = 4_000_000  # bytes: a memory has up to a million characters of up to four bytes
MOST_COLUMNS = 400  # of a table; later ones are left out
_LARGEST_ROW = 256 * 1024**2  # largest value that SQLite itself may handle
_MAGIC = b"SQLite format 3\0"
_BESIDE = ("", "-wal", "-journal")  # committed rows may be in the log, uncommitted ones in the file
_TRIES = 5
_PRIVATE = 0o600
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_PIECE = 1024 * 1024
_PLAIN_TABLE = re.compile(r"CREATE TABLE\b")  # as SQLite itself writes it; a virtual table begins differently
_COMPUTED = (1, 2, 3)  # hidden, virtual and stored generated columns
# What `quick_check` says of rows that violate a constraint. They can still be read.
_NOT_DAMAGE = ("ok", "NULL value in", "CHECK constraint", "non-", "TEXT value in", "NUMERIC value in")


@dataclass(frozen=True, slots=True)
class TooLarge:
    """Stands for a value that was not read."""

    size: int


Value = str | int | float | bytes | TooLarge | None


@dataclass(frozen=True, slots=True)
class ForeignTable:
    name: str  # as spelled in the file
    columns: tuple[str, ...]  # that contain data


# -- the copy


def copy_database(source: Path, target: Path) -> None:
    """Put a private copy of the database at `target`, as of one moment, with everything that was committed.

    The source, its log and its journal stay unchanged. Raises InvalidInput if it is no database, StoreCorrupt if it
    is damaged, and StoreBusy if it keeps changing. Raises OSError if the copy cannot be written.
    """
    refuse_open_database(source)
    _check_header(source)
    try:
        for _ in range(_TRIES):
            before = _states(source)
            for end in _BESIDE:
                _copy(Path(f"{source}{end}"), Path(f"{target}{end}"))
            if _states(source) == before:
                break
        else:
            raise StoreBusy(f"{source} is being written all the time.", "Stop the program that uses it, then repeat.")
        with _translated_errors(source):
            _fold(target)
        with target.open("rb") as file:
            os.fsync(file.fileno())
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    finally:
        for end in (*_BESIDE[1:], "-shm"):
            Path(f"{target}{end}").unlink(missing_ok=True)


def _check_header(source: Path) -> None:
    try:
        handle = os.open(source, _READING)
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else error
        raise InvalidInput(f"{source} cannot be read: {said}.", "Check the path.") from error
    try:
        state = os.fstat(handle)
        if not stat.S_ISREG(state.st_mode):
            raise InvalidInput(f"{source} is not a file.", "Name the database file itself.")
        if state.st_size > LARGEST_FILE:
            raise InvalidInput(f"{source} has more than {LARGEST_FILE:,} bytes.", "Is this the right file?")
        start = os.read(handle, len(_MAGIC))
    finally:
        os.close(handle)
    if start != _MAGIC:
        what = "is empty" if not start else "is not a SQLite database, or it is encrypted"
        raise InvalidInput(f"{source} {what}.", "Name the database file; an encrypted one must be decrypted first.")


def _states(source: Path) -> list[tuple[int, int, int] | None]:
    stamps: list[tuple[int, int, int] | None] = []
    for end in _BESIDE:
        try:
            state = os.stat(f"{source}{end}")
            stamps.append((state.st_ino, state.st_size, state.st_mtime_ns))
        except FileNotFoundError:
            stamps.append(None)
    return stamps


def _copy(source: Path, target: Path) -> None:
    target.unlink(missing_ok=True)
    try:
        handle = os.open(source, _READING)
    except FileNotFoundError:
        return
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror}.", "Check its permissions.") from error
    with open(handle, "rb") as given:
        if not stat.S_ISREG(os.fstat(given.fileno()).st_mode):
            raise InvalidInput(f"{source} is not a file.", "Move it away.")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(target, flags, _PRIVATE), "wb") as taken:
            left = LARGEST_FILE
            while left > 0 and (piece := given.read(_PIECE)):
                taken.write(piece)
                left -= len(piece)


def _fold(path: Path) -> None:
    """Merge the log into the file, and roll back what a journal says was not committed: one file remains."""
    with contextlib.closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        _make_safe(connection)
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()


# -- the tables


class ForeignDatabase:
    """The ordinary tables of a copy that nobody else writes. Table names are matched in any case."""

    def __init__(self, path: Path, display_path: Path | None = None) -> None:
        """`display_path` is how messages name the database, if it is a copy."""
        self._display_path = display_path or path
        with _translated_errors(self._display_path):
            address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
            self._db = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
            try:
                _make_safe(self._db)
                self._encoding = str(self._db.pragma("encoding") or "UTF-8")
                self._tables = {table.name.lower(): table for table in self._read_tables()}
            except BaseException:
                self._db.close()
                raise

    def __enter__(self) -> "ForeignDatabase":
        return self

    def __exit__(self, *_: tuple[type[BaseException], BaseException, TracebackType] | None) -> None:
        self._db.close()

    def table(self, name: str) -> ForeignTable | None:
        return self._tables.get(name.lower())

    def own_tables(self) -> list[ForeignTable]:
        """The tables that the program itself created: without SQLite's own, and without those behind a virtual table."""
        with _translated_errors(self._display_path):
            rows = self._db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").fetchall()
        virtual = tuple(f"{name}_".lower() for name, sql in rows if not _PLAIN_TABLE.match(str(sql or "")))
        return [
            table
            for name, table in self._tables.items()
            if not name.startswith(("sqlite_", *virtual)) and table.columns
        ]

    def check(self, table: ForeignTable) -> None:
        """Raise StoreCorrupt if the pages of the table are damaged: reading could return anything, or never end."""
        with _translated_errors(self._display_path):
            for (message,) in self._db.execute(f"PRAGMA quick_check({quoted(table.name)})").fetchall():
                if not str(message).startswith(_NOT_DAMAGE):
                    raise _damaged(self._display_path, str(message)[:200])

    def count(self, table: ForeignTable) -> int:
        with _translated_errors(self._display_path):
            for (count,) in self._db.execute(f"SELECT count(*) FROM {quoted(table.name)} NOT INDEXED"):
                return int(count)
        return 0

    def rows(self, table: ForeignTable, columns: Sequence[str]) -> Iterator[tuple[Value, ...]]:
        """The values of these columns, row by row, in a stable order.

        Invalid characters are replaced by marks. Values that are too large come as `TooLarge`.
        """
        selected = ", ".join(f"typeof({name}), {_limited(name)}" for name in map(quoted, columns))
        with _translated_errors(self._display_path):
            for row in self._db.execute(f"SELECT {selected} FROM {quoted(table.name)} NOT INDEXED"):
                yield tuple(self._value(row[at], row[at + 1]) for at in range(0, len(row), 2))

    def _value(self, sort: object, value: object) -> Value:
        if sort == "text":
            if isinstance(value, bytes):
                return value.decode(self._encoding, "replace")
            return TooLarge(value) if isinstance(value, int) else None
        if sort == "blob" and isinstance(value, int):
            return TooLarge(value)
        return value if isinstance(value, int | float | bytes) else None

    def _read_tables(self) -> Iterator[ForeignTable]:
        tables = self._db.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND rootpage > 0"
        ).fetchall()
        for name, sql in tables:
            if not isinstance(name, str) or not isinstance(sql, str) or not _PLAIN_TABLE.match(sql):
                continue
            info = self._db.execute(f"PRAGMA table_xinfo({quoted(name)})").fetchall()
            columns = [str(row[1]) for row in info if row[6] not in _COMPUTED and "\0" not in str(row[1])]
            yield ForeignTable(name, tuple(columns[:MOST_COLUMNS]))


def _make_safe(connection: apsw.Connection) -> None:
    for option, value in (
        (apsw.SQLITE_DBCONFIG_DEFENSIVE, 1),
        (apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0),
        (apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0),
        (apsw.SQLITE_DBCONFIG_DQS_DML, 0),
    ):
        connection.config(option, value)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, _LARGEST_ROW)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    for name, setting in (
        ("cell_size_check", "on"),
        ("mmap_size", 0),
        ("temp_store", "memory"),
        ("ignore_check_constraints", "on"),  # they are code too, and `quick_check` would run them
    ):
        connection.pragma(name, setting)


def _limited(column: str) -> str:
    """Texts come as bytes, because a damaged one cannot be returned as text; too large values only as their size."""
    size = f"octet_length({column})"
    return (
        f"CASE WHEN {size} > {LARGEST_VALUE} THEN {size}"
        f" WHEN typeof({column}) = 'text' THEN CAST({column} AS BLOB) ELSE {column} END"
    )


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _damaged(path: Path, said: str) -> StoreCorrupt:
    return StoreCorrupt(f"{path} is damaged: {said}.", "Repair it, for example with sqlite3's .recover, then repeat.")


@contextlib.contextmanager
def _translated_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.NotADBError as error:
        raise InvalidInput(
            f"{path} is not a SQLite database, or it is encrypted.",
            "Name the database file; an encrypted one must be decrypted first.",
        ) from error
    except apsw.FullError as error:
        raise StoreCorrupt(f"There is no room to read {path}.", "Free some space and repeat.") from error
    except apsw.Error as error:  # any error: the file is at fault, not the question
        raise _damaged(path, str(error)[:200].rstrip(".")) from error
