"""Over every face, nobody may more than their role in a memory, and nobody sees a memory that they are no member of."""

import json
import re

import pytest
from tests.faces.serve.team.conftest import BLUE, RED, Answer, Team

from waypost.faces.dashboard.pages import PAGES


def told(answer: Answer) -> tuple[int, str]:
    return answer.status, answer.json["detail"]


def test_a_reader_asks_and_is_told_how_to_become_a_writer(team: Team) -> None:
    carol = team.token("carol", "r1")
    assert BLUE in team.one.recalled(carol, team.shop, "what opens the archive?")
    refused = team.one.remember(carol, team.shop, "The archive is always open.")
    assert told(refused) == (403, "carol can only read this memory, as a reader.")
    assert refused.json["remedy"] == "Ask an owner to run `waypost team member role carol writer`."


def test_a_token_that_only_reads_writes_nothing_whosever_it_is(team: Team) -> None:
    eyes = team.token("alice", "r2", rights="read")
    assert told(team.one.remember(eyes, team.shop, "Nothing."))[0] == 403
    done, said = team.one.call(eyes, "remember", {"text": "Nothing."})
    assert not done and "This token can only read" in said


def test_over_mcp_a_reader_and_who_is_in_no_memory_are_not_told_that_it_is_the_token(team: Team) -> None:
    done, said = team.one.call(team.token("carol", "r2c"), "remember", {"text": "Nothing."})
    assert not done and "carol can only read this memory, as a reader. Ask an owner" in said
    done, said = team.one.call(team.token("eve", "r2e"), "remember", {"text": "Nothing."})
    assert not done and "opens no memory: eve is not a member of any. Ask an owner of a memory, or an adm" in said
    done, said = team.one.call(team.token("eve", "r2f", rights="read"), "remember", {"text": "Nothing."})
    assert not done and "This token can only read" in said


def test_a_writer_writes_and_corrects_but_does_not_forget(team: Team) -> None:
    bob = team.token("bob", "r3")
    memory = team.one.remember(bob, team.shop, "Parcels leave at noon.").json["id"]
    place = f"/api/v1/spaces/{team.shop}/memories/{memory}"
    assert team.one.ask("POST", f"{place}/correct", bob, {"text": "Parcels leave at eleven."}).status == 200
    assert told(team.one.ask("DELETE", place, bob)) == (403, "Only an owner of this memory can do this.")
    assert team.one.ask("GET", place, bob).status == 200


def test_an_owner_forgets_and_an_owners_agent_does_not(team: Team) -> None:
    alice, robot = team.token("alice", "r4"), team.token("alice", "r4-robot", kind="agent")
    memory = team.one.remember(robot, team.shop, "The cellar has a second door.").json["id"]
    place = f"/api/v1/spaces/{team.shop}/memories/{memory}"
    status, detail = told(team.one.ask("DELETE", place, robot))
    assert status == 403 and "Only a person can decide" in detail
    assert team.one.ask("DELETE", place, alice).status == 200
    assert team.other.ask("GET", place, alice).status == 404


def test_each_sees_only_the_memories_they_are_a_member_of(team: Team) -> None:
    alice, dave = team.token("alice", "r5"), team.token("dave", "r5")
    for token, own in ((alice, team.shop), (dave, team.vault)):
        listed = team.one.ask("GET", "/api/v1/spaces", token).json
        assert [one["id"] for one in listed["spaces"]] == [own] and listed["here"] == own
        assert team.one.ask("GET", "/api/v1/spaces/here", token).json["id"] == own


@pytest.mark.parametrize(
    "place",
    ["", "/status", "/memories", "/recall?q=key", "/audit", "/doctor", "/events", "/jobs", "/exports", "/shares"],
)
def test_another_memory_is_closed_in_every_place_of_the_api(team: Team, place: str) -> None:
    alice = team.token("alice", f"r6-{place.strip('/')[:5]}")
    answer = team.one.ask("GET", f"/api/v1/spaces/{team.vault}{place}", alice)
    assert answer.status == 403 and RED not in answer.text


def test_another_memory_is_closed_to_writes(team: Team) -> None:
    alice = team.token("alice", "r7")
    assert team.one.remember(alice, team.vault, "Let me in.").status == 403
    assert team.one.ask("POST", f"/api/v1/spaces/{team.vault}/jobs", alice, {"sort": "maintain"}).status == 403


def test_another_memory_is_closed_over_mcp(team: Team) -> None:
    alice = team.token("alice", "r8", kind="agent")
    done, said = team.one.call(alice, "recall", {"question": "which key opens it?"})
    assert done and BLUE in said and RED not in said
    done, said = team.one.call(alice, "recall", {"question": "which key?"}, **{"Waypost-Space": team.vault})
    assert not done and "another memory" in said


def test_whoever_is_in_several_memories_names_one_to_mcp(team: Team) -> None:
    team.directory.add_member(team.vault, "bob", "reader")
    bob = team.token("bob", "r9", kind="agent")
    try:
        done, said = team.one.call(bob, "remember", {"text": "Which one?"})
        assert not done and "opens 2 memories" in said
        done, said = team.one.call(bob, "recall", {"question": "which key?"}, **{"Waypost-Space": team.vault})
        assert done and RED in said
        done, said = team.one.call(bob, "remember", {"text": "Not here."}, **{"Waypost-Space": team.vault})
        assert not done and "can only read" in said
    finally:
        team.directory.remove_member(team.vault, "bob")


def test_another_memory_is_closed_in_the_dashboard(team: Team) -> None:
    browser = team.one.sign_in(team.token("alice", "r10"))
    own = team.one.ask("GET", f"/s/{team.shop}", **browser)
    assert own.status == 200 and team.vault not in own.text
    for place in {one.path for one in PAGES if "GET" in one.methods and "{" not in one.path}:
        answer = team.one.ask("GET", f"/s/{team.vault}{place}", **browser)
        assert answer.status == 403 and RED not in answer.text, place


def test_a_reader_finds_nothing_to_press_in_the_dashboard(team: Team) -> None:
    said = team.one.remember(team.token("bob", "r11"), team.shop, "The lift stops at nine.").json["id"]
    pages = {}
    for user in ("alice", "bob", "carol"):
        browser = team.one.sign_in(team.token(user, "r11-page"))
        answer = team.one.ask("GET", f"/s/{team.shop}/memory/{said}", **browser)
        assert answer.status == 200, answer.text
        pages[user] = answer.text
    assert "Forget …" in pages["alice"] and "Retract" in pages["alice"]
    assert "Forget …" not in pages["bob"] and "Retract" in pages["bob"]
    assert "Forget …" not in pages["carol"] and "Retract" not in pages["carol"]
    bob = team.one.sign_in(team.token("bob", "r11-forget"))
    assert team.one.ask("GET", f"/s/{team.shop}/memory/{said}/forget", **bob).status == 403


def test_who_is_in_no_memory_is_told_what_to_do(team: Team) -> None:
    eve = team.token("eve", "r12")
    assert team.one.ask("GET", "/api/v1/spaces", eve).json == {"here": None, "spaces": []}
    answer = team.one.ask("GET", "/api/v1/spaces/here/status", eve)
    assert told(answer) == (404, "You are a member of no memory here.")
    done, said = team.one.call(eve, "recall", {"question": "anything?"})
    assert not done and "opens no memory" in said
    page = team.one.ask("GET", "/", **team.one.sign_in(eve))
    assert page.status == 404 and "waypost team member add" in page.text


def test_a_dashboard_without_a_memory_has_no_links_into_one(team: Team) -> None:
    of_none = team.one.sign_in(team.token("eve", "r12-links"))
    team.directory.add_member(team.vault, "carol", "reader")
    of_one_left = team.one.sign_in(team.token("carol", "r12-left", space_id=team.vault))
    team.directory.remove_member(team.vault, "carol")
    for browser, place in ((of_none, "/"), (of_none, f"/s/{team.shop}"), (of_none, "/nowhere"), (of_one_left, "/")):
        page = team.one.ask("GET", place, **browser)
        while page.status == 303:
            page = team.one.ask("GET", page.headers["location"], **browser)
        assert page.status in (403, 404) and not re.search(r"""(href|action)=["']/s/""", page.text)
        assert "Sign out" in page.text and (place == "/nowhere" or "Ask " in page.text)


def test_the_journal_of_a_teams_server_says_where_the_others_are(team: Team) -> None:
    for user, writes in (("alice", True), ("carol", False)):
        page = team.one.ask("GET", f"/s/{team.shop}/journal", **team.one.sign_in(team.token(user, "r13-journal")))
        assert page.status == 200 and "Journals on people's machines are not shown here" in page.text
        assert ("note above" in page.text) is writes


def test_a_token_for_one_memory_opens_no_other(team: Team) -> None:
    team.directory.add_member(team.vault, "alice", "writer")
    try:
        narrow = team.token("alice", "r13", space_id=team.shop)
        assert team.one.remember(narrow, team.vault, "Elsewhere.").status == 403
        assert [one["id"] for one in team.one.ask("GET", "/api/v1/spaces", narrow).json["spaces"]] == [team.shop]
    finally:
        team.directory.remove_member(team.vault, "alice")


def test_the_audit_names_the_user_or_their_agent_and_never_the_server(team: Team) -> None:
    bob, robot = team.token("bob", "r14"), team.token("bob", "r14-robot", kind="agent")
    team.one.remember(bob, team.shop, "Bob says: the roof leaks.")
    team.one.remember(robot, team.shop, "The robot says: the roof leaks less.")
    done, said = team.other.call(bob, "remember", {"text": "Through a client of bob's: the roof is dry."})
    assert done, said
    entries = team.one.ask("GET", f"/api/v1/spaces/{team.shop}/audit?limit=3", bob).json["entries"]
    client = entries[0]["actor"]
    assert [one["actor"] for one in entries[1:]] == ["bob/r14-robot", "bob"]
    assert client.startswith("bob/") and len(client) > len("bob/")
    assert "server" not in json.dumps(entries)
