"""Hooks answered by a process that runs anyway: a thread of it listens at a private socket."""

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
from waypost.space.platform import PRIVATE_FILE, same_user

Answer = Callable[[dict[str, Any]], dict[str, Any]]

_AT_ONCE = 8  # hooks answered; a further one is sent away and answers itself
_PATIENCE = 2.0  # seconds for a hook to say what it wants, and to take the answer
_FAILED = {"failed": True}


class _Closable(SocketLike, Protocol):
    def close(self) -> None: ...


class _Listener(Protocol):
    def accept(self) -> _Closable | None: ...
    def wake(self) -> None: ...
    def close(self) -> None: ...


def serve_hooks(answer: Answer, run_folder: Path) -> "HookServer":
    """Answer hooks from now on, in threads that end with the process. `answer` may be called by several at once.

    Raises SecurityError or OSError where no private place can be had. Closing it takes the address away; what a killed
    process leaves is taken away by the next hook.
    """
    address = claim(run_folder)
    try:
        listener = _listen(address)
    except OSError:
        release(run_folder, address)
        raise
    return HookServer(answer, run_folder, address, listener)


class HookServer:
    """A socket that is listened at until it is closed."""

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
        """Stop listening. Answers under way are finished by nobody."""
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
            except (OSError, EOFError):  # one that went away, or had no right to come
                if self._closing:
                    return
                time.sleep(0.01)  # too many open files, perhaps: not a reason to use up the machine
                continue
            if connection is not None:
                self._hand_over(connection)

    def _hand_over(self, connection: _Closable) -> None:
        if self._closing or not self._places.acquire(blocking=False):
            connection.close()
            return
        try:
            threading.Thread(target=self._converse, args=(connection,), daemon=True).start()
        except RuntimeError:  # no more threads
            self._places.release()
            connection.close()

    def _converse(self, connection: _Closable) -> None:
        try:
            request = receive(connection, LARGEST_REQUEST, time.monotonic() + _PATIENCE)
            send(connection, self._reply(request), time.monotonic() + _PATIENCE)
        except (OSError, BadFrame):
            return  # whoever asked has gone, or is no hook
        finally:
            connection.close()
            self._places.release()

    def _reply(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            return self._answer(request)
        except Exception:  # noqa: BLE001  the wall of this thread: the hook then answers itself, and notes what fails
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
            self._socket.bind(address.place)  # in a folder that nobody else may enter
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
        for one in (self._socket, self._waking, self._wakes):
            one.close()
