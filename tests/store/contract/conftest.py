"""The same tests for every database. A backend is one more parameter here."""

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

BACKENDS = ("sqlite", "postgres")


@pytest.fixture(scope="session")
def team_database(postgres_server: Postgres) -> str:
    """One database for all spaces of these tests: that they do not see each other is part of the contract."""
    return postgres_server.new_database()


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    if request.param == "sqlite":
        opened: Store = SqliteStore(tmp_path)
    else:
        space = StoredSpace(
            secrets.token_hex(8), "project", "contract", "directory", None, datetime(2026, 1, 1, tzinfo=UTC)
        )
        opened = PostgresStore(request.getfixturevalue("team_database"), space)
    yield opened
    opened.close()
