"""A memory in PostgreSQL, and the same in SQLite beside it."""

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.postgres_server import Postgres

from waypost.model.memory import StoredSpace
from waypost.store.postgres.store import PostgresStore
from waypost.store.protocol import Store
from waypost.store.sqlite.store import SqliteStore


@pytest.fixture(scope="session")
def searched_database(postgres_server: Postgres) -> str:
    """One database for all spaces of these tests: making one takes longer than most of them."""
    return postgres_server.new_database()


@pytest.fixture
def store(searched_database: str) -> Iterator[PostgresStore]:
    space = StoredSpace(
        secrets.token_hex(8), "project", "searched", "directory", None, datetime(2026, 1, 1, tzinfo=UTC)
    )
    opened = PostgresStore(searched_database, space)
    yield opened
    opened.close()


@pytest.fixture
def both(store: PostgresStore, tmp_path: Path) -> Iterator[tuple[Store, Store]]:
    """The same writes into both, in the same order, give the same numbers and ids."""
    beside = SqliteStore(tmp_path)
    yield store, beside
    beside.close()
