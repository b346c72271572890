"""Tables row by row, for a memory that is moved to another database."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from waypost.store.move_protocol import PassagePlace, Row
from waypost.store.protocol import PassageRow
from waypost.store.sql.database import Database
from waypost.store.tables import APPEND_ONLY, NOTES, TABLES, MovedTable

_INDEXES = ("keywords", "code_keywords")


class TableRows:
    """Reading."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def count(self, table: MovedTable) -> int:
        return int(self._db.rows(f"SELECT count(*) FROM {table.name}{_kept(table, 'WHERE')}")[0][0])

    def rows(self, table: MovedTable, after: Sequence[Any] | None, limit: int) -> list[Row]:
        key = ", ".join(table.key)
        chosen, parameters = _kept(table, "WHERE"), list[Any]()
        if after is not None:
            chosen = f" WHERE ({key}) > ({', '.join('?' * len(after))}){_kept(table, 'AND')}"
            parameters += after
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name}{chosen} ORDER BY {key} LIMIT ?"
        return self._told(table, self._db.rows(sql, [*parameters, limit]))

    def passage_places(self, numbers: Iterable[int]) -> dict[int, PassagePlace]:
        rows = self._db.rows(
            "SELECT p.passage_id, p.number, p.hash FROM each_number(?) asked THEN JOIN passages p"
            " ON p.number = asked.value ORDER BY 2, 1",
            (list(numbers),),
        )
        found, seen = dict[int, PassagePlace](), dict[int, int]()
        for passage_id, number, digest in rows:
            found[passage_id] = PassagePlace(number, seen.get(number, 0), digest)
            seen[number] = seen.get(number, 0) + 1
        return found

    def keyword_counts(self) -> dict[str, int]:
        return {index: int(self._db.rows(f"SELECT count(*) FROM {index}")[0][0]) for index in _INDEXES}

    def _told(self, table: MovedTable, rows: list[Any]) -> list[Row]:
        flags = table.at(*table.flags)
        if not flags:
            return rows
        return [tuple(bool(value) if at in flags else value for at, value in enumerate(row)) for row in rows]


class TableChanges(TableRows):
    """Writing. A database says how it keeps vectors, keywords and numbers."""

    def __init__(
        self,
        database: Database,
        last_number: Callable[[str, str], int],
        set_last_number: Callable[[str, str, int], None],
        load_vectors: Callable[[Sequence[Row]], None],
        index_keywords: Callable[[Sequence[tuple[int, PassageRow]]], None],
        drop_keywords: Callable[[Sequence[int]], None],
    ) -> None:
        super().__init__(database)
        self._last_number, self._set_last_number = last_number, set_last_number
        self._load_vectors = load_vectors
        self._index_keywords, self._drop_keywords = index_keywords, drop_keywords

    def load(self, table: MovedTable, rows: Sequence[Row]) -> None:
        if table.name == "vectors":
            self._load_vectors(rows)
        else:
            self._db.load(table.name, ", ".join(table.columns), rows)

    def put(self, table: MovedTable, rows: Sequence[Row]) -> None:
        if not table.is_parent:
            if table.name != APPEND_ONLY:
                at = table.at(*table.key)
                self.drop(table, [tuple(row[place] for place in at) for row in rows])
            self.load(table, rows)
            return
        changed = ", ".join(f"{one} = excluded.{one}" for one in table.columns if one not in table.key)
        self._db.change_many(
            f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({', '.join('?' * len(table.columns))})"
            f" ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {changed}",
            rows,
        )

    def drop(self, table: MovedTable, keys: Sequence[Sequence[Any]]) -> None:
        if table.name == "passages":
            self._drop_keywords([key[0] for key in keys])
        self._db.change_many(f"DELETE FROM {table.name} WHERE {_is(table)}", keys)

    def index_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        self._index_keywords(passages)

    def last_numbers(self) -> dict[str, int]:
        return {one.name: self._last_number(one.name, one.key[0]) for one in TABLES.values() if one.counts}

    def set_last_numbers(self, numbers: Mapping[str, int]) -> None:
        for name, number in numbers.items():
            if number:
                self._set_last_number(name, TABLES[name].key[0], number)


def _kept(table: MovedTable, word: str) -> str:
    return f" {word} key NOT LIKE '{NOTES}%'" if table.name == "meta" else ""


def _is(table: MovedTable) -> str:
    return " AND ".join(f"{one} = ?" for one in table.key)
