"""Here the migrations make every database, as they do for users."""

import pytest
from tests.made_once import really_open

from waypost.store.sqlite.store import SqliteStore


@pytest.fixture(autouse=True)
def made_by_migrations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SqliteStore, "__init__", really_open)
