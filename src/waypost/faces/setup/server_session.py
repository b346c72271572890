"""A session with an MCP server, started as an agent starts it."""

import contextlib
import json
import queue
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_VERSION = "2025-06-18"  # of the protocol: old enough for every server
_LEAVING = 5.0  # seconds for a server to end after its client has gone
_LONGEST_LINE = 8 << 20


@dataclass(frozen=True, slots=True)
class ServerTrial:
    """What a server answered: the names of its tools, or the reason why there was no answer."""

    tools: tuple[str, ...]
    milliseconds: int
    failure: str = ""


@contextlib.contextmanager
def try_server(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], seconds: float
) -> Iterator[ServerTrial]:
    """Start a server, shake hands and list its tools. It runs until the end of the block."""
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError as error:
        yield ServerTrial((), 0, f"it does not start: {error.strerror}")
        return
    try:
        tools, failure = _tools(process, started + seconds)
        yield ServerTrial(tools, round((time.monotonic() - started) * 1000), failure)
    finally:
        _end(process)


def _tools(process: "subprocess.Popen[bytes]", deadline: float) -> tuple[tuple[str, ...], str]:
    if process.stdin is None or process.stdout is None:
        return (), "it has no input or output"
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(process.stdout, lines), daemon=True).start()
    client = {"name": "waypost doctor", "version": "1"}
    hello = {"protocolVersion": _VERSION, "capabilities": {}, "clientInfo": client}
    try:
        _send(process.stdin, {"id": 1, "method": "initialize", "params": hello})
        if _answer(lines, 1, deadline) is None:
            return (), "it did not answer the handshake in time"
        _send(process.stdin, {"method": "notifications/initialized"})
        _send(process.stdin, {"id": 2, "method": "tools/list", "params": {}})
        listed = _answer(lines, 2, deadline)
    except OSError:
        return (), "it ended at once"
    tools = listed.get("tools") if isinstance(listed, Mapping) else None
    if not isinstance(tools, list):
        return (), "it did not list its tools in time"
    return tuple(str(tool.get("name")) for tool in tools if isinstance(tool, Mapping)), ""


def _read(stream: IO[bytes], lines: "queue.SimpleQueue[bytes]") -> None:
    with contextlib.suppress(OSError, ValueError):  # closed
        while line := stream.readline(_LONGEST_LINE):
            lines.put(line)
    lines.put(b"")


def _send(stream: IO[bytes], message: Mapping[str, Any]) -> None:
    stream.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    stream.flush()


def _answer(lines: "queue.SimpleQueue[bytes]", number: int, deadline: float) -> Any:
    """The result with this id, or None if it does not come in time."""
    while True:
        try:
            line = lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            return None
        if not line:
            return None
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if isinstance(message, dict) and message.get("id") == number:
                return message.get("result", {})


def _end(process: "subprocess.Popen[bytes]") -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()
    try:
        process.wait(_LEAVING)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    if process.stdout is not None:
        process.stdout.close()
