"""Processes that are forked from one that has loaded everything: starting Python anew would take most of their time.

`Forked` is what `subprocess.Popen` with pipes for text is, for an actor. `python -m tests.durability.fork_server SOCKET` forks.
"""

import atexit
import functools
import importlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.durability import actors

import waypost.store.postgres.store
from waypost.faces.cli.entry import root_command
from waypost.memory import spaces

LOADED = (psycopg, waypost.store.postgres.store)  # what only some of them use

ROOT = Path(__file__).parents[2]
_LARGEST = 1 << 20


class Forked:
    """A process with this environment, in one of the roles of `actors.py` or in `main` of another module."""

    def __init__(self, arguments: list[str], environment: dict[str, str], module: str = actors.__name__) -> None:
        pipes = [os.pipe() for _ in range(4)]  # its input, its output, its errors, and how it ended
        theirs = [pipes[0][0], *(pipe[1] for pipe in pipes[1:])]
        mine = [pipes[0][1], *(pipe[0] for pipe in pipes[1:])]
        try:
            self.pid = _ask({"module": module, "arguments": arguments, "environment": environment}, theirs)
        finally:
            for one in theirs:
                os.close(one)
        self.stdin = os.fdopen(mine[0], "w", encoding="utf-8")
        self.stdout = os.fdopen(mine[1], encoding="utf-8")
        self.stderr = os.fdopen(mine[2], encoding="utf-8")
        self._end = mine[3]
        self.returncode: int | None = None

    def poll(self) -> int | None:
        if self.returncode is None:
            with selectors.DefaultSelector() as selector:
                selector.register(self._end, selectors.EVENT_READ)
                if not selector.select(0):
                    return None
            self.wait()
        return self.returncode

    def wait(self) -> int:
        if self.returncode is None:
            self.returncode = int(os.read(self._end, 100))
            os.close(self._end)
        return self.returncode

    def kill(self) -> None:
        if self.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def communicate(self) -> tuple[str, str]:
        """Close its input, and hear it to its end."""
        errors: list[str] = []
        listening = threading.Thread(target=lambda: errors.append(self.stderr.read()))
        if not self.stdin.closed:
            with suppress(BrokenPipeError):
                self.stdin.close()
        if self.stdout.closed:
            return "", ""
        listening.start()
        out = self.stdout.read()
        listening.join()
        for stream in (self.stdout, self.stderr):
            stream.close()
        self.wait()
        return out, errors[0]


_turn = threading.Lock()


def _ask(message: object, descriptors: list[int]) -> int:
    with _turn:
        ours = _fork_server()
        socket.send_fds(ours, [json.dumps(message).encode()], descriptors)
        return int(ours.recv(100))


@functools.cache
def _fork_server() -> socket.socket:
    """One for this process. It ends with it: then the socket closes."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    variables = {"PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-m", __name__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
            env={**os.environ, **variables},
        )
    atexit.register(process.wait)
    atexit.register(ours.close)
    return ours


# -- in the fork server


def main() -> None:
    asked = socket.socket(fileno=int(sys.argv[1]))
    _load_everything()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake)
    ends: dict[int, int] = {}  # by process: the pipe for how it ended
    with selectors.DefaultSelector() as selector:
        for one in (asked.fileno(), woken):
            selector.register(one, selectors.EVENT_READ)
        while True:
            ready = {key.fd for key, _ in selector.select()}
            if woken in ready:
                os.read(woken, 4096)
                _report(ends)
            if asked.fileno() in ready:
                message, descriptors, *_ = socket.recv_fds(asked, _LARGEST, 4)
                if not message:
                    return
                child = os.fork()
                if child == 0:
                    _become(json.loads(message), descriptors, [asked.fileno(), woken, wake])
                for one in descriptors[:3]:
                    os.close(one)
                ends[child] = descriptors[3]
                asked.send(str(child).encode())


def _report(ends: dict[int, int]) -> None:
    for child in list(ends):
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            pipe = ends.pop(child)
            with suppress(BrokenPipeError):  # nobody wants to know
                os.write(pipe, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(pipe)


def _become(message: dict[str, Any], descriptors: list[int], others: list[int]) -> None:
    """Be the actor that is asked for. Does not return."""
    code = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for number in range(3):
            os.dup2(descriptors[number], number)
        for one in (*descriptors, *others):
            os.close(one)
        sys.stdin, sys.stdout, sys.stderr = (os.fdopen(at, mode, encoding="utf-8") for at, mode in enumerate("rww"))
        os.environ.clear()
        os.environ.update(message["environment"])
        time.tzset()
        importlib.import_module(message["module"]).main(*message["arguments"])
        atexit._run_exitfuncs()
        code = 0
    except BaseException:  # noqa: BLE001
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)


def _load_everything() -> None:
    kill_server = importlib.import_module("tests.durability.kills.kill_server")
    root_command()
    for name in [name for name in os.environ if name.startswith("WAYPOST_")]:
        del os.environ[name]
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(WAYPOST_HOME=f"{folder}/home", WAYPOST_BACKGROUND="0", WAYPOST_MODELS=folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: kill_server.ENGINE)
            kill_server.do_everything_once(Path(folder) / "project")
            spaces.open_spaces.drop_all()
    spaces._engines.clear()


if __name__ == "__main__":
    main()
