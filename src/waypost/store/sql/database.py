"""One notation for two databases, and what a connection has to do for it.

Statements are written in the SQL that SQLite and PostgreSQL share. Where they differ, this is what stands in a statement:

    ?  ?2                       a parameter, in order or by its number
    each_text(?)                a list of texts as a table with the column `value`; also each_number(?), each_blob(?).
                                After it the alias `asked` may stand. The parameter is a Python list.
    THEN JOIN x ON …            a join in this order: SQLite is told so, PostgreSQL finds it by its statistics
    field(m.details, type)      the text under a name in a JSON object, NULL where there is none
    has_tag(m.tags, ?, ?)       whether a JSON object has this text under this name
    last_name(m.name) = x       whether what follows the last dot is x, in any case of ASCII letters
    last16(r.symbol)            the last 16 characters
    starts(r.path, x)           whether it begins with x, answered by an index
    greatest(a, b)              the greater of two
    by_number(memories m)       a table read in the order of its key, though SQLite would rather take another index

Flags are given as `bool`, times as whole microseconds, vectors packed in half precision (`packed.py`).
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
    "last16": r"substr(\1, -16)",
    "starts": r"\1 BETWEEN \2 AND \2 || char(1114111)",
    "greatest": "max(",
    "by_number": r"\1 NOT INDEXED",
}


def _last16(match: re.Match[str]) -> str:
    """Of a column it is kept beside it: behind row-level security no index over an expression is used."""
    return f"right({match[1]}, 16)" if match[1].startswith("?") else f"{match[1]}_end"


_POSTGRES: dict[str, str | Callable[[re.Match[str]], str]] = {
    "each_text": r"unnest(\1::text[]) AS asked (value)",
    "each_number": r"unnest(\1::bigint[]) AS asked (value)",
    "each_blob": r"unnest(\1::bytea[]) AS asked (value)",
    "then_join": "JOIN",
    "field": r"(\1 ->> '\2')",
    "has_tag": r"(\1 ->> \2) = \3",
    # Small letters as the column has them, whatever the database takes for these; no index holds more of a text.
    "last_name": r'left(lower(\2 COLLATE "C"), 256) = \1_end',
    "last16": _last16,
    "starts": r"\1 BETWEEN \2 AND \2 || chr(1114111)",
    "greatest": "greatest(",
    "by_number": r"\1",
}


class Database(Protocol):
    """A connection inside a transaction, as the shared statements use it."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Any]:
        """All rows of the answer."""

    def change(self, sql: str, parameters: Sequence[Any] = ()) -> int:
        """Returns how many rows were written or deleted."""

    def change_many(self, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        """The same statement for each of these. Returns how many rows were written or deleted."""

    def load(self, table: str, columns: str, rows: Iterable[Sequence[Any]]) -> None:
        """Insert many rows into a table in the fastest way there is; `columns` are separated by ", "."""

    def reserve(self, table: str, count: int) -> int:
        """The first of so many unused numbers for the key of a table, which nobody else will get."""


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
            count = max(count, int(match[1]))  # as SQLite counts: the next plain one follows the highest
            return f"${match[1]}"
        count += 1
        return f"${count}"

    return numbered
