"""Refusals as problem+json (RFC 9457), with what is wrong and what to do."""

import asyncio
import json
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from waypost.faces.guard.asgi import Receive, Send

_DRAINED = 1 << 20  # bytes to read from a refused client, so that it can read the answer
_DRAIN_SECONDS = 1.0

SECURITY_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"cache-control", b"no-store"),
)
# For pages. A page without a referrer would send its forms with `Origin: null`, like a foreign one.
PAGE_HEADERS = (
    (b"referrer-policy", b"same-origin"),
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        b"form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    ),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a request is refused. It repeats nothing that the client sent."""

    status: int
    what: str
    remedy: str
    headers: tuple[tuple[bytes, bytes], ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "type": "about:blank",
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.what,
            "remedy": self.remedy,
        }

    @property
    def body(self) -> bytes:
        return json.dumps(self.to_json()).encode()

    @property
    def all_headers(self) -> list[tuple[bytes, bytes]]:
        return [
            (b"content-type", b"application/problem+json"),
            (b"content-length", str(len(self.body)).encode()),
            (b"connection", b"close"),
            *self.headers,
            *SECURITY_HEADERS,
        ]


async def answer(problem: Problem, receive: Receive, send: Send, *, hear_out: bool = True) -> None:
    """Send the problem and close.

    `hear_out`: read and drop what the client still sends for a moment. Closing a connection with unread bytes would reset
    it, and the answer would be lost.
    """
    body = problem.body
    await send({"type": "http.response.start", "status": problem.status, "headers": problem.all_headers})
    await send({"type": "http.response.body", "body": body, "more_body": True})
    if hear_out:
        await _drain(receive)
    await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _drain(receive: Receive) -> None:
    dropped = 0
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while dropped <= _DRAINED:
                message = await receive()
                if message["type"] != "http.request" or not message.get("more_body", False):
                    return
                dropped += len(message.get("body", b""))
    except TimeoutError:
        return
