"""Reads the pages of a database file that SQLite refuses, or cannot read to the end, without SQLite.

https://www.sqlite.org/fileformat.html describes the format. No byte is trusted: whatever a page contains, reading it
ends, and returns rows or raises `BadPage`.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from waypost.store.sqlite.checksums import StoredText

PAGE = 4096  # bytes; Waypost has never used another page size
INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE = 2, 5, 10, 13
_HEADER = 100  # bytes of the file header on the first page
_LOG_HEADER, _FRAME_HEADER = 32, 24
_LARGEST_PAYLOAD = 1_000_000_000  # as in SQLite
_INTEGER_SIZES = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}

Read = Callable[[int, int], bytes]  # (offset, count) -> bytes; fewer at the end of the file


class BadPage(Exception):
    """A page, or a row on it, violates the format."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A row of a table or an entry of an index, not decoded. `key` is the row number in an ordinary table."""

    key: int | None
    payload: bytes


class Pages:
    """All pages as of the last commit: those of the write-ahead log replace those of the file."""

    def __init__(self, read: Read, size: int, read_log: Read | None = None, log_size: int = 0) -> None:
        self._read, self._read_log = read, read_log
        self._logged, committed = _log_pages(read_log, log_size) if read_log else ({}, 0)
        in_file = -(-size // PAGE)
        self.count = max(in_file, committed)
        self.is_short = committed == 0 and _page_count(read(0, _HEADER)) > in_file

    def page(self, number: int) -> bytes:
        """One page. Raises BadPage if it is missing; what is cut off is zeros."""
        if not 1 <= number <= self.count:
            raise BadPage(f"there is no page {number}")
        place = self._logged.get(number)
        if place is not None and self._read_log is not None:
            page = self._read_log(place, PAGE)
        else:
            page = self._read((number - 1) * PAGE, PAGE)
        return page.ljust(PAGE, b"\0")

    def sort(self, number: int) -> int:
        """The first byte of a page: its type, if it is one of a table or an index."""
        return self.page(number)[_HEADER if number == 1 else 0]

    def children(self, number: int) -> list[int]:
        """The pages below an interior page."""
        page, start = self.page(number), _start(number)
        if page[start] not in (INTERIOR_INDEX, INTERIOR_TABLE):
            return []
        below = [int.from_bytes(page[at : at + 4], "big") for at in _cell_places(page, start)]
        return [*below, int.from_bytes(page[start + 8 : start + 12], "big")]

    def cells(self, number: int) -> Iterator[Cell | BadPage]:
        """What is stored on a page; an unreadable part comes as the reason."""
        page, start = self.page(number), _start(number)
        sort = page[start]
        if sort not in (INTERIOR_INDEX, LEAF_INDEX, LEAF_TABLE):
            return
        for place in _cell_places(page, start):
            try:
                yield self._cell(page, place, sort)
            except (BadPage, IndexError) as error:
                yield error if isinstance(error, BadPage) else BadPage("a row is cut off")

    def _cell(self, page: bytes, at: int, sort: int) -> Cell:
        at += 4 if sort == INTERIOR_INDEX else 0
        size, at = _varint(page, at)
        if size > _LARGEST_PAYLOAD:
            raise BadPage("a row is longer than any")
        key = None
        if sort == LEAF_TABLE:
            key, at = _varint(page, at)
            key = key - (1 << 64) if key >> 63 else key
        local = _local_size(size, sort)
        payload = page[at : at + local]
        if len(payload) < local:
            raise BadPage("a row is cut off")
        if local < size:
            payload += self._overflow(int.from_bytes(page[at + local : at + local + 4], "big"), size - local)
        return Cell(key, payload)

    def _overflow(self, number: int, size: int) -> bytes:
        parts, left, seen = list[bytes](), size, set[int]()
        while left > 0:
            if number in seen:
                raise BadPage("the pages of a row go round in a circle")
            seen.add(number)
            page = self.page(number)
            parts.append(page[4 : 4 + left])
            left -= PAGE - 4
            number = int.from_bytes(page[:4], "big")
        return b"".join(parts)


def values_of(payload: bytes) -> list[Any]:
    """The values of a row: None, int, float, bytes or StoredText. Raises BadPage."""
    try:
        header, at = _varint(payload, 0)
        sorts, values, place = list[int](), list[Any](), header
        while at < header:
            sort, at = _varint(payload, at)
            sorts.append(sort)
        if at != header:
            raise BadPage("the header of a row is damaged")
        for sort in sorts:
            value, place = _value(payload, place, sort)
            values.append(value)
    except IndexError as error:
        raise BadPage("a row is cut off") from error
    if place != len(payload):
        raise BadPage("a row has another length than it says")
    return values


def _value(payload: bytes, at: int, sort: int) -> tuple[Any, int]:
    if sort == 0:
        return None, at
    if sort in (8, 9):
        return sort - 8, at
    if sort in (10, 11):
        raise BadPage("a value of an unknown sort")
    size = 8 if sort == 7 else _INTEGER_SIZES.get(sort) or (sort - 12) // 2
    raw, end = payload[at : at + size], at + size
    if len(raw) < size:
        raise BadPage("a row is cut off")
    if sort < 7:
        return int.from_bytes(raw, "big", signed=True), end
    if sort == 7:
        return struct.unpack(">d", raw)[0], end
    return (StoredText(raw) if sort % 2 else raw), end


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for _ in range(8):
        byte = data[at]
        at += 1
        value = (value << 7) | (byte & 0x7F)
        if byte < 0x80:
            return value, at
    return (value << 8) | data[at], at + 1


def _start(number: int) -> int:
    return _HEADER if number == 1 else 0


def _cell_places(page: bytes, start: int) -> list[int]:
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    first = start + (12 if page[start] in (INTERIOR_INDEX, INTERIOR_TABLE) else 8)
    if first + 2 * count > PAGE:
        raise BadPage("the list of rows is damaged")
    places = struct.unpack_from(f">{count}H", page, first)
    return [place for place in places if first + 2 * count <= place < PAGE]


def _local_size(size: int, sort: int) -> int:
    """How much of a row is on its own page."""
    most = PAGE - 35 if sort == LEAF_TABLE else (PAGE - 12) * 64 // 255 - 23
    if size <= most:
        return size
    least = (PAGE - 12) * 32 // 255 - 23
    local = least + (size - least) % (PAGE - 4)
    return local if local <= most else least


def _page_count(header: bytes) -> int:
    """How many pages the file has according to its header; 0 if unknown."""
    return int.from_bytes(header[28:32], "big") if header[24:28] == header[92:96] else 0


def _log_pages(read: Read, size: int) -> tuple[dict[int, int], int]:
    """Offset of the latest committed state of each page in the log, and how many pages the database has then."""
    head = read(0, _LOG_HEADER)
    if len(head) < _LOG_HEADER or head[:4] not in (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83"):
        return {}, 0
    words = "<" if head[3] == 0x82 else ">"  # byte order of the checksums
    if int.from_bytes(head[8:12], "big") != PAGE or _sum(head[:24], (0, 0), words) != struct.unpack(">2I", head[24:]):
        return {}, 0
    sums, pages, committed, count = struct.unpack(">2I", head[24:]), dict[int, int](), dict[int, int](), 0
    for at in range(_LOG_HEADER, size - _FRAME_HEADER - PAGE + 1, _FRAME_HEADER + PAGE):
        frame = read(at, _FRAME_HEADER + PAGE)
        number, total = struct.unpack(">2I", frame[:8])
        if len(frame) < _FRAME_HEADER + PAGE or frame[8:16] != head[16:24] or not number:
            break
        sums = _sum(frame[_FRAME_HEADER:], _sum(frame[:8], sums, words), words)
        if sums != struct.unpack(">2I", frame[16:24]):
            break
        pages[number] = at + _FRAME_HEADER
        if total:  # the end of a transaction
            committed, count = dict(pages), total
    return committed, count


def _sum(data: bytes, before: tuple[int, int], order: str) -> tuple[int, int]:
    first, second = before
    numbers = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(numbers[::2], numbers[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
