"""Answers hooks in a thread of an already running process, at a private socket."""

import contextlib
import os
import select
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, Self

from waypost.faces.hooks.socket.frames import LARGEST_REQUEST, BadFrame, SocketLike, receive, send
from waypost.faces.hooks.socket.place import Address, claim, release
from waypost.system.platform import PRIVATE_FILE, same_user

Answer = Callable[[dict[str, Any]], dict[str, Any]]

_AT_ONCE = 8  # hooks at once; further ones are turned away and work on their own
_PATIENCE = 2.0  # seconds for a hook to send its request and to take the answer
_FAILED = {"failed": True}


class _Closable(SocketLike, Protocol):
    def close(self) -> None: ...


class _Listener(Protocol):
    def accept(self) -> _Closable | None: ...
    def wake(self) -> None: ...
    def close(self) -> None: ...


def serve_hooks(answer: Answer, run_folder: Path) -> "HookServer":
    """Answer hooks from now on, in daemon threads. `answer` may be called concurrently.

    Raises SecurityError or OSError if there is no private place. Closing removes the address; after a kill, the next hook
    removes it.
    """
    address = claim(run_folder)
    try:
        listener = _listen(address)
    except OSError:
        release(run_folder, address)
        raise
    return HookServer(answer, run_folder, address, listener)


class HookServer:
    def __init__(self, answer: Answer, folder: Path, address: Address, listener: _Listener) -> None:
        self.address = address
        self._answer = answer
        self._folder = folder
        self._listener = listener
        self._closing = False
        self._places = threading.BoundedSemaphore(_AT_ONCE)
        self._thread = threading.Thread(target=self._run, name="waypost-hooks", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop listening. Running answers are abandoned."""
        if self._closing:
            return
        self._closing = True
        with contextlib.suppress(OSError):
            self._listener.wake()
        self._thread.join(_PATIENCE)
        self._listener.close()
        release(self._folder, self.address)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._closing:
            try:
                connection = self._listener.accept()
            except (OSError, EOFError):  # disconnected, or without the right to connect
                if self._closing:
                    return
                time.sleep(0.01)  # perhaps too many open files: do not spin
                continue
            if connection is not None:
                self._start_answer(connection)

    def _start_answer(self, connection: _Closable) -> None:
        if self._closing or not self._places.acquire(blocking=False):
            connection.close()
            return
        try:
            threading.Thread(target=self._respond, args=(connection,), daemon=True).start()
        except RuntimeError:  # no more threads
            self._places.release()
            connection.close()

    def _respond(self, connection: _Closable) -> None:
        try:
            request = receive(connection, LARGEST_REQUEST, time.monotonic() + _PATIENCE)
            send(connection, self._reply(request), time.monotonic() + _PATIENCE)
        except (OSError, BadFrame):
            return  # disconnected, or not a hook
        finally:
            connection.close()
            self._places.release()

    def _reply(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._answer(request)
        except Exception:  # noqa: BLE001  boundary of this thread: the hook then works on its own and logs failures
            return _FAILED


def _listen(address: Address) -> _Listener:
    if os.name != "posix":
        from waypost.faces.hooks.socket.pipe import PipeListener

        return PipeListener(address)
    return _UnixListener(address)


class _UnixListener:
    def __init__(self, address: Address) -> None:
        self._waking, self._wakes = socket.socketpair()
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(address.place)  # in a private folder
            os.chmod(address.place, PRIVATE_FILE)
            self._socket.listen(_AT_ONCE)
            self._socket.setblocking(False)
        except OSError:
            self.close()
            raise

    def accept(self) -> _Closable | None:
        ready, _, _ = select.select([self._socket, self._waking], [], [])
        if self._waking in ready:
            return None
        connection, _ = self._socket.accept()
        if not same_user(connection):
            connection.close()
            return None
        return connection

    def wake(self) -> None:
        self._wakes.send(b".")

    def close(self) -> None:
        for end in (self._socket, self._waking, self._wakes):
            end.close()
