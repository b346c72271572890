"""What was begun with a right ends with it: streams, jobs, replies to repeated writes, sessions of MCP."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from tests.faces.serve.team.conftest import Team

from waypost.faces.rest.jobs import CANCELLED, Jobs, Report
from waypost.model.time import utc_now


@pytest.fixture
def frank(team: Team) -> Iterator[str]:
    """A writer of the first project, for one test, who is a reader of the second."""
    if "frank" not in {one.name for one in team.directory.users()}:
        team.directory.add_user("frank")
    team.directory.add_member(team.shop, "frank", "writer")
    team.directory.add_member(team.vault, "frank", "writer")
    yield "frank"
    for space in (team.shop, team.vault):
        if "frank" in {one.user for one in team.directory.members(space)}:
            team.directory.remove_member(space, "frank")


def test_the_stream_of_a_member_who_was_removed_ends_and_tells_no_job(team: Team, frank: str) -> None:
    """Their token is still good: it opens another memory."""
    token, bob = team.token(frank, "s1"), team.token("bob", "s1")
    with team.one.events(token, team.shop) as events:
        team.directory.remove_member(team.shop, frank)
        started = team.one.ask("POST", f"/api/v1/spaces/{team.shop}/jobs", bob, {"sort": "maintain"})
        assert started.status == 202
        assert not events.until(started.json["id"].encode())
    assert team.one.ask("GET", f"/api/v1/spaces/{team.vault}", token).status == 200


@pytest.mark.parametrize("lost", ["membership", "right to write"])
def test_a_reply_is_not_told_again_to_who_may_not_write_any_more(team: Team, frank: str, lost: str) -> None:
    token, key = team.token(frank, f"s2-{lost[:5]}"), {"Idempotency-Key": f"s2-{lost[:5]}"}
    text = f"Frank said this before he lost his {lost}."
    assert team.one.remember(token, team.shop, text, **key).status == 201
    assert team.one.remember(token, team.shop, text, **key).headers["idempotency-replayed"] == "true"
    if lost == "membership":
        team.directory.remove_member(team.shop, frank)
    else:
        team.directory.change_role(team.shop, frank, "reader")
    for server in team.servers:
        told = server.remember(token, team.shop, text, **key)
        assert told.status == 403 and "Frank said" not in told.text


def test_a_session_of_mcp_ends_with_its_token_and_is_nobody_elses(team: Team, frank: str) -> None:
    token, other = team.token(frank, "s3", space_id=team.shop), team.token("bob", "s3")

    async def work() -> tuple[bool, int, int]:
        headers = {"Authorization": f"Bearer {token}"}
        sessions: list[str] = []

        async def note(response: httpx2.Response) -> None:
            sessions.extend(response.headers.get_list("mcp-session-id"))

        async with (
            httpx2.AsyncClient(headers=headers, timeout=30, event_hooks={"response": [note]}) as http,
            Client(streamable_http_client(f"{team.one.origin}/mcp", http_client=http)) as client,
        ):
            first = await client.call_tool("recall", {"question": "what opens the archive?"})
            named = {"Mcp-Session-Id": sessions[0]} if sessions else {}
            statuses = []
            for bearer in (other, token):
                if bearer == token:
                    team.directory.revoke_token(frank, "s3")
                sent = {"Authorization": f"Bearer {bearer}", "Accept": "application/json, text/event-stream", **named}
                asked = {"jsonrpc": "2.0", "id": 9, "method": "tools/list", "params": {}}
                async with httpx2.AsyncClient(timeout=30) as stranger:
                    told = await stranger.post(f"{team.one.origin}/mcp", json=asked, headers=sent)
                statuses.append(told.status_code)
        return not first.is_error, statuses[0], statuses[1]

    done, theirs, revoked = asyncio.run(work())
    assert done
    assert 400 <= theirs < 500 and revoked == 401


def test_a_job_stops_when_whoever_started_it_may_no_longer(tmp_path: Path) -> None:
    ticks, may, told = [0.0], [True], threading.Event()

    def work(report: Report) -> dict[str, int]:
        for number in range(100):
            report("working", number, 100)
            ticks[0] += 1.0
            may[0] = number < 10
        told.set()
        return {}

    jobs = Jobs(utc_now, tmp_path, lambda: ticks[0])
    job = jobs.start("a" * 16, "index", "frank", work, lambda: may[0])
    jobs.wait(job.id, 10)
    ended = jobs.get("a" * 16, job.id)
    assert ended.status == CANCELLED and ended.done < 20 and not told.is_set()
