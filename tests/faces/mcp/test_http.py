"""MCP over a real port: the SDK's client, and raw sockets with what no client would send."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from waypost import Memory, config
from waypost.errors import InvalidInput, SecurityError
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.serving import LimitedConnection
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.http import serve_http
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.tool import Tool, ToolReply

pytestmark = pytest.mark.slow  # not for the inner loop

LIMITS = ServerLimits(body_bytes=50_000, failure_rate=1000, failure_burst=1000)
TOOLS = (
    Tool(
        "peek",
        "Looks.",
        lambda _, given: ToolReply(f"seen {given.get('what', '')}"),
        {"what": {"type": "string"}},
        reads_only=True,
    ),
    Tool("poke", "Changes.", lambda _, __: ToolReply("changed")),
)


@dataclass(frozen=True, slots=True)
class Running:
    port: int
    tokens: TokenFile
    owner: str
    said: list[str]
    http: httpx2.Client

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def raw(self, request: bytes) -> bytes:
        """Send these bytes as they are; everything that comes back until the server closes."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as connection:
            connection.sendall(request)
            while piece := connection.recv(65536):
                answer += piece
        return answer

    def head(self, *headers: str, method: str = "POST", target: str = "/mcp", host: str | None = None) -> bytes:
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}", *headers]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


@contextmanager
def running(
    home: Path, tools: tuple[Tool, ...] = TOOLS, limits: ServerLimits = LIMITS, **options: Any
) -> Iterator[Running]:
    """A server in a thread of its own, on any free port."""
    stop, listening = threading.Event(), threading.Event()
    said: list[str] = []
    failure: list[BaseException] = []

    def say(line: str) -> None:
        said.append(line)
        listening.set()

    def run() -> None:
        project = ServedProject(home.parent, follows_roots=False, settings=config.load({"WAYPOST_HOME": str(home)}))
        try:
            serve_http(
                lambda: build_server(tools, project),
                tools,
                home=home,
                port=0,
                limits=limits,
                say=say,
                stop=stop,
                **options,
            )
        except BaseException as error:
            failure.append(error)
            listening.set()
            raise

    thread = threading.Thread(target=run)
    thread.start()
    try:
        assert listening.wait(20)
        assert not failure
        port = int(said[0].split("/mcp")[0].rsplit(":", 1)[1])
        tokens = TokenFile(home)
        with httpx2.Client(timeout=10) as http:
            yield Running(port, tokens, tokens.owner_token(), said, http)
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive() and not failure


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    with running(tmp_path_factory.mktemp("served") / "home") as started:
        yield started


def clock() -> datetime:
    return datetime(2026, 1, 30, tzinfo=UTC)


async def with_client(server: Running, token: str, use: Callable[[Client], Any], mode: str = "auto") -> Any:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=10) as http,
        Client(streamable_http_client(server.url, http_client=http), mode=mode) as client,
    ):
        return await use(client)


async def peek(client: Client) -> str:
    answer = await client.call_tool("peek", {"what": "it"})
    return str(getattr(answer.content[0], "text", ""))


MODES = ["legacy", "auto"]


@pytest.mark.parametrize("mode", MODES)
def test_the_sdks_client_lists_and_calls_tools(server: Running, mode: str) -> None:
    async def use(client: Client) -> None:
        assert [tool.name for tool in (await client.list_tools()).tools] == ["peek", "poke"]
        assert await peek(client) == "seen it"
        assert not (await client.call_tool("poke", {})).is_error

    asyncio.run(with_client(server, server.owner, use, mode))


@pytest.mark.parametrize("mode", MODES)
def test_a_token_that_only_reads_calls_only_tools_that_only_read(server: Running, mode: str) -> None:
    token = server.tokens.make(f"reader-{mode}", rights="read", clock=clock)

    async def use(client: Client) -> None:
        assert await peek(client) == "seen it"
        for name in ("poke", "no such tool", "peek\x00"):
            refused = await client.call_tool(name, {})
            assert refused.is_error and "can only read" in str(refused.content[0])

    asyncio.run(with_client(server, token, use, mode))


def test_many_clients_at_once_get_their_own_answers(server: Running) -> None:
    async def use(client: Client) -> list[str]:
        return [str((await client.call_tool("peek", {"what": str(n)})).content[0]) for n in range(5)]

    async def run() -> list[Any]:
        return await asyncio.gather(*(with_client(server, server.owner, use, MODES[n % 2]) for n in range(10)))

    answers = asyncio.run(run())
    assert len(answers) == 10 and all(f"seen {n}" in one[n] for one in answers for n in range(5))


@pytest.mark.parametrize("mode", MODES)
def test_what_one_client_remembers_another_recalls(tmp_path: Path, mode: str) -> None:
    fact = "The deploy of the billing service runs on Fridays at noon"

    async def write(client: Client) -> None:
        answer = await client.call_tool("remember", {"text": fact})
        assert not answer.is_error, answer

    async def read(client: Client) -> str:
        return str((await client.call_tool("recall", {"question": "billing deploy"})).content)

    with running(tmp_path / "home", tools_of("default")) as server:
        reader = server.tokens.make("reader", rights="read", clock=clock)
        asyncio.run(with_client(server, server.owner, write, mode))
        assert "Fridays" in asyncio.run(with_client(server, reader, read, mode))
        refused = asyncio.run(with_client(server, reader, lambda c: c.call_tool("remember", {"text": "No"}), mode))
        assert refused.is_error and "can only read" in str(refused.content)


@pytest.mark.parametrize("mode", MODES)
def test_what_an_agents_token_brings_is_recorded_under_its_name(tmp_path: Path, mode: str) -> None:
    async def write(client: Client) -> str:
        return str((await client.call_tool("remember", {"text": "Invoices are sent at noon"})).content)

    with running(tmp_path / "home", tools_of("default")) as server:
        token = server.tokens.make("night-agent", clock=clock)
        asyncio.run(with_client(server, token, write, mode))
    settings = config.load({"WAYPOST_HOME": str(tmp_path / "home")})
    (entry,) = Memory.open(tmp_path, settings=settings).admin.audit()
    assert (entry.source, entry.actor) == ("agent", "night-agent")


def test_a_token_of_another_project_opens_nothing_here(tmp_path: Path) -> None:
    async def ask(client: Client) -> Any:
        return await client.call_tool("recall", {"question": "anything"})

    with running(tmp_path / "home", tools_of("default")) as server:
        token = server.tokens.make("elsewhere", space="0123456789abcdef", clock=clock)
        refused = asyncio.run(with_client(server, token, ask))
    assert refused.is_error and "for another memory" in str(refused.content)


def test_a_revoked_token_opens_nothing_from_the_next_request_on(server: Running) -> None:
    token = server.tokens.make("passing", clock=clock)

    async def use(client: Client) -> None:
        assert await peek(client) == "seen it"
        server.tokens.revoke("passing")
        with pytest.raises(MCPError):
            await peek(client)

    asyncio.run(with_client(server, token, use))


def post(server: Running, token: str, message: dict[str, Any], session: str | None = None) -> httpx2.Response:
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
    if session:
        headers["Mcp-Session-Id"] = session
    return server.http.post(server.url, json={"jsonrpc": "2.0", **message}, headers=headers)


HELLO = {
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
PING = {"id": 2, "method": "ping"}


def open_session(server: Running, token: str) -> str:
    answer = post(server, token, HELLO)
    assert answer.status_code == 200
    session = str(answer.headers["mcp-session-id"])
    assert post(server, token, {"method": "notifications/initialized"}, session).status_code == 202
    return session


def test_a_session_belongs_to_the_token_that_opened_it(server: Running) -> None:
    other = server.tokens.make("other", clock=clock)
    session = open_session(server, server.owner)
    assert post(server, other, PING, session).status_code == 404
    ending = server.http.delete(server.url, headers={"Authorization": f"Bearer {other}", "Mcp-Session-Id": session})
    assert ending.status_code == 404
    assert post(server, server.owner, PING, session).status_code == 200


def test_of_too_many_sessions_the_callers_own_idle_ones_give_way(server: Running) -> None:
    flood = server.tokens.make("flood", clock=clock)
    mine = open_session(server, server.owner)
    sessions = [open_session(server, flood) for _ in range(70)]
    assert [post(server, flood, PING, sessions[n]).status_code for n in (0, 5, 6, 69)] == [404, 404, 200, 200]
    assert post(server, server.owner, PING, mine).status_code == 200


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1])


def problem_of(answer: bytes) -> dict[str, Any]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/problem+json" in head
    return dict(json.loads(body))


JSON = ("Content-Type: application/json", "Accept: application/json, text/event-stream")


def hostile(server: Running) -> dict[str, tuple[int, bytes]]:
    """By what is wrong: the status that it gets, and the request."""
    bearer = f"Authorization: Bearer {server.owner}"
    big = 60_000
    return {
        "no token": (401, server.head("Content-Length: 0")),
        "a wrong token": (401, server.head("Authorization: Bearer " + "x" * 43, "Content-Length: 0")),
        "a token in the address": (400, server.head("Content-Length: 0", target=f"/mcp?token={server.owner}")),
        "a wrong host": (421, server.head(bearer, "Content-Length: 0", host="evil.example")),
        "a rebound host": (421, server.head(bearer, "Content-Length: 0", host=f"evil.example:{server.port}")),
        "two hosts": (400, server.head(bearer, "Host: evil.example", "Content-Length: 0")),
        "no host": (400, b"GET /mcp HTTP/1.1\r\n\r\n"),
        "http 1.0 without a host": (400, f"GET /mcp HTTP/1.0\r\n{bearer}\r\n\r\n".encode()),
        "a foreign origin": (403, server.head(bearer, "Origin: http://evil.example", "Content-Length: 0")),
        "the origin null": (403, server.head(bearer, "Origin: null", "Content-Length: 0")),
        "a preflight": (403, server.head("Origin: http://evil.example", method="OPTIONS")),
        "too large": (413, server.head(bearer, *JSON, f"Content-Length: {big}") + b"x" * big),
        "huge": (413, server.head(bearer, *JSON, "Content-Length: 99999999999")),
        "a negative length": (400, server.head(bearer, *JSON, "Content-Length: -5")),
        "a length and chunks": (
            400,
            server.head(bearer, *JSON, "Content-Length: 5", "Transfer-Encoding: chunked") + b"0\r\n\r\n",
        ),
        "two lengths": (400, server.head(bearer, *JSON, "Content-Length: 5", "Content-Length: 6") + b"xxxxxx"),
        "chunks too large": (
            413,
            server.head(bearer, *JSON, "Transfer-Encoding: chunked") + (b"2710\r\n" + b"x" * 10_000 + b"\r\n") * 6
            + b"0\r\n\r\n",
        ),
        "a broken chunk": (400, server.head(bearer, *JSON, "Transfer-Encoding: chunked") + b"zz\r\nhello\r\n"),
        "an unknown coding": (400, server.head(bearer, *JSON, "Transfer-Encoding: gzip") + b"x"),
        "a folded header": (400, server.head(bearer, "X: a\r\n b\x00c", "Content-Length: 0")),
        "an injected header": (400, server.head(bearer, "X: a\rSet-Cookie: b=c", "Content-Length: 0")),
        "a header of 40 KB": (431, server.head(bearer, "X: " + "y" * 40_000)),
        "1000 headers": (431, server.head(bearer, *(f"X-{n}: y" for n in range(1000)), "Content-Length: 0")),
        "garbage": (400, b"\x00\xff\x16\x03\x01 garbage\r\n\r\n"),
        "tls": (400, bytes.fromhex("16030100c6010000c20303") + b"\x00" * 200),
        "http 2": (505, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        "an unknown method": (405, server.head(bearer, "Connection: close", method="BREW")),
        "another place": (404, server.head(bearer, "Content-Length: 0", target="/admin")),
        "a way out": (404, server.head(bearer, "Content-Length: 0", target="/mcp/../../etc/passwd")),
        "a whole address": (421, server.head(bearer, target="http://evil.example/mcp", host="evil.example")),
        "a web socket": (
            401,
            server.head("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", method="GET"),
        ),
        "no json": (400, server.head(bearer, *JSON, "Content-Length: 3", "Connection: close") + b"{]}"),
        "deep json": (400, server.head(bearer, *JSON, "Content-Length: 40000", "Connection: close") + b"[" * 40_000),
        "a batch": (400, server.head(bearer, *JSON, "Content-Length: 2", "Connection: close") + b"[]"),
        "no utf-8": (400, server.head(bearer, *JSON, "Content-Length: 2", "Connection: close") + b"\xff\xfe"),
        "a foreign session": (404, server.head(bearer, *JSON, "Mcp-Session-Id: x", "Content-Length: 0", "Connection: close")),
        "two sessions": (400, server.head(bearer, *JSON, "Mcp-Session-Id: x", "Mcp-Session-Id: y", "Content-Length: 0")),
    }  # fmt: skip


def test_hostile_requests_are_refused_cleanly_and_the_server_still_answers(server: Running) -> None:
    wrong = {}
    for name, (status, request) in hostile(server).items():
        answer = server.raw(request)
        if not answer or status_of(answer) != status:
            wrong[name] = answer[:200]
        assert server.owner.encode() not in answer, name
        assert b"Traceback" not in answer, name
    assert not wrong
    assert asyncio.run(with_client(server, server.owner, peek)) == "seen it"


def test_a_refusal_says_what_to_do(server: Running) -> None:
    for name in (
        "no token",
        "a wrong host",
        "a foreign origin",
        "too large",
        "chunks too large",
        "another place",
        "tls",
    ):
        problem = problem_of(server.raw(hostile(server)[name][1]))
        assert problem["detail"] and problem["remedy"] and problem["status"] == hostile(server)[name][0]


def test_a_slow_body_is_not_waited_for(tmp_path: Path) -> None:
    with running(tmp_path / "home", limits=replace(LIMITS, body_seconds=0.2)) as server:
        request = server.head(f"Authorization: Bearer {server.owner}", *JSON, "Content-Length: 100") + b"{"
        assert problem_of(server.raw(request))["status"] == 408
        again = server.head("Content-Length: 0")
        assert status_of(server.raw(again)) == 401, "it still answers"


def test_a_client_that_leaves_in_the_middle_harms_nobody(server: Running) -> None:
    request = server.head(f"Authorization: Bearer {server.owner}", *JSON, "Content-Length: 100") + b"{"
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
            connection.sendall(request)
    assert asyncio.run(with_client(server, server.owner, peek)) == "seen it"


def test_a_head_that_does_not_come_ends_the_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedConnection, "head_seconds", 0.1)
    with running(tmp_path / "home") as server:
        for sent in (b"", b"POST /mcp HTT", server.head("X: y")[:-2]):
            assert server.raw(sent) == b"", "closed without a word"
        again = server.head("Content-Length: 0", method="GET")
        assert status_of(server.raw(again)) == 401


def test_no_more_connections_than_there_is_room_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LimitedConnection, "most", 2)
    with running(tmp_path / "home") as server:
        address = ("127.0.0.1", server.port)
        with socket.create_connection(address, timeout=5), socket.create_connection(address, timeout=5):
            assert server.raw(b"") == b""
        assert status_of(server.raw(server.head("Content-Length: 0"))) == 401


def test_it_says_where_it_listens_and_where_the_token_is_but_not_the_token(tmp_path: Path) -> None:
    with running(tmp_path / "home") as server:
        said = "\n".join(server.said)
        assert server.url in said and str(tmp_path / "home" / "token") in said and "(new)" in said
        assert server.owner not in said
        assert "Warning" not in said
    with running(tmp_path / "home", host="0.0.0.0") as server:
        said = "\n".join(server.said)
        assert "no TLS" in said and "(new)" not in said


def test_nothing_that_a_client_sends_is_logged(
    server: Running, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    for _, request in hostile(server).values():
        server.raw(request)
    assert capfd.readouterr() == ("", "")
    assert [record.getMessage() for record in caplog.records] == []


def test_a_port_in_use_or_a_token_open_to_others_is_said(tmp_path: Path) -> None:
    def build() -> Any:
        raise AssertionError("nothing is built for a server that cannot start")

    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InvalidInput, match="in use"):
        serve_http(build, TOOLS, home=tmp_path / "home", port=taken.getsockname()[1])
    TokenFile(tmp_path / "home").ensure_owner()
    (tmp_path / "home" / "token").chmod(0o644)
    with pytest.raises(SecurityError, match="others"):
        serve_http(build, TOOLS, home=tmp_path / "home", port=0)


SERVE = """
import sys
from pathlib import Path
from waypost.faces.mcp.http import serve_http
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject
home = Path(sys.argv[1])
serve_http(lambda: build_server((), ServedProject(home, follows_roots=False)), (), home=home, port=0)
print("ended in order")
"""


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_in_order_even_with_a_client_that_listens(tmp_path: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-W", "error", "-c", SERVE, str(tmp_path)]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process, httpx2.Client(timeout=10) as http:
        assert process.stderr is not None and process.stdout is not None
        line = process.stderr.readline()
        port = int(line.split("/mcp")[0].rsplit(":", 1)[1])
        tokens = TokenFile(tmp_path)
        server = Running(port, tokens, tokens.owner_token(), [line], http)
        session = open_session(server, server.owner)
        listens = server.head(
            f"Authorization: Bearer {server.owner}",
            "Accept: text/event-stream",
            f"Mcp-Session-Id: {session}",
            method="GET",
        )
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(listens)
            assert b"200" in connection.recv(1000)
            began = time.monotonic()
            process.send_signal(number)
            assert process.wait(20) == 0
            assert time.monotonic() - began < 5
        assert process.stdout.read() == "ended in order\n"
        assert "Traceback" not in process.stderr.read()
