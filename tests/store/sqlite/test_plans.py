"""How SQLite goes through its tables, where a wrong order costs a minute in a large repository."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest

from waypost.store.sql.database import for_sqlite
from waypost.store.sqlite.database import SqliteDatabase
from waypost.store.sqlite.store import SqliteStore


def test_urgencies_are_set_from_a_file_to_its_memories(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plans: list[list[str]] = []

    def change_many(database: SqliteDatabase, sql: str, rows: Iterable[Sequence[Any]]) -> int:
        for row in rows:
            steps = database.connection.execute(f"EXPLAIN QUERY PLAN {for_sqlite(sql)}", row).fetchall()
            plans.append([text for text in (str(step[3]) for step in steps) if text.startswith(("SEARCH", "SCAN"))])
        return 0

    with SqliteStore(tmp_path).write() as writer:
        monkeypatch.setattr(SqliteDatabase, "change_many", change_many)
        writer.vectors.set_urgency("here", {"a.py": 1.0})
    (plan,) = plans
    assert plan[1].startswith("SEARCH r USING COVERING INDEX code_refs_by_path"), plan
    assert not any(step.startswith("SCAN") for step in plan), plan
