"""The same tests for every database. A backend is one more parameter here."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from waypost.store.protocol import Store
from waypost.store.sqlite.store import SqliteStore

BACKENDS = ("sqlite",)


@pytest.fixture(params=BACKENDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    assert request.param == "sqlite"
    opened = SqliteStore(tmp_path)
    yield opened
    opened.close()
