"""Nothing is left behind: the list of what is moved is the list of what there is."""

import re
import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

import waypost
from waypost.flows.move.new_ids import OF_A_JOURNAL, IdChange, new_ids, new_space_id, renamed
from waypost.flows.move.notes import Copied, Unfinished
from waypost.flows.move.rows import checksum
from waypost.model.memory import StoredSpace
from waypost.space.identity import machine_journal, path_id
from waypost.store.postgres.schema import MIGRATIONS
from waypost.store.postgres.store import PostgresStore
from waypost.store.sqlite.checksums import SUMMED
from waypost.store.sqlite.store import SqliteStore
from waypost.store.tables import TABLES

_MADE = {"migrations"}  # by a database for itself
_MADE_BY_SQLITE = {"sqlite_sequence"}
_MADE_BY_POSTGRES = {
    f"{index}{part}" for index in ("keywords", "code_keywords") for part in ("", "_terms", "_totals")
} | {"vector_counts"}


@pytest.fixture
def files(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path)
    yield store
    store.close()


def test_every_table_and_column_of_sqlite_is_moved(files: SqliteStore) -> None:
    with files._connections.lend() as connection:
        names = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if "keywords" not in name and name not in _MADE | _MADE_BY_SQLITE
        ]
        found = {name: {row[1] for row in connection.execute(f"PRAGMA table_info({name})")} for name in names}
    own = {name: {"checksum"} if name in SUMMED else set() for name in TABLES}  # made again where it arrives
    assert found == {name: set(table.columns) | own[name] for name, table in TABLES.items()}


def test_every_table_and_column_of_postgresql_is_moved(postgres: str) -> None:
    space = StoredSpace(secrets.token_hex(8), "project", "p", "directory", None, datetime(2026, 1, 1, tzinfo=UTC))
    store = PostgresStore(postgres, space)
    with store.read() as reader:
        rows = reader.database.rows(
            "SELECT table_name::text, column_name::text FROM information_schema.columns"
            " WHERE table_schema = ? AND is_generated = 'NEVER'",
            (f"waypost_{space.space_id}",),
        )
    found: dict[str, set[str]] = {}
    for name, column in rows:
        if name not in _MADE | _MADE_BY_POSTGRES:
            found.setdefault(name, set()).add(column)
    assert found == {name: set(table.columns) for name, table in TABLES.items()}
    assert MIGRATIONS


def test_what_is_noted_of_a_journal_is_known_by_name() -> None:
    source = "\n".join(path.read_text() for path in (Path(waypost.__file__).parent / "flows").rglob("*.py"))
    names = set(re.findall(r"journal_key\((?:self\.)?space, (_?[A-Z_]+)\)", source))
    values = {value for name in names for value in re.findall(rf'^{name} = "(journal_\w+)"', source, re.MULTILINE)}
    assert values == OF_A_JOURNAL


ROOT, MACHINE = Path("/srv/shop"), "bench"
HERE, THERE = path_id(ROOT, ""), path_id(ROOT, MACHINE)
OWN = machine_journal(MACHINE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("indexed_commit:" + HERE, "indexed_commit:" + THERE),
        ("maintained:sync:" + HERE, "maintained:sync:" + THERE),
        ("maintained:sync:", "maintained:sync:"),
        ("journal_tallies", f"journal_tallies:{OWN}"),
        ("journal_tallies:" + HERE, "journal_tallies:" + THERE),
        ("journal_ours", f"journal_ours{OWN}"),
        ("journal_ours" + HERE, "journal_ours" + THERE),
        ("dna_approved:" + HERE, "dna_approved:" + THERE),
        ("journal_fought::daily/2026-01-01.md", f"journal_fought:{OWN}:daily/2026-01-01.md"),
        (f"journal_fought:{HERE}:a:b.md", f"journal_fought:{THERE}:a:b.md"),
        ("journal_moved", "journal_moved"),
        ("journals_in_trees", "journals_in_trees"),
        ("importance:01abc", "importance:01abc"),
        ("indexed_commit:0123456789abcdef", "indexed_commit:0123456789abcdef"),
    ],
)
def test_names_of_notes_follow_the_ids_there_and_back(before: str, after: str) -> None:
    table = TABLES["meta"]
    there = new_ids(IdChange(HERE, THERE), {HERE: str(ROOT)}, IdChange("", MACHINE))
    assert renamed(there, table, [(before, "x")]) == [(after, "x")]
    back = new_ids(IdChange(THERE, HERE), {THERE: f"{MACHINE}:{ROOT}"}, IdChange(MACHINE, ""))
    assert renamed(back, table, [(after, "x")]) == [(before, "x")]


def test_what_belongs_to_another_machine_keeps_its_id() -> None:
    other = path_id(ROOT, "laptop")
    checkouts = {THERE: f"{MACHINE}:{ROOT}", other: f"laptop:{ROOT}"}
    ids = new_ids(IdChange("a" * 16, "a" * 16), checkouts, IdChange(MACHINE, ""))
    assert renamed(ids, TABLES["checkouts"], [(other, f"laptop:{ROOT}", 1), (THERE, f"{MACHINE}:{ROOT}", 2)]) == [
        (other, f"laptop:{ROOT}", 1),
        (HERE, str(ROOT), 2),
    ]
    journals = renamed(ids, TABLES["journal_files"], [(machine_journal("laptop"), "a.md", 1, 2, False)])
    assert journals[0][0] == machine_journal("laptop")
    assert new_space_id(other, "directory", [f"laptop:{ROOT}"], IdChange(MACHINE, "")) is None
    assert new_space_id("b" * 16, "origin", [f"laptop:{ROOT}"], IdChange(MACHINE, "")) == "b" * 16


def test_references_that_name_their_project_follow_its_id() -> None:
    ids = new_ids(IdChange(HERE, THERE), {}, IdChange("", MACHINE))
    row = (1, 0, "a.py", *[None] * 8, f'{{"repo_id": "{HERE}", "note": "not {HERE} here"}}')
    (new,) = renamed(ids, TABLES["code_refs"], [row])
    assert new[-1] == f'{{"repo_id": "{THERE}", "note": "not {HERE} here"}}'


def test_a_checksum_depends_on_every_value_and_not_on_the_order(files: SqliteStore) -> None:
    table, seen = TABLES["edges"], set[str]()
    rows = [("about", "a", "b", 1.0, None, None), ("calls", "a", "c", 0.5, 7, "3,9"), ("near", "b", "ä", 0.1, 0, None)]
    for chosen in (rows, rows[::-1]):
        with files.write() as writer:
            writer.tables().load(table, chosen)
            assert checksum(writer.tables(), table, None, lambda *_: None)[0] == 3
            seen.add(checksum(writer.tables(), table, None, lambda *_: None)[1])
            writer.tables().drop(table, [(row[1], row[0], row[2]) for row in chosen])
    assert len(seen) == 1
    with files.write() as writer:
        writer.tables().load(table, [*rows[:2], ("near", "b", "ä", 0.1, None, None)])
        seen.add(checksum(writer.tables(), table, None, lambda *_: None)[1])
    assert len(seen) == 2


def test_how_far_a_move_is_survives_being_noted() -> None:
    state = Unfinished("m", "2026-01-01T00:00:00Z", "here", HERE, {"owed": Copied((1, b"\x00\xff"), 7, False)})
    state.sums, state.strays = {"owed": (9, "ff")}, 2
    assert Unfinished.from_json(state.to_json()) == state
