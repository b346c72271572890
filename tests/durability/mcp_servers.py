"""Real MCP servers as processes, a light client for them, and ways to know that a process has gone."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.durability.conftest import environment

COMMAND = [sys.executable, "-m", "waypost", "mcp", "--structured"]
OPENING = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "soak", "version": "1"}}
PATIENCE = 120.0  # seconds for an answer: longer means that it hangs


class Server:
    """One server and its only client."""

    def __init__(self, project: Path, command: Sequence[str] = COMMAND) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=project,
            env=environment(),
        )
        self.pid = self.process.pid
        self._buffer = b""
        self._number = 0

    def open(self) -> "Server":
        assert self.ask("initialize", OPENING)["serverInfo"]["name"] == "waypost"
        self.send({"method": "notifications/initialized"})
        return self

    def call(self, tool: str, **arguments: object) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def ask(self, method: str, params: object = None) -> dict[str, Any]:
        number = self.start(method, params)
        while True:
            message = self.hear()
            if message.get("id") == number:
                assert "error" not in message, message
                result: dict[str, Any] = message["result"]
                return result

    def start(self, method: str, params: object = None) -> int:
        self._number += 1
        self.send({"id": self._number, "method": method, **({} if params is None else {"params": params})})
        return self._number

    def send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def hear(self) -> dict[str, Any]:
        """The next message. Raises EOFError when the server has gone."""
        assert self.process.stdout is not None
        handle = self.process.stdout.fileno()
        while b"\n" not in self._buffer:
            if not select.select([handle], [], [], PATIENCE)[0]:
                raise TimeoutError(f"no answer in {PATIENCE:g} s")
            chunk = os.read(handle, 2**16)
            if not chunk:
                raise EOFError
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        message: dict[str, Any] = json.loads(line)
        return message

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def close_output(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()

    def end(self) -> str:
        """Whatever its state, it is gone afterwards; what it complained of."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        errors = self.process.stderr
        complaint = errors.read().decode() if errors is not None and not errors.closed else ""
        for pipe in (self.process.stdin, self.process.stdout, errors):
            with contextlib.suppress(BrokenPipeError):
                if pipe is not None:
                    pipe.close()
        return complaint


# Starts what it is told with a pipe for its input, and a grandchild that keeps the pipe open; then waits to be killed.
PARENT = """
import os, subprocess, sys
heard, said = os.pipe()
server = subprocess.Popen(sys.argv[1:], stdin=heard)
os.close(heard)
keeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], pass_fds=[said], stdout=2)
print(f"{server.pid} {keeper.pid}", file=sys.stderr, flush=True)
for line in sys.stdin.buffer:
    os.write(said, line)
"""


class RelayedServer(Server):
    """A server behind a process that can be killed as a client is, while something keeps the pipe open."""

    def __init__(self, project: Path, command: Sequence[str] = COMMAND) -> None:
        super().__init__(project, [sys.executable, "-c", PARENT, *command])
        assert self.process.stderr is not None
        self.pid, self.keeper = map(int, self.process.stderr.readline().split())

    def end(self) -> str:
        for pid in (self.keeper, self.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return super().end()


def children_of(pid: int) -> list[int]:
    """The processes that this one has started and that run."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in found for child in path.read_text().split()]


def has_gone(pid: int, seconds: float) -> bool:
    """Whether the process has ended, or ends within this time. Not for children of ours."""
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([handle], [], [], seconds)[0])
    finally:
        os.close(handle)


def resident(pid: int) -> int:
    """Bytes of memory that the process has for itself alone, and in no file: pages of models and of indexes become its
    own when other processes that had them too are killed."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_Dirty"))


def processes_of(home: Path) -> dict[int, str]:
    """Everything that runs with this home of Waypost, by its command."""
    found, wanted = {}, f"WAYPOST_HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # gone, or not ours
            command = (folder / "cmdline").read_bytes()
            if int(folder.name) != os.getpid() and command and wanted in (folder / "environ").read_bytes().split(b"\0"):
                found[int(folder.name)] = command.replace(b"\0", b" ").decode()
    return found
