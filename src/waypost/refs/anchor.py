"""A compact fingerprint that finds a piece of code again, and plain hashes of lines.

An anchor describes a symbol, part of a symbol, a comment or a whole file. It has a name, a hash of the meaning,
a sketch for similarity, and hashes of the surroundings.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, sha256

from waypost.model.shape import MEANING_BYTES
from waypost.refs.sketch import MOST_PARTS, PieceSketch

SYMBOL, PART, NOTE, FILE = range(4)
AT_START, AT_DEFINITION, AT_COMMENT = range(3)  # where in its symbol a reference begins

TEXT_BYTES = 6
_TYPED, _UNTYPED = 1, 2  # versions: with type annotations among the words, as all were once, and without
SHORT_NAME = 24  # characters: always fits into an anchor, even at four bytes each
_LONGEST_NAME = 4 * SHORT_NAME  # bytes
_MEANING_ALONE = 8  # bytes of the second hash of a symbol
_KINDS = (
    *("", "class", "interface", "trait", "struct", "enum", "type", "module", "function", "method", "property"),
    *("constant", "macro", "section"),
)
_MOST_HASHED = 1_000_000  # lines hashed while searching for a block; limits the places tried for very long blocks
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Anchor:
    what: int
    meaning: bytes
    count: int  # words
    sketch: PieceSketch
    qualified: str = ""  # the symbol, or the symbol around the part; shortened by `clip_name`
    kind: str = ""
    begin: int = AT_START
    ordinal: int = 0  # index among symbols of the same name
    many: int = 1  # symbols with the same qualified name; for a part: copies in the file
    twin: bool = False  # another symbol in the file has the same meaning; for a part: its symbol has a copy
    alone: bytes = b""  # meaning with only the definition's name hidden; empty if equal to `meaning`
    offset: int = 0  # words from the start of the enclosing symbol or file to the part
    lead: int = 0  # lines of the part before its first word
    trail: int = 0  # lines after the one where its last word begins
    opening: tuple[int, ...] = ()  # its first words
    before: int = 0  # hashes of the words before and after it; for a symbol only if others have its name
    after: int = 0
    lines: bool = True  # for a file: whether lines were named
    text: bytes = b"\0" * TEXT_BYTES  # a hash of the lines as written
    height: int = 0  # for a part: its lines, without blank ones
    closing: int = 0  # for a part: how many syntax nodes end with it
    broken: bool = False  # the file had syntax errors
    typed: bool = False  # type annotations count


def clip_name(qualified: str) -> str:
    """Shorten a very long qualified name to a hash and its end, as anchors store it."""
    data = qualified.encode("utf-8", "replace")
    if len(data) <= _LONGEST_NAME:
        return data.decode()
    return blake2b(data, digest_size=6).hexdigest() + "…" + data[12 + 3 - _LONGEST_NAME :].decode("utf-8", "ignore")


def pack(anchor: Anchor) -> bytes:
    name = clip_name(anchor.qualified).encode()
    flags = anchor.what | anchor.begin << 2 | anchor.broken << 4 | anchor.twin << 5 | anchor.lines << 6
    head = bytes(
        (
            _TYPED if anchor.typed else _UNTYPED,
            flags | bool(anchor.alone) << 7,
            _KINDS.index(anchor.kind) if anchor.kind in _KINDS else 0,
        )
    )
    numbers = [len(name), anchor.ordinal, anchor.many, anchor.count, anchor.sketch.depth, len(anchor.sketch.parts)]
    if anchor.what in (PART, NOTE):
        numbers += [anchor.offset, anchor.lead, anchor.trail, anchor.before, anchor.after, anchor.height]
        numbers += [anchor.closing, len(anchor.opening), *anchor.opening]
    return b"".join(
        (
            head,
            b"".join(map(_varint, numbers)),
            name,
            anchor.meaning,
            anchor.text,
            anchor.alone,
            b"".join(part.to_bytes(2, "little") for part in anchor.sketch.parts),
            anchor.before.to_bytes(2, "little") if anchor.what == SYMBOL and anchor.before else b"",
        )
    )


@lru_cache(2_000)  # one check reads an anchor several times
def unpack(data: bytes) -> Anchor | None:
    """The anchor that `pack` wrote, or None if the data is invalid."""
    if len(data) < 3 or data[0] not in (_TYPED, _UNTYPED):
        return None
    flags, kind = data[1], data[2]
    what = flags & 3
    rest = _Reader(data, 3)
    try:
        name_length, ordinal, many, count, depth, parts = (rest.varint() for _ in range(6))
        numbers = [rest.varint() for _ in range(7)] if what in (PART, NOTE) else [0] * 7
        opening = tuple(rest.varint() for _ in range(rest.varint())) if what in (PART, NOTE) else ()
        name = rest.take(name_length).decode()
        meaning, text = rest.take(MEANING_BYTES), rest.take(TEXT_BYTES)
        alone = rest.take(_MEANING_ALONE if flags & 128 else 0)
        sketch = PieceSketch(depth, tuple(rest.pairs(parts)))
        if what == SYMBOL and not rest.is_at_end:
            numbers[3] = next(rest.pairs(1))
    except (IndexError, UnicodeDecodeError):
        return None
    if kind >= len(_KINDS) or parts > MOST_PARTS or not rest.is_at_end or max(opening, default=0) > 0xFFFF:
        return None
    return Anchor(
        what=what,
        meaning=meaning,
        count=count,
        sketch=sketch,
        qualified=name,
        kind=_KINDS[kind],
        begin=flags >> 2 & 3,
        ordinal=ordinal,
        many=many,
        twin=bool(flags & 32),
        alone=alone,
        offset=numbers[0],
        lead=numbers[1],
        trail=numbers[2],
        opening=opening,
        before=numbers[3],
        after=numbers[4],
        lines=bool(flags & 64),
        text=text,
        height=numbers[5],
        closing=numbers[6],
        broken=bool(flags & 16),
        typed=data[0] == _TYPED,
    )


def is_typed(data: bytes) -> bool:
    """Whether type annotations count for this anchor."""
    return data[:1] == bytes((_TYPED,))


def is_part(data: bytes) -> bool:
    """Whether this anchors lines that are no whole symbol: if they change, the file as it was pinned is needed."""
    return len(data) > 1 and data[1] & 3 in (PART, NOTE)


def code_hash(lines: Sequence[str], ignore_space: bool = False) -> str:
    """The hash of lines, independent of line endings and, if `ignore_space`, of white space."""
    if ignore_space:
        return _sha256(_SPACE.sub("", "".join(lines)).encode("utf-8", "surrogatepass"))
    return _sha256(b"".join(map(_with_line_end, lines)))


def follow_hash(expected: str, count: int, lines: Sequence[str], near: int) -> int | None:
    """The first line (from 1) of the block of `count` lines with this hash, or None.

    Of several blocks the one nearest to `near` wins. Hashes with and without white space both match.
    """
    starts = range(max(0, len(lines) - count + 1))
    by_distance = sorted(starts, key=lambda start: (abs(start + 1 - near), start))[: max(1, _MOST_HASHED // count)]
    with_line_ends = [_with_line_end(line) for line in lines]
    without_space = [_SPACE.sub("", line).encode("utf-8", "surrogatepass") for line in lines]
    for kept in (with_line_ends, without_space):
        for start in by_distance:
            if _sha256(b"".join(kept[start : start + count])) == expected:
                return start + 1
    if starts and _sha256(b"".join(with_line_ends[-count:]).removesuffix(b"\n")) == expected:
        return len(lines) - count + 1  # the hash was made at the end of a file without a final newline
    return None


def _with_line_end(line: str) -> bytes:
    return line.rstrip("\r\n").encode("utf-8", "surrogatepass") + b"\n"


def _sha256(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


class _Reader:
    def __init__(self, data: bytes, place: int) -> None:
        self.data, self.place = data, place

    @property
    def is_at_end(self) -> bool:
        return self.place == len(self.data)

    def varint(self) -> int:
        number = shift = 0
        while True:
            byte = self.data[self.place]
            self.place += 1
            number |= (byte & 127) << shift
            if byte < 128:
                return number
            shift += 7
            if shift > 63:
                raise IndexError

    def take(self, length: int) -> bytes:
        if self.place + length > len(self.data):
            raise IndexError
        self.place += length
        return self.data[self.place - length : self.place]

    def pairs(self, count: int) -> Iterator[int]:
        data = self.take(2 * count)
        return (int.from_bytes(data[place : place + 2], "little") for place in range(0, 2 * count, 2))
