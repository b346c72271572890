"""A live database, read by its catalogue alone."""

import traceback
from pathlib import Path

import apsw
import pytest

from waypost.code.schema.live import Catalogue, assemble, read_live, safe_address
from waypost.errors import NotFound, WaypostError

DDL = """
CREATE TABLE roles (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE users (
    id INTEGER PRIMARY KEY, email TEXT NOT NULL, role_id INTEGER REFERENCES roles (id), age INT DEFAULT 3,
    double INT GENERATED ALWAYS AS (age * 2));
CREATE UNIQUE INDEX users_email ON users (email);
CREATE UNIQUE INDEX some_users ON users (age) WHERE age > 90;
CREATE TABLE pairs (a INT, b INT, PRIMARY KEY (b, a)) WITHOUT ROWID;
CREATE VIRTUAL TABLE words USING fts5(body);
CREATE VIEW adults AS SELECT * FROM users;
INSERT INTO roles VALUES (1, 'never shown');
"""


def make(path: Path, *, wal: bool = False) -> str:
    connection = apsw.Connection(str(path))
    if wal:
        connection.pragma("journal_mode", "wal")
    connection.execute(DDL)
    connection.close()
    return f"sqlite:///{path}"


def test_an_sqlite_file_tells_its_tables_keys_and_relations(tmp_path: Path) -> None:
    tables = {table.name: table for table in read_live(make(tmp_path / "a.db"))}
    assert {"roles", "users", "pairs"} <= set(tables)
    assert "words" not in tables and "adults" not in tables
    users = tables["users"]
    assert (
        users.text
        == "users table stores id (PK), email (unique), role_id (references roles.id), age, double. Belongs to roles."
    )
    assert [(c.name, c.type, c.nullable, c.default) for c in users.columns][1:4] == [
        ("email", "text", False, None),
        ("role_id", "integer", True, None),
        ("age", "int", True, "3"),
    ]
    assert tables["pairs"].primary_key == ("b", "a")
    assert tables["roles"].text.endswith("Has many users.")
    assert users.evidence[0].kind == "live SQLite"
    assert "never shown" not in repr(tables)


@pytest.mark.parametrize("wal", [False, True])
def test_reading_leaves_no_file_behind_and_changes_none(tmp_path: Path, wal: bool) -> None:
    url = make(tmp_path / "a.db", wal=wal)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    read_live(url)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_database_in_use_is_read(tmp_path: Path) -> None:
    url = make(tmp_path / "a.db", wal=True)
    writer = apsw.Connection(str(tmp_path / "a.db"))
    writer.execute("CREATE TABLE fresh (id INTEGER PRIMARY KEY)")
    try:
        assert "fresh" in {table.name for table in read_live(url)}
    finally:
        writer.close()


def test_a_missing_file_is_told_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        read_live(f"sqlite:///{tmp_path}/none.db")
    assert caught.value.remedy
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_text("no database at all, but long enough to have a header of its own. " * 20)
    with pytest.raises(WaypostError, match="cannot be read"):
        read_live(f"sqlite:///{tmp_path}/a.db")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "users.db",
        "sqlite://",
        "sqlite:///",
        "oracle://a@b/c",
        "postgresql://u:hunter2@host:port/x",
        "mysql://u:hunter2@host",
        "sqlite:///a%00b",
    ],
)
def test_an_address_that_cannot_be_used_is_told_with_a_remedy_and_without_its_password(url: str) -> None:
    with pytest.raises(WaypostError) as caught:
        read_live(url)
    assert caught.value.remedy
    assert "hunter2" not in "".join(traceback.format_exception(caught.value, chain=True)).replace(url, "")


def test_an_address_is_shown_without_user_password_and_options() -> None:
    assert (
        safe_address("postgresql+psycopg://ada:hunter2@db.example:5433/shop?password=x")
        == "postgresql://db.example:5433/shop"
    )
    assert safe_address("mysql://ada:p%40ss@[::1]/shop") == "mysql://[::1]/shop"
    assert safe_address("sqlite:////srv/a.db") == "sqlite:////srv/a.db"


@pytest.mark.parametrize("url", ["postgresql://u:hunter2@localhost/x", "mysql://u:hunter2@localhost/x"])
def test_a_missing_driver_is_told_with_its_name(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("waypost.code.schema.live.importlib.import_module", absent)
    with pytest.raises(WaypostError, match="needs the Python package") as caught:
        read_live(url)
    assert "pip install" in caught.value.remedy
    assert "hunter2" not in str(caught.value)


def test_the_rows_of_a_catalogue_become_tables_whatever_database_they_come_from() -> None:
    catalogue = Catalogue(
        tables=[("public", "users", "People"), ("audit", "log", None)],
        columns=[
            ("public", "users", "id", "bigint", False, "nextval('s')", None),
            ("public", "users", "mail", "text", True, None, "Lower case"),
            ("audit", "log", "user_id", "bigint", False, None, None),
            ("gone", "x", "y", "int", True, None, None),
        ],
        keys=[("public", "users", "id")],
        indexes=[("public", "users", "i", "mail", True), ("audit", "log", "e", None, False)],
        references=[("audit", "log", "user_id", "public", "users", "id")],
    )
    log, users = assemble(catalogue, "postgresql://h/x", "live PostgreSQL")
    assert (log.name, users.name) == ("audit.log", "users")
    assert users.text == "users table: People. Stores id (PK), mail (unique). Has many audit.log."
    assert log.indexes[0].columns == ("(expression)",)
