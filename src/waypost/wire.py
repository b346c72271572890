"""JSON over HTTP to a server named in the settings.

Redirects are not followed, so that a key goes to no other server. Answers are limited in size and time. Messages never
contain a key, or more of an address than host and port. Proxies are not used.
"""

import http.client
import io
import json
import random
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import SplitResult, urlsplit

from waypost.errors import ConfigError

_LONGEST_PAUSE = 30.0  # seconds; a server that asks for more (Retry-After) counts as unavailable
_LONGEST_CONNECT = 10.0  # seconds; even a slow server accepts connections at once
_WORTH_RETRYING = frozenset({408, 429, 500, 502, 503, 504})
_PIECE = 1 << 16  # bytes read at a time
_VERSION = "/v1"


@dataclass(frozen=True, slots=True)
class ServerReply:
    status: int
    wait: float  # seconds that the server asks us to wait before the next attempt
    body: bytes


class NoReply(Exception):
    """No complete answer came. Its text continues after the server's name: "did not answer (TimeoutError)".

    `sent`: the server got the question and may have worked on it.
    """

    def __init__(self, what: str, *, sent: bool = True) -> None:
        super().__init__(what)
        self.sent = sent


class HttpServer:
    """Sends each question over a connection of its own, which costs little compared with the answer."""

    def __init__(
        self,
        url: str,
        label: str,
        *,
        key: str,
        timeout_seconds: float,
        largest_answer: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._url = _checked_url(url, label)
        self._timeout = timeout_seconds
        self._largest = largest_answer
        self._clock = clock
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if key:
            self._headers["Authorization"] = f"Bearer {key}"

    @property
    def address(self) -> str:
        """Scheme, host and port. The rest of the URL may be secret."""
        port = f":{self._url.port}" if self._url.port else ""
        return f"{self._url.scheme}://{self._url.hostname}{port}"

    def post(self, path: str, question: Mapping[str, Any]) -> ServerReply:
        """Send once. Raises `NoReply` if no complete answer comes in time."""
        body = json.dumps(question).encode()
        sent = False
        try:
            with self._connected() as connection:
                connection.request("POST", self._path(path), body, self._headers)
                sent = True
                response = connection.getresponse()
                answer = _read(response, self._largest)
                return ServerReply(response.status, _wait(response.getheader("Retry-After", "")), answer)
        except (OSError, http.client.HTTPException) as error:
            raise NoReply(f"did not answer ({type(error).__name__})", sent=sent) from error

    @contextmanager
    def _connected(self) -> Iterator[http.client.HTTPConnection]:
        deadline = self._clock() + self._timeout
        kind = http.client.HTTPSConnection if self._url.scheme == "https" else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=min(self._timeout, _LONGEST_CONNECT))

        def response(sock: socket.socket, method: str | None = None) -> http.client.HTTPResponse:
            answer = http.client.HTTPResponse(sock, method=method)
            answer.fp.close()
            answer.fp = io.BufferedReader(_DeadlineReader(sock, deadline, self._clock))
            return answer

        connection.response_class = response  # type: ignore[assignment]
        try:
            connection.connect()
            connection.sock.settimeout(self._timeout)
            yield connection
        finally:
            connection.close()

    def _path(self, path: str) -> str:
        """The path below the URL, which may already end with the version, as in `https://example.org/v1`."""
        base = self._url.path.rstrip("/")
        if base.endswith(_VERSION) and path.startswith(_VERSION + "/"):
            base = base[: -len(_VERSION)]
        return base + path


def retry(
    attempt: Callable[[], ServerReply],
    pauses: Sequence[float],
    sleep: Callable[[float], None],
    chance: Callable[[], float] = random.random,
) -> ServerReply:
    """The first final answer, or the last one. Raises the last `NoReply`.

    Pauses vary by up to a quarter, so that clients that failed together do not retry together.
    """
    for pause in pauses:
        wait = 0.0
        try:
            reply = attempt()
        except NoReply:
            pass
        else:
            wait = reply.wait
            if reply.status not in _WORTH_RETRYING or wait > _LONGEST_PAUSE:
                return reply
        sleep(max(pause * (0.75 + chance() / 2), wait))
    return attempt()


def usable_key(secrets: Mapping[str, str], variable: str) -> str:
    """The key in this variable, or "" if it is not valid in a header."""
    key = secrets.get(variable, "")
    return key if key.isascii() and key.isprintable() else ""


class _DeadlineReader(io.RawIOBase):
    """Reads a socket until a deadline, even if the server keeps sending single bytes."""

    def __init__(self, sock: socket.socket, deadline: float, clock: Callable[[], float]) -> None:
        self._socket = sock
        self._raw = sock.makefile("rb", buffering=0)  # keeps the socket open after the connection releases it
        self._deadline = deadline
        self._clock = clock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left = self._deadline - self._clock()
        if left <= 0:
            raise TimeoutError("the answer takes too long")
        self._socket.settimeout(left)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _read(response: http.client.HTTPResponse, largest: int) -> bytes:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read(_PIECE):
        pieces.append(piece)
        size += len(piece)
        if size > largest:
            raise NoReply("sent too large an answer")
    if response.length:  # the connection broke, which reading in pieces does not detect
        raise http.client.IncompleteRead(b"", response.length)
    return b"".join(pieces)


def _wait(retry_after: str) -> float:
    """Seconds from a `Retry-After` header: a number or a date; 0 if it is neither."""
    if retry_after.isascii() and retry_after.isdecimal() and len(retry_after) < 9:
        return float(retry_after)
    try:
        moment = parsedate_to_datetime(retry_after)
    except ValueError:
        return 0.0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _checked_url(url: str, label: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a wrong port, or unclosed brackets
        valid = False
    if not valid:
        raise ConfigError(f"The URL of the {label} is not valid.", "It looks like http://127.0.0.1:11434.")
    return parts
