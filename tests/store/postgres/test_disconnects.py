"""How the server ends a session, a transaction or a statement: told as what it is, nothing stored, and the next works."""

import threading
from dataclasses import dataclass

import psycopg
import pytest
from psycopg import errors

from waypost.errors import StoreBusy, StoreError, StoreUnavailable
from waypost.store.postgres.errors import is_lost, translated
from waypost.store.postgres.store import PostgresStore

SECONDS = 20.0


def terminate(dsn: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as admin:
        admin.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'waypost'"
            " AND datname = current_database() AND state = 'idle in transaction'"
        )


def works(store: PostgresStore) -> bool:
    with store.write() as writer:
        writer.meta.set("after", "all")
    with store.read() as reader:
        return reader.meta.get("after") == "all"


def test_a_session_that_is_ended_in_the_middle_of_a_read_is_told_and_the_next_read_works(
    store: PostgresStore, searched_database: str
) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be reached"), store.read() as reader:
        reader.meta.get("key")
        terminate(searched_database)
        reader.meta.get("key")
    assert works(store)


@pytest.mark.parametrize("setting", ["idle_in_transaction_session_timeout", "transaction_timeout"])
def test_a_transaction_that_stood_still_for_too_long_is_told_as_lost(store: PostgresStore, setting: str) -> None:
    with pytest.raises(StoreUnavailable) as raised, store.write() as writer:
        writer.meta.set("key", "value")
        writer.database.rows("SELECT set_config(?, '20ms', true)", (setting,))
        threading.Event().wait(0.2)  # the server acts, not we
        writer.meta.set("key", "other")
    assert raised.value.undone
    assert works(store)
    with store.read() as reader:
        assert reader.meta.get("key") is None


def test_two_writers_in_each_others_way_are_told_to_repeat(store: PostgresStore, searched_database: str) -> None:
    with store.write() as writer:
        for key in "ab":
            writer.meta.set(key, "0")
    sql = f"UPDATE {store._schema}.meta SET value = '1' WHERE key = %s".encode()
    with psycopg.connect(searched_database) as other:
        other.execute(sql, ("b",))
        waiting = threading.Thread(target=other.execute, args=(sql, ("a",)))
        with pytest.raises(StoreUnavailable, match="rolled back a change"), store.write() as writer:
            writer.database.rows("SELECT set_config('deadlock_timeout', '30ms', true)")
            writer.meta.set("a", "2")
            waiting.start()
            while not writer.database.rows("SELECT 1 FROM pg_locks WHERE NOT granted"):
                threading.Event().wait(0.01)
            writer.meta.set("b", "2")
        waiting.join(SECONDS)
        other.rollback()
    assert works(store)


@dataclass(frozen=True)
class Case:
    error: type[psycopg.Error]
    words: type[Exception]
    lost: bool = False


@pytest.mark.parametrize(
    "case",
    [
        Case(errors.AdminShutdown, StoreUnavailable, lost=True),
        Case(errors.CrashShutdown, StoreUnavailable, lost=True),
        Case(errors.CannotConnectNow, StoreUnavailable, lost=True),
        Case(errors.IdleSessionTimeout, StoreUnavailable, lost=True),
        Case(errors.IdleInTransactionSessionTimeout, StoreUnavailable, lost=True),
        Case(errors.TransactionTimeout, StoreUnavailable, lost=True),
        Case(errors.TooManyConnections, StoreUnavailable, lost=True),
        Case(errors.ConnectionFailure, StoreUnavailable, lost=True),
        Case(errors.SerializationFailure, StoreUnavailable),
        Case(errors.DeadlockDetected, StoreUnavailable),
        Case(errors.QueryCanceled, StoreBusy),
        Case(errors.LockNotAvailable, StoreBusy),
        Case(errors.OutOfMemory, StoreUnavailable),
        Case(errors.ConfigurationLimitExceeded, StoreUnavailable),
        Case(errors.IoError, StoreError),
        Case(errors.InternalError_, StoreError),
    ],
    ids=lambda case: case.error.__name__,
)
def test_what_a_server_ends_is_told_by_its_sort(case: Case) -> None:
    error = case.error("it says so")
    assert is_lost(error) is case.lost
    assert type(translated(error, "the database")) is case.words
