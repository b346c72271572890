"""Both sides must want it, people decide it, either side ends it, and both logs tell of it."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import TestClock

from waypost.errors import InvalidInput, NotFound, Refused
from waypost.memory import Memory
from waypost.model.memory import Caller
from waypost.model.recall import Hit

QUESTION = "How often are payments retried?"
AGENT = Caller("agent", "coder")
OpenAs = Callable[..., Memory]
Pair = tuple[Memory, Memory]


def foreign(memory: Memory, question: str = QUESTION) -> list[Hit]:
    return [hit for hit in memory.recall(question) if hit.project is not None]


@pytest.mark.both_stores
def test_nothing_is_read_before_both_have_agreed(shop: Memory, web: Memory) -> None:
    assert not foreign(web)
    shop.admin.shares.offer("web")
    assert not foreign(web)
    web.admin.shares.accept("shop-api")
    (hit,) = foreign(web)
    assert hit.text.startswith("Payments are retried")
    assert hit.project is not None
    assert hit.project.to_json() == {"id": shop.identity.space_id, "name": "shop-api"}


def test_what_was_never_offered_cannot_be_accepted(shop: Memory, web: Memory) -> None:
    with pytest.raises(NotFound, match="offers nothing") as refused:
        web.admin.shares.accept("shop-api")
    assert "waypost share offer" in refused.value.remedy
    assert not foreign(web)


@pytest.mark.both_stores
def test_the_giver_ends_it_at_once(shared: Pair) -> None:
    shop, web = shared
    shop.admin.shares.revoke("web")
    assert not foreign(web)


@pytest.mark.both_stores
def test_the_reader_ends_it_at_once(shared: Pair) -> None:
    shop, web = shared
    web.admin.shares.revoke("shop-api")
    assert not foreign(web)
    assert [one.state for one in shop.admin.shares.list()] == ["revoked"]


@pytest.mark.both_stores
def test_an_offer_after_a_revocation_has_to_be_accepted_anew(shared: Pair) -> None:
    shop, web = shared
    shop.admin.shares.revoke("web")
    shop.admin.shares.offer("web")
    assert not foreign(web)
    assert [one.state for one in web.admin.shares.list()] == ["offered"]
    web.admin.shares.accept("shop-api")
    assert foreign(web)


def test_another_offer_has_to_be_accepted_anew_and_the_same_one_changes_nothing(shared: Pair) -> None:
    shop, web = shared
    shop.admin.shares.offer("web")
    assert foreign(web)
    shop.admin.shares.offer("web", kinds=["decision"])
    assert not foreign(web)
    web.admin.shares.accept("shop-api")
    assert foreign(web)


def test_what_one_gives_the_other_does_not_give_back(shared: Pair) -> None:
    shop, _ = shared
    assert not foreign(shop, "What does the start page show?")


@pytest.mark.slow
def test_sharing_is_not_handed_on(shared: Pair, project: OpenAs) -> None:
    _, web = shared
    third = project("third")
    third.remember("Third parties know little")
    web.admin.shares.offer("third")
    third.admin.shares.accept("web")
    texts = {hit.text for hit in foreign(third)} | {hit.text for hit in foreign(third, "start page products")}
    assert texts == {"The start page shows six products"}


@pytest.mark.parametrize("what", ["offer", "accept", "revoke"])
def test_agents_decide_nothing(shared: Pair, what: str) -> None:
    shop, web = shared
    calls = {
        "offer": lambda memory: memory.admin.shares.offer("web"),
        "accept": lambda memory: memory.admin.shares.accept("shop-api"),
        "revoke": lambda memory: memory.admin.shares.revoke("shop-api"),
    }
    memory = shop if what == "offer" else web
    agent = Memory.open(memory.code.root, caller=AGENT, clock=memory.space.clock)
    with pytest.raises(Refused, match="Only a person") as refused:
        calls[what](agent)
    assert "terminal" in refused.value.remedy
    assert foreign(web)


def test_the_library_is_an_agent(shop: Memory, web: Memory, clock: TestClock) -> None:
    with pytest.raises(Refused):
        Memory.open(shop.code.root, clock=clock).admin.shares.offer("web")


def test_the_owners_word_is_audited_as_such(shop: Memory, web: Memory, clock: TestClock) -> None:
    owner = Memory.open(shop.code.root, caller=Caller("agent", "command line", owners_word=True), clock=clock)
    owner.admin.shares.offer("web")
    assert owner.admin.audit(limit=1)[0].details["owners_word"] is True


@pytest.mark.both_stores
def test_both_logs_say_who_did_what(shared: Pair) -> None:
    shop, web = shared
    web.admin.shares.revoke("shop-api")
    for memory, other, role in ((shop, web, "gives"), (web, shop, "takes")):
        entries = [one for one in reversed(memory.admin.audit()) if one.action.startswith("share_")]
        assert [one.action for one in entries] == ["share_offer", "share_accept", "share_revoke"]
        assert {(one.source, one.actor) for one in entries} == {("person", "anna")}
        assert {(one.details["project"], one.details["role"]) for one in entries} == {(other.identity.space_id, role)}


@pytest.mark.both_stores
def test_the_list_tells_of_both_halves(shop: Memory, web: Memory, clock: TestClock) -> None:
    shop.admin.shares.offer("web", kinds=["decision"], domains=["payments"])
    assert [(one.role, one.state, one.project.name) for one in shop.admin.shares.list()] == [
        ("gives", "offered", "web")
    ]
    assert [(one.role, one.state, one.project.name) for one in web.admin.shares.list()] == [
        ("takes", "offered", "shop-api")
    ]
    clock.advance(days=1)
    web.admin.shares.accept("shop-api")
    (given,), (taken,) = shop.admin.shares.list(), web.admin.shares.list()
    assert (given.state, taken.state) == ("active", "active")
    row = taken.to_json()
    assert row["offered_at"] == "2026-01-30T12:00:00Z"
    assert row["accepted_at"] == "2026-01-31T12:00:00Z"
    assert row["offer"] == {"kinds": ["decision"], "domains": ["payments"], "levels": [], "code": False}


def test_one_direction_can_be_ended_alone(shared: Pair) -> None:
    shop, web = shared
    web.admin.shares.offer("shop-api")
    shop.admin.shares.accept("web")
    ended = web.admin.shares.revoke("shop-api", role="gives")
    assert [one.role for one in ended] == ["gives"]
    assert foreign(web)
    assert not foreign(shop, "What does the start page show?")


def test_nothing_that_is_not_shared_can_be_ended(shop: Memory, web: Memory) -> None:
    with pytest.raises(NotFound, match="Nothing is shared"):
        shop.admin.shares.revoke("web")


@pytest.mark.both_stores
def test_a_project_does_not_share_with_itself(shop: Memory) -> None:
    with pytest.raises((InvalidInput, NotFound)):
        shop.admin.shares.offer("shop-api")
    with pytest.raises(InvalidInput, match="itself"):
        shop.admin.shares.offer(str(shop.code.root))


def test_a_persons_memory_is_offered_by_its_owner_only(web: Memory, clock: TestClock) -> None:
    anna = Memory.open(caller=Caller("person", "anna"), person="anna", clock=clock)
    anna.remember("Anna wants every deployment explained")
    other = Memory.open(caller=Caller("person", "bob"), person="anna", clock=clock)
    with pytest.raises(Refused, match="Only anna"):
        other.admin.shares.offer(web.identity.space_id)
    anna.admin.shares.offer(web.identity.space_id)
    web.admin.shares.accept(anna.identity.space_id)
    (hit,) = foreign(web, "Who wants a deployment explained?")
    assert hit.project is not None
    assert hit.project.name == "anna"


def test_projects_of_two_homes_cannot_share(shop: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = tmp_path / "work" / "elsewhere"
    there.mkdir()
    monkeypatch.setenv("WAYPOST_HOME", str(tmp_path / "another home"))
    Memory.open(there).remember("Kept in another home")
    with pytest.raises(NotFound, match="no memory of 'elsewhere'") as refused:
        shop.admin.shares.offer(str(there))
    assert "one data directory" in refused.value.remedy
