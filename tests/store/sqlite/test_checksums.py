"""Every kept row has a checksum that is true after whatever was done to it, and false after a bit has flipped."""

import contextlib
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store.damage.filled import fill

from waypost.embed.fake import FakeEngine
from waypost.store.salvaged import KEPT
from waypost.store.sqlite import schema
from waypost.store.sqlite.checksums import SUMMED, StoredText, add_checksum_function, checksum, false_rows
from waypost.store.sqlite.store import SqliteStore
from waypost.store.tables import TABLES

T0 = datetime(2026, 1, 1, tzinfo=UTC)
VALUES = st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False), st.text(), st.binary())


def wrong_rows(path: Path) -> list[str]:
    connection = apsw.Connection(str(path))
    found = [f"{name} {key}" for name, table in SUMMED.items() for key in false_rows(connection, table)]
    connection.close()
    return found


def test_all_columns_that_are_moved_are_summed() -> None:
    """A column that is added later must be in the checksum too."""
    with contextlib.closing(apsw.Connection(":memory:")) as connection:
        add_checksum_function(connection)
        schema.make(connection, schema.MIGRATIONS, T0)
        rows = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    triggers = {str(name): str(sql) for name, sql in rows}
    for name, table in TABLES.items():
        if name in SUMMED:
            columns = ", ".join(table.columns)
            assert f" AFTER UPDATE OF {columns} ON {name} " in triggers[f"{name}_sum_changed"], name
            assert f"({', '.join(f'new.{column}' for column in table.columns)})" in triggers[f"{name}_sum_new"], name


def test_all_tables_that_nobody_can_make_again_are_summed() -> None:
    assert set(SUMMED) == set(KEPT)


@pytest.mark.slow
def test_whatever_was_done_to_rows_their_checksums_are_true(tmp_path: Path, fake_engine: FakeEngine) -> None:
    assert fake_engine is not None
    filled = fill(tmp_path / "home", tmp_path / "project", memories=40, files=3)
    assert wrong_rows(filled.database) == []
    memory = filled.open()
    first = next(iter(filled.memories))
    memory.correct(first, "Something else altogether")
    memory.protect(first)
    memory.facts.set_ttl(first, 60)
    memory.retract(first)
    memory.admin.maintain(force=True)
    memory.admin.rebuild()
    memory.close()
    assert wrong_rows(filled.database) == []


def test_the_migration_sums_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from waypost.store.sqlite import schema

    earlier = {name: sql for name, sql in schema.MIGRATIONS.items() if name < "0010"}
    with monkeypatch.context() as patch:
        patch.setattr("waypost.store.sqlite.schema.MIGRATIONS", earlier)
        old = SqliteStore(tmp_path)
        with old.write() as writer:
            writer.meta.set("key", "value")
            writer.tombstones.add(b"digest", T0)
            writer.code.add_checkout("c", "/somewhere", T0)
        old.close()
    SqliteStore(tmp_path).close()
    assert wrong_rows(tmp_path / "memory.db") == []
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    assert connection.execute("SELECT count(*) FROM meta WHERE checksum IS NULL").fetchall() == [(0,)]


def test_the_log_of_changes_is_still_append_only(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with store._connections.lend() as connection:
        connection.execute("INSERT INTO audit (at, action, source, actor, details) VALUES (1, 'a', 's', 'x', '{}')")
        for statement in ("UPDATE audit SET actor = 'y'", "DELETE FROM audit"):
            with pytest.raises(apsw.ConstraintError, match="append-only"):
                connection.execute(statement)


@given(st.lists(VALUES, min_size=1, max_size=6))
def test_sqlite_and_python_agree_on_a_checksum(values: list[object]) -> None:
    connection = apsw.Connection(":memory:")
    add_checksum_function(connection)
    marks = ", ".join("?" * len(values))
    ((found,),) = connection.execute(f"SELECT waypost_checksum({marks})", values).fetchall()
    assert found == checksum(*values)


@given(st.lists(VALUES, min_size=1, max_size=4), st.data())
def test_one_flipped_bit_changes_a_checksum(values: list[object], data: st.DataObject) -> None:
    texts = [at for at, value in enumerate(values) if isinstance(value, str | bytes) and value]
    if not texts:
        return
    at = data.draw(st.sampled_from(texts))
    chosen = values[at]
    raw = bytearray(chosen.encode() if isinstance(chosen, str) else bytes(chosen))  # type: ignore[call-overload]
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    flipped = StoredText(raw) if isinstance(chosen, str) else bytes(raw)
    assert checksum(*values) != checksum(*values[:at], flipped, *values[at + 1 :])


def test_a_text_and_a_blob_of_the_same_bytes_differ() -> None:
    assert checksum("abc") != checksum(b"abc")
    assert checksum("abc") == checksum(StoredText(b"abc"))
    assert checksum("a", "bc") != checksum("ab", "c")
