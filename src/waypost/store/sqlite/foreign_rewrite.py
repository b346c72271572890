"""A copy of another program's database with its ordinary tables only, each value cleaned.

Cleaning in place would leave old values in free pages, indexes and keyword tables. So the rows are written into a new
file. Indexes, views, triggers and virtual tables are left out, and so are the tables behind virtual ones.
"""

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import apsw

from waypost.errors import StoreCorrupt
from waypost.store.sqlite.foreign import ForeignDatabase, ForeignTable, TooLarge, Value, quoted

_PRIVATE = 0o600


def rewrite_database(
    source: ForeignDatabase, target: Path, clean: Callable[[str], str], needed: Collection[str]
) -> Counter[str]:
    """Write the tables of `source` to a new file at `target`, every text passed through `clean`.

    Returns how many rows of each table changed. A damaged table is left out; if it is `needed`, StoreCorrupt is
    raised. A value too large for an import is replaced by zeros of its length.
    """
    changed: Counter[str] = Counter()
    os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), _PRIVATE))
    with contextlib.closing(apsw.Connection(str(target))) as connection:
        connection.execute("PRAGMA journal_mode = OFF").fetchall()
        connection.execute("BEGIN")
        for table in source.own_tables():
            try:
                source.check(table)
            except StoreCorrupt:
                if table.name.lower() in needed:
                    raise
                continue
            changed[table.name] = _write(connection, table, source, clean)
        connection.execute("COMMIT")
    with target.open("rb") as file:
        os.fsync(file.fileno())
    return changed


def _write(
    connection: apsw.Connection, table: ForeignTable, source: ForeignDatabase, clean: Callable[[str], str]
) -> int:
    if not table.columns:
        return 0
    name, columns = quoted(table.name), ", ".join(map(quoted, table.columns))
    connection.execute(f"CREATE TABLE {name} ({columns})")
    places = ", ".join("?" * len(table.columns))
    changed = 0

    def rows() -> Iterator[tuple[str | int | float | bytes | apsw.zeroblob | None, ...]]:
        nonlocal changed
        for row in source.rows(table, table.columns):
            kept = tuple(_cleaned(value, clean) for value in row)
            changed += any(was != now for was, now in zip(row, kept, strict=True) if not isinstance(was, TooLarge))
            yield kept

    connection.executemany(f"INSERT INTO {name} VALUES ({places})", rows())
    return changed


def _cleaned(value: Value, clean: Callable[[str], str]) -> str | int | float | bytes | apsw.zeroblob | None:
    if isinstance(value, TooLarge):
        return apsw.zeroblob(value.size)
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, bytes):
        try:
            text = value.decode("utf-8")
        except UnicodeDecodeError:
            return value
        hidden = clean(text)
        return value if hidden == text else hidden.encode("utf-8")
    return value
