"""Finds damage in a database, table by table. An unreadable table does not stop the check of the others."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import apsw

from waypost.store.sqlite.checksums import SUMMED, false_rows
from waypost.store.sqlite.repair import survey
from waypost.store.tables import MovedTable
from waypost.text.plural import counted

KEYWORDS = ("keywords", "code_keywords")
_KEYWORD_INDEX = "keyword index"
_MOST_MESSAGES = 200
_MOST_KEYS = 5
_BUSY_MILLISECONDS = 10_000
_TREE = re.compile(r"Tree (\d+)")
_NAMED = re.compile(
    r'from table "(\w+)"|index (\w+)|value in (\w+)\.|FTS5 table main\.(\w+)|constraint failed in (\w+)'
)
_BROKEN = (apsw.CorruptError, apsw.SQLError, apsw.IOError, apsw.ConstraintError, UnicodeDecodeError)


def damage_of(path: Path, now: datetime, reading: apsw.Connection | None = None) -> Iterator[str]:
    """Sentences that begin with what they are about; empty if the database is sound. Works even if SQLite cannot open
    it.

    `reading`: the read-only connection on a full disk, where no other can be made. Keyword indexes are not checked
    then: that needs a statement that writes.
    """
    with _checking(path, reading) as connection:
        try:
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
            opens = True
        except apsw.Error:
            opens = False
        if opens:
            damaged = list(_kept_damage(connection))
            yield from damaged
            if reading is None and not any(line.startswith(_KEYWORD_INDEX) for line in damaged):
                yield from _keyword_damage(connection)
            return
    yield from _damage_of_pages(path, now)


def has_kept_damage(path: Path, reading: apsw.Connection | None = None) -> bool:
    """Whether anything is damaged but the keyword indexes, which can be rebuilt."""
    with _checking(path, reading) as connection:
        return any(not line.startswith(_KEYWORD_INDEX) for line in _kept_damage(connection))


@contextmanager
def _checking(path: Path, reading: apsw.Connection | None) -> Iterator[apsw.Connection]:
    if reading is not None:
        yield reading
        return
    # Always a new connection: an older one remembers an older keyword index, and would call the present one damaged.
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(_BUSY_MILLISECONDS)
        yield connection


def _kept_damage(connection: apsw.Connection) -> Iterator[str]:
    yield from _structure(connection)
    try:
        for table, *_ in connection.execute("PRAGMA foreign_key_check").fetchall():
            yield f"table {table}: a row points at nothing"
    except _BROKEN as error:
        yield f"database: links between tables cannot be checked ({error})"
    for table in SUMMED.values():
        yield from _false_checksums(connection, table)


def _keyword_damage(connection: apsw.Connection) -> Iterator[str]:
    for index in KEYWORDS:
        try:
            connection.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")
        except _BROKEN:
            yield f"{_KEYWORD_INDEX}: {index} is damaged"


def _damage_of_pages(path: Path, now: datetime) -> Iterator[str]:
    survey_result, is_short = survey(path, now)
    if is_short:
        yield "database: the end of the file is missing"
    yield "database: SQLite cannot open the file"
    for table in sorted({*survey_result.bad_pages, *survey_result.bad_rows}):
        pages, rows = survey_result.bad_pages[table], survey_result.bad_rows[table]
        parts = [counted(pages, "page", "pages")] if pages else []
        parts += [counted(rows, "row", "rows")] if rows else []
        yield f"{_part(table)}: {' and '.join(parts)} cannot be read; {counted(survey_result.read[table], 'row', 'rows')} can"
    if survey_result.doubtful:
        yield f"table memories: not as they were written: {_enumeration(sorted(set(survey_result.doubtful.values())))}"
    if lost := [*survey_result.lost_memories, *survey_result.lost_versions]:
        yield f"table memories: cannot be read, or not in all versions: {_enumeration(lost)}"


def _structure(connection: apsw.Connection) -> Iterator[str]:
    messages = list[str]()
    try:
        for (message,) in connection.execute(f"PRAGMA integrity_check({_MOST_MESSAGES})"):
            messages.append(str(message))
    except _BROKEN as error:  # it stops at the first unreadable page; earlier results count
        if not messages:
            yield f"database: its structure cannot be checked ({error})"
            return
    lines = [line for message in messages for line in message.splitlines() if line not in ("ok", "")]
    lines = [line for line in lines if not line.startswith("*** in database")]
    if not lines:
        return
    tables = _tables(connection)
    problems: dict[str, list[str]] = {}
    for line in lines:
        tree, named = _TREE.search(line), _NAMED.search(line)
        name = tree[1] if tree else next((group for group in named.groups() if group), "") if named else ""
        problems.setdefault(_part(tables.get(name, "")), []).append(line)
    for part, said in problems.items():
        more = f", and {len(said) - 1} more" if len(said) > 1 else ""
        yield f"{part}: {said[0]}{more}"


def _tables(connection: apsw.Connection) -> dict[str, str]:
    """Tables by the root pages of their trees and indexes, and by the names of both."""
    try:
        rows: list[Any] = connection.execute("SELECT rootpage, name, tbl_name FROM sqlite_schema").fetchall()
    except _BROKEN:
        return {}
    return {key: table for root, name, table in rows for key in (str(root), str(name))}


def _part(table: str) -> str:
    if table.startswith(KEYWORDS):
        return _KEYWORD_INDEX
    return f"table {table}" if table else "database"


def _false_checksums(connection: apsw.Connection, table: MovedTable) -> Iterator[str]:
    keys = list[tuple[Any, ...]]()
    try:
        for key in false_rows(connection, table):
            keys.append(key)
    except _BROKEN as error:
        yield f"table {table.name}: not all of its rows can be read ({error})"
    if keys:
        names = [_display_name(connection, table, key) for key in keys]
        yield f"table {table.name}: {counted(len(keys), 'row is', 'rows are')} not as written: {_enumeration(names)}"


def _display_name(connection: apsw.Connection, table: MovedTable, key: tuple[Any, ...]) -> str:
    if table.name == "memories":
        try:
            rows: list[Any] = connection.execute(
                "SELECT CAST(memory_id AS BLOB) FROM memories WHERE number = ?", key
            ).fetchall()
            key = rows[0] if rows else key
        except _BROKEN:
            pass
    if table.name == "meta":
        key = key[:1]
    return " ".join(_printed(value) for value in key)


def _printed(value: Any) -> str:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)
    if text.isprintable() and "\ufffd" not in text:
        return text
    return value.hex() if isinstance(value, bytes) else ascii(text)


def _enumeration(keys: list[str]) -> str:
    more = f" and {len(keys) - _MOST_KEYS} more" if len(keys) > _MOST_KEYS else ""
    return ", ".join(keys[:_MOST_KEYS]) + more
