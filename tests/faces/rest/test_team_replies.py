"""One request, several servers: it is done once, and each knows the answer."""

from typing import Any

import psycopg
import pytest
from tests.conftest import TestClock
from tests.store.postgres.team.conftest import NOW

from waypost.faces.rest.problems import ProblemError
from waypost.faces.rest.replies import Claim, StoredReply, TeamReplies
from waypost.memory.team_database import TeamDatabase
from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.roles import ensure_roles

CLAIM = Claim("a caller", "a key", b"the request")


@pytest.fixture
def database(postgres: str) -> TeamDatabase:
    """As the server of a team logs in."""
    with psycopg.connect(postgres, autocommit=True) as admin:
        migrate_directory(admin, NOW)
        names = ensure_roles(admin)
    assert names is not None
    return TeamDatabase.at(postgres.replace("postgres@", f"{names.server}@"))


def test_what_one_server_did_another_knows(database: TeamDatabase, clock: TestClock) -> None:
    here, there = TeamReplies(database, clock), TeamReplies(database, clock)
    assert here.begin(CLAIM) is None
    with pytest.raises(ProblemError, match="in progress"):
        there.begin(CLAIM)
    here.finish(CLAIM, StoredReply(201, b'{"id": "m-1", "text": "said in confidence"}', {"location": "/x"}))
    known = here.begin(CLAIM)
    assert known is not None and b"said in confidence" in known.body
    kept = there.begin(CLAIM)
    assert kept is not None and (kept.status, kept.body, kept.headers) == (201, b'{"id": "m-1"}', {"location": "/x"})
    with pytest.raises(ProblemError, match="another request"):
        there.begin(Claim("a caller", "a key", b"another"))
    assert there.begin(Claim("another caller", "a key", b"another")) is None


def test_a_server_that_stopped_leaves_it_unknown(database: TeamDatabase, clock: TestClock) -> None:
    assert TeamReplies(database, clock).begin(CLAIM) is None
    clock.advance(minutes=3)
    with pytest.raises(ProblemError, match="outcome is unknown"):
        TeamReplies(database, clock).begin(CLAIM)


def test_a_key_that_is_given_up_while_another_asks_for_it_goes_to_one_only(
    database: TeamDatabase, clock: TestClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, third = (TeamReplies(database, clock) for _ in range(3))
    assert here.begin(CLAIM) is None
    given_up: list[str] = []

    def running(connection: Any, statement: str, given: Any = ()) -> Any:
        if statement.startswith("SELECT request") and not given_up:  # it was refused the key, and looks who has it
            given_up.append(statement)
            here.release(CLAIM)
        return run(connection, statement, given)

    monkeypatch.setattr("waypost.store.postgres.directory.sessions.run", running)
    assert there.begin(CLAIM) is None
    assert given_up
    with pytest.raises(ProblemError, match="in progress"):
        third.begin(CLAIM)


def test_nothing_of_a_request_or_its_words_is_kept(database: TeamDatabase, clock: TestClock, postgres: str) -> None:
    replies = TeamReplies(database, clock)
    replies.begin(CLAIM)
    replies.finish(CLAIM, StoredReply(201, b'{"id": "m-1", "text": "said in confidence"}'))
    with psycopg.connect(postgres) as admin:
        rows = admin.execute("SELECT r::text FROM waypost.replies r").fetchall()
    assert len(rows) == 1
    assert not any(word in rows[0][0] for word in ("confidence", "a key", "a caller", b"a key".hex()))


def test_what_was_not_done_can_be_tried_again(database: TeamDatabase, clock: TestClock) -> None:
    here, there = TeamReplies(database, clock), TeamReplies(database, clock)
    assert here.begin(CLAIM) is None
    here.release(CLAIM)
    assert there.begin(CLAIM) is None
    there.leave(CLAIM)
    with pytest.raises(ProblemError, match="outcome is unknown"):
        here.begin(CLAIM)
