"""Sessions of people: how they begin, last and end, on disk and across servers."""

import json
import os
from datetime import timedelta
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost.errors import SecurityError
from waypost.faces.guard.sessions import SignedInSession, SignedInSessions

OWNER, OTHER = "0" * 16, "1" * 16


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def found(sessions: SignedInSessions, name: str) -> SignedInSession:
    session = sessions.find(name)
    assert session is not None
    return session


def test_a_session_is_known_by_its_id_and_by_nothing_else(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock)
    name = sessions.begin(OWNER)
    assert found(sessions, name).holder == OWNER
    digest = found(sessions, name).digest
    for forged in ("", name[:-1], name + "A", name[::-1], digest, digest[:43], "A" * 43, "é" * 43, "A" * 10_000):
        assert sessions.find(forged) is None


def test_two_sessions_of_one_token_have_ids_of_their_own(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock)
    one, other = sessions.begin(OWNER), sessions.begin(OWNER)
    sessions.end(found(sessions, one))
    assert sessions.find(one) is None
    assert sessions.find(other) is not None


def test_the_file_holds_no_id_and_is_its_owners_alone(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock)
    name = sessions.begin(OWNER)
    assert name not in sessions.path.read_text()
    if os.name == "posix":
        assert sessions.path.stat().st_mode & 0o077 == 0


def test_a_session_outlasts_a_restart_and_is_known_to_every_server_of_the_home(home: Path, clock: TestClock) -> None:
    first, second = SignedInSessions(home, clock), SignedInSessions(home, clock)
    name = first.begin(OWNER)
    assert second.find(name) is not None
    second.end(found(second, name))
    assert first.find(name) is None, "ended at one, ended at all"


@pytest.mark.slow
def test_a_session_that_is_not_used_ends(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock, idle=timedelta(hours=1))
    used, idle = sessions.begin(OWNER), sessions.begin(OWNER)
    for _ in range(3):
        clock.advance(minutes=40)
        assert sessions.find(used) is not None
    assert sessions.find(idle) is None
    clock.advance(minutes=60)
    assert sessions.find(used) is None


def test_no_session_lasts_for_ever(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock, idle=timedelta(days=7), longest=timedelta(days=30))
    name = sessions.begin(OWNER)
    for _ in range(29):
        clock.advance(days=1)
        assert sessions.find(name) is not None
    clock.advance(days=1)
    assert sessions.find(name) is None


def test_when_it_was_used_is_noted_now_and_then_for_the_next_server(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock, idle=timedelta(days=7))
    name = sessions.begin(OWNER)
    clock.advance(minutes=5)
    assert not sessions.needs_saving(found(sessions, name)), "not with every request"
    clock.advance(days=6)
    assert sessions.needs_saving(found(sessions, name))
    sessions.save()
    clock.advance(days=6)
    assert SignedInSessions(home, clock, idle=timedelta(days=7)).find(name) is not None
    assert not sessions.needs_saving(SignedInSession("0" * 64, OWNER, clock(), clock())), "one that is gone"


def test_the_longest_idle_one_gives_way_when_there_are_too_many(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock, most=3)
    names = []
    for _ in range(3):
        names.append(sessions.begin(OWNER))
        clock.advance(minutes=1)
    assert sessions.find(names[0]) is not None  # used just now
    newest = sessions.begin(OWNER)
    assert [sessions.find(name) is not None for name in (*names, newest)] == [True, False, True, True]


def test_sessions_that_have_ended_do_not_stay_on_disk(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock, idle=timedelta(hours=1))
    sessions.begin(OWNER)
    clock.advance(hours=2)
    sessions.begin(OTHER)
    assert [one["holder"] for one in json.loads(sessions.path.read_text())["sessions"]] == [OTHER]


@pytest.mark.skipif(os.name != "posix", reason="Windows keeps files apart by their folder")
def test_a_file_that_others_can_change_is_not_believed(home: Path, clock: TestClock) -> None:
    sessions = SignedInSessions(home, clock)
    name = sessions.begin(OWNER)
    sessions.path.chmod(0o622)
    with pytest.raises(SecurityError):
        sessions.find(name)
    with pytest.raises(SecurityError):
        sessions.begin(OWNER)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "[]",
        '{"sessions": 1}',
        '{"sessions": [1]}',
        '{"sessions": [{"sha256": 1}]}',
        '{"sessions": [{"sha256": "x", "holder": "y", "began": "2026-01-30", "seen": "2026-01-30"}]}',
        json.dumps({"sessions": [{"sha256": "0" * 64, "holder": OWNER, "began": "never", "seen": 3}]}),
        "[" * 20_000,
    ],
)
def test_a_damaged_file_means_signing_in_again(home: Path, clock: TestClock, content: str) -> None:
    sessions = SignedInSessions(home, clock)
    before = sessions.begin(OWNER)
    sessions.path.write_text(content)
    assert sessions.find(before) is None
    assert sessions.find(sessions.begin(OWNER)) is not None
