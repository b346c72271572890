"""What every store promises about facts: who stands under whom, lifetimes, and what waits for approval."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from waypost.model.candidate import CandidateRow
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import PARENT, State, Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import Edge, Filter, Store

T0 = datetime(2026, 1, 1, tzinfo=UTC)
LATER = T0 + timedelta(days=100)
NOW = View(Moment(LATER), KEPT_COLLECTIONS)
WAITS = CandidateRow("c1", T0, 0.6, "git_diff", "dependency:httpx", "why", b"print", b"stone", {"text": "ä\u2028\"x'"})


def fact(memory_id: str, **changes: Any) -> Version:
    values: dict[str, Any] = {
        "memory_id": memory_id,
        "kind": "fact",
        "text": f"About {memory_id}",
        "recorded_at": T0,
        "valid_from": T0,
        "source": "agent",
        "actor": "test",
        "fingerprint": memory_id.encode(),
        "level": 1,
    }
    return Version(**(values | changes))


def add(store: Store, *versions: Version) -> list[int]:
    with store.write() as writer:
        numbers = []
        for version in versions:
            numbers.append(writer.memories.add(version, [], []))
            if version.parent:
                writer.edges.add(Edge("contains", version.parent, version.memory_id))
        return numbers


def under(parent: str) -> dict[str, str]:
    return {PARENT: parent}


def children(store: Store, *ids: str, view: View = NOW) -> list[str]:
    with store.read() as reader:
        return [version.memory_id for version in reader.facts.children(ids, view)]


def test_children_are_those_whose_visible_version_says_so(store: Store) -> None:
    numbers = add(store, fact("top"), fact("a", details=under("top")), fact("b", details=under("a"), level=2))
    assert children(store, "top") == ["a"]
    assert children(store, "top", "a") == ["a", "b"]
    moved = LATER - timedelta(days=1)
    with store.write() as writer:
        writer.memories.supersede(numbers[2], moved)
    add(store, fact("b", details=under("top"), recorded_at=moved, level=2))
    assert children(store, "top") == ["a", "b"]
    assert children(store, "a") == []
    past = View(Moment(LATER, known_at=moved - timedelta(days=1)), KEPT_COLLECTIONS)
    assert children(store, "a", view=past) == ["b"]
    assert children(store, "top", view=past) == ["a"]


def test_edges_of_many_are_read_at_once_by_kind(store: Store) -> None:
    edges = [Edge("causes", "a", "b", 0.5), Edge("justifies", "b", "c"), Edge("supersedes", "a", "c")]
    with store.write() as writer:
        for edge in edges:
            writer.edges.add(edge)
    with store.read() as reader:
        assert reader.edges.of_kinds(["b"], ("causes", "justifies")) == edges[:2]
        assert reader.edges.of_kinds(["a", "c"], ("supersedes",)) == [edges[2]]
        assert reader.edges.of_kinds([], ("causes",)) == []


def test_an_edge_is_known_since_it_was_made_first(store: Store) -> None:
    with store.write() as writer:
        writer.edges.add(Edge("causes", "a", "b", 0.5, T0))
        writer.edges.add(Edge("causes", "a", "b", 0.7, LATER))
        writer.edges.add(Edge("causes", "b", "c", made_at=LATER))
        writer.edges.add(Edge("causes", "c", "a"))
    with store.read() as reader:
        assert reader.edges.of_memory("b") == [
            Edge("causes", "a", "b", 0.7, T0),
            Edge("causes", "b", "c", made_at=LATER),
        ]
        ids = ["a", "b", "c"]
        assert len(reader.edges.of_kinds(ids, ("causes",))) == 3
        then = reader.edges.of_kinds(ids, ("causes",), known_at=LATER - timedelta(days=1))
        assert [(edge.from_id, edge.to_id) for edge in then] == [("a", "b"), ("c", "a")]


def state(store: Store, memory_id: str, **changes: Any) -> None:
    with store.write() as writer:
        writer.memories.set_state(memory_id, **changes)


def test_a_lifetime_comes_back_as_it_was_set(store: Store) -> None:
    add(store, fact("a"))
    told: dict[str, Any] = {
        "expires_at": LATER,
        "on_expire": "archive",
        "ttl_seconds": 60,
        "ttl_class": "session",
        "refresh": ("**/*.py",),
    }
    state(store, "a", **told)
    with store.read() as reader:
        assert reader.memories.states(["a"])["a"] == State(**told)
        (row,) = reader.facts.lifetimes()
        assert (row.memory_id, row.expires_at, row.on_expire, row.ttl_seconds, row.refresh) == (
            "a", LATER, "archive", 60, ("**/*.py",)
        )  # fmt: skip
    state(store, "a", expires_at=None, refresh=())
    with store.read() as reader:
        assert reader.facts.lifetimes() == []
        assert reader.memories.states(["a"])["a"].refresh == ()


def test_lifetimes_leave_out_what_is_protected_archived_or_held_no_longer(store: Store) -> None:
    numbers = add(store, *map(fact, "abcde"))
    for place, memory_id in enumerate("abcde"):
        state(store, memory_id, expires_at=T0 + timedelta(days=5 - place), on_expire="stale")
    state(store, "a", protected=True)
    state(store, "b", archived_at=T0)
    with store.write() as writer:
        writer.memories.supersede(numbers[2], T0)
    with store.read() as reader:
        assert [row.memory_id for row in reader.facts.lifetimes()] == ["e", "d"]
        assert [row.memory_id for row in reader.facts.lifetimes(expired_by=T0 + timedelta(days=1))] == ["e"]


@pytest.mark.parametrize(
    ("changes", "seen", "seen_with_archived"),
    [
        ({}, True, True),
        ({"expires_at": LATER, "on_expire": "stale"}, True, True),
        ({"expires_at": LATER, "on_expire": "archive"}, False, True),
        ({"expires_at": LATER, "on_expire": "delete"}, False, False),
        ({"expires_at": LATER, "on_expire": "delete", "protected": True}, True, True),
        ({"expires_at": LATER + timedelta(seconds=1), "on_expire": "delete"}, True, True),
        ({"archived_at": LATER}, False, True),
    ],
)
def test_what_has_outlived_its_time_is_hidden_before_anybody_puts_it_away(
    store: Store, changes: dict[str, Any], seen: bool, seen_with_archived: bool
) -> None:
    add(store, fact("a"))
    state(store, "a", **changes)
    with store.read() as reader:
        assert bool(reader.memories.listing(NOW, Filter())) is seen
        assert bool(reader.memories.listing(replace(NOW, archived=True), Filter())) is seen_with_archived
        before = View(Moment(LATER, known_at=LATER - timedelta(days=1)), KEPT_COLLECTIONS)
        assert reader.memories.listing(before, Filter())
        then = View(Moment(T0, explicit=True, asked_at=LATER), KEPT_COLLECTIONS)
        assert bool(reader.memories.listing(then, Filter())) is seen


def test_a_view_of_some_domains_shows_only_those(store: Store) -> None:
    add(store, fact("a", domain="auth"), fact("b", domain="pay"), fact("c"))
    with store.read() as reader:
        for domains, expected in ((("auth",), "a"), (("pay", ""), "bc"), ((), ""), (None, "abc")):
            found = reader.memories.listing(replace(NOW, domains=domains), Filter())
            assert "".join(version.memory_id for version in found) == expected


def test_a_listing_by_module(store: Store) -> None:
    add(store, fact("a", module="tokens"), fact("b"))
    with store.read() as reader:
        assert [version.memory_id for version in reader.memories.listing(NOW, Filter(module="tokens"))] == ["a"]


def test_candidates_come_back_as_they_were_put(store: Store) -> None:
    other = replace(WAITS, candidate_id="c2", topic="", fingerprint=b"other")
    with store.write() as writer:
        writer.facts.put_candidate(other)
        writer.facts.put_candidate(WAITS)
    with store.read() as reader:
        assert reader.facts.candidates() == [WAITS, other]
        assert reader.facts.candidates(after="c1") == [other]
        assert reader.facts.candidates(limit=1) == [WAITS]
        assert reader.facts.candidate("c1") == WAITS
        assert reader.facts.candidate("c3") is None
        assert reader.facts.count_candidates() == 2


def test_candidates_are_found_by_what_they_say_and_by_their_topic(store: Store) -> None:
    other = replace(WAITS, candidate_id="c2", topic="", fingerprint=b"other")
    with store.write() as writer:
        writer.facts.put_candidate(WAITS)
        writer.facts.put_candidate(other)
        assert writer.facts.candidates_like([b"other"], []) == [other]
        assert writer.facts.candidates_like([], ["dependency:httpx"]) == [WAITS]
        assert writer.facts.candidates_like([], [""]) == []  # no topic is none in common
        assert writer.facts.candidates_like([], []) == []


def test_what_was_declined_waits_no_longer_and_is_kept(store: Store) -> None:
    declined = replace(WAITS, declined_at=T0)
    later = replace(WAITS, candidate_id="c2", fingerprint=b"other", declined_at=T0 + timedelta(hours=1))
    with store.write() as writer:
        writer.facts.put_candidate(WAITS)
        writer.facts.put_candidate(declined)
        writer.facts.put_candidate(later)
    with store.read() as reader:
        assert (reader.facts.candidates(), reader.facts.candidate("c1"), reader.facts.count_candidates()) == (
            [],
            None,
            0,
        )
        assert reader.facts.candidates_like([WAITS.fingerprint], [WAITS.topic]) == []
        assert reader.facts.declined_candidates(10) == [later, declined]
        assert reader.facts.declined_candidates(1) == [later]
        assert reader.facts.candidate("c1", declined=True) == declined
        assert reader.facts.candidates_like([WAITS.fingerprint], [], declined=True) == [declined]
    with store.write() as writer:
        writer.facts.put_candidate(WAITS)
        assert (writer.facts.candidates(), writer.facts.candidate("c1", declined=True)) == ([WAITS], None)


def test_a_candidate_is_replaced_and_dropped(store: Store) -> None:
    with store.write() as writer:
        writer.facts.put_candidate(WAITS)
        writer.facts.put_candidate(replace(WAITS, confidence=0.7))
    with store.write() as writer:
        assert [row.confidence for row in writer.facts.candidates()] == [0.7]
        assert writer.facts.drop_candidates(["c1", "c9"]) == 1
        assert writer.facts.candidates() == []
