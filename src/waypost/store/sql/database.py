"""One SQL notation for two databases, and what a connection does with it.

Statements use the SQL that SQLite and PostgreSQL share. Where they differ, statements contain:

    ?  ?2                       a parameter, in order or by its number
    each_text(?)                a list of texts as a table with the column `value`; also each_number(?), each_blob(?).
                                The alias `asked` may follow. The parameter is a Python list.
    THEN JOIN x ON …            a join in this order in SQLite; PostgreSQL decides by its statistics
    field(m.details, type)      the text of a key in a JSON object, or NULL
    has_tag(m.tags, ?, ?)       whether a JSON object has this key with this text
    last_name(m.name) = x       whether the part after the last dot is x, in any case of ASCII letters
    last_name_starts(m.name, ?2)  whether it begins with x, in any case of ASCII letters, answered by an index
    last16(r.symbol)            the last 16 characters
    starts(r.path, x)           whether it begins with x, answered by an index
    greatest(a, b)              the greater of two
    by_number(memories m)       a table in the order of its key, though SQLite would choose another index

Flags are `bool`, times are whole microseconds, vectors are packed in half precision (`packed.py`).
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

_AFTER_LAST_DOT = r"substr(\1, length(rtrim(\1, replace(\1, '.', ''))) + 1)"  # as the index of names has it
_PARAMETER = re.compile(r"\?(\d*)")
_NOTATION = {
    "each_text": r"each_text\((\?\d*)\)(?: asked)?",
    "each_number": r"each_number\((\?\d*)\)(?: asked)?",
    "each_blob": r"each_blob\((\?\d*)\)(?: asked)?",
    "then_join": r"THEN JOIN",
    "field": r"field\(([\w.]+), (\w+)\)",
    "has_tag": r"has_tag\(([\w.]+), (\?\d*), (\?\d*)\)",
    "last_name": r"last_name\(([\w.]+)\) = (\S+)",
    "last_name_starts": r"last_name_starts\(([\w.]+), (\?\d+)\)",
    "last16": r"last16\(([\w.?]+)\)",
    "starts": r"starts\(([\w.]+), ([\w.]+)\)",
    "greatest": r"greatest\(",
    "by_number": r"by_number\(([\w ]+)\)",
}
_SQLITE = {
    "each_text": r"json_each(\1) asked",
    "each_number": r"json_each(\1) asked",
    "each_blob": r"(SELECT unhex(value) AS value FROM json_each(\1)) asked",
    "then_join": "CROSS JOIN",
    "field": r"json_extract(\1, '$.\2')",
    "has_tag": r"EXISTS (SELECT 1 FROM json_each(\1) t WHERE t.key = \2 AND t.value = \3)",
    "last_name": _AFTER_LAST_DOT + r" COLLATE NOCASE = \2",
    "last_name_starts": _AFTER_LAST_DOT + r" COLLATE NOCASE BETWEEN \2 AND \2 || char(1114111)",
    "last16": r"substr(\1, -16)",
    "starts": r"\1 BETWEEN \2 AND \2 || char(1114111)",
    "greatest": "max(",
    "by_number": r"\1 NOT INDEXED",
}


def _last16(match: re.Match[str]) -> str:
    """PostgreSQL stores it in a column: under row-level security it uses no index over an expression."""
    return f"right({match[1]}, 16)" if match[1].startswith("?") else f"{match[1]}_end"


_POSTGRES: dict[str, str | Callable[[re.Match[str]], str]] = {
    "each_text": r"unnest(\1::text[]) AS asked (value)",
    "each_number": r"unnest(\1::bigint[]) AS asked (value)",
    "each_blob": r"unnest(\1::bytea[]) AS asked (value)",
    "then_join": "JOIN",
    "field": r"(\1 ->> '\2')",
    "has_tag": r"(\1 ->> \2) = \3",
    # Lower case as in the column, whatever the locale of the database; no index contains more of a text.
    "last_name": r'left(lower(\2 COLLATE "C"), 256) = \1_end',
    "last_name_starts": r"\1_end BETWEEN \2 AND \2 || chr(1114111)",
    "last16": _last16,
    "starts": r"\1 BETWEEN \2 AND \2 || chr(1114111)",
    "greatest": "greatest(",
    "by_number": r"\1",
}


class Database(Protocol):
    """A connection inside a transaction, for the shared statements."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """All rows of the answer."""

    def lasting_rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """The same, for a few rows that every question needs: a reader may keep them until somebody writes."""

    def change(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Returns how many rows were written or deleted."""

    def change_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """Run a statement for each row. Returns how many rows were written or deleted."""

    def load(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Insert many rows the fastest way; `columns` are separated by ", "."""

    def reserve(self, table: str, count: int) -> int:
        """The first of `count` unused numbers for the key of a table, which nobody else will get."""


class TablePart:
    """What a transaction can do with one group of tables."""

    def __init__(self, database: Database) -> None:
        self._db = database


@lru_cache(maxsize=4096)
def for_sqlite(sql: str) -> str:
    return _translated(sql, _SQLITE)


@lru_cache(maxsize=4096)
def for_postgres(sql: str) -> str:
    """With `$1` for parameters."""
    return _PARAMETER.sub(_numbering(), _translated(sql, _POSTGRES))


def _translated(sql: str, words: Mapping[str, Any]) -> str:
    for name, pattern in _NOTATION.items():
        sql = re.sub(pattern, words[name], sql)
    return sql


def _numbering() -> Callable[[re.Match[str]], str]:
    count = 0

    def numbered(match: re.Match[str]) -> str:
        nonlocal count
        if match[1]:
            count = max(count, int(match[1]))  # as SQLite counts: a plain parameter follows the highest number
            return f"${match[1]}"
        count += 1
        return f"${count}"

    return numbered
