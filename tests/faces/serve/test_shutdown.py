"""The end of a server: what is in flight is answered, streams are told, nothing is left. With a real process."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from waypost import Memory, config
from waypost.faces.guard.tokens import TokenFile

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")
BODY = b'{"text": "Requests in flight are answered before the end"}'


@dataclass(frozen=True, slots=True)
class Process:
    popen: "subprocess.Popen[str]"
    home: Path
    port: int

    def head(self, method: str, target: str, **headers: str) -> bytes:
        told = {
            "Host": f"127.0.0.1:{self.port}",
            "Authorization": f"Bearer {TokenFile(self.home).owner_token()}",
            **headers,
        }
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in told.items())
        return f"{method} {target} HTTP/1.1\r\n{lines}\r\n".encode()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def event(self, name: str) -> dict[str, Any]:
        """The next of this name in the log."""
        assert self.popen.stderr is not None
        for line in self.popen.stderr:
            found: dict[str, Any] = json.loads(line)
            if found["event"] == name:
                return found
        raise AssertionError(f"no {name}")


@contextmanager
def started(folder: Path, *python: str) -> Iterator[Process]:
    """`python`: how the interpreter is called instead of as the command line."""
    home = folder / "h"
    environment = {**os.environ, "WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0"}
    arguments = ["-C", str(folder), "serve", "--port", "0", "--log-format", "json"]
    command = [sys.executable, *(python or ("-m", "waypost")), *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment) as popen:
        process = Process(popen, home, 0)
        try:
            port = int(process.event("start")["listens"].rpartition(":")[2])
            yield Process(popen, home, port)
        finally:
            popen.kill()


def until(connection: socket.socket, end: bytes) -> bytes:
    found = b""
    while end not in found:
        piece = connection.recv(65536)
        assert piece, found
        found += piece
    return found


def rest(connection: socket.socket) -> bytes:
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


def begun(process: Process) -> socket.socket:
    """A request of which one byte is still to come. The server has taken the head: it has said 100."""
    connection = process.connect()
    length = {"Content_Length": str(len(BODY)), "Content_Type": "application/json", "Expect": "100-continue"}
    connection.sendall(process.head("POST", "/api/memories", **length))
    until(connection, b"100 ")
    connection.sendall(BODY[:-1])
    return connection


def test_what_is_in_flight_is_answered_and_nothing_is_left(tmp_path: Path) -> None:
    with started(tmp_path) as process, begun(process) as request, process.connect() as stream:
        stream.sendall(process.head("GET", "/api/v1/spaces/here/events"))
        until(stream, b"event: hello")
        process.popen.send_signal(signal.SIGTERM)
        process.event("stopping")
        last = rest(stream)
        assert b'event: end\ndata: {"reason": "the server is stopping"}' in last and last.endswith(b"0\r\n\r\n")
        with pytest.raises(OSError):
            process.connect()
        request.sendall(BODY[-1:])
        answer = rest(request)
        assert b" 201 Created" in answer
        assert process.event("request")["route"] == "/api/v1/spaces/{space}/events"
        written = process.event("request")
        assert (written["route"], written["status"], written["actor"]) == ("/api/memories", 201, "owner")
        process.event("stop")
        assert process.popen.wait(30) == 0
    settings = config.load({"WAYPOST_HOME": str(tmp_path / "h"), "WAYPOST_BACKGROUND": "0", "HOME": str(tmp_path)})
    assert not list((tmp_path / "h" / "run").glob("*/*")) and not list((tmp_path / "h").glob(".ready-*"))
    with Memory.open(tmp_path, settings=settings) as memory:
        assert [row["text"] for row in memory.list()] == ["Requests in flight are answered before the end"]
        memory.remember("Nothing holds the store any more")


def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    with started(tmp_path) as process, begun(process) as request:
        process.popen.send_signal(signal.SIGTERM)
        process.event("stopping")
        process.popen.send_signal(signal.SIGTERM)
        assert process.popen.wait(30) == 128 + signal.SIGTERM
        with pytest.raises(OSError):
            request.sendall(BODY[-1:])
            assert not rest(request)
            raise ConnectionResetError


def test_a_thread_that_never_ends_does_not_keep_the_process(tmp_path: Path) -> None:
    """A request hangs in a thread, which nothing can end but the end of the process."""
    (tmp_path / "h").mkdir()
    (tmp_path / "h" / "config.toml").write_text("[serve]\nshutdown_seconds = 0.1\n")
    hung = (
        "import threading, waypost.memory, waypost.faces.guard.serving as serving\n"
        "from waypost.faces.cli.entry import main\n"
        "def hang(*_, **__):\n"
        "    print('{\"event\": \"hangs\"}', file=__import__('sys').stderr, flush=True)\n"
        "    threading.Event().wait()\n"
        "waypost.memory.Memory.recall, serving._AFTER_GRACE = hang, 0.3\n"
        "main()\n"
    )
    with started(tmp_path, "-c", hung) as process, process.connect() as request:
        request.sendall(process.head("GET", "/api/v1/spaces/here/recall?q=x"))
        process.event("hangs")
        process.popen.send_signal(signal.SIGTERM)
        process.event("stopping")
        end = process.event("abandoned")
        assert end["level"] == "error" and "did not end in time" in end["message"]
        assert process.popen.wait(30) == 1
