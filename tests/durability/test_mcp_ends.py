"""A server ends with its client, whichever way that goes, and leaves nothing: no process, no lock, no socket."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.durability.conftest import environment
from tests.durability.mcp_servers import COMMAND, RelayedServer, Server, children_of, has_gone

from waypost import Memory

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc to see who is left"),
]
SOON = 5.0  # seconds: two are promised, and the machine may be busy with other tests

Start = Callable[..., Server]


@pytest.fixture(autouse=True)
def without_models(no_models: None) -> None:
    """Nothing here is about meaning."""


@pytest.fixture
def start(project: Path) -> Iterator[Start]:
    started: list[Server] = []

    def begin(folder: Path = project, **options: Any) -> Server:
        started.append(Server(folder, **options))
        return started[-1]

    yield begin
    for server in started:
        server.end()


def sockets() -> list[Path]:
    return [path for path in Path(os.environ["WAYPOST_HOME"], "run").rglob("*") if path.is_socket()]


def serving(server: Server) -> Server:
    """Past the door: the SDK is there, a tool has run, hooks are answered."""
    server.open().call("remember", text="The staging cluster is rebuilt every Monday.")
    return server


def assert_sound(project: Path) -> None:
    memory = Memory.open(project)
    assert not list(memory.space.store.problems())
    assert memory.remember("Written afterwards.").status == "added"
    assert not sockets()


def test_a_closed_pipe_ends_the_server(start: Start, project: Path) -> None:
    server = serving(start())
    server.close_input()
    assert server.process.wait(SOON) == 0
    assert server.end() == ""
    assert_sound(project)


def test_a_client_that_goes_at_once_leaves_no_server(start: Start) -> None:
    server = start().open()
    server.close_input()
    assert server.process.wait(SOON) == 0
    assert server.end() == ""


def test_what_was_asked_before_the_pipe_was_closed_is_answered(start: Start, project: Path) -> None:
    server = serving(start())
    number = server.start("tools/call", {"name": "remember", "arguments": {"text": "The last word counts."}})
    server.close_input()
    assert server.hear()["id"] == number
    assert server.process.wait(SOON) == 0
    assert [row["text"] for row in Memory.open(project).list(limit=1)] == ["The last word counts."]


def test_a_client_that_does_not_read_any_more_ends_the_server(start: Start, project: Path) -> None:
    server = serving(start())
    server.close_output()
    server.start("ping")
    assert server.process.wait(SOON) == 0
    assert server.end() == ""
    assert_sound(project)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_ends_an_idle_server(start: Start, project: Path, number: signal.Signals, code: int) -> None:
    server = serving(start())
    server.process.send_signal(number)
    assert server.process.wait(SOON) == code
    assert server.end() == ""
    assert_sound(project)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_is_ended_in_the_middle_of_a_call_leaves_no_lock_and_no_child(
    start: Start, project: Path, number: signal.Signals
) -> None:
    _plant_tree(project)
    server = serving(start())
    asked = {"name": "status", "arguments": {"index": True}, "_meta": {"progressToken": 1}}
    call = server.start("tools/call", asked)
    while (message := server.hear()).get("method") != "notifications/progress" or message["params"]["progress"] < 10:
        assert message.get("id") != call, "it was too fast"
    children = children_of(server.process.pid)
    server.process.send_signal(number)
    server.process.wait(SOON)
    assert [child for child in children if not has_gone(child, SOON)] == []
    if number != signal.SIGKILL:
        assert_sound(project)
    again = serving(start())
    assert again.call("status", index=True)["structuredContent"]["files"] == FILES


FILES = 60


def _plant_tree(project: Path, files: int = FILES) -> None:
    body = "\n\n".join(f"def work_{n}(a, b):\n    return work_{n - 1}(b, a) + {n}" for n in range(1, 40))
    for number in range(files):
        (project / f"part_{number}.py").write_text(f'"""Part {number}."""\n\n{body}\n', encoding="utf-8")


@pytest.mark.parametrize("wrapper", [[], ["/bin/sh", "-c", '"$@"; exit 0', "sh"]], ids=["direct", "through a shell"])
def test_a_killed_parent_ends_the_server_even_where_a_grandchild_keeps_its_pipe_open(
    project: Path, wrapper: list[str]
) -> None:
    relayed = RelayedServer(project, [*wrapper, *COMMAND])
    try:
        serving(relayed)
        server = children_of(relayed.pid)[0] if wrapper else relayed.pid
        assert not has_gone(server, 0)
        relayed.process.kill()
        assert has_gone(server, SOON)
        assert not has_gone(relayed.keeper, 0), "the pipe was not kept open: this proved nothing"
    finally:
        relayed.end()
    assert_sound(project)


def test_the_background_worker_of_a_server_that_was_killed_ends_when_nothing_is_left_to_do(
    start: Start, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_BACKGROUND", "1")
    monkeypatch.delenv("WAYPOST_MODELS")
    _plant_tree(project, files=2)
    server = serving(start())
    server.call("status", index=True)
    left = children_of(server.process.pid)
    assert left, "without a worker this proves nothing; are the models installed?"
    server.process.kill()
    server.process.wait()
    assert [child for child in left if not has_gone(child, 60)] == []


def test_stray_output_of_a_tool_never_reaches_the_client(project: Path) -> None:
    script = (
        "import os, subprocess, sys\n"
        "from waypost.faces.mcp.early_handshake import claim_standard_streams\n"
        "source, sink = claim_standard_streams()\n"
        "print('stray', flush=True)\n"
        "subprocess.run([sys.executable, '-c', 'print(\"stray \" + repr(input()))'], check=False)\n"
        "os.write(sink, os.read(source, 100))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=b"message",
        capture_output=True,
        check=True,
        cwd=project,
        env=environment(),
    )
    assert done.stdout == b"message"
    assert b"stray" in done.stderr


def test_a_server_without_an_error_stream_serves_as_well(start: Start, project: Path) -> None:
    server = serving(start(command=["/bin/sh", "-c", 'exec "$@" 2>&-', "sh", *COMMAND]))
    server.close_input()
    assert server.process.wait(SOON) == 0
    assert_sound(project)
