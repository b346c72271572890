"""A team's tokens and sessions before a server: asked of the database for each request, by several processes."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from tests.conftest import TestClock
from tests.store.postgres.team.conftest import A, B, Team, made_team

from waypost.errors import SecurityError
from waypost.faces.guard.asgi import CALLER, Message, Receive, Scope, Send
from waypost.faces.guard.gate import RequestGate
from waypost.faces.guard.hosts import answered_hosts
from waypost.faces.guard.team_tokens import (
    TeamIdentity,
    TeamSessions,
    TeamTokens,
    acting_for_callers,
    make_token,
    open_team_tokens,
)
from waypost.memory.team_database import TeamDatabase
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.sessions import Connect, KeptReplies
from waypost.store.postgres.security import PRINCIPAL, Acting, Principal


@pytest.fixture
def team(postgres: str) -> Iterator[Team]:
    with made_team(postgres) as made:
        yield made


@pytest.fixture
def connect(team: Team) -> Connect:
    """As a pool would: the server's login."""
    server = team.server()

    @contextmanager
    def connection() -> Iterator[psycopg.Connection[Any]]:
        yield server

    return connection


def principal_of(identity: TeamIdentity) -> Principal:
    """For whom the store acts."""
    with identity.acting():
        principal = PRINCIPAL.get()
    assert principal is not None
    return principal


def verified(tokens: TeamTokens, token: str) -> TeamIdentity:
    found = tokens.verify(token)
    assert found is not None
    return found


def test_a_token_is_its_users_with_a_role_in_each_memory(team: Team, connect: Connect) -> None:
    team.directory.add_member(B, "bob", "reader")
    token = make_token(team.directory, "bob", "laptop", kind="person", rights="write")
    bob = verified(TeamTokens(TeamDatabase(connect)), token)
    assert (bob.name, bob.kind, bob.caller.source, bob.caller.actor) == ("bob", "person", "person", "bob")
    assert bob.opens(A) and bob.opens(B) and not bob.opens("c" * 16)
    assert bob.writes and bob.writes_in(A) and not bob.writes_in(B)
    assert not bob.owns(A)
    with pytest.raises(SecurityError):
        bob.check_opens("c" * 16)
    assert principal_of(bob).acting(A) == Acting("bob", "writer", "person")
    assert TeamTokens(TeamDatabase(connect)).holder(bob.key) == bob


def test_an_agent_is_known_as_its_own_and_owns_nothing(team: Team, connect: Connect) -> None:
    agent = verified(
        TeamTokens(TeamDatabase(connect)), make_token(team.directory, "alice", "robot", kind="agent", rights="write")
    )
    assert (agent.caller.source, agent.caller.actor) == ("agent", "alice/robot")
    assert agent.writes_in(A) and not agent.owns(A)
    person = verified(
        TeamTokens(TeamDatabase(connect)), make_token(team.directory, "alice", "self", kind="person", rights="write")
    )
    assert person.owns(A) and not person.owns(B)


def test_a_token_that_reads_writes_nowhere(team: Team, connect: Connect) -> None:
    token = make_token(team.directory, "alice", "eyes", kind="person", rights="read", space_id=A)
    eyes = verified(TeamTokens(TeamDatabase(connect)), token)
    assert eyes.opens(A) and not eyes.writes and not eyes.writes_in(A) and not eyes.owns(A)
    assert principal_of(eyes).acting(A) == Acting("alice", "reader", "person")


def test_what_is_taken_away_is_gone_in_every_process_at_once(team: Team, connect: Connect) -> None:
    tokens, other = TeamTokens(TeamDatabase(connect)), TeamTokens(TeamDatabase(connect))
    token = make_token(team.directory, "bob", "robot", kind="agent", rights="write")
    assert verified(tokens, token).opens(A)
    Directory(team.machine("alice")).remove_member(A, "bob")
    agent = verified(other, token)
    assert not agent.opens(A) and not agent.writes
    with pytest.raises(SecurityError):
        principal_of(agent).acting(A)
    Directory(team.machine("bob")).revoke_token("bob", "robot")
    assert tokens.verify(token) is None and other.verify(token) is None


def test_a_forged_token_opens_nothing(team: Team, connect: Connect) -> None:
    tokens = TeamTokens(TeamDatabase(connect))
    for forged in ("", "x", "waypost_" + "x" * 43, "x" * 100_000, "\0", "\ud800", "' OR '1' = '1"):
        assert tokens.verify(forged) is None
        assert tokens.holder(forged) is None


async def asked(gate: RequestGate, token: str) -> int:
    """The status that the gate answers."""
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {
        "type": "http", "http_version": "1.1", "method": "GET", "path": "/", "raw_path": b"/", "query_string": b"",
        "client": ("127.0.0.1", 1), "scheme": "http",
        "headers": [(b"host", b"127.0.0.1:80"), (b"authorization", f"Bearer {token}".encode())],
    }  # fmt: skip
    await gate(scope, receive, send)
    return int(sent[0]["status"])


def test_the_gate_takes_them_as_any(team: Team, connect: Connect) -> None:
    import asyncio

    seen: list[object] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope[CALLER])
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    gate = RequestGate(app, TeamTokens(TeamDatabase(connect)), answered_hosts("127.0.0.1", 80, [], []))
    token = make_token(team.directory, "carol", "laptop", kind="person", rights="write")
    assert asyncio.run(asked(gate, token)) == 204
    assert isinstance(seen[0], TeamIdentity) and seen[0].user == "carol"
    team.directory.disable_user("carol")
    assert asyncio.run(asked(gate, token)) == 401


def test_a_server_of_a_team_asks_its_database(team: Team) -> None:
    assert open_team_tokens(TeamDatabase.at(team.dsn)) is None  # the owner's login serves with the tokens of its home
    behind = open_team_tokens(TeamDatabase.at(team.dsn.replace("postgres@", f"{team.roles.server}@")))
    assert behind is not None
    tokens, sessions = behind
    bob = verified(tokens, make_token(team.directory, "bob", "laptop", kind="person", rights="write"))
    found = sessions.find(sessions.begin(bob.key))
    assert found is not None
    assert tokens.holder(found.holder) == bob
    assert tokens.owner() is None


def test_what_a_request_does_is_done_for_whoever_sends_it() -> None:
    import asyncio

    seen: list[object] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(await asyncio.to_thread(PRINCIPAL.get))

    async def ask() -> None:
        bob = TeamIdentity("bob", "person", "write", "k" * 16, user="bob", roles={A: "writer"})
        for identity in (bob, None):
            await acting_for_callers(app)({"type": "http", CALLER: identity}, None, None)  # type: ignore[arg-type]
        seen.append(PRINCIPAL.get())

    asyncio.run(ask())
    assert seen == [Principal("bob", "person", "write", {A: "writer"}), None, None]


def test_a_session_is_known_to_every_server_until_it_ends(team: Team, connect: Connect, clock: TestClock) -> None:
    here, there = TeamSessions(TeamDatabase(connect), clock), TeamSessions(TeamDatabase(connect), clock)
    name = here.begin("a" * 16)
    found = there.find(name)
    assert found is not None and found.holder == "a" * 16
    assert there.find(name[:-1] + ("A" if name[-1] != "A" else "B")) is None
    assert there.find("' OR 1 = 1") is None
    there.end(found)
    assert here.find(name) is None


def test_a_session_ends_by_itself(team: Team, connect: Connect, clock: TestClock) -> None:
    sessions = TeamSessions(TeamDatabase(connect), clock, idle=timedelta(days=7), longest=timedelta(days=30))
    name = sessions.begin("a" * 16)
    for _ in range(4):
        clock.advance(days=6)
        found = sessions.find(name)
        assert found is not None and sessions.needs_saving(found)
        sessions.save()
        assert not sessions.needs_saving(found)
    clock.advance(days=6)
    assert sessions.find(name) is None  # thirty days
    idle = sessions.begin("a" * 16)
    clock.advance(days=7)
    assert sessions.find(idle) is None


def test_sessions_of_a_revoked_token_are_gone(team: Team, connect: Connect, clock: TestClock) -> None:
    token = make_token(team.directory, "bob", "laptop", kind="person", rights="write")
    sessions = TeamSessions(TeamDatabase(connect), clock)
    name = sessions.begin(verified(TeamTokens(TeamDatabase(connect)), token).key)
    team.directory.revoke_token("bob", "laptop")
    assert sessions.find(name) is None


def test_a_request_is_done_by_one_of_several_servers(team: Team, connect: Connect, clock: TestClock) -> None:
    here, there = KeptReplies(connect), KeptReplies(connect)
    assert here.secret() == there.secret() and len(here.secret()) == 32
    times: dict[str, Any] = {"lease": timedelta(minutes=2), "kept": timedelta(days=1), "most": 3}
    assert here.begin(b"k", b"c", b"r", now=clock(), **times) is None
    being_done = there.begin(b"k", b"c", b"r", now=clock(), **times)
    assert being_done is not None and being_done.is_held and being_done.status is None
    here.finish(b"k", 201, "{}", "[]")
    done = there.begin(b"k", b"c", b"r", now=clock(), **times)
    assert done is not None and (done.request, done.status, done.body) == (b"r", 201, "{}")
    clock.advance(days=1, seconds=1)
    assert there.begin(b"k", b"c", b"r", now=clock(), **times) is None
    there.release(b"k")
    assert here.begin(b"k", b"c", b"r", now=clock(), **times) is None
    here.leave(b"k", clock())
    unknown = there.begin(b"k", b"c", b"r", now=clock(), **times)
    assert unknown is not None and not unknown.is_held and unknown.status is None


def test_replies_of_one_caller_are_bounded(team: Team, connect: Connect, clock: TestClock) -> None:
    replies = KeptReplies(connect)
    for number in range(6):
        clock.advance(seconds=1)
        given = {"now": clock(), "lease": timedelta(minutes=2), "kept": timedelta(days=1), "most": 3}
        assert replies.begin(bytes([number]), b"c", b"r", **given) is None  # type: ignore[arg-type]
    assert team.admin.execute("SELECT array_agg(key ORDER BY key) FROM waypost.replies").fetchone() == (
        [b"\x03", b"\x04", b"\x05"],
    )
