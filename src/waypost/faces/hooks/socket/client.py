"""Asks a running process, newest first, within a time limit."""

import contextlib
import os
import time
from pathlib import Path
from typing import Any

from waypost.errors import SecurityError
from waypost.faces.hooks.socket.frames import LARGEST_ANSWER, BadFrame, receive, send
from waypost.faces.hooks.socket.place import Address, addresses, release
from waypost.system.platform import same_user

_CONNECT = 0.05  # seconds: a live process accepts at once
_SHARE = 0.7  # of the remaining time per process, so that the next one can answer


def ask_running(run_folder: Path, request: dict[str, Any], seconds: float) -> dict[str, Any] | None:
    """The answer of a running process within so many seconds, or None."""
    deadline = time.monotonic() + seconds
    try:
        candidates = addresses(run_folder)
    except SecurityError:
        return None
    for address in candidates:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        answer = _ask(run_folder, address, request, time.monotonic() + _SHARE * left)
        if answer is not None:
            return answer
    return None


def _ask(folder: Path, address: Address, request: dict[str, Any], deadline: float) -> dict[str, Any] | None:
    try:
        if os.name != "posix":
            return _ask_pipe(address, request, deadline)
        return _ask_socket(address, request, deadline)
    except (ConnectionRefusedError, FileNotFoundError):  # stale: another process has the number of a dead one
        release(folder, address)
    except (OSError, BadFrame, EOFError):
        return None
    return None


def _ask_socket(address: Address, request: dict[str, Any], deadline: float) -> dict[str, Any] | None:
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_CONNECT)
        connection.connect(address.place)
        if not same_user(connection):
            return None
        send(connection, request, deadline)
        return _usable(receive(connection, LARGEST_ANSWER, deadline))


def _ask_pipe(address: Address, request: dict[str, Any], deadline: float) -> dict[str, Any] | None:
    from waypost.faces.hooks.socket.pipe import connect

    with contextlib.closing(connect(address)) as connection:
        send(connection, request, deadline)
        return _usable(receive(connection, LARGEST_ANSWER, deadline))


def _usable(answer: dict[str, Any]) -> dict[str, Any] | None:
    return None if answer.get("failed") else answer
