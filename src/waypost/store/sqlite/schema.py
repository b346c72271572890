"""The tables and their migrations.

A migration is a name and its statements. Missing ones run in order, each in one transaction with its record. A
failure leaves the database unchanged. A released migration is never edited.
"""

import contextlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from waypost.errors import ForeignFile, SchemaTooNew
from waypost.model.time import to_micros
from waypost.store.sql.migrations import Migrations
from waypost.store.sqlite.checksums import add_checksum_function
from waypost.store.sqlite.files import APPLICATION_ID, header

_HEADER_BYTES = 100
_RECONCILED = "0007_first_databases"

MIGRATIONS: Mapping[str, str] = Migrations(
    Path(__file__).with_name("migrations"),
    "0001_ground",
    "0002_code",
    "0003_verdicts",
    "0004_facts",
    "0005_journal",
    "0006_shares",
    # The first databases were created while the migrations above were still being edited: `_reconcile` changes those.
    "0007_first_databases",
    "0008_declined_candidates",
    "0009_tombstone_causes",
    "0010_checksums",
    "0011_edge_lines",
    "0012_edge_kinds",
)


def migrate(connection: apsw.Connection, path: str, now: datetime) -> None:
    """Migrate the file to this version, or raise why that is impossible."""
    _make_ours(connection, path)
    try:
        if not _missing(connection, path):
            return
    except apsw.CorruptError:
        if _has_latest_tables(connection):  # then all were applied, though their list is unreadable
            return
        raise
    connection.execute("BEGIN IMMEDIATE")
    try:
        apply(connection, _missing(connection, path), now)  # again, under the lock
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _has_latest_tables(connection: apsw.Connection) -> bool:
    with contextlib.closing(apsw.Connection(":memory:")) as new:
        add_checksum_function(new)
        for statements in MIGRATIONS.values():
            new.execute(statements)
        tables: list[Any] = new.execute(_TABLES).fetchall()
        return _indexes(new).keys() <= _indexes(connection).keys() and all(
            _columns(new, table).keys() == _columns(connection, table).keys() for (table,) in tables
        )


def _reconcile(connection: apsw.Connection) -> None:
    """Give tables and indexes the form that a new database has at this point."""
    with contextlib.closing(apsw.Connection(":memory:")) as new:
        for name, statements in MIGRATIONS.items():
            if name == _RECONCILED:
                break
            new.execute(statements)
        tables: list[Any] = new.execute(_TABLES).fetchall()
        for (table,) in tables:
            wanted, present = _columns(new, table), _columns(connection, table)
            for column, declared in wanted.items():
                if column not in present:
                    connection.execute(f"ALTER TABLE {table} ADD COLUMN {declared}")
            for column in present.keys() - wanted.keys():
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        wanted_indexes, present_indexes = _indexes(new), _indexes(connection)
    for name, made_by in present_indexes.items():
        if wanted_indexes.get(name, "").split() != made_by.split():
            connection.execute(f"DROP INDEX {name}")
    for name, made_by in wanted_indexes.items():
        if present_indexes.get(name, "").split() != made_by.split():
            connection.execute(made_by)


_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite%'"
_INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"


def _columns(connection: apsw.Connection, table: str) -> dict[str, str]:
    """The columns of a table, each as it would be declared."""
    rows: list[Any] = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {
        name: f"{name} {kind}{' NOT NULL' if required else ''}{f' DEFAULT {default}' if default is not None else ''}"
        for _, name, kind, required, default, _ in rows
    }


def _indexes(connection: apsw.Connection) -> dict[str, str]:
    rows: list[Any] = connection.execute(_INDEXES).fetchall()
    return dict(rows)


def apply(connection: apsw.Connection, names: Iterable[str], now: datetime) -> None:
    """Run these migrations, inside a transaction of the caller."""
    wanted = list(names)
    is_new = next(iter(MIGRATIONS)) in wanted  # then no earlier version has created anything
    for name in wanted:
        connection.execute(MIGRATIONS[name])
        if name == _RECONCILED and not is_new:
            _reconcile(connection)
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, to_micros(now)))


def make(connection: apsw.Connection, names: Iterable[str], now: datetime) -> None:
    """Fill an empty database with the tables of these migrations."""
    _make_ours(connection, "")
    connection.execute("BEGIN IMMEDIATE")
    apply(connection, names, now)
    connection.execute("COMMIT")


def refuse_later(names: Iterable[str], path: str) -> None:
    """Raise SchemaTooNew if one of these migrations is unknown."""
    later = [name for name in names if name not in MIGRATIONS]
    if later:
        raise SchemaTooNew(
            f"{path} was written by a later version of Waypost (it has {later[0]}).",
            "Upgrade Waypost; this version leaves the file untouched.",
        )


def refuse_foreign(path: Path) -> None:
    """Check a database before it is opened, which would already change its mode."""
    start = header(path, _HEADER_BYTES)  # empty: the file is missing, or opening it will report what is wrong
    if start[:16] != b"SQLite format 3\0" or int.from_bytes(start[68:72], "big") == APPLICATION_ID:
        return
    # This cannot read a log that a killed process left, or a file that is just being created. `migrate` checks again, and
    # reports what else is wrong.
    with contextlib.suppress(apsw.Error), contextlib.closing(_reading(path)) as connection:
        _is_ours_or_empty(connection, str(path))


def _reading(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)


def _is_ours_or_empty(connection: apsw.Connection, path: str) -> bool:
    """True: a file of Waypost. False: an empty one. A file of another program raises ForeignFile."""
    # Tables before the id: another process may create both at once between these two reads.
    has_tables = bool(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall())
    application = connection.pragma("application_id")
    if application == APPLICATION_ID:
        return True
    if application or has_tables:
        if _has_our_tables(connection):
            raise apsw.CorruptError("its mark is damaged")
        raise ForeignFile(
            f"{path} is a SQLite database of another program.",
            "Move it away, or set WAYPOST_HOME to another directory.",
        )
    return False


def _has_our_tables(connection: apsw.Connection) -> bool:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return {"migrations", "meta", "memories", "audit"} <= names


def _make_ours(connection: apsw.Connection, path: str) -> None:
    if _is_ours_or_empty(connection, path):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ours_or_empty(connection, path):  # again, under the lock
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute(
                "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) WITHOUT ROWID"
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _missing(connection: apsw.Connection, path: str) -> list[str]:
    applied = [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name")]
    refuse_later(applied, path)
    return [name for name in MIGRATIONS if name not in applied]
