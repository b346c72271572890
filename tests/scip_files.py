"""SCIP indexes for tests, written as indexers write them."""

from collections.abc import Mapping, Sequence

Place = tuple[int, int, int, str, int]  # line from 1, first and last column from 0, symbol, roles


def scip_index(files: Mapping[str, Sequence[Place]], implements: Mapping[str, Sequence[tuple[str, str]]]) -> bytes:
    index = b""
    for path, places in files.items():
        document = _bytes(1, path.encode())
        for line, column, end, symbol, roles in places:
            place = b"".join(_varint(number) for number in (line - 1, column, end))
            document += _bytes(2, _bytes(1, place) + _bytes(2, symbol.encode()) + b"\x18" + _varint(roles))
        for symbol, other in implements.get(path, ()):
            document += _bytes(3, _bytes(1, symbol.encode()) + _bytes(4, _bytes(1, other.encode()) + b"\x18\x01"))
        index += _bytes(2, document)
    return index


def _bytes(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _varint(value: int) -> bytes:
    data = b""
    while value > 0x7F:
        data += bytes([value & 0x7F | 0x80])
        value >>= 7
    return data + bytes([value])
