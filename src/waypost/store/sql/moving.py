"""Reads and writes tables row by row, to move a memory to another database."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from waypost.store.memories import PassageRow
from waypost.store.sql.database import Database, TablePart
from waypost.store.sql.index_writer import SearchIndex
from waypost.store.tables import APPEND_ONLY, NOTES, TABLES, MovedTable, PassagePlace, Row

_INDEXES = ("keywords", "code_keywords")


class TableRows(TablePart):
    def count(self, table: MovedTable) -> int:
        return int(self._db.rows(f"SELECT count(*) FROM {table.name}{_without_notes(table, 'WHERE')}")[0][0])

    def rows(self, table: MovedTable, after: Sequence[Any] | None, limit: int) -> list[Row]:
        """The next rows after this key, ordered by key; without a key the first ones. Notes of a move are left out."""
        key = ", ".join(table.key)
        chosen, parameters = _without_notes(table, "WHERE"), list[Any]()
        if after is not None:
            chosen = f" WHERE ({key}) > ({', '.join('?' * len(after))}){_without_notes(table, 'AND')}"
            parameters += after
        sql = f"SELECT {', '.join(table.columns)} FROM {table.name}{chosen} ORDER BY {key} LIMIT ?"
        return _with_flags(table, self._db.rows(sql, [*parameters, limit]))

    def passage_places(self, numbers: Iterable[int]) -> dict[int, PassagePlace]:
        """All passages of these versions by passage id."""
        rows = self._db.rows(
            "SELECT p.passage_id, p.number, p.hash FROM each_number(?) asked THEN JOIN passages p"
            " ON p.number = asked.value ORDER BY 2, 1",
            (list(numbers),),
        )
        places, counts = dict[int, PassagePlace](), dict[int, int]()
        for passage_id, number, digest in rows:
            places[passage_id] = PassagePlace(number, counts.get(number, 0), digest)
            counts[number] = counts.get(number, 0) + 1
        return places

    def keyword_counts(self) -> dict[str, int]:
        """How many passages each keyword index contains."""
        return {index: int(self._db.rows(f"SELECT count(*) FROM {index}")[0][0]) for index in _INDEXES}


class TableChanges(TableRows):
    def __init__(self, database: Database, index: SearchIndex) -> None:
        super().__init__(database)
        self._index = index

    def load(self, table: MovedTable, rows: Sequence[Row]) -> None:
        """Insert new rows."""
        if table.name == "vectors":
            self._index.load_vectors(rows)
        else:
            self._db.load(table.name, ", ".join(table.columns), rows)

    def put(self, table: MovedTable, rows: Sequence[Row]) -> None:
        """Insert rows, replacing those with the same keys."""
        if not table.is_parent:
            if table.name != APPEND_ONLY:
                at = table.at(*table.key)
                self.drop(table, [tuple(row[place] for place in at) for row in rows])
            self.load(table, rows)
            return
        changed = ", ".join(f"{name} = excluded.{name}" for name in table.columns if name not in table.key)
        self._db.change_many(
            f"INSERT INTO {table.name} ({', '.join(table.columns)}) VALUES ({', '.join('?' * len(table.columns))})"
            f" ON CONFLICT ({', '.join(table.key)}) DO UPDATE SET {changed}",
            rows,
        )

    def drop(self, table: MovedTable, keys: Sequence[Sequence[Any]]) -> None:
        """Remove rows; passages with their keywords."""
        if table.name == "passages":
            self._index.drop_keywords([key[0] for key in keys])
        self._db.change_many(f"DELETE FROM {table.name} WHERE {_key_condition(table)}", keys)

    def index_keywords(self, passages: Sequence[tuple[int, PassageRow]]) -> None:
        """Add passages, by id, to the keyword indexes."""
        self._index.add_keywords(passages)

    def last_numbers(self) -> dict[str, int]:
        """The highest number ever assigned in each numbered table."""
        return {
            table.name: self._index.last_number(table.name, table.key[0]) for table in TABLES.values() if table.counts
        }

    def set_last_numbers(self, numbers: Mapping[str, int]) -> None:
        """Assign only higher numbers than these from now on."""
        for name, number in numbers.items():
            if number:
                self._index.set_last_number(name, TABLES[name].key[0], number)


def _without_notes(table: MovedTable, word: str) -> str:
    return f" {word} key NOT LIKE '{NOTES}%'" if table.name == "meta" else ""


def _key_condition(table: MovedTable) -> str:
    return " AND ".join(f"{name} = ?" for name in table.key)


def _with_flags(table: MovedTable, rows: list[Any]) -> list[Row]:
    """Rows with their flags as bool."""
    flags = table.at(*table.flags)
    if not flags:
        return rows
    return [tuple(bool(value) if at in flags else value for at, value in enumerate(row)) for row in rows]
