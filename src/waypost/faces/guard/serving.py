"""Serves an ASGI application with uvicorn. Importing this module imports uvicorn."""

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, ClassVar

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import HANDLED_SIGNALS, Server

from waypost.faces.guard.asgi import App
from waypost.faces.guard.problem import Problem

_KEEP_ALIVE = 15  # seconds that a connection can be idle between requests
_GRACE = 10.0  # seconds for running requests when the server stops
_AFTER_GRACE = 15.0  # then for jobs and the store, before the process is killed
_HEAD_BYTES = 32 << 10  # of an incomplete head; the gate is stricter


Refused = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Events:
    ready: Callable[[], None] = lambda: None
    ending: Callable[[], None] = lambda: None  # no new requests; running ones continue
    given_up: Callable[[], None] = lambda: None  # something did not end in time; the process exits now
    refused: Refused = lambda _: None  # a connection was refused before a request


class LimitedConnection(H11Protocol):
    """A connection with a time limit for request heads, and a limit on their number."""

    head_seconds: ClassVar[float] = 10.0
    most: ClassVar[int] = 512
    events: ClassVar[Events] = Events()  # for what no application sees
    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            self.events.refused("connections")
            self.shutdown()
        else:
            self._await_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._head_is_there()
        elif self._head_timer is None and not self.transport.is_closing():
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._head_is_there()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        self._head_is_there()
        super().on_response_complete()

    def send_400_response(self, _msg: str) -> None:
        """Answer what is not HTTP, unless another answer has already started."""
        self.events.refused("form")
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            problem = Problem(400, "This is not a valid HTTP request.", "Use a client that supports it.")
            head = h11.Response(status_code=problem.status, headers=problem.all_headers, reason=b"Bad Request")
            for event in (head, h11.Data(data=problem.body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.head_seconds, self._head_is_late)

    def _head_is_late(self) -> None:
        if not self.transport.is_closing():
            self.events.refused("slow")
            self.timeout_keep_alive_handler()

    def _head_is_there(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None


class _Server(Server):
    """Reports when it is ready and when it stops. Exits normally after SIGTERM and SIGINT instead of dying of them. A second
    signal exits at once, like `kill -9`: transactions are atomic, and the system releases locks."""

    def __init__(self, config: Config, events: Events, stop: threading.Event | None) -> None:
        super().__init__(config)
        self._events, self._stop = events, stop
        self._signals = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._events.ready()

    async def on_tick(self, counter: int) -> bool:
        return await super().on_tick(counter) or (self._stop is not None and self._stop.is_set())

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._events.ending()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, _frame: FrameType | None) -> None:
        self._signals += 1
        self.should_exit = True
        if self._signals > 1:
            os._exit(128 + sig)
        grace = float(self.config.timeout_graceful_shutdown or 0)
        last = threading.Timer(grace + _AFTER_GRACE, self._leave)  # a stuck thread must not keep the process alive
        last.daemon = True
        last.start()

    def _leave(self) -> None:
        self._events.given_up()
        os._exit(1)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in HANDLED_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def serve(
    app: App,
    listening: socket.socket,
    *,
    events: Events | None = None,
    ready: Callable[[], None] = lambda: None,
    grace: float = _GRACE,
    stop: threading.Event | None = None,
    connection: type[LimitedConnection] = LimitedConnection,
) -> None:
    """Serve until SIGTERM, SIGINT or `stop`. Running requests get `grace` seconds. Closes the socket at the end. `ready` is
    a shortcut for callers that need no other event.

    uvicorn logs no requests, so addresses and headers stay out of all files.
    """
    events = events or Events(ready)
    connection = type("Watched", (connection,), {"events": events})
    options: dict[str, Any] = {
        "http": connection,
        "ws": "none",
        "loop": "asyncio",
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "proxy_headers": False,
        "server_header": False,
        "timeout_keep_alive": _KEEP_ALIVE,
        "timeout_graceful_shutdown": grace,
        "h11_max_incomplete_event_size": _HEAD_BYTES,
    }
    logging.getLogger("uvicorn").setLevel(logging.ERROR)  # clients must not be able to fill the log
    try:
        _Server(Config(app, **options), events, stop).run(sockets=[listening])
    finally:
        listening.close()
