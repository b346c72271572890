"""Reads request bodies completely, within limits of size and time, before the application runs."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from waypost.faces.guard.asgi import Message, Receive, Scope, values
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.problem import Problem

_DIGITS = frozenset(b"0123456789")


class Disconnected(Exception):
    """The client disconnected while sending."""


class BodyBuffers:
    """Reads bodies and limits the memory of all requests together."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._held = 0

    def length_problem(self, scope: Scope, most: int) -> Problem | None:
        """What is wrong with the Content-Length; at most `most` bytes are allowed."""
        lengths = values(scope, b"content-length")
        if not lengths:
            return None
        if len(lengths) > 1 or not lengths[0] or not _DIGITS.issuperset(lengths[0]) or len(lengths[0]) > 18:
            return Problem(400, "Invalid Content-Length.", "Send one number, in digits.")
        return _too_large(most) if int(lengths[0]) > most else None

    @contextmanager
    def buffer(self, most: int) -> Iterator["BodyBuffer"]:
        """A buffer for one body of at most `most` bytes, released at the end of the block."""
        body = BodyBuffer(self, most)
        try:
            yield body
        finally:
            self._held -= body.size

    def reserve(self, body: "BodyBuffer", size: int) -> Problem | None:
        if body.size + size > body.most:
            return _too_large(body.most)
        if self._held + size > self._limits.buffered_bytes:
            return Problem(503, "Too many bytes in flight.", "Try again.", ((b"retry-after", b"1"),))
        body.size += size
        self._held += size
        return None

    @property
    def seconds(self) -> float:
        return self._limits.body_seconds


class BodyBuffer:
    def __init__(self, buffers: BodyBuffers, most: int) -> None:
        self.size, self.most = 0, most
        self.has_more = True  # whether the client may still be sending
        self._buffers = buffers
        self._chunks: list[bytes] = []

    async def read(self, receive: Receive) -> Problem | None:
        """Read the whole body. Raises Disconnected if the client disconnects first."""
        try:
            async with asyncio.timeout(self._buffers.seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Disconnected
                    chunk = message.get("body", b"")
                    self.has_more = bool(message.get("more_body", False))
                    if problem := self._buffers.reserve(self, len(chunk)):
                        return problem
                    self._chunks.append(chunk)
                    if not self.has_more:
                        return None
        except TimeoutError:
            self.has_more = False  # waited long enough
            return Problem(408, f"The body did not arrive within {self._buffers.seconds:g} seconds.", "Send it faster.")

    def replay(self, receive: Receive) -> Receive:
        """A `receive` for the application: the body in one piece, then later messages."""
        pending: list[Message] = [{"type": "http.request", "body": b"".join(self._chunks), "more_body": False}]
        self._chunks.clear()

        async def next_message() -> Message:
            return pending.pop() if pending else await receive()

        return next_message


def _too_large(most: int) -> Problem:
    return Problem(413, f"A request can have at most {most} bytes.", "Send several smaller requests.")
