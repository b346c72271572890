"""What a server writes down: one line for each request and for each event of its own, to the error stream.

As JSON, everything; as text, for people, only what went wrong. A line holds a route's template, never an address as it
was sent, nor a token, a body or the words of a memory: of an error its sort and its place, not its message.
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
from typing import TYPE_CHECKING, Any, TextIO

from waypost.faces.guard.asgi import Scope, values
from waypost.faces.guard.limits import Buckets, Monotonic

if TYPE_CHECKING:
    from waypost.faces.guard.identity import TokenIdentity

SEEN = "waypost.seen"  # where the scope of a request holds what is seen of it
HEADER = b"x-request-id"
_SANE = re.compile(rb"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
_TRUSTED = ("waypost", "uvicorn")  # whose messages are fixed words; others may quote what they were given
_MOST_WAITING = 10_000  # lines; a reader that does not read does not hold up the server
_FLUSH_SECONDS = 2.0
_REFUSALS, _REFUSALS_BURST = 10.0, 100.0  # lines a second: a hostile client does not fill the disk at its pleasure
_OURS = "waypost"
_CRASHED = "Something went wrong in the server."


@dataclass(slots=True)
class LoggedRequest:
    """What is known of one request. The parts that it comes to add to it."""

    request_id: str
    identity: "TokenIdentity | None" = None
    refused: str = ""  # why, in one word
    route: str = "other"  # the template that its path fits
    space: str = ""
    crashed: bool = False  # it was told already
    log: "Log | None" = None  # of the server that answers it


current: ContextVar[LoggedRequest | None] = ContextVar("waypost_seen", default=None)


def seen_of(scope: Scope) -> LoggedRequest | None:
    found = scope.get(SEEN)
    return found if isinstance(found, LoggedRequest) else None


def request_id(scope: Scope) -> str:
    """The one that was sent, if it is short and plain; else a new one."""
    sent = values(scope, HEADER)
    return sent[0].decode("ascii") if len(sent) == 1 and _SANE.fullmatch(sent[0]) else secrets.token_hex(8)


class Log:
    """Writes lines in a thread of its own. `form`: `json` or `text`. Close it at the end."""

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
        self.lost = 0  # lines that nobody took in time
        self._thread = threading.Thread(target=self._write, name="log", daemon=True)
        self._thread.start()

    def event(self, event: str, level: str = "info", **told: Any) -> None:
        """Something that the server did or that befell it."""
        if self._json:
            self._put(json.dumps(self._head(level, event) | told))
        elif _LEVELS[level] >= logging.WARNING:
            words = " ".join(f"{name}={value}" for name, value in told.items() if name != "message")
            what = told.get("message", event)
            line = f"{level}: {what}{f' ({words})' if words else ''}"
            self._put("".join(letter if letter.isprintable() else "?" for letter in " ".join(line.splitlines())))

    def request(self, seen: LoggedRequest, method: str, status: int, seconds: float) -> None:
        """One that was answered."""
        if not self._json:
            return
        event, level = ("refusal", "warning") if seen.refused else ("request", "error" if status >= 500 else "info")
        told: dict[str, Any] = self._head(level, event)
        if seen.refused:
            if self._refusals.take(""):
                self._left_out += 1
                return
            told["reason"] = seen.refused
            if self._left_out:
                told["left_out"], self._left_out = self._left_out, 0
        told["request_id"], told["method"], told["route"] = seen.request_id, method, seen.route
        told["status"], told["ms"] = status, round(seconds * 1000, 3)
        if seen.identity is not None:
            told["actor"] = seen.identity.name
        if seen.space:
            told["space"] = seen.space
        self._put(json.dumps(told))

    def crash(self, error: BaseException) -> None:
        """An error that nobody foresaw: its sort and its place. Once for a request."""
        seen = current.get()
        if seen is not None:
            if seen.crashed:
                return
            seen.crashed = True
        about = {"request_id": seen.request_id} if seen is not None else {}
        self.event("crash", "error", message=_CRASHED, error=type(error).__name__, place=place_of(error), **about)

    def close(self) -> None:
        """Write what is waiting, for a moment."""
        self._closed.set()
        self._wake.set()
        self._thread.join(_FLUSH_SECONDS)

    @contextmanager
    def taking_over(self) -> Iterator["Log"]:
        """What the parts of the server, and whatever else is in the process, say with `logging`, and threads that fail,
        become lines of this log, within the block."""
        handler, root, before = _Handler(self), logging.getLogger(), threading.excepthook

        def failed(told: "threading.ExceptHookArgs") -> None:
            if told.exc_value is not None:
                self.crash(told.exc_value)

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
            ended = self._closed.is_set()  # before the last look: what was put until then is written
            lines: list[str] = []
            while self._waiting:
                lines.append(self._waiting.popleft())
            try:
                if lines:
                    out = self._out or sys.stderr
                    out.write("\n".join(lines) + "\n")
                    out.flush()
            except (OSError, ValueError):  # nobody reads any more: serving goes on
                self.lost += len(lines)
            if ended:
                return


class _Handler(logging.Handler):
    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        seen = current.get()
        if seen is not None and seen.log not in (None, self._log):  # of another server in this process
            return
        error = getattr(record, "crash", None) or (record.exc_info[1] if record.exc_info else None)
        if error is not None:
            self._log.crash(error)
        else:
            level = "error" if record.levelno >= logging.ERROR else "warning"
            is_ours = record.name.partition(".")[0] in _TRUSTED
            message = record.getMessage() if is_ours else f"Something went wrong at {record.module}:{record.lineno}."
            self._log.event("problem", level, message=message, source=record.name)


def place_of(error: BaseException) -> str:
    """The innermost place of ours, as module and line; else the innermost at all."""
    frames = list(traceback.walk_tb(error.__traceback__))
    named = [(str(frame.f_globals.get("__name__", "?")), line) for frame, line in frames]
    ours = [one for one in named if one[0].partition(".")[0] == _OURS]
    return "{}:{}".format(*(ours or named)[-1]) if named else ""
