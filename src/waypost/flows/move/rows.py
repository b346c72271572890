"""Rows of databases: read in batches, summed up, compared."""

import hashlib
import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from waypost.flows.move.new_ids import NewIds, renamed
from waypost.retrieve.passages import Passage, passages_of
from waypost.store.protocol import PassageRow, Reader
from waypost.store.sql.moving import TableRows
from waypost.store.tables import TABLES, MovedTable, Row

_FIRST, _MOST, _MOST_PASSAGES = 200, 4000, 1000  # rows in a batch
_MANY_BYTES, _FEW_BYTES = 8_000_000, 1_000_000
_BITS = 128

Tick = Callable[[str, int], None]  # a table, and how many of its rows are done


def batches(tables: TableRows, table: MovedTable, after: Sequence[Any] | None = None) -> Iterator[list[Row]]:
    """Rows after a key in the order of keys, in batches that fit into memory."""
    limit, at = _FIRST, table.at(*table.key)
    most = _MOST_PASSAGES if table.name == "passages" else _MOST
    while rows := tables.rows(table, after, limit):
        yield rows
        if len(rows) < limit:
            return
        after = tuple(rows[-1][place] for place in at)
        size = sum(len(value) for row in rows for value in row if isinstance(value, (str, bytes)))
        limit = max(1, limit // 4) if size > _MANY_BYTES else min(2 * limit, most) if size < _FEW_BYTES else limit


def key_of(table: MovedTable, row: Row) -> tuple[Any, ...]:
    return tuple(row[place] for place in table.at(*table.key))


def digest_of(row: Row) -> bytes:
    """The same digest for the same values, from any database."""
    # The oldest format: later ones depend on which objects are shared.
    return hashlib.blake2b(marshal.dumps(tuple(row), 0), digest_size=_BITS // 8).digest()


def checksum(tables: TableRows, table: MovedTable, ids: NewIds | None, tick: Tick) -> tuple[int, str]:
    """The number of rows of a table, and a sum that does not depend on their order. With `ids`, as the target has them."""
    count, total = 0, 0
    for rows in batches(tables, table):
        for row in rows if ids is None else renamed(ids, table, rows):
            total += int.from_bytes(digest_of(row), "big")
        count += len(rows)
        tick(table.name, count)
    return count, f"{total % (1 << _BITS):032x}"


def checksums(tables: TableRows, ids: NewIds | None, tick: Tick) -> dict[str, tuple[int, str]]:
    return {table.name: checksum(tables, table, ids, tick) for table in TABLES.values()}


def differences(
    source: TableRows, target: TableRows, table: MovedTable, ids: NewIds
) -> tuple[list[tuple[Any, ...]], set[tuple[Any, ...]]]:
    """Keys of rows that only the target has, and of rows that it lacks or has with other values."""
    wanted = {
        key_of(table, row): digest_of(row) for rows in batches(source, table) for row in renamed(ids, table, rows)
    }
    surplus = list[tuple[Any, ...]]()
    for rows in batches(target, table):
        for row in rows:
            key = key_of(table, row)
            if key not in wanted:
                surplus.append(key)
            elif wanted[key] == digest_of(row):
                del wanted[key]
    return surplus, set(wanted)


def keyword_rows(source: Reader, rows: Iterable[Row]) -> tuple[list[tuple[int, PassageRow]], int]:
    """Passages with their keywords, made again from their versions; and how many no longer match their version."""
    stored = list(rows)
    numbers = {row[1] for row in stored}
    places = source.tables().passage_places(numbers)
    made = {number: passages_of(version) for number, version in source.memories.by_number(numbers).items()}
    keyword_list, strays = list[tuple[int, PassageRow]](), 0
    for passage_id, number, content_hash, language in stored:
        passage = _passage_with(made.get(number, []), places[passage_id].place, content_hash)
        if passage is None:
            strays += 1
            passage = Passage("", content_hash, language)
        keyword_list.append((passage_id, PassageRow(content_hash, language, passage.terms, passage.code_terms)))
    return keyword_list, strays


def _passage_with(made: Sequence[Passage], place: int, content_hash: bytes) -> Passage | None:
    if place < len(made) and made[place].content_hash == content_hash:
        return made[place]
    return next((passage for passage in made if passage.content_hash == content_hash), None)
