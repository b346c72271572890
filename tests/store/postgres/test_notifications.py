"""Hearing of what other connections change: at once, after a lost connection too, and never after the end."""

import queue
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg
import pytest

from waypost.store.postgres.notifications import ChangeListener
from waypost.store.postgres.store import PostgresStore

SECONDS = 20.0  # that a test waits for what has to come


@dataclass(frozen=True, slots=True)
class Told:
    heard: "queue.Queue[tuple[str, str]]" = field(default_factory=queue.Queue)

    def changed(self, space_id: str) -> None:
        self.heard.put(("changed", space_id))

    def erased(self, space_id: str) -> None:
        self.heard.put(("erased", space_id))

    def missed(self) -> None:
        self.heard.put(("missed", ""))

    def next(self) -> tuple[str, str]:
        return self.heard.get(timeout=SECONDS)


@pytest.fixture
def told(searched_database: str) -> Iterator[Told]:
    heard = Told()
    listening = ChangeListener(searched_database, heard)
    listening.start()
    assert listening.wait(SECONDS)
    yield heard
    listening.stop()
    assert heard.heard.empty()


def space_of(store: PostgresStore) -> str:
    return store._space.space_id


def test_every_write_is_heard_with_its_space(told: Told, store: PostgresStore) -> None:
    for _ in range(3):
        with store.write() as writer:
            writer.meta.set("sign", "x")
        assert told.next() == ("changed", space_of(store))


def test_what_is_taken_back_or_only_read_is_not_heard(told: Told, store: PostgresStore) -> None:
    with pytest.raises(KeyError), store.write() as writer:
        writer.meta.set("sign", "x")
        raise KeyError
    with store.read() as reader:
        assert reader.meta.get("sign") is None
    with store.write() as writer:
        writer.meta.set("sign", "y")
    assert told.next() == ("changed", space_of(store))


def test_erased_words_are_told_of_once_and_the_rest_of_the_work_is_not(told: Told, store: PostgresStore) -> None:
    store.scrub(["some words"])
    assert [told.next(), told.next()] == [("erased", space_of(store)), ("changed", space_of(store))]
    store.scrub([])
    with store.write() as writer:
        writer.meta.set("sign", "z")
    assert told.next() == ("changed", space_of(store))


def test_after_a_lost_connection_it_says_that_something_may_be_missed_and_hears_on(
    told: Told, store: PostgresStore, searched_database: str
) -> None:
    with psycopg.connect(searched_database, autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'waypost listening'"
            " AND datname = current_database()"
        )
    assert told.next() == ("missed", "")
    with store.write() as writer:
        writer.meta.set("sign", "x")
    assert told.next() == ("changed", space_of(store))


def test_it_ends_while_there_is_no_server_to_listen_to() -> None:
    listening = ChangeListener("postgresql://nobody@127.0.0.1:1/nowhere?connect_timeout=1", Told())
    listening.start()
    assert not listening.wait(0.01)
    listening.stop()
    assert not listening._thread.is_alive()


def test_what_was_never_started_can_be_stopped() -> None:
    ChangeListener("postgresql://nobody@127.0.0.1:1/nowhere", Told()).stop()
