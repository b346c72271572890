"""Tables of a live database in the index: secrets masked, its address not stored, no table twice."""

import sqlite3
from pathlib import Path

import pytest
from tests.flows.conftest import write_file

from waypost.memory import Memory

pytestmark = pytest.mark.slow  # not for the inner loop

TOKEN = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


def test_the_address_that_is_told_has_no_part_of_the_password() -> None:
    from waypost.code.schema.live import safe_address

    assert "secretpart" not in safe_address("postgresql://bob:12/secretpart@host/db")
    assert "secretpart" not in safe_address("postgresql:bob:secretpart@host/db")
    assert "secretpart" not in safe_address("postgresql://bob:x@secretpart#@host/db")


def test_secrets_of_a_live_catalogue_are_masked(empty_tree: Path, memory: Memory, tmp_path: Path) -> None:
    database = tmp_path / "live.db"
    with sqlite3.connect(database) as db:
        db.execute(f"CREATE TABLE customers (id INTEGER PRIMARY KEY, token TEXT DEFAULT '{TOKEN}')")
    memory.index(database=f"sqlite:///{database}")
    assert TOKEN not in str(memory.list(kind="table"))


def test_the_address_of_a_live_database_is_not_kept(empty_tree: Path, memory: Memory, tmp_path: Path) -> None:
    database = tmp_path / "live-somewhere.db"
    with sqlite3.connect(database) as db:
        db.execute("CREATE TABLE customers (id INTEGER PRIMARY KEY)")
    memory.index(database=f"sqlite:///{database}")
    assert "live-somewhere" not in str(memory.list(kind="table"))


def test_a_live_table_that_the_tree_defines_is_one_table(empty_tree: Path, memory: Memory, tmp_path: Path) -> None:
    write_file(empty_tree, "zoo.sql", "CREATE TABLE zoo (id INTEGER PRIMARY KEY, name TEXT);\n")
    database = tmp_path / "live.db"
    with sqlite3.connect(database) as db:
        db.execute("CREATE TABLE zoo (id INTEGER PRIMARY KEY, name TEXT)")
    assert memory.index(database=f"sqlite:///{database}").tables == 1
