"""What whoever runs a server sees and sets: figures, readiness, the log, rates, proxies."""

import asyncio
import io
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.faces.guard.test_metrics import parsed
from tests.faces.serve.conftest import Reply, Serve, Served

from waypost.config import ServeSettings
from waypost.errors import StoreCorrupt
from waypost.faces.guard.access_log import Log
from waypost.faces.guard.limits import ServerLimits, limits_of

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]
WORDS = "unmistakable-zebra"


def figures(served: Served) -> Samples:
    answer = served.get("/metrics")
    assert answer.status == 200, answer.raw
    assert answer.header("content-type") == "text/plain; version=0.0.4; charset=utf-8"
    return parsed(answer.body)


def total(samples: Samples, name: str, **labels: str) -> float:
    """Of all samples with these labels among theirs."""
    return sum(value for (one, has), value in samples.items() if one == name and labels.items() <= dict(has).items())


def remember(served: Served, text: str) -> Reply:
    sent = {**served.bearer, "Content-Type": "application/json"}
    return served.ask("POST", "/api/memories", sent, json.dumps({"text": text}).encode())


async def call(served: Served, *calls: tuple[str, dict[str, Any]]) -> list[str]:
    async with (
        httpx2.AsyncClient(headers=served.bearer, timeout=10) as http,
        Client(streamable_http_client(f"{served.origin}/mcp", http_client=http)) as client,
    ):
        return [str((await client.call_tool(name, arguments)).content) for name, arguments in calls]


# -- figures --------------------------------------------------------------------------------------------------------


def test_requests_are_counted_and_timed_by_the_template_of_their_route(served: Served) -> None:
    before, here = figures(served), served.spaces.here
    for target in (f"/api/v1/spaces/{here}/recall?q={WORDS}", "/api/v1/spaces/here/recall?q=door", f"/s/{here}/search"):
        assert served.get(target).status == 200
    served.get(f"/{WORDS}")
    served.get(f"/api/{WORDS}")
    after = figures(served)

    def risen(name: str, **labels: str) -> float:
        return total(after, name, **labels) - total(before, name, **labels)

    recall = "/api/v1/spaces/{space}/recall"
    counted = "waypost_http_requests_total"
    assert risen(counted, method="GET", route=recall, status="200") == 2
    assert risen(counted, route="/s/{space}/search") == 1
    assert risen(counted, route="other", status="404") == 2
    assert risen("waypost_http_request_duration_seconds_bucket", route=recall, status="200", le="+Inf") == 2
    assert risen("waypost_recalls_total", face="rest") == 2 and risen("waypost_recalls_total", face="dashboard") == 1


def test_no_label_is_chosen_by_a_client(served: Served) -> None:
    for target in (f"/s/{WORDS}", f"/api/v1/spaces/{WORDS}/recall", f"/api/memories/{WORDS}", f"/static/{WORDS}"):
        served.get(target)
        served.ask("GET", target)
    served.ask(WORDS.upper(), "/api/memories", served.bearer)
    told = served.get("/metrics").body.decode()
    assert WORDS not in told.lower() and served.spaces.here not in told
    assert 'method="other"' in told


def test_refusals_are_counted_by_their_reason(served: Served) -> None:
    before = figures(served)
    served.ask("GET", "/api/memories")
    served.get("/api/memories", {"Host": "evil.example"})
    served.get("/api/memories", {"Origin": "http://evil.example"})
    served.ask("POST", "/api/memories", served.bearer, b"x" * 300_000)
    served.raw(b"nonsense\r\n\r\n")
    after = figures(served)
    risen = {
        reason: total(after, "waypost_refused_total", reason=reason)
        - total(before, "waypost_refused_total", reason=reason)
        for reason in ("auth", "host", "size", "form")
    }
    assert risen == {"auth": 1, "host": 2, "size": 1, "form": 1}


def test_writes_tools_and_the_store_are_told(served: Served) -> None:
    before = figures(served)
    assert remember(served, "Figures are told in the text format").status == 201
    asyncio.run(call(served, ("recall", {"question": "door"}), ("remember", {"text": "Agents write by tools"})))
    after = figures(served)
    assert total(after, "waypost_writes_total", face="rest") == total(before, "waypost_writes_total", face="rest") + 1
    assert total(after, "waypost_writes_total", face="mcp") == 1
    assert total(after, "waypost_recalls_total", face="mcp") == 1
    assert total(after, "waypost_tool_calls_total", tool="recall", outcome="ok") == 1
    assert total(after, "waypost_store_bytes") > 0 and total(after, "waypost_memories") >= 1
    assert [key for key in after if key[0] == "waypost_vectors_owed"]
    assert {dict(has)["state"] for name, has in after if name == "waypost_jobs"} == {
        "running", "done", "failed", "cancelled",
    }  # fmt: skip
    assert total(after, "waypost_http_requests_in_flight") == 1, "this one"


def test_figures_need_a_token_that_reads(served: Served) -> None:
    assert served.ask("GET", "/metrics").status == 401
    assert served.ask("POST", "/metrics", served.bearer).status == 405
    token = served.tokens.make("prometheus", rights="read", clock=served.clock)
    assert served.ask("GET", "/metrics", {"Authorization": f"Bearer {token}"}).status == 200


def test_figures_can_be_opened_to_this_machine_and_not_to_those_behind_a_proxy(serve: Serve, tmp_path: Path) -> None:
    settings = ServeSettings(open_metrics=True, allowed_hosts=("memory.example.org",))
    with serve(tmp_path, settings=settings) as served:
        assert served.ask("GET", "/metrics").status == 200
        assert served.ask("GET", "/metrics", {"X-Forwarded-For": "203.0.113.7"}).status == 401
        assert served.ask("GET", "/metrics", {"Host": "memory.example.org"}).status == 401
        assert served.ask("GET", "/metrics/x").status == served.ask("GET", "/api/memories").status == 401


def test_a_store_that_fails_is_counted_and_not_ready(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StoreCorrupt(f"{tmp_path} is damaged.", "")

    with serve(tmp_path) as served:
        assert served.ask("GET", "/readyz").status == 200
        monkeypatch.setattr("waypost.memory.Memory.recall", broken)
        assert served.get("/api/v1/spaces/here/recall?q=x").status == 503
        assert total(figures(served), "waypost_store_errors_total", error="StoreCorrupt") == 1
    monkeypatch.setattr("waypost.memory.admin.MemoryAdmin.audit", broken)
    with serve(tmp_path) as served:
        answer = served.ask("GET", "/readyz")
        assert answer.status == 503 and answer.header("retry-after") == "1"
        assert "StoreCorrupt" in answer.body.decode() and str(tmp_path) not in answer.body.decode()
        assert served.ask("GET", "/healthz").status == 200


# -- the log --------------------------------------------------------------------------------------------------------


@pytest.fixture
def lines(serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What a server wrote that was asked this and that, with its secrets in it."""
    out = io.StringIO()
    with serve(tmp_path, log=Log("json", out)) as served:
        token, code = served.tokens.owner_token(), served.started.code
        browser = served.sign_in(code)
        served.ask("GET", f"/s/{served.spaces.here}/search?q={WORDS}", browser)
        served.get(f"/api/v1/spaces/here/recall?q={WORDS}", {"X-Request-Id": "from-the-client"})
        served.get(f"/{WORDS}?x={WORDS}")
        served.ask("GET", f"/api/memories?token={token}")
        remember(served, f"{WORDS} is in a body")
        asyncio.run(call(served, ("recall", {"question": WORDS})))

        def broken(*_: object, **__: object) -> None:
            raise ZeroDivisionError(WORDS)

        monkeypatch.setattr("waypost.memory.Memory.recall", broken)
        assert served.get("/api/v1/spaces/here/recall?q=x", {"X-Request-Id": "crash"}).status == 500
        assert (served.spaces.home / "crash.log").read_text().endswith("ZeroDivisionError")
    text = out.getvalue()
    for secret in (token, code, browser["Cookie"].partition("=")[2], WORDS):
        assert secret not in text
    return [json.loads(line) for line in text.splitlines()]


def test_each_request_and_event_is_one_line_without_a_secret(lines: list[dict[str, Any]]) -> None:
    assert lines[0]["event"] == "start" and lines[0]["listens"].startswith("http://127.0.0.1:")
    assert [line["event"] for line in lines[-2:]] == ["stopping", "stop"]
    for line in lines:
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line["time"])
        assert line["level"] in {"info", "warning", "error"}
    asked = next(line for line in lines if line.get("request_id") == "from-the-client")
    assert asked["event"] == "request" and asked["actor"] == "owner" and asked["status"] == 200 and asked["ms"] > 0
    assert asked["route"] == "/api/v1/spaces/{space}/recall" and re.fullmatch("[0-9a-f]{16}", asked["space"])
    assert next(line for line in lines if line.get("route") == "/mcp")["actor"] == "owner"
    refusal = next(line for line in lines if line["event"] == "refusal")
    assert refusal["status"] == 400 and refusal["reason"] == "form"
    crash, after = [line for line in lines if line.get("request_id") == "crash"]
    assert crash["event"] == "crash" and crash["error"] == "ZeroDivisionError" and ":" in crash["place"]
    assert after["event"] == "request" and after["status"] == 500 and after["level"] == "error"


def test_an_answer_carries_the_id_of_its_request(served: Served) -> None:
    assert served.get("/api/memories", {"X-Request-Id": "abc-1"}).header("x-request-id") == "abc-1"
    assert served.ask("GET", "/api/memories", {"X-Request-Id": "abc-2"}).header("x-request-id") == "abc-2", "refused"
    for odd in ("a b", "x" * 200, '"><script>', "\x80\xff"):
        answer = served.get("/api/memories", {"X-Request-Id": odd})
        assert re.fullmatch("[0-9a-f]{16}", answer.header("x-request-id")) and answer.count == 1


# -- rates ----------------------------------------------------------------------------------------------------------


def test_each_token_has_a_rate_of_its_own(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path, limits_of(5, 1000)) as served:
        other = {"Authorization": f"Bearer {served.tokens.make('other', clock=served.clock)}"}
        assert [served.get("/api/memories").status for _ in range(6)] == [200] * 5 + [429]
        refused = served.get("/api/memories")
        assert refused.status == 429 and 1 <= int(refused.header("retry-after")) <= 12
        assert served.ask("GET", "/api/memories", other).status == 200
        assert served.ask("GET", "/healthz").status == 200


def test_writes_have_a_rate_apart_for_programs_and_agents(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path, ServerLimits(write_rate=0.001, write_burst=2)) as served:
        assert remember(served, "The first thing").status == 201
        body, sent = b'{"question": "door"}', {**served.bearer, "Content-Type": "application/json"}
        for _ in range(3):
            assert served.ask("POST", "/api/v1/spaces/here/recall", sent, body).status == 200, (
                "a question writes nothing"
            )
        told = asyncio.run(
            call(
                served,
                *[("remember", {"text": text}) for text in ("The second", "Third")],
                ("recall", {"question": "x"}),
            )
        )
        assert "Too many writes" not in told[0] + told[2] and "Too many writes. Wait " in told[1]
        refused = remember(served, "The fourth thing")
        assert refused.status == 429 and int(refused.header("retry-after")) > 1
        assert b"Too many writes" in refused.body
        assert served.get("/api/memories").status == 200, "reading goes on"
        assert total(figures(served), "waypost_refused_total", reason="rate") == 2


def test_a_minute_is_shared_out_with_a_burst() -> None:
    assert limits_of(30_000, 12_000) == ServerLimits()
    small = limits_of(60, 6)
    assert (small.rate, small.burst, small.write_rate, small.write_burst) == (1.0, 20, 0.1, 6)


# -- proxies --------------------------------------------------------------------------------------------------------


def test_behind_a_trusted_proxy_with_tls_the_cookie_is_secure(serve: Serve, tmp_path: Path) -> None:
    outside = {"Host": "memory.example.org", "Origin": "https://memory.example.org", "X-Forwarded-Proto": "https"}
    settings = ServeSettings(allowed_hosts=("memory.example.org",), trusted_proxies=("127.0.0.1",))
    with serve(tmp_path, settings=settings) as served:
        answer = served.form("/login", {"secret": served.started.code}, outside)
        assert answer.status == 303 and "; Secure" in answer.header("set-cookie")
        assert answer.header("set-cookie").startswith("__Host-")
        cookie = {"Cookie": answer.header("set-cookie").partition(";")[0]}
        assert served.ask("GET", "/api/memories", {**outside, **cookie}).status == 200
        assert served.get("/api/memories", {"Host": "other.example.org"}).status == 421


def test_a_proxy_that_was_not_named_says_nothing_of_tls(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path, settings=ServeSettings(allowed_hosts=("memory.example.org",))) as served:
        plain = {"Host": "memory.example.org", "Origin": "http://memory.example.org", "X-Forwarded-Proto": "https"}
        answer = served.form("/login", {"secret": served.started.code}, plain)
        assert answer.status == 303 and "Secure" not in answer.header("set-cookie")


def test_whoever_guesses_through_a_trusted_proxy_waits_alone(serve: Serve, tmp_path: Path) -> None:
    settings, limits = ServeSettings(trusted_proxies=("127.0.0.1",)), ServerLimits(failure_rate=0.001, failure_burst=2)
    with serve(tmp_path, limits, settings=settings) as served:
        guessing, honest = {"X-Forwarded-For": "203.0.113.7"}, {"X-Forwarded-For": "203.0.113.8"}
        wrong = {"Authorization": "Bearer wrong"}
        assert [served.ask("GET", "/api/memories", {**wrong, **guessing}).status for _ in range(3)] == [401, 401, 429]
        assert served.get("/api/memories", guessing).status == 429
        assert served.get("/api/memories", honest).status == 200
