"""Messages between a hook and a running process: a length, then that many bytes of JSON, with limits."""

import json
import struct
import time
from typing import Any, Protocol

LARGEST_REQUEST = 1 << 20
LARGEST_ANSWER = 1 << 18
_LENGTH = struct.Struct(">I")
_PIECE = 1 << 16


class SocketLike(Protocol):
    def settimeout(self, value: float | None, /) -> None: ...
    def sendall(self, data: bytes, /) -> None: ...
    def recv(self, size: int, /) -> bytes: ...


class BadFrame(Exception):
    """The data is not a message: too long, cut off, or not a JSON object."""


def send(connection: SocketLike, message: dict[str, Any], deadline: float) -> None:
    """Write one message before `deadline`, a time of the monotonic clock. Raises OSError."""
    body = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    connection.settimeout(_left(deadline))
    connection.sendall(_LENGTH.pack(len(body)) + body)


def receive(connection: SocketLike, largest: int, deadline: float) -> dict[str, Any]:
    """Read one message. Raises BadFrame, or OSError (TimeoutError after `deadline`)."""
    (length,) = _LENGTH.unpack(_exactly(connection, _LENGTH.size, deadline))
    if length > largest:
        raise BadFrame(f"a message of {length} bytes")
    try:
        message = json.loads(_exactly(connection, length, deadline))
    except (ValueError, RecursionError) as error:
        raise BadFrame("not JSON") from error
    if not isinstance(message, dict):
        raise BadFrame("not an object")
    return message


def _exactly(connection: SocketLike, size: int, deadline: float) -> bytes:
    pieces = bytearray()
    while len(pieces) < size:
        connection.settimeout(_left(deadline))
        piece = connection.recv(min(_PIECE, size - len(pieces)))
        if not piece:
            raise BadFrame("cut off")
        pieces += piece
    return bytes(pieces)


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
