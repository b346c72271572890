"""What is done at one server of a team holds at the other: writes, events, tokens, sessions, replies, forgetting."""

import asyncio
import json
import os
import queue
import re
import secrets
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, cast

import pytest
from tests.faces.guard.test_metrics import parsed
from tests.faces.serve.team.conftest import BLUE, LIMITS, Server, Team, served, server_login

from waypost import config
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.http import serve_http
from waypost.faces.mcp.server import build_server
from waypost.faces.mcp.session import ServedProject
from waypost.faces.serve.change_events import ChangeEvents
from waypost.faces.serve.team import team_of
from waypost.memory.catalog import TeamSpaces

if TYPE_CHECKING:
    from waypost.faces.rest.caller import Services


def test_a_write_at_one_is_seen_at_the_other_and_its_event_comes(team: Team) -> None:
    bob, carol = team.token("bob", "t1"), team.token("carol", "t1")
    with team.other.events(carol, team.shop) as events:
        assert team.one.remember(bob, team.shop, "The bakery opens at seven.").status == 201
        assert events.until(b"event: change\n")
    assert "The bakery opens at seven." in team.other.recalled(carol, team.shop, "when does the bakery open?")


def test_events_come_by_notification_and_do_not_wait_for_the_next_look(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.faces.rest.streams.EVERY", 3600.0)
    bob = team.token("bob", "t2")
    with team.other.events(bob, team.shop) as events:
        team.one.remember(bob, team.shop, "The bakery closes at two.")
        assert events.until(b"event: change\n")


def test_a_stream_tells_nothing_of_another_memory(team: Team) -> None:
    alice, bob, dave = team.token("alice", "t3"), team.token("bob", "t3"), team.token("dave", "t3")
    with team.other.events(alice, team.shop) as events:
        told = team.one.remember(dave, team.vault, "The vault has two doors.").json["id"]
        own = team.one.remember(bob, team.shop, "The shop has two doors.").json["id"]
        assert events.until(own.encode())
        assert told.encode() not in events.heard


def test_a_new_token_opens_both_and_a_revoked_one_none_at_once(team: Team) -> None:
    token = team.token("bob", "t4")
    for server in team.servers:
        assert server.ask("GET", f"/api/v1/spaces/{team.shop}", token).status == 200
    team.directory.revoke_token("bob", "t4")
    for server in team.servers:
        assert server.ask("GET", f"/api/v1/spaces/{team.shop}", token).status == 401


def test_the_stream_of_a_revoked_token_ends(team: Team) -> None:
    carol, bob = team.token("carol", "t5"), team.token("bob", "t5")
    with team.other.events(carol, team.shop) as events:
        team.directory.revoke_token("carol", "t5")
        said = team.one.remember(bob, team.shop, "Not for carol's old token.").json["id"]
        assert not events.until(said.encode())


def test_a_member_who_is_removed_or_disabled_is_out_at_once(team: Team) -> None:
    team.directory.add_user("frank")
    team.directory.add_member(team.shop, "frank", "writer")
    frank = team.token("frank", "t6")
    assert team.one.remember(frank, team.shop, "Frank was here.").status == 201
    team.directory.change_role(team.shop, "frank", "reader")
    assert team.other.remember(frank, team.shop, "Frank was here again.").status == 403
    team.directory.remove_member(team.shop, "frank")
    assert team.one.ask("GET", f"/api/v1/spaces/{team.shop}/status", frank).status == 403
    team.directory.disable_user("frank")
    assert team.other.ask("GET", "/api/v1/spaces", frank).status == 401


def test_a_person_signs_in_at_one_and_is_known_at_the_other(team: Team) -> None:
    browser = team.one.sign_in(team.token("alice", "t7"))
    page = team.other.ask("GET", "/", **browser)
    assert page.status == 303 and page.headers["location"] == f"/s/{team.shop}"
    shown = team.other.ask("GET", f"/s/{team.shop}", **browser)
    assert shown.status == 200 and "Sign out alice" in shown.text
    forgery = re.search(r'name="csrf" value="([^"]+)"', shown.text)
    assert forgery is not None
    out = team.other.form("/logout", {"csrf": forgery[1]}, **browser)
    assert out.status == 303
    assert team.one.ask("GET", f"/s/{team.shop}", **browser).headers["location"].startswith("/login")


def test_agents_do_not_sign_in_and_a_wrong_token_opens_nothing(team: Team) -> None:
    robot = team.token("alice", "t8", kind="agent")
    assert team.one.form("/login", {"secret": robot}).status == 403
    refused = team.one.form("/login", {"secret": "waypost_no"})
    assert refused.status == 401 and "--person" in refused.text and "code" not in refused.text.split("<form")[0][-200:]


def test_a_write_with_a_key_is_done_once_by_all_servers(team: Team) -> None:
    bob = team.token("bob", "t9")
    first = team.one.remember(bob, team.shop, "Once and only once.", **{"Idempotency-Key": "k-1"})
    again = team.other.remember(bob, team.shop, "Once and only once.", **{"Idempotency-Key": "k-1"})
    assert (first.status, again.status) == (201, 201)
    assert again.headers["idempotency-replayed"] == "true" and again.json["id"] == first.json["id"]


def test_rates_are_counted_for_each_token(team: Team, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.faces.serve.maintenance.PAUSE_SECONDS", 0.05)
    few = replace(LIMITS, rate=0.001, burst=9)
    with served(server_login(team.dsn, team.admin), tmp_path / "home", few) as server:
        assert server.ask("GET", "/readyz").status == 200  # before it has opened any memory
        greedy, modest = team.token("bob", "t10"), team.token("bob", "t10-too")
        while (figures := parsed(server.ask("GET", "/metrics", team.token("bob", secrets.token_hex(8))).text.encode()))[
            "waypost_servers", ()
        ] != 3:
            assert figures["waypost_servers", ()] in (1, 2)  # until all of them listen, and it has counted
        statuses = [server.ask("GET", "/api/v1/spaces", greedy).status for _ in range(4)]
        assert statuses == [200, 200, 200, 429], "of nine, a third by each of the three servers"
        assert server.ask("GET", "/api/v1/spaces", modest).status == 200


def test_a_job_works_for_whoever_started_it(team: Team) -> None:
    bob = team.token("bob", "t11")
    started = team.one.ask("POST", f"/api/v1/spaces/{team.shop}/jobs", bob, {"sort": "maintain"})
    assert started.status == 202, started.text
    with team.one.events(bob, team.shop) as events:
        assert events.until(b'"status": "done"') or events.until(b'"status": "failed"')
    done = team.one.ask("GET", started.headers["location"], bob).json
    assert done["status"] == "done", done
    assert done["started_by"] == "bob"


def test_words_that_are_forgotten_at_one_are_kept_by_no_other(team: Team) -> None:
    alice = team.token("alice", "t12")
    key = {"Idempotency-Key": "k-2"}
    said = team.other.remember(alice, team.shop, "The secret of the cellar.", **key).json["id"]
    with team.other.events(alice, team.shop) as events:
        assert team.one.ask("DELETE", f"/api/v1/spaces/{team.shop}/memories/{said}", alice).status == 200
        assert events.until(b'"forget"')
    assert "cellar" not in team.other.ask("GET", f"/api/v1/spaces/{team.shop}/memories", alice).text


def test_servers_are_ready_and_tell_figures_without_acting_for_anybody(team: Team) -> None:
    assert team.one.ask("GET", "/readyz").status == 200
    samples = parsed(team.one.ask("GET", "/metrics", team.token("carol", "t13")).text.encode())
    names = {name for name, _ in samples}
    assert samples["waypost_store_bytes", ()] > 1_000_000
    assert "waypost_memories" not in names
    assert samples["waypost_listening", ()] == 1
    assert samples["waypost_store_connections", (("state", "lent"),)] >= 0


def test_the_owner_of_a_database_is_no_server_of_a_team(postgres: str, tmp_path: Path) -> None:
    settings = config.load({"WAYPOST_HOME": str(tmp_path), "WAYPOST_STORE": postgres, "HOME": str(tmp_path)})
    assert team_of(settings) is None


def test_mcp_alone_is_served_to_the_team_too(team: Team, tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    settings = config.load(
        {"WAYPOST_HOME": home, "WAYPOST_STORE": server_login(team.dsn, team.admin), "HOME": str(tmp_path)}
    )
    found, tools, stop = team_of(settings), tools_of("default"), threading.Event()
    assert found is not None
    project = ServedProject(follows_roots=False, settings=TeamSpaces(settings).settings)
    said: queue.Queue[str] = queue.Queue()
    thread = threading.Thread(
        target=lambda: serve_http(
            lambda: build_server(tools, project),
            tools,
            home=settings.home,
            port=0,
            team=found.tokens,
            say=said.put,
            stop=stop,
        )
    )
    thread.start()
    try:
        port = int(said.get(timeout=20).partition("/mcp")[0].rpartition(":")[2])
        server = Server(port, team.one.started)
        done, told = server.call(team.token("carol", "t15"), "recall", {"question": "what opens the archive?"})
        assert done and BLUE in told
        done, told = server.call(team.token("carol", "t15-w"), "remember", {"text": "Nothing."})
        assert not done and "can only read" in told
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive()


def test_what_is_kept_of_a_memory_goes_when_another_process_erases_something(tmp_path: Path) -> None:
    """Replies as they were, and what is open."""
    spaces, forgotten = TeamSpaces(config.load({"WAYPOST_HOME": str(tmp_path), "HOME": str(tmp_path)})), list[object]()
    replies = SimpleNamespace(forget_full_replies=lambda: forgotten.append("replies"))
    streams = SimpleNamespace(wake=forgotten.append)
    loop = SimpleNamespace(call_soon_threadsafe=lambda call, *given: call(*given))
    services = SimpleNamespace(replies=replies, streams=streams)
    news = ChangeEvents(spaces, cast("Services", services), cast("asyncio.AbstractEventLoop", loop))
    news.changed("a" * 16)
    assert forgotten == ["a" * 16]
    news.erased("a" * 16)
    assert forgotten == ["a" * 16, "replies"]
    news.missed()
    assert forgotten == ["a" * 16, "replies", "replies", None]


@pytest.mark.slow
def test_the_command_serves_a_team_from_any_folder(team: Team, tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "WAYPOST_STORE": server_login(team.dsn, team.admin),
        "WAYPOST_HOME": str(tmp_path / "home"),
    }
    command = [sys.executable, "-m", "waypost", "serve", "--port", "0", "--json"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            started = json.loads(process.stdout.readline())
            assert started["token_file"] is None and started["sign_in"]["code"] is None
            port = int(started["listens"].rpartition(":")[2])
            listed = Server(port, team.one.started).ask("GET", "/api/v1/spaces", team.token("alice", "t14"))
            assert [one["id"] for one in listed.json["spaces"]] == [team.shop]
            assert not (tmp_path / "home" / "token").exists()
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
