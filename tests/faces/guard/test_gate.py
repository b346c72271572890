"""Every rule of the gate, asked through ASGI. Time is a number here."""

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from waypost.errors import SecurityError
from waypost.faces.guard.asgi import CALLER, Message, Receive, Scope, Send
from waypost.faces.guard.gate import RequestGate
from waypost.faces.guard.hosts import answered_hosts
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import ServerLimits

TOKEN = "right-token-right-token-right-token-right"
READER = "reader-token-reader-token-reader-token-re"
PORT = 8765
HOST = (b"host", b"127.0.0.1:8765")
BEARER = (b"authorization", f"Bearer {TOKEN}".encode())
GOOD = [HOST, BEARER]


class Known:
    """Knows two tokens."""

    def verify(self, token: str) -> TokenIdentity | None:
        kinds = {
            TOKEN: TokenIdentity("owner", "person", "write", "1"),
            READER: TokenIdentity("ci", "agent", "read", "2"),
        }
        return kinds.get(token)


class Broken:
    def verify(self, token: str) -> TokenIdentity | None:
        raise SecurityError("/home/someone/.waypost/token can be read by others.", "chmod it")


class App:
    """Notes what it is asked, and says that it was there."""

    def __init__(self) -> None:
        self.asked: list[tuple[Scope, bytes]] = []
        self.headers: list[tuple[bytes, bytes]] = [(b"content-type", b"text/plain")]
        self.wait: asyncio.Event | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        assert not message.get("more_body")
        self.asked.append((scope, message.get("body", b"")))
        if self.wait is not None:
            await self.wait.wait()
        await send({"type": "http.response.start", "status": 200, "headers": self.headers})
        await send({"type": "http.response.body", "body": b"in"})


@dataclass
class Answer:
    status: int = 0
    headers: dict[bytes, bytes] = field(default_factory=dict)
    body: bytes = b""

    @property
    def problem(self) -> dict[str, Any]:
        assert self.headers[b"content-type"] == b"application/problem+json"
        found = json.loads(self.body)
        assert found["status"] == self.status and found["detail"] and found["remedy"] and found["title"]
        return dict(found)


async def ask(
    gate: RequestGate,
    headers: Sequence[tuple[bytes, bytes]] = GOOD,
    *,
    method: str = "POST",
    path: str = "/mcp",
    query: bytes = b"",
    body: Sequence[bytes] = (b"",),
    client: str = "127.0.0.1",
    server: str = "127.0.0.1",
    hangs: bool = False,
    leaves: bool = False,
) -> Answer:
    """One request. `hangs`: the body never ends; `leaves`: the client goes away before its end."""
    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "scheme": "http",
        "headers": list(headers),
        "client": (client, 50000),
        "server": (server, PORT),
    }
    pending: list[Message] = [{"type": "http.request", "body": chunk, "more_body": True} for chunk in body]
    pending[-1]["more_body"] = hangs or leaves
    answer = Answer()

    async def receive() -> Message:
        if not pending and hangs:
            await asyncio.Event().wait()
        return pending.pop(0) if pending else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert answer.status == 0, "one answer for one request"
            answer.status, answer.headers = message["status"], dict(message["headers"])
        else:
            answer.body += message["body"]

    await gate(scope, receive, send)
    return answer


@pytest.fixture
def app() -> App:
    return App()


def gate_of(app: App, *, limits: ServerLimits | None = None, host: str = "127.0.0.1", **options: Any) -> RequestGate:
    origins = ("https://notes.example",)
    return RequestGate(app, Known(), answered_hosts(host, PORT, ("desk.local:8765",), origins), limits, **options)


def once(gate: RequestGate, *arguments: Any, **options: Any) -> Answer:
    return asyncio.run(ask(gate, *arguments, **options))


def test_a_right_token_comes_in_and_is_known_by_name(app: App) -> None:
    answer = once(gate_of(app), body=[b"one ", b"two"])
    assert (answer.status, answer.body) == (200, b"in")
    scope, body = app.asked[0]
    assert body == b"one two"
    assert scope[CALLER] == TokenIdentity("owner", "person", "write", "1")
    assert all(name != b"authorization" for name, _ in scope["headers"]), "no application can log the token"


@pytest.mark.parametrize(
    "sent",
    [
        [],
        [b""],
        [b"Bearer"],
        [b"Bearer "],
        [b"Bearer wrong"],
        [b"Basic " + TOKEN.encode()],
        [TOKEN.encode()],
        [b"Bearer \xff\xfe"],
        [b"Bearer " + TOKEN.encode() + b"\x00"],
        [b"Bearer " + TOKEN.encode(), b"Bearer " + TOKEN.encode()],
        [b"Bearer " + TOKEN.encode(), b"Bearer wrong"],
    ],
)
def test_without_a_right_token_nobody_comes_in(app: App, sent: list[bytes]) -> None:
    answer = once(gate_of(app), [HOST, *((b"authorization", value) for value in sent)])
    assert answer.status == answer.problem["status"] == 401
    assert answer.headers[b"www-authenticate"].startswith(b"Bearer")
    assert TOKEN.encode() not in answer.body
    assert not app.asked


@pytest.mark.parametrize("name", [b"token", b"ACCESS_TOKEN", b"api_key", b"to%6ben", b"authorization"])
def test_a_token_in_the_address_is_refused_even_beside_a_right_one(app: App, name: bytes) -> None:
    answer = once(gate_of(app), query=b"q=1&" + name + b"=" + TOKEN.encode())
    assert answer.status == answer.problem["status"] == 400
    assert TOKEN.encode() not in answer.body
    assert not app.asked
    assert once(gate_of(app), query=b"tokens=2000&q=token").status == 200


@pytest.mark.parametrize(
    "host", [b"127.0.0.1:8765", b"localhost:8765", b"LocalHost:8765", b"[::1]:8765", b"desk.local:8765"]
)
def test_the_server_answers_to_its_own_names(app: App, host: bytes) -> None:
    assert once(gate_of(app), [(b"host", host), BEARER]).status == 200


@pytest.mark.parametrize(
    "host",
    [
        b"evil.example",
        b"evil.example:8765",
        b"127.0.0.1",
        b"127.0.0.1:80",
        b"127.0.0.1:8765.evil.example",
        b"localhost.:8765",
        b"127.0.0.1:8765@evil.example",
        b"127.1:8765",
        b"2130706433:8765",
        b"192.168.0.7:8765",
        b"",
        b"\xff",
    ],
)
def test_another_host_is_refused_before_the_token_is_looked_at(app: App, host: bytes) -> None:
    answer = once(gate_of(app), [(b"host", host), BEARER], server="192.168.0.7")
    assert answer.status == answer.problem["status"] == 421
    assert not app.asked


def test_there_is_one_host_and_at_most_one_origin(app: App) -> None:
    assert once(gate_of(app), [BEARER]).status == 400
    assert once(gate_of(app), [HOST, HOST, BEARER]).status == 400
    assert once(gate_of(app), [*GOOD, (b"origin", b"http://127.0.0.1:8765"), (b"origin", b"x")]).status == 400


def test_a_server_on_every_network_answers_to_the_address_that_was_reached(app: App) -> None:
    gate = gate_of(app, host="0.0.0.0")
    for host, status in ((b"192.168.0.7:8765", 200), (b"192.168.0.8:8765", 421), (b"evil.example:8765", 421)):
        assert once(gate, [(b"host", host), BEARER], server="192.168.0.7", client="192.168.0.9").status == status
    assert (
        once(gate_of(app, host="::"), [(b"host", b"192.168.0.7:8765"), BEARER], server="::ffff:192.168.0.7").status
        == 200
    )


@pytest.mark.parametrize("origin", [b"http://127.0.0.1:8765", b"https://notes.example"])
def test_the_same_origin_and_allowed_ones_come_in(app: App, origin: bytes) -> None:
    assert once(gate_of(app), [*GOOD, (b"origin", origin)]).status == 200


@pytest.mark.parametrize(
    "origin",
    [
        b"null",
        b"",
        b"http://evil.example",
        b"http://127.0.0.1:9999",
        b"https://127.0.0.1:8765",
        b"http://localhost:8765",
    ],
)
def test_pages_of_another_origin_stay_outside(app: App, origin: bytes) -> None:
    for method in ("POST", "GET", "OPTIONS"):
        answer = once(gate_of(app), [*GOOD, (b"origin", origin)], method=method)
        assert answer.status == answer.problem["status"] == 403
        assert not any(name.startswith(b"access-control") for name in answer.headers)
    assert not app.asked


def test_a_body_that_is_announced_too_large_is_not_read(app: App) -> None:
    gate = gate_of(app, limits=ServerLimits(body_bytes=10))
    assert once(gate, [*GOOD, (b"content-length", b"10")], body=[b"x" * 10]).status == 200
    answer = once(gate, [*GOOD, (b"content-length", b"11")], body=[b"x"], leaves=True)
    assert answer.status == answer.problem["status"] == 413
    assert len(app.asked) == 1


@pytest.mark.parametrize("length", [b"", b"-1", b"+5", b"1e3", b"0x10", b"9" * 5000, b"5, 5", "٣".encode()])
def test_a_length_that_is_no_number_is_refused(app: App, length: bytes) -> None:
    assert once(gate_of(app), [*GOOD, (b"content-length", length)]).status == 400


def test_a_body_that_grows_too_large_is_cut_off(app: App) -> None:
    gate = gate_of(app, limits=ServerLimits(body_bytes=10))
    chunked = [*GOOD, (b"transfer-encoding", b"chunked")]
    assert once(gate, chunked, body=[b"x" * 5, b"x" * 5]).status == 200
    assert once(gate, chunked, body=[b"x" * 5, b"x" * 6]).problem["status"] == 413
    assert once(gate, [*chunked, (b"content-length", b"3")]).status == 400
    assert len(app.asked) == 1


def test_all_bodies_together_have_a_bound_and_it_is_given_back(app: App) -> None:
    async def run() -> None:
        gate = gate_of(app, limits=ServerLimits(body_bytes=10, buffered_bytes=15))
        app.wait = asyncio.Event()
        first = asyncio.create_task(ask(gate, body=[b"x" * 10]))
        while not app.asked:
            await asyncio.sleep(0)
        refused = await ask(gate, body=[b"x" * 10])
        assert refused.problem["status"] == 503 and refused.headers[b"retry-after"] == b"1"
        app.wait.set()
        assert (await first).status == 200
        for _ in range(5):
            assert (await ask(gate, body=[b"x" * 10])).status == 200

    asyncio.run(run())


def test_a_body_that_does_not_come_is_not_waited_for(app: App) -> None:
    answer = once(gate_of(app, limits=ServerLimits(body_seconds=0.01)), body=[b"x"], leaves=False, hangs=True)
    assert answer.status == answer.problem["status"] == 408
    assert not app.asked


def test_a_client_that_leaves_gets_no_answer_and_holds_nothing(app: App) -> None:
    gate = gate_of(app, limits=ServerLimits(concurrent=1, buffered_bytes=10, body_bytes=10))
    for _ in range(3):
        assert once(gate, body=[b"x" * 10], leaves=True).status == 0
    assert once(gate, body=[b"x" * 10]).status == 200


def test_so_many_requests_at_once_and_no_more(app: App) -> None:
    async def run() -> None:
        gate = gate_of(app, limits=ServerLimits(concurrent=2))
        app.wait = asyncio.Event()
        held = [asyncio.create_task(ask(gate)) for _ in range(2)]
        while len(app.asked) < 2:
            await asyncio.sleep(0)
        refused = await ask(gate)
        assert refused.problem["status"] == 503 and refused.headers[b"retry-after"]
        app.wait.set()
        assert [one.status for one in await asyncio.gather(*held)] == [200, 200]
        assert (await ask(gate)).status == 200

    asyncio.run(run())


def test_a_caller_who_asks_too_often_waits_and_the_others_do_not(app: App) -> None:
    now = [0.0]
    gate = gate_of(app, limits=ServerLimits(rate=0.1, burst=2), clock=lambda: now[0])
    assert [once(gate).status for _ in range(3)] == [200, 200, 429]
    late = once(gate)
    assert late.problem["status"] == 429 and late.headers[b"retry-after"] == b"10"
    assert once(gate, [HOST, (b"authorization", f"Bearer {READER}".encode())]).status == 200
    now[0] = 10.0
    assert once(gate).status == 200


def failing(gate: RequestGate, client: str) -> Callable[[], int]:
    return lambda: once(gate, [HOST, (b"authorization", b"Bearer wrong")], client=client).status


def test_wrong_tokens_are_slowed_down_by_address(app: App) -> None:
    now = [0.0]
    gate = gate_of(app, limits=ServerLimits(failure_rate=1, failure_burst=2), clock=lambda: now[0])
    guess = failing(gate, "192.168.0.9")
    assert [guess(), guess(), guess()] == [401, 401, 429]
    assert once(gate, client="192.168.0.9").status == 429, "an address that guesses does not learn when it was right"
    assert once(gate, client="192.168.0.10").status == 200
    now[0] = 1.0
    assert once(gate, client="192.168.0.9").status == 200


def test_on_one_machine_wrong_tokens_of_one_do_not_shut_out_the_other(app: App) -> None:
    gate = gate_of(app, limits=ServerLimits(failure_rate=1, failure_burst=2), clock=lambda: 0.0)
    guess = failing(gate, "127.0.0.1")
    assert [guess(), guess(), guess(), guess()] == [401, 401, 429, 429]
    assert once(gate).status == 200


def test_a_network_of_ipv6_addresses_counts_as_one(app: App) -> None:
    gate = gate_of(app, limits=ServerLimits(failure_rate=1, failure_burst=2), clock=lambda: 0.0)
    assert [failing(gate, f"2001:db8::{n}")() for n in range(1, 5)] == [401, 401, 429, 429]
    assert failing(gate, "2001:db8:1::1")() == 401


def test_heads_have_a_bound(app: App) -> None:
    gate = gate_of(app)
    assert once(gate, [*GOOD, *((b"x-%d" % n, b"") for n in range(200))]).problem["status"] == 431
    assert once(gate, [*GOOD, (b"x", b"y" * 20_000)]).status == 431
    assert once(gate, path="/" + "x" * 9000).status == 414
    assert once(gate, query=b"q=" + b"x" * 9000).status == 414
    assert once(gate, query=b"&".join(b"q=1" for _ in range(200))).status == 400
    assert not app.asked


def test_every_answer_has_the_security_headers_unless_the_application_says_otherwise(app: App) -> None:
    app.headers = [(b"Cache-Control", b"max-age=60")]
    for answer in (once(gate_of(app)), once(gate_of(app), [HOST])):
        assert answer.headers[b"x-content-type-options"] == b"nosniff"
        assert answer.headers[b"referrer-policy"] == b"no-referrer"
        assert b"default-src 'none'" in answer.headers[b"content-security-policy"]
    assert once(gate_of(app)).headers[b"cache-control"] == b"max-age=60"
    assert once(gate_of(app), [HOST]).headers[b"cache-control"] == b"no-store"


def test_an_open_path_needs_no_token_but_everything_else(app: App) -> None:
    gate = gate_of(app, open_paths=frozenset({"/login"}))
    assert once(gate, [HOST], path="/login").status == 200
    assert app.asked[0][0][CALLER] is None
    assert once(gate, [HOST], path="/login/").status == 401
    assert once(gate, [(b"host", b"evil.example")], path="/login").status == 421
    assert once(gate, [HOST, (b"origin", b"http://evil.example")], path="/login").status == 403


def test_who_is_signed_in_otherwise_comes_in_too(app: App) -> None:
    person = TokenIdentity("owner", "person", "write", "3")
    gate = gate_of(app, signed_in=lambda scope: person if (b"cookie", b"session=1") in scope["headers"] else None)
    assert once(gate, [HOST, (b"cookie", b"session=1")]).status == 200
    assert app.asked[0][0][CALLER] == person
    assert once(gate, [HOST, (b"cookie", b"session=2")]).status == 401
    assert once(gate).status == 200


def test_tokens_that_cannot_be_checked_let_nobody_in_and_tell_strangers_nothing(
    app: App, caplog: pytest.LogCaptureFixture
) -> None:
    gate = RequestGate(app, Broken(), answered_hosts("127.0.0.1", PORT))
    with caplog.at_level(logging.ERROR):
        answer = once(gate)
    assert answer.problem["status"] == 503 and answer.headers[b"retry-after"]
    assert answer.problem["remedy"].startswith("Try again later.") and b"/readyz" in answer.body
    assert b"/home" not in answer.body
    assert "can be read by others" in caplog.text
    assert not app.asked


def test_web_sockets_are_closed(app: App) -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        sent.append(message)

    asyncio.run(gate_of(app)({"type": "websocket", "headers": []}, receive, send))
    assert sent == [{"type": "websocket.close", "code": 1008}]


def test_a_refused_sender_is_heard_out_for_a_moment_so_that_it_can_read_the_answer(app: App) -> None:
    taken: list[int] = []

    async def receive() -> Message:
        taken.append(1)
        return {"type": "http.request", "body": b"x" * (1 << 16), "more_body": True}

    async def send(message: Message) -> None:
        pass

    scope = {"type": "http", "path": "/", "raw_path": b"/", "query_string": b"", "headers": [HOST], "client": None}
    asyncio.run(gate_of(app)(scope, receive, send))
    assert 10 < len(taken) < 30, "bounded"


@pytest.mark.slow
def test_the_guard_needs_no_framework() -> None:
    code = (
        "import sys, waypost.faces.guard.gate, waypost.faces.guard.tokens, waypost.faces.mcp.http; print(*sys.modules)"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"mcp", "uvicorn", "starlette", "fastapi", "anyio", "pydantic", "numpy"} & set(loaded)
