"""Migrations are read when they run, and only then."""

from pathlib import Path

import pytest

from waypost.store.sql.migrations import Migrations


def test_to_ask_for_a_name_reads_no_file(tmp_path: Path) -> None:
    """Each opening of a database asks for every name."""
    migrations = Migrations(tmp_path / "missing", "0001_first", "0002_second")
    assert "0002_second" in migrations
    assert "0003_later" not in migrations
    with pytest.raises(FileNotFoundError):
        migrations["0002_second"]
