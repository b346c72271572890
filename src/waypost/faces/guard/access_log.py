"""The server's log on standard error: one line per request and per event of the server.

As JSON, everything; as text, only problems. A line holds a route's template, never the address as sent, a token, a body or
stored text. Of an error it holds the type and place, not the message.
"""

import json
import logging
import re
import secrets
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TextIO

from waypost.faces.guard.asgi import Scope, values
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import Buckets, Monotonic

SEEN = "waypost.seen"  # the scope key of a request's LoggedRequest
HEADER = b"x-request-id"
_SANE = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_TRUSTED = ("waypost", "uvicorn")  # loggers with fixed messages; others may quote input
_MOST_WAITING = 10_000  # lines; a slow reader must not block the server
_FLUSH_SECONDS = 2.0
_REFUSALS, _REFUSALS_BURST = 10.0, 100.0  # lines a second, so that hostile clients cannot fill the disk
_OURS = "waypost"
_CRASHED = "Unexpected error in the server."


@dataclass(slots=True)
class LoggedRequest:
    """What is known about one request. Each part of the server adds to it."""

    request_id: str
    identity: TokenIdentity | None = None
    refused: str = ""  # the reason in one word
    route: str = "other"  # the template of its path
    space: str = ""
    crashed: bool = False  # already logged
    log: "Log | None" = None  # of the server that answers it


current: ContextVar[LoggedRequest | None] = ContextVar("waypost_seen", default=None)


def logged_request(scope: Scope) -> LoggedRequest | None:
    logged = scope.get(SEEN)
    return logged if isinstance(logged, LoggedRequest) else None


def request_id(scope: Scope) -> str:
    """The request id that was sent, if it is short and plain, else a new one."""
    sent = values(scope, HEADER)
    return sent[0].decode("ascii") if len(sent) == 1 and _SANE.fullmatch(sent[0]) else secrets.token_hex(8)


class Log:
    """Writes lines in its own thread. `form`: `json` or `text`. Close it at the end."""

    def __init__(
        self,
        form: str = "text",
        out: TextIO | None = None,
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        monotonic: Monotonic = time.monotonic,
        most: int = _MOST_WAITING,
    ) -> None:
        self._json, self._out, self._clock, self._most = form == "json", out, clock, most
        self._waiting: deque[str] = deque()
        self._wake, self._closed = threading.Event(), threading.Event()
        self._refusals = Buckets(_REFUSALS, _REFUSALS_BURST, monotonic)
        self._left_out = 0
        self.lost = 0  # lines dropped because the reader was too slow
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def event(self, event: str, level: str = "info", **fields: Any) -> None:
        if self._json:
            self._put(json.dumps(self._head(level, event) | fields))
        elif _LEVELS[level] >= logging.WARNING:
            details = " ".join(f"{name}={value}" for name, value in fields.items() if name != "message")
            what = fields.get("message", event)
            line = f"{level}: {what}{f' ({details})' if details else ''}"
            self._put("".join(letter if letter.isprintable() else "?" for letter in " ".join(line.splitlines())))

    def request(self, seen: LoggedRequest, method: str, status: int, seconds: float) -> None:
        if not self._json:
            return
        event, level = ("refusal", "warning") if seen.refused else ("request", "error" if status >= 500 else "info")
        fields: dict[str, Any] = self._head(level, event)
        if seen.refused:
            if self._refusals.take(""):
                self._left_out += 1
                return
            fields["reason"] = seen.refused
            if self._left_out:
                fields["left_out"], self._left_out = self._left_out, 0
        fields["request_id"], fields["method"], fields["route"] = seen.request_id, method, seen.route
        fields["status"], fields["ms"] = status, round(seconds * 1000, 3)
        if seen.identity is not None:
            fields["actor"] = seen.identity.name
        if seen.space:
            fields["space"] = seen.space
        self._put(json.dumps(fields))

    def crash(self, error: BaseException) -> None:
        """Log the type and place of an unexpected error, once per request."""
        seen = current.get()
        if seen is not None:
            if seen.crashed:
                return
            seen.crashed = True
        about = {"request_id": seen.request_id} if seen is not None else {}
        self.event("crash", "error", message=_CRASHED, error=type(error).__name__, place=place_of(error), **about)

    def close(self) -> None:
        """Write the remaining lines, for a limited time."""
        self._closed.set()
        self._wake.set()
        self._thread.join(_FLUSH_SECONDS)

    @contextmanager
    def capturing(self) -> Iterator["Log"]:
        """Within the block, messages of `logging` and exceptions of threads become lines of this log."""
        handler, root, before = _Handler(self), logging.getLogger(), threading.excepthook

        def failed(arguments: "threading.ExceptHookArgs") -> None:
            if arguments.exc_value is not None:
                self.crash(arguments.exc_value)

        root.addHandler(handler)
        threading.excepthook = failed
        try:
            yield self
        finally:
            root.removeHandler(handler)
            threading.excepthook = before

    def _head(self, level: str, event: str) -> dict[str, Any]:
        now = self._clock()
        return {"time": f"{now:%Y-%m-%dT%H:%M:%S}.{now.microsecond // 1000:03}Z", "level": level, "event": event}

    def _put(self, line: str) -> None:
        if len(self._waiting) >= self._most:
            self.lost += 1
            return
        self._waiting.append(line)
        if not self._wake.is_set():
            self._wake.set()

    def _write(self) -> None:
        while True:
            self._wake.wait()
            self._wake.clear()
            ended = self._closed.is_set()  # before the last read, so that earlier lines are still written
            lines: list[str] = []
            while self._waiting:
                lines.append(self._waiting.popleft())
            try:
                if lines:
                    out = self._out or sys.stderr
                    out.write("\n".join(lines) + "\n")
                    out.flush()
            except (OSError, ValueError):  # the stream is closed: serving continues
                self.lost += len(lines)
            if ended:
                return


class _Handler(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        seen = current.get()
        if seen is not None and seen.log not in (None, self._log):  # from another server in this process
            return
        error = getattr(record, "crash", None) or (record.exc_info[1] if record.exc_info else None)
        if error is not None:
            self._log.crash(error)
        else:
            level = "error" if record.levelno >= logging.ERROR else "warning"
            is_ours = record.name.partition(".")[0] in _TRUSTED
            message = record.getMessage() if is_ours else f"Problem at {record.module}:{record.lineno}."
            self._log.event("problem", level, message=message, source=record.name)


def place_of(error: BaseException) -> str:
    """Module and line of the innermost frame of Waypost, else of the innermost frame."""
    frames = list(traceback.walk_tb(error.__traceback__))
    places = [(str(frame.f_globals.get("__name__", "?")), line) for frame, line in frames]
    ours = [place for place in places if place[0].partition(".")[0] == _OURS]
    return "{}:{}".format(*(ours or places)[-1]) if places else ""
