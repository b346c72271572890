"""Listens to changes by other processes in a database: one connection, in a thread of its own."""

import random
import selectors
import socket
import threading
from typing import Any, Protocol

import psycopg

from waypost.store.postgres.connection import connected
from waypost.store.postgres.store import CHANNEL, ERASED

_PAUSE, _LONGEST_PAUSE = 0.2, 30.0  # seconds between two attempts to come back
_STOP_SECONDS = 2.0


class ChangeHandler(Protocol):
    """Called in the listener's thread."""

    def changed(self, space_id: str) -> None:
        """Somebody, perhaps this process, has written to the space."""

    def erased(self, space_id: str) -> None:
        """Words of the space were erased: nobody may keep them."""

    def missed(self) -> None:
        """Anything may have happened in any space meanwhile."""


class ChangeListener:
    """Listens from `start` to `stop`. Where the connection is lost it comes back, for as long as that takes."""

    def __init__(self, dsn: str, handler: ChangeHandler) -> None:
        self._dsn, self._handler = dsn, handler
        self._ended = threading.Event()
        self._listens = threading.Event()
        self._waking, self._woken = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="listening", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def wait(self, seconds: float) -> bool:
        """Until it listens, or so long."""
        return self._listens.wait(seconds)

    def stop(self) -> None:
        self._ended.set()
        self._waking.send(b"\0")
        if self._thread.ident is not None:
            self._thread.join(_STOP_SECONDS)
        if not self._thread.is_alive():  # one that is just connecting leaves them when it looks up
            self._close()

    def _run(self) -> None:
        pause, was_lost = _PAUSE, False
        while not self._ended.is_set():
            try:
                with self._connected() as connection:
                    if was_lost:
                        self._handler.missed()
                    pause = _PAUSE
                    self._listens.set()
                    self._listen(connection)
            except psycopg.Error:
                was_lost = True
            self._listens.clear()
            self._ended.wait(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _connected(self) -> "psycopg.Connection[Any]":
        connection = connected(self._dsn, "waypost listening")
        try:
            connection.add_notify_handler(lambda note: self._note(note.payload))  # for those that come with an answer
            connection.execute(f"LISTEN {CHANNEL}".encode())
        except BaseException:
            connection.close()
            raise
        return connection

    def _listen(self, connection: "psycopg.Connection[Any]") -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(connection.fileno(), selectors.EVENT_READ)
            selector.register(self._woken, selectors.EVENT_READ)
            while not self._ended.is_set():
                selector.select()
                connection.pgconn.consume_input()
                while (note := connection.pgconn.notifies()) is not None:
                    self._note(note.extra.decode(errors="replace"))

    def _note(self, payload: str) -> None:
        space_id, _, what = payload.partition(" ")
        if what == ERASED:
            self._handler.erased(space_id)
        self._handler.changed(space_id)

    def _close(self) -> None:
        self._waking.close()
        self._woken.close()
