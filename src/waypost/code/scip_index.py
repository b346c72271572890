"""Read SCIP indexes: what a compiler or type checker knows about definitions and uses of names.

SCIP is a protobuf format of language indexers such as scip-python, scip-typescript and scip-java. Only the fields that
relations need are read, by a reader of our own: the format is a few nested messages, and the protobuf library would cost
start-up time. An index is untrusted input: every length is checked against the file, and the amount is limited.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from waypost.errors import InvalidInput

LARGEST = 1 << 29  # bytes of an index; one of 500 files has about 10 MB
MOST_OCCURRENCES = 4_000_000  # about 200 bytes of memory each
_DOCUMENT, _RELATIVE_PATH, _OCCURRENCE, _SYMBOL = 2, 1, 2, 3
_RANGE, _NAME, _ROLES = 1, 2, 3
_RELATIONSHIP, _IS_IMPLEMENTATION = 4, 3
_DEFINITION, _IMPORT = 1, 2  # bits of the roles
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_REPAIR = "Make the index again, or leave it out."


class Occurrence(NamedTuple):
    """A name in a file: where it is (from 1), which symbol it stands for, and whether it defines or imports it."""

    line: int
    column: int  # of its first character, from 0
    end: int  # the column after its last character
    symbol: str
    is_definition: bool
    is_import: bool


@dataclass(frozen=True, slots=True)
class ScipDocument:
    """One file of an index."""

    path: str
    occurrences: tuple[Occurrence, ...]
    implements: tuple[tuple[str, str], ...]  # a symbol, and one that it implements or overrides


def read_scip(data: bytes) -> Iterator[ScipDocument]:
    """The files of an index. Raises `InvalidInput` if it is damaged, too large, or no index."""
    if len(data) > LARGEST:
        raise InvalidInput(f"The SCIP index has more than {LARGEST:,} bytes.", "Index fewer files.")
    patience = [MOST_OCCURRENCES]
    try:
        for number, value in _fields(data, 0, len(data)):
            if number == _DOCUMENT and isinstance(value, tuple):
                yield _document(data, *value, patience)
    except (IndexError, UnicodeDecodeError, ValueError) as error:
        raise InvalidInput("The SCIP index is damaged, or it is no SCIP index.", _REPAIR) from error


def is_local(symbol: str) -> bool:
    """Whether a symbol is a variable inside of a function, which other files can't use."""
    return symbol.startswith("local ")


def _document(data: bytes, start: int, end: int, patience: list[int]) -> ScipDocument:
    path, occurrences, implements = "", [], []
    names: dict[bytes, str] = {}
    for number, value in _fields(data, start, end):
        if not isinstance(value, tuple):
            continue
        if number == _RELATIVE_PATH:
            path = data[value[0] : value[1]].decode("utf-8")
        elif number == _OCCURRENCE:
            patience[0] -= 1
            if patience[0] < 0:
                raise InvalidInput(f"The SCIP index has more than {MOST_OCCURRENCES:,} names.", "Index fewer files.")
            occurrence = _occurrence(data, *value, names)
            if occurrence is not None:
                occurrences.append(occurrence)
        elif number == _SYMBOL:
            implements += _implementations(data, *value)
    if path.startswith("/") or ".." in path.split("/") or "\0" in path:
        raise InvalidInput(
            f"The SCIP index names a file outside of its repository: {path[:200]!r}.",
            "Make it in the root of the repository.",
        )
    return ScipDocument(path, tuple(occurrences), tuple(implements))


def _occurrence(data: bytes, start: int, end: int, names: dict[bytes, str]) -> Occurrence | None:
    """None without a name or a place: highlighting and diagnostics are occurrences too."""
    symbol, roles = "", 0
    places: list[int] = []
    for number, value in _fields(data, start, end):
        if number == _RANGE:
            if isinstance(value, tuple):
                position, stop = value
                while position < stop:
                    place, position = _varint(data, position, stop)
                    places.append(place)
            else:
                places.append(value)  # not packed
        elif number == _NAME and isinstance(value, tuple):
            raw = data[value[0] : value[1]]
            symbol = names.get(raw) or names.setdefault(raw, raw.decode("utf-8"))
        elif number == _ROLES and isinstance(value, int):
            roles = value
    if not symbol or len(places) not in (3, 4) or max(places) >= 1 << 31:
        return None
    line, column = places[0], places[1]
    is_one_line = len(places) == 3 or places[2] == line
    end_column = places[-1] if is_one_line else column
    return Occurrence(line + 1, column, end_column, symbol, bool(roles & _DEFINITION), bool(roles & _IMPORT))


def _implementations(data: bytes, start: int, end: int) -> list[tuple[str, str]]:
    symbol, others = "", []
    for number, value in _fields(data, start, end):
        if not isinstance(value, tuple):
            continue
        if number == 1:
            symbol = data[value[0] : value[1]].decode("utf-8")
        elif number == _RELATIONSHIP:
            other, is_implementation = "", False
            for part, inner in _fields(data, *value):
                if part == 1 and isinstance(inner, tuple):
                    other = data[inner[0] : inner[1]].decode("utf-8")
                elif part == _IS_IMPLEMENTATION and isinstance(inner, int):
                    is_implementation = bool(inner)
            if other and is_implementation:
                others.append(other)
    return [(symbol, other) for other in others if symbol]


def _fields(data: bytes, position: int, end: int) -> Iterator[tuple[int, int | tuple[int, int]]]:
    """The fields of a message: a number, or the first and the last position of its bytes."""
    while position < end:
        tag, position = _varint(data, position, end)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, position = _varint(data, position, end)
            yield number, value
        elif kind == _BYTES:
            length, position = _varint(data, position, end)
            if length > end - position:
                raise ValueError("a field is longer than its message")
            yield number, (position, position + length)
            position += length
        elif kind in (_FIXED64, _FIXED32):
            position += 8 if kind == _FIXED64 else 4
            if position > end:
                raise ValueError("a field is longer than its message")
        else:
            raise ValueError(f"unknown type of field: {kind}")


def _varint(data: bytes, position: int, end: int) -> tuple[int, int]:
    value = shift = 0
    for _ in range(_LONGEST_VARINT):
        if position >= end:
            raise ValueError("a number is cut off")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, position
        shift += 7
    raise ValueError("a number is too long")
