"""Taking in a request's body: whole, bounded and in time, before the application sees anything of it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from waypost.faces.guard.asgi import Message, Receive, Scope, values
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.problem import Problem

_DIGITS = frozenset(b"0123456789")


class Disconnected(Exception):
    """The client has gone away while it was sending."""


class Intake:
    """Reads bodies. What all requests in flight hold together is bounded too."""

    def __init__(self, limits: ServerLimits) -> None:
        self._limits = limits
        self._held = 0

    def announced(self, scope: Scope, most: int) -> Problem | None:
        """What is wrong with the length that the request announces; `most` bytes are allowed."""
        lengths = values(scope, b"content-length")
        if not lengths:
            return None
        if len(lengths) > 1 or not lengths[0] or not _DIGITS.issuperset(lengths[0]) or len(lengths[0]) > 18:
            return Problem(400, "The Content-Length is not a number.", "Send one, in digits.")
        return _too_large(most) if int(lengths[0]) > most else None

    @contextmanager
    def room(self, most: int) -> Iterator["BodyIntake"]:
        """Room for one body of at most so many bytes, given back at the end of the block."""
        taken = BodyIntake(self, most)
        try:
            yield taken
        finally:
            self._held -= taken.size

    def reserve(self, taken: "BodyIntake", size: int) -> Problem | None:
        if taken.size + size > taken.most:
            return _too_large(taken.most)
        if self._held + size > self._limits.buffered_bytes:
            return Problem(503, "Too much is being sent at once.", "Try again.", ((b"retry-after", b"1"),))
        taken.size += size
        self._held += size
        return None

    @property
    def seconds(self) -> float:
        return self._limits.body_seconds


class BodyIntake:
    """One body being taken in."""

    def __init__(self, intake: Intake, most: int) -> None:
        self.size, self.most = 0, most
        self.comes_on = True  # whether there may be more of it worth hearing out
        self._intake = intake
        self._chunks: list[bytes] = []

    async def take(self, receive: Receive) -> Problem | None:
        """Read all of it. Raises Disconnected when the client goes away first."""
        try:
            async with asyncio.timeout(self._intake.seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise Disconnected
                    chunk = message.get("body", b"")
                    self.comes_on = bool(message.get("more_body", False))
                    if problem := self._intake.reserve(self, len(chunk)):
                        return problem
                    self._chunks.append(chunk)
                    if not self.comes_on:
                        return None
        except TimeoutError:
            self.comes_on = False  # it was waited for long enough
            return Problem(408, f"The body did not come within {self._intake.seconds:g} seconds.", "Send it faster.")

    def replayed(self, receive: Receive) -> Receive:
        """What the application receives: the body in one piece, then whatever comes."""
        pending: list[Message] = [{"type": "http.request", "body": b"".join(self._chunks), "more_body": False}]
        self._chunks.clear()

        async def next_message() -> Message:
            return pending.pop() if pending else await receive()

        return next_message


def _too_large(most: int) -> Problem:
    return Problem(413, f"A request may have {most} bytes.", "Send less, in several requests.")
