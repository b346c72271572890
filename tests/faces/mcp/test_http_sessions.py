"""Which session gives way when a caller opens too many."""

from waypost.faces.mcp.http import McpSessions


def test_the_least_recently_used_session_gives_way() -> None:
    sessions = McpSessions(each=2)
    assert sessions.open("1", "a") is None
    assert sessions.open("2", "a") is None
    with sessions.in_use("1", "a"):
        pass
    assert sessions.open("3", "a") == "2"
    assert len(sessions) == 2


def test_a_session_in_use_stays() -> None:
    sessions = McpSessions(each=2)
    sessions.open("1", "a")
    sessions.open("2", "a")
    with sessions.in_use("1", "a"):
        assert sessions.has_room("a")
        assert sessions.open("3", "a") == "2"


def test_a_caller_whose_sessions_are_all_in_use_opens_no_more() -> None:
    sessions = McpSessions(each=1)
    sessions.open("1", "a")
    with sessions.in_use("1", "a"):
        assert not sessions.has_room("a")
        assert sessions.has_room("b")
    assert sessions.has_room("a")


def test_the_sessions_of_others_stay() -> None:
    sessions = McpSessions(each=1)
    sessions.open("1", "a")
    assert sessions.open("2", "b") is None
    assert sessions.open("3", "b") == "2"
    assert sessions.open("4", "a") == "1"


def test_a_stranger_who_names_a_session_does_not_hold_it() -> None:
    sessions = McpSessions(each=1)
    sessions.open("1", "a")
    with sessions.in_use("1", "b"), sessions.in_use("none", "a"):
        assert sessions.open("2", "a") == "1"


def test_a_session_that_was_closed_is_forgotten_even_while_it_answers() -> None:
    sessions = McpSessions(each=1)
    sessions.open("1", "a")
    with sessions.in_use("1", "a"):
        sessions.close("1")
    sessions.close("1")
    assert len(sessions) == 0
