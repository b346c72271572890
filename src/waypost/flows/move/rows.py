"""Rows on their way from one database to another: read in batches, added up, compared."""

import hashlib
import marshal
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from waypost.flows.move.new_ids import NewIds, renamed
from waypost.retrieve.passages import Passage, passages_of
from waypost.store.protocol import PassageRow, Reader
from waypost.store.tables import TABLES, MovedTable, Row, TableReader

_FIRST, _MOST, _MOST_PASSAGES = 200, 4000, 1000  # rows in a batch
_MANY_BYTES, _FEW_BYTES = 8_000_000, 1_000_000
_BITS = 128

Tick = Callable[[str, int], None]  # the name of a table, and how many of its rows are through


def batches(tables: TableReader, table: MovedTable, after: Sequence[Any] | None = None) -> Iterator[list[Row]]:
    """All rows behind a key in the order of their keys, as many at once as fit well into memory."""
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
    """The same for the same values, whichever database they come from."""
    # Its oldest format: later ones depend on which objects happen to be shared.
    return hashlib.blake2b(marshal.dumps(tuple(row), 0), digest_size=_BITS // 8).digest()


def checksum(tables: TableReader, table: MovedTable, ids: NewIds | None, tick: Tick) -> tuple[int, str]:
    """Rows of a table and a sum over all of them that does not depend on their order; with `ids`, as they are to be in
    the target."""
    count, total = 0, 0
    for rows in batches(tables, table):
        for row in rows if ids is None else renamed(ids, table, rows):
            total += int.from_bytes(digest_of(row), "big")
        count += len(rows)
        tick(table.name, count)
    return count, f"{total % (1 << _BITS):032x}"


def checksums(tables: TableReader, ids: NewIds | None, tick: Tick) -> dict[str, tuple[int, str]]:
    return {table.name: checksum(tables, table, ids, tick) for table in TABLES.values()}


def differences(
    source: TableReader, target: TableReader, table: MovedTable, ids: NewIds
) -> tuple[list[tuple[Any, ...]], set[tuple[Any, ...]]]:
    """The keys of rows that only the target has, and the keys of those that it lacks or has otherwise."""
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
    """Rows of the table `passages` as they are found by keywords, made again from what their versions say; and how many
    are of an earlier way to cut texts, so that they are not found as well as they could be."""
    stored = list(rows)
    numbers = {row[1] for row in stored}
    places = source.tables().passage_places(numbers)
    made = {number: passages_of(version) for number, version in source.memories.by_number(numbers).items()}
    found, strays = list[tuple[int, PassageRow]](), 0
    for passage_id, number, content_hash, language in stored:
        passage = _same(made.get(number, []), places[passage_id].place, content_hash)
        if passage is None:
            strays += 1
            passage = Passage("", content_hash, language)
        found.append((passage_id, PassageRow(content_hash, language, passage.terms, passage.code_terms)))
    return found, strays


def _same(made: Sequence[Passage], place: int, content_hash: bytes) -> Passage | None:
    if place < len(made) and made[place].content_hash == content_hash:
        return made[place]
    return next((one for one in made if one.content_hash == content_hash), None)
