"""Long-lived processes of every face that use one memory at once, and what the system says of their locks and logs."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import httpx2
from tests.durability.conftest import ROOT, Actor, environment
from tests.durability.fork_server import Forked
from tests.durability.mcp_servers import Server

from waypost.faces.cli.entry import run

COMMAND = [sys.executable, "-m", "waypost"]
PATIENCE = 120.0  # seconds


class Member(Protocol):
    """One process with the memory open."""

    pid: int

    def remember(self, text: str) -> str:
        """Write, and return the id that was acknowledged."""

    def forget(self, memory_id: str) -> None: ...

    def stop(self) -> None:
        """Let it end by itself."""

    def kill(self) -> None:
        """Whatever its state, it is gone afterwards."""


class Library:
    """A program that uses the library."""

    def __init__(self, project: Path) -> None:
        self._actor = Actor("serve", project)
        self._actor.wait_ready()
        self.pid = self._actor.pid

    def remember(self, text: str) -> str:
        return str(self._actor.ask("remember", text=text)["id"])

    def forget(self, memory_id: str) -> None:
        self._actor.ask("forget", memory_id=memory_id)

    def do(self, name: str, **arguments: object) -> Any:
        return self._actor.ask("do", name=name, arguments=arguments)

    def stop(self) -> None:
        self._actor.close()

    def kill(self) -> None:
        self._actor.end()


class RestServer:
    """`waypost serve`, asked over HTTP."""

    def __init__(self, project: Path) -> None:
        command = [*COMMAND, "-C", str(project), "serve", "--port", "0", "--json"]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment())
        assert self._process.stdout is not None
        found = json.loads(self._process.stdout.readline())
        token = Path(found["token_file"]).read_text().strip()
        self._http = httpx2.Client(
            base_url=found["url"], timeout=PATIENCE, headers={"Authorization": f"Bearer {token}"}
        )
        self.pid = self._process.pid

    def remember(self, text: str) -> str:
        answer = self._http.post("/api/memories", json={"text": text})
        assert answer.status_code in (200, 201), answer.text
        return str(answer.json()["id"])

    def forget(self, memory_id: str) -> None:
        answer = self._http.delete(f"/api/memories/{memory_id}")
        assert answer.status_code in (200, 204), answer.text

    def stop(self) -> None:
        self._http.close()
        self._process.send_signal(signal.SIGTERM)
        self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0

    def kill(self) -> None:
        self._http.close()
        self._process.kill()
        self._process.communicate()


class McpServer:
    """`waypost mcp`, asked over its pipes. A person forgets, not an agent: that is done by the command line."""

    def __init__(self, project: Path) -> None:
        self._server, self._project = Server(project).open(), project
        self.pid = self._server.pid
        self.remember("The agent has connected")

    def remember(self, text: str) -> str:
        answer = self._server.call("remember", text=text)
        assert not answer.get("isError"), answer
        return str(answer["structuredContent"]["id"])

    def forget(self, memory_id: str) -> None:
        call(self._project, "forget", memory_id, "--yes")

    def stop(self) -> None:
        self._server.close_input()
        assert self._server.process.wait(PATIENCE) == 0
        self._server.end()

    def kill(self) -> None:
        self._server.end()


class Watcher:
    """`waypost watch`: it has the memory open, and others write."""

    def __init__(self, project: Path) -> None:
        self._project = project
        self._process = subprocess.Popen(
            [*COMMAND, "-C", str(project), "watch"], stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline()
        self.pid = self._process.pid

    def remember(self, text: str) -> str:
        return remember_by_command(self._project, text)

    def forget(self, memory_id: str) -> None:
        call(self._project, "forget", memory_id, "--yes")

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=PATIENCE)
        assert self._process.returncode == 0

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


def call(project: Path, *arguments: str) -> str:
    """A command in a process of its own, which opens the memory, does its work and closes it again."""
    process = Forked(["-C", str(project), *arguments], environment(), __name__)
    out, errors = process.communicate()
    assert process.returncode == 0, (arguments, out, errors)
    return out


def main(*arguments: str) -> None:
    """The command line, in a forked process."""
    code = run(list(arguments))
    assert code == 0, code


def remember_by_command(project: Path, text: str) -> str:
    """Write, and return the id that was acknowledged."""
    return str(json.loads(call(project, "remember", text, "--json"))["id"])


MEMBERS: dict[str, type[Library] | type[RestServer] | type[McpServer] | type[Watcher]] = {
    "library": Library,
    "serve": RestServer,
    "mcp": McpServer,
    "watch": Watcher,
}


@contextmanager
def member(name: str, project: Path) -> Iterator[Member]:
    """Start one; it is gone afterwards, whatever happened."""
    started = MEMBERS[name](project)
    try:
        yield started
    finally:
        started.kill()


def faults(pid: int, folder: Path) -> list[str]:
    """What is wrong with how a process holds the database that it has open: locks that are gone, files that were deleted.

    Looked at several times: the system's list of locks leaves some out while other processes lock and unlock.
    """
    for _ in range(5):
        found = _faults(pid, folder)
        if not found:
            break
    return found


def _faults(pid: int, folder: Path) -> list[str]:
    handles = [os.readlink(one) for one in Path(f"/proc/{pid}/fd").iterdir() if one.is_symlink()]
    mine = [one for one in handles if one.startswith(str(folder / "memory.db"))]
    found = [f"deleted: {one}" for one in mine if one.endswith("(deleted)")]
    wanted = {Path(one).stat().st_ino for one in mine if one.endswith(("memory.db", "memory.db-shm"))}
    rows = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
    held = {int(row[5].rpartition(":")[2]) for row in rows if row[1] == "POSIX" and row[4] == str(pid)}
    return found + [f"no lock on inode {inode}" for inode in sorted(wanted - held)]
