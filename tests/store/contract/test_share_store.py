"""The halves of shares, on every database."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from waypost.model.share import Offer, ShareRow
from waypost.store.protocol import Store
from waypost.store.shares import GIVES, TAKES

NOON = datetime(2026, 1, 30, 12, 0, tzinfo=UTC)
OFFER = Offer(("decision",), ("Zürich ⊕", "a'b"), (0, 2), True)
GIVEN = ShareRow(GIVES, "0123456789abcdef", "shop-api", "offer-1", OFFER, NOON, "anna")


def test_a_half_comes_back_as_it_was_put(store: Store) -> None:
    with store.write() as writer:
        writer.shares.put(GIVEN)
        assert writer.shares.get(GIVES, GIVEN.other) == GIVEN
    with store.read() as reader:
        assert reader.shares.get(GIVES, GIVEN.other) == GIVEN
        assert reader.shares.get(TAKES, GIVEN.other) is None
        assert reader.shares.get(GIVES, "f" * 16) is None


def test_a_half_is_replaced_by_the_next_one_with_the_same_project(store: Store) -> None:
    revoked = replace(GIVEN, revoked_at=NOON + timedelta(hours=1), revoked_by="bob")
    with store.write() as writer:
        writer.shares.put(GIVEN)
        writer.shares.put(revoked)
    with store.read() as reader:
        assert reader.shares.all() == [revoked]
        assert not revoked.stands


def test_halves_are_listed_oldest_first_by_role_or_all(store: Store) -> None:
    later = replace(GIVEN, other="f" * 16, made_at=NOON + timedelta(days=1))
    taken = replace(GIVEN, role=TAKES, offer=Offer(), made_at=NOON - timedelta(days=1))
    with store.write() as writer:
        for row in (later, GIVEN, taken):
            writer.shares.put(row)
    with store.read() as reader:
        assert reader.shares.all() == [taken, GIVEN, later]
        assert reader.shares.all(GIVES) == [GIVEN, later]
        assert reader.shares.all(TAKES) == [taken]


def test_without_shares_there_are_none(store: Store) -> None:
    with store.read() as reader:
        assert reader.shares.all() == []
