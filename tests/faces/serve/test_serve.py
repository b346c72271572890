"""One port for people, programs and agents: what is where, who gets in how, and how it begins and ends."""

import asyncio
import json
import os
import queue
import re
import signal
import socket
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.faces.serve.conftest import Serve, Served

from waypost import __version__
from waypost.errors import InvalidInput, SecurityError
from waypost.faces.cli.entry import run as command_line
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.serve.run import run


def csrf_of(page: bytes) -> str:
    found = re.search(rb'name="csrf" value="([0-9a-f]{64})"', page)
    assert found is not None, page
    return found[1].decode()


def test_the_health_needs_no_token_and_tells_nothing_else(served: Served) -> None:
    answer = served.ask("GET", "/healthz")
    assert answer.status == 200 and json.loads(answer.body) == {"status": "ok", "version": __version__}
    assert served.ask("POST", "/healthz").status == 405


def test_programs_find_the_api_with_a_token(served: Served) -> None:
    answer = served.get("/api/memories")
    assert answer.status == 200 and b"blue key" in answer.body
    assert served.get("/openapi.json").status == 200
    assert served.ask("GET", "/api/memories").status == served.ask("GET", "/openapi.json").status == 401


def test_agents_find_mcp_on_the_same_port(served: Served) -> None:
    async def use() -> str:
        async with (
            httpx2.AsyncClient(headers=served.bearer, timeout=10) as http,
            Client(streamable_http_client(f"{served.origin}/mcp", http_client=http)) as client,
        ):
            return str((await client.call_tool("recall", {"question": "archive door"})).content)

    assert "blue key" in asyncio.run(use())


def test_a_person_signs_in_with_the_token_looks_and_signs_out(served: Served) -> None:
    browser = served.sign_in(served.tokens.owner_token())
    home = served.ask("GET", "/", browser)
    assert home.status == 303
    page = served.ask("GET", home.header("location"), browser)
    assert page.status == 200 and page.header("content-type").startswith("text/html")
    assert "default-src 'none'" in page.header("content-security-policy")
    assert page.header("referrer-policy") == "same-origin"
    assert served.ask("GET", "/api/memories", browser).status == 200, "the pages' scripts use the API too"
    out = served.form("/logout", {"csrf": csrf_of(page.body)}, browser)
    assert (out.status, out.header("location")) == (303, "/login")
    assert served.ask("GET", home.header("location"), browser).status == 303


def test_the_printed_code_opens_once_and_stands_behind_the_hash_of_its_address(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        address, _, code = served.started.sign_in.partition("#code=")
        assert address == f"{served.origin}/login" and code == served.started.code
        browser = served.sign_in(code)
        assert served.ask("GET", "/api/memories", browser).status == 200
        assert served.form("/login", {"secret": code}).status == 401, "replayed"


def test_a_session_outlasts_a_restart_but_a_code_does_not(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        browser, code = served.sign_in(served.tokens.owner_token()), served.started.code
    with serve(tmp_path) as served:
        assert not served.started.token_made
        assert served.ask("GET", "/api/memories", browser).status == 200
        assert served.form("/login", {"secret": code}).status == 401


def test_two_servers_of_one_home_share_sessions_and_tokens(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path) as one, serve(tmp_path) as other:
        assert one.port != other.port
        browser = one.sign_in(one.tokens.owner_token())
        assert other.ask("GET", "/api/memories", browser).status == 200
        assert other.form("/login", {"secret": one.started.code}).status == 401, "a code is one server's"


def test_a_session_ends_when_its_time_is_over(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path) as served:
        browser = served.sign_in(served.tokens.owner_token())
        served.clock.advance(days=6)
        assert served.ask("GET", "/api/memories", browser).status == 200
        served.clock.now += timedelta(days=8)
        assert served.ask("GET", "/api/memories", {**browser, "Accept": "*/*"}).status == 401


def test_behind_a_proxy_it_answers_to_the_address_that_was_named(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path, addresses=["https://memory.example.org"]) as served:
        assert served.started.url == "https://memory.example.org"
        proxied = {"Host": "memory.example.org", "Origin": "https://memory.example.org"}
        answer = served.form("/login", {"secret": served.started.code}, proxied)
        assert answer.status == 303 and "; Secure" in answer.header("set-cookie")
        cookie = answer.header("set-cookie").partition(";")[0]
        assert served.ask("GET", "/api/memories", {"Host": "memory.example.org", "Cookie": cookie}).status == 200
        assert served.get("/api/memories", {"Host": "other.example.org"}).status == 421


@pytest.mark.parametrize(
    "address",
    ["memory.example.org", "ftp://x", "https://", "https://a/b", "https://u:p@a", "https://a:x", "https://a?b"],
)
def test_what_is_no_address_of_a_server_is_said(served: Served, address: str) -> None:
    with pytest.raises(InvalidInput, match="URL"):
        run(served.spaces, None, (), port=0, addresses=[address], say=lambda _: None)  # type: ignore[arg-type]


def test_a_port_in_use_or_a_token_open_to_others_is_said(served: Served) -> None:
    nothing: Any = None
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(InvalidInput, match="in use"):
        run(served.spaces, nothing, (), port=taken.getsockname()[1], say=lambda _: None)
    served.tokens.path.chmod(0o644)
    try:
        with pytest.raises(SecurityError, match="others"):
            run(served.spaces, nothing, (), port=0, say=lambda _: None)
    finally:
        served.tokens.path.chmod(0o600)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_the_command_says_where_and_how_and_ends_in_order(tmp_path: Path) -> None:
    environment = {**os.environ, "WAYPOST_HOME": str(tmp_path / "h")}
    command = [sys.executable, "-W", "error", "-m", "waypost", "-C", str(tmp_path), "serve", "--port", "0", "--json"]
    with (
        (tmp_path / "err").open("w+") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=tmp_path, env=environment
        ) as process,
    ):
        assert process.stdout is not None
        first = process.stdout.readline()
        found = json.loads(first)
        token, code = TokenFile(tmp_path / "h").owner_token(), found["sign_in"]["code"]
        with httpx2.Client(base_url=found["url"], timeout=20) as http:
            assert http.get("/healthz").status_code == 200
            assert http.get("/api/memories", headers={"Authorization": f"Bearer {token}"}).status_code == 200
            assert http.get(f"/api/memories?token={token}").status_code == 400
            assert http.post("/login", data={"secret": token[:-1]}).status_code == 401
        run_folder = tmp_path / "h" / "run"
        assert [path.suffix for path in run_folder.glob("*/*")] in ([".sock"], [".at"]), "hooks are answered too"
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert process.stdout.read() == "" and (tmp_path / "err").read_text() == "", "requests leave no lines"
    assert not list(run_folder.glob("*/*"))
    assert found["sign_in"]["url"] == f"{found['url']}/login#code={code}"
    assert found["token_file"] == str(tmp_path / "h" / "token") and found["token_made"] is True
    assert token not in first
    kept = {path: path.read_bytes() for path in (tmp_path / "h").rglob("*") if path.is_file()}
    assert [path.name for path, content in kept.items() if token.encode() in content] == ["token"]
    assert not [path.name for path, content in kept.items() if code.encode() in content]


def test_people_are_told_the_same_in_words(served: Served) -> None:
    told = "\n".join(served.started.lines())
    assert served.origin in told and str(served.tokens.path) in told and "(new)" in told
    assert f"{served.origin}/login#code={served.started.code}" in told and "12:10 UTC" in told
    assert served.tokens.owner_token() not in told and "Warning" not in told


def test_a_browser_is_shown_the_dashboard_without_the_code(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other users can read the command line of a browser."""
    shown: queue.SimpleQueue[str] = queue.SimpleQueue()
    monkeypatch.setattr("webbrowser.open", shown.put)
    monkeypatch.setattr("waypost.faces.serve.run.run", lambda *_, say, **__: say(served.started))
    assert command_line(["-C", str(served.project), "serve", "--open"]) == 0
    assert shown.get(timeout=10) == served.origin


def test_listening_for_other_machines_is_warned_of(serve: Serve, tmp_path: Path) -> None:
    with serve(tmp_path, host="0.0.0.0") as served:
        assert "no TLS" in served.started.lines()[-1]
        assert served.started.url == served.origin, "what a browser on this machine opens"


def test_the_framework_of_the_web_is_not_imported_for_other_commands() -> None:
    heavy = ("fastapi", "uvicorn", "starlette", "jinja2")
    code = f"import sys, waypost.faces.cli.app; print([one for one in {heavy} if one in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
