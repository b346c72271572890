"""Import from Memory Bridge: nothing is lost or doubled, and everything can be undone."""

import json
import sqlite3
import tracemalloc
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import OpenMemory, TestClock
from tests.home_files import files_with

from waypost.compat.memory_bridge import importer
from waypost.compat.memory_bridge.columns import Columns
from waypost.compat.memory_bridge.facts import BridgeFactReader
from waypost.compat.memory_bridge.importer import BridgeReport, import_bridge
from waypost.compat.memory_bridge.survey import survey
from waypost.compat.memory_bridge.values import end_of, flag_of, level_of, time_of
from waypost.errors import InvalidInput, NotFound, StoreCorrupt
from waypost.flows.move import imports
from waypost.flows.move.imports import Undone, drop_backups, undo_import
from waypost.flows.write.remember import remember
from waypost.memory import Memory
from waypost.model.memory import Caller, Version
from waypost.model.receipt import Receipt
from waypost.model.time import format_time
from waypost.store.protocol import Edge
from waypost.store.sqlite.foreign import ForeignDatabase, Value

pytestmark = pytest.mark.slow  # not for the inner loop

CALLER = Caller("agent", "test")
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
VERSION_2 = """
CREATE TABLE facts (id TEXT PRIMARY KEY, content TEXT NOT NULL, created_at DATETIME, valid_from DATETIME,
    valid_until DATETIME);
ALTER TABLE facts ADD COLUMN level INTEGER DEFAULT 0;
ALTER TABLE facts ADD COLUMN domain TEXT;
ALTER TABLE facts ADD COLUMN module TEXT;
ALTER TABLE facts ADD COLUMN code_ref TEXT;
ALTER TABLE facts ADD COLUMN parent_id TEXT;
ALTER TABLE facts ADD COLUMN embedding BLOB;
ALTER TABLE facts ADD COLUMN ttl_seconds INTEGER;
ALTER TABLE facts ADD COLUMN ttl_refresh_trigger TEXT;
CREATE TABLE fact_hierarchy (parent_id TEXT NOT NULL, child_id TEXT NOT NULL, relationship TEXT DEFAULT 'contains',
    PRIMARY KEY (parent_id, child_id));
CREATE TABLE embeddings_index (fact_id TEXT PRIMARY KEY, embedding BLOB NOT NULL,
    updated_at DATETIME DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE causal_nodes (id TEXT PRIMARY KEY, node_type TEXT NOT NULL, content TEXT NOT NULL,
    created_at DATETIME DEFAULT CURRENT_TIMESTAMP, session_id TEXT NOT NULL);
CREATE TABLE causal_edges (from_id TEXT NOT NULL, to_id TEXT NOT NULL, edge_type TEXT NOT NULL,
    strength REAL DEFAULT 1.0, PRIMARY KEY (from_id, to_id, edge_type));
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory_bridge.db"


def fill(path: Path, table: str, *rows: dict[str, Any]) -> None:
    with closing(sqlite3.connect(path)) as database:
        for row in rows:
            names = ", ".join(f'"{name}"' for name in row)
            database.execute(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", tuple(row.values()))
        database.commit()


def version_1(path: Path, columns: str, *rows: Sequence[Any]) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.execute(f"CREATE TABLE facts ({columns})")
        database.executemany(
            f"INSERT INTO facts VALUES ({', '.join('?' * len(rows[0]))})" if rows else "SELECT 1", rows
        )
        database.commit()
    return path


def version_2(path: Path, *rows: dict[str, Any]) -> Path:
    with closing(sqlite3.connect(path)) as database:
        database.executescript(VERSION_2)
    fill(path, "facts", *rows)
    return path


def brought(memory: Memory, path: Path) -> BridgeReport:
    done = import_bridge(memory.space, path, CALLER)
    assert done.verified.is_complete, done.verified
    assert sum(done.statuses.values()) == done.rows
    json.dumps(done.to_json())
    return done


def undo(memory: Memory, which: str | Path | None = None) -> Undone:
    return undo_import(memory.space, which, CALLER)


def held(memory: Memory) -> list[Version]:
    """Everything that is held now, history too, in the order of the source's ids."""
    with memory.space.store.read() as reader:
        ids = [one for entry in imports.read_imports(reader) for one in imports.noted_ids(reader, entry["id"])]
        found = [version for one in ids for version in reader.memories.versions(one) if version.superseded_at is None]
    return sorted(found, key=lambda version: version.key or "")


def by_key(memory: Memory) -> dict[str, Version]:
    return {(version.key or "").removeprefix("memory-bridge:"): version for version in held(memory)}


def texts(memory: Memory) -> list[str]:
    return [row["text"] for row in memory.list()]


def told(done: BridgeReport) -> str:
    return "\n".join(str(note) for note in done.notes)


# -- version 1: whatever columns there are


def test_an_id_and_a_text_are_enough(memory: Memory, path: Path) -> None:
    version_1(
        path, "id INTEGER PRIMARY KEY, content TEXT", (1, "Uploads go to S3"), (2, "The project is written in Go")
    )
    done = brought(memory, path)
    assert done.statuses == {"added": 2, "merged": 0, "duplicate": 0, "refused": 0, "skipped": 0}
    assert texts(memory) == ["Uploads go to S3", "The project is written in Go"]
    assert [(v.level, v.kind, v.source) for v in held(memory)] == [(1, "fact", "agent"), (0, "fact", "agent")]
    assert done.sorted == {"L0": 1, "L1": 1}


@pytest.mark.parametrize("name", ["fact", "text", "value", "statement", "Content", "what_it_says", "x y", 'a "b"'])
def test_the_text_is_found_whatever_its_column_is_called(memory: Memory, path: Path, name: str) -> None:
    quoted = name.replace('"', '""')
    version_1(path, f'id TEXT, "{quoted}" TEXT, flag TEXT', ("a", "Uploads go to S3 in parts", "y"))
    brought(memory, path)
    assert texts(memory) == ["Uploads go to S3 in parts"]


def test_a_value_is_told_with_what_it_is_the_value_of(memory: Memory, path: Path) -> None:
    version_1(
        path, "id, entity, attribute, value", (1, "auth-service", "hash", "argon2"), (2, "auth-service", None, "fast")
    )
    brought(memory, path)
    assert texts(memory) == ["auth-service hash: argon2", "auth-service: fast"]
    assert held(memory)[0].tags == {"entity": "auth-service", "attribute": "hash"}


def test_columns_without_a_meaning_here_are_kept_as_tags(memory: Memory, path: Path) -> None:
    version_1(
        path,
        "id, fact, entity, session_id, confidence REAL, source, created_by, notes, empty, raw BLOB, embedding BLOB",
        (
            1,
            "Uploads go to S3",
            "storage",
            "s-7",
            0.5,
            "person",
            "anna",
            "one\ntwo " + "x" * 700,
            None,
            b"\xff\xfe",
            b"\0",
        ),
    )
    done = brought(memory, path)
    (version,) = held(memory)
    tags = dict(version.tags)
    assert tags.pop("notes").startswith("one two xxx")
    assert len(tags.pop("notes 2")) > 200
    assert tags == {"entity": "storage", "session_id": "s-7", "confidence": "0.5"}
    assert (version.source, version.details["claimed"]) == ("agent", {"source": "person", "actor": "anna"})
    assert "raw left out: it is binary" in told(done)
    assert "embedding" not in told(done)


def test_a_kind_is_taken_from_its_column_or_told_by_the_words(memory: Memory, path: Path) -> None:
    version_1(
        path,
        "id, fact, category",
        (1, "Redis it is", "DECISION"),
        (2, "We chose Redis for sessions", "storage"),
        (3, "Tokens must never be logged", None),
    )
    brought(memory, path)
    assert [(v.kind, dict(v.tags)) for v in held(memory)] == [
        ("decision", {}), ("decision", {"category": "storage"}), ("constraint", {}),
    ]  # fmt: skip


def test_russian_and_german_facts_are_sorted_too(memory: Memory, path: Path) -> None:
    facts = [
        ("Проект написан на Go", 0, "fact"),
        ("Решили хранить сессии в Redis", 1, "decision"),
        ("Модуль fraud-detection оценивает каждый заказ", 2, "fact"),
        ("Функция verify_token проверяет подпись", 3, "fact"),
        ("Das Projekt ist in Rust geschrieben", 0, "fact"),
        ("Passwörter dürfen nicht protokolliert werden", 1, "constraint"),
    ]
    version_1(path, "id, content", *((number, text) for number, (text, _, _) in enumerate(facts)))
    brought(memory, path)
    assert [(v.text, v.level, v.kind) for v in held(memory)] == facts


# -- times


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2025-03-04T05:06:07", "2025-03-04T05:06:07Z"),
        ("2025-03-04T05:06:07.123456789Z", "2025-03-04T05:06:07.123456Z"),
        ("2025-03-04 05:06:07", "2025-03-04T05:06:07Z"),
        ("2025-03-04 05:06:07+02:00", "2025-03-04T03:06:07Z"),
        ("2025-03-04 05:06:07 UTC", "2025-03-04T05:06:07Z"),
        ("2025-03-04", "2025-03-04T00:00:00Z"),
        ("20250304", "2025-03-04T00:00:00Z"),
        (1741064767, "2025-03-04T05:06:07Z"),
        ("1741064767", "2025-03-04T05:06:07Z"),
        (1741064767.5, "2025-03-04T05:06:07.500000Z"),
        (1741064767000, "2025-03-04T05:06:07Z"),
        (1741064767000000, "2025-03-04T05:06:07Z"),
        (1741064767000000000, "2025-03-04T05:06:07Z"),
        (b"2025-03-04", "2025-03-04T00:00:00Z"),
    ],
)  # fmt: skip
def test_times_are_read_in_every_form(written: Value, read: str) -> None:
    found = time_of(written)
    assert found is not None
    assert format_time(found) == read


@pytest.mark.parametrize(
    "written",
    ["yesterday", "", None, 0, -1, 1e300, float("nan"), float("inf"), "9" * 400, b"\xff", "2025-13-45", "0001-01-01", 10**30],
)  # fmt: skip
def test_what_is_no_time_is_none(written: Value) -> None:
    assert time_of(written) is None


def test_odd_values_are_read_as_meant() -> None:
    assert [level_of(one) for one in (2, 2.0, "2", "L2", "L2_MODULE", "MemoryLevel.L2_MODULE", "module")] == [2] * 7
    assert [level_of(one) for one in (7, -1, "L9", "high", None, b"\xff", 1.5, "12")] == [None] * 8
    assert [flag_of(one) for one in (1, "1", "true", "Yes", 0, "0", "false", "", None, "perhaps")] == [
        True, True, True, True, False, False, False, False, None, None,
    ]  # fmt: skip
    assert end_of("9999-12-31") is None


def test_when_it_was_recorded_and_since_when_it_is_true_are_kept_apart(memory: Memory, path: Path) -> None:
    version_1(path, "id, content, created_at, valid_from", (1, "Uploads go to S3", "2025-05-05 10:00:00", "2025-01-01"))
    brought(memory, path)
    (version,) = held(memory)
    assert format_time(version.valid_from) == "2025-01-01T00:00:00Z"
    assert version.time is not None
    assert format_time(version.time) == "2025-05-05T10:00:00Z"
    assert format_time(version.recorded_at) == "2026-01-30T12:00:00Z"


PAST = [
    ("valid_until", "2025-06-01", "2025-06-01"),
    ("t_invalid", 1748736000, "2025-06-01"),
    ("is_current", 0, "2026-01-30"),
    ("active", "false", "2026-01-30"),
    ("superseded_by", "9", "2025-09-01"),
    ("superseded_by", "unknown", "2026-01-30"),
    ("superseded_at", "2025-07-01", "2025-07-01"),
    ("retracted", 1, "2026-01-30"),
    ("status", "superseded", "2026-01-30"),
    ("deleted_at", "2025-08-01", "2025-08-01"),
]


@pytest.mark.parametrize(("column", "value", "ended"), PAST)
def test_what_was_true_once_becomes_history(memory: Memory, path: Path, column: str, value: object, ended: str) -> None:
    version_1(
        path,
        f"id, content, valid_from, {column}",
        ("1", "Tokens live in Redis", "2025-01-01", value),
        ("9", "Sessions are kept by Postgres", "2025-09-01", None),
    )
    done = brought(memory, path)
    assert done.past == 1
    assert texts(memory) == ["Sessions are kept by Postgres"]
    assert [row["text"] for row in memory.admin.export_rows(as_of="2025-02-01")] == ["Tokens live in Redis"]
    until = by_key(memory)["1"].valid_until
    assert until is not None
    assert format_time(until)[:10] == ended


@pytest.mark.parametrize(
    ("column", "value"),
    [("valid_until", None), ("valid_until", "9999-12-31"), ("valid_until", ""), ("is_current", 1), ("superseded_by", None),
     ("retracted", 0), ("status", "active"), ("is_current", None), ("valid_until", "2030-01-01")],
)  # fmt: skip
def test_what_is_still_true_stays_current(memory: Memory, path: Path, column: str, value: object) -> None:
    version_1(path, f"id, content, valid_from, {column}", ("1", "Tokens live in Redis", "2025-01-01", value))
    assert brought(memory, path).past == 0
    assert texts(memory) == ["Tokens live in Redis"]


def test_rows_of_one_id_are_its_history(memory: Memory, path: Path) -> None:
    version_1(
        path,
        "id, content, created_at",
        (1, "Sessions expire after 30 minutes", "2025-03-01"),
        (1, "Sessions expire after 60 minutes", "2025-01-01"),
        (2, "Uploads go to S3", "2025-01-01"),
    )
    assert brought(memory, path).statuses["added"] == 3
    assert sorted(texts(memory)) == ["Sessions expire after 30 minutes", "Uploads go to S3"]
    assert "Sessions expire after 60 minutes" in [row["text"] for row in memory.admin.export_rows(as_of="2025-02-01")]


def test_what_is_past_does_not_become_a_part_of_what_is_true_now(tmp_path: Path, path: Path) -> None:
    version_1(
        path,
        "id, content, valid_from, is_current",
        (1, "The report is exported as CSV", "2025-01-01", 1),
        (2, "The report is exported as CSV every night", "2025-01-01", 0),
    )
    (tmp_path / "real").mkdir()
    with Memory.open(tmp_path / "real") as memory:  # with the engine that judges by meaning
        assert brought(memory, path).statuses["added"] == 2
        assert texts(memory) == ["The report is exported as CSV"]


def test_what_means_the_same_is_merged_and_undone_with_the_rest(tmp_path: Path, path: Path) -> None:
    version_1(
        path,
        "id, content, parent_id",
        (1, "The report is exported as CSV", None),
        (2, "The report is exported as CSV every night", None),
        (3, "Its columns are separated by semicolons", 2),
    )
    (tmp_path / "real").mkdir()
    with Memory.open(tmp_path / "real") as memory:
        done = brought(memory, path)
        assert (done.statuses["added"], done.statuses["merged"], done.parents) == (2, 1, 1)
        merged = by_key(memory)["1"]
        assert merged.text == "The report is exported as CSV every night"
        assert by_key(memory)["3"].parent == merged.memory_id
        assert brought(memory, path).statuses["added"] == 0
        undone = undo(memory)
        assert (len(undone.retracted), undone.left, texts(memory)) == (2, (), [])


def test_what_ended_before_it_began_is_kept_for_an_instant(memory: Memory, path: Path) -> None:
    version_1(path, "id, content, valid_from, valid_to", (1, "Tokens live in Redis", "2025-06-01", "2025-01-01"))
    done = brought(memory, path)
    assert (done.statuses["added"], done.past) == (1, 1)
    assert "ended before it began" in told(done)


def test_a_creation_that_has_not_come_is_left_out(memory: Memory, path: Path) -> None:
    version_1(path, "id, content, created_at", (1, "Uploads go to S3", "2999-01-01"), (2, "Deploys run daily", "soon"))
    done = brought(memory, path)
    assert len(texts(memory)) == 2
    assert "in the future" in told(done)
    assert "'soon' is not a time" in told(done)


# -- version 2


def test_a_database_of_version_2_comes_over_whole(memory: Memory, path: Path) -> None:
    (memory.code.root / "src" / "auth").mkdir(parents=True)
    (memory.code.root / "src" / "auth" / "token.py").write_text("".join(f"line{n} = {n}\n" for n in range(80)))
    row = {"created_at": "2025-01-01 10:00:00", "valid_from": "2025-01-01 09:00:00"}
    version_2(
        path,
        {"id": "code", "content": "Checks run before the claims are read", "level": 3, "domain": "auth-service", "module": "token",
         "code_ref": "file:///home/anna/project/src/auth/token.py#L10-50", "parent_id": "module", **row},
        {"id": "module", "content": "Tokens are signed with RS256", "level": 2, "domain": "auth-service", "module": "token",
         "parent_id": "domain", **row},
        {"id": "domain", "content": "Login is a service of its own", "level": 1, "domain": "auth-service", "parent_id": "project",
         "ttl_seconds": 86400 * 3650, "ttl_refresh_trigger": "src/auth/**/*.py", "embedding": b"\0" * 1536, **row},
        {"id": "project", "content": "The shop sells books", "level": 0, **row},
    )  # fmt: skip
    fill(
        path,
        "fact_hierarchy",
        {"parent_id": "project", "child_id": "domain"},
        {"parent_id": "project", "child_id": "code"},
    )
    fill(
        path,
        "causal_nodes",
        {"id": "d", "node_type": "decision", "content": "Use FastAPI for the gateway", "session_id": "s1"},
        {"id": "r", "node_type": "REASON", "content": "Its types are checked", "session_id": "s1"},
        {"id": "c", "node_type": "constraint", "content": "The team knows Python only", "session_id": "s1"},
    )
    fill(
        path,
        "causal_edges",
        {"from_id": "r", "to_id": "d", "edge_type": "JUSTIFIES", "strength": 0.9},
        {"from_id": "c", "to_id": "d", "edge_type": "causes"},
    )
    done = brought(memory, path)
    here = by_key(memory)
    assert (done.statuses["added"], done.parents, done.links, done.references) == (7, 3, 3, 1)
    assert [here[name].level for name in ("project", "domain", "module", "code")] == [0, 1, 2, 3]
    assert [here[name].parent for name in ("domain", "module", "code")] == [
        here[name].memory_id for name in ("project", "domain", "module")
    ]  # fmt: skip
    assert [str(ref) for ref in here["code"].refs] == ["src/auth/token.py#L10-L50"]
    assert (here["code"].domain, here["code"].module) == ("auth-service", "token")
    assert [here[f"node:{name}"].kind for name in "drc"] == ["decision", "reason", "constraint"]
    with memory.space.store.read() as reader:
        edges = reader.edges.of_kinds([here["node:d"].memory_id], imports.CAUSAL)
        state = reader.memories.states([here["domain"].memory_id])[here["domain"].memory_id]
    assert [(one.kind, one.from_id, one.strength) for one in edges] == [
        ("causes", here["node:c"].memory_id, 1.0), ("justifies", here["node:r"].memory_id, 0.9),
    ]  # fmt: skip
    assert (state.ttl_seconds, state.refresh, state.on_expire) == (86400 * 3650, ("src/auth/**/*.py",), "stale")
    assert state.expires_at is not None
    assert format_time(state.expires_at)[:4] == "2034"


def test_the_table_of_its_authors_is_read_too(memory: Memory, path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute(
            "CREATE TABLE hierarchical_facts (id TEXT PRIMARY KEY, content TEXT NOT NULL, level INTEGER NOT NULL, ttl_config"
            " TEXT, created_at TEXT NOT NULL, is_stale INTEGER DEFAULT 0, is_archived INTEGER DEFAULT 0, source TEXT)"
        )
    ttl = {"ttl_seconds": 604800, "refresh_trigger": "**/api/**", "on_expire": "archive"}
    now = "2026-01-29T12:00:00"
    fill(
        path,
        "hierarchical_facts",
        {
            "id": "1",
            "content": "Orders are answered with 202",
            "level": 2,
            "ttl_config": json.dumps(ttl),
            "created_at": now,
        },
        {
            "id": "2",
            "content": "Uploads go to S3",
            "level": 1,
            "is_stale": 1,
            "created_at": now,
            "ttl_config": "{broken",
        },
        {"id": "3", "content": "Deploys run daily", "level": 1, "is_archived": 1, "created_at": now},
    )
    brought(memory, path)
    here = by_key(memory)
    assert texts(memory) == ["Orders are answered with 202", "Uploads go to S3"]
    with memory.space.store.read() as reader:
        states = reader.memories.states(version.memory_id for version in here.values())
    first, second, third = (states[here[name].memory_id] for name in "123")
    assert (first.ttl_seconds, first.refresh, first.on_expire) == (604800, ("**/api/**",), "archive")
    assert (second.is_stale, second.stale_reason) == (True, "it was stale where it comes from")
    assert third.archived_at is not None


def test_an_import_deletes_nothing_by_a_lifetime_that_has_run_out(memory: Memory, path: Path) -> None:
    version_1(
        path, "id, content, created_at, ttl_seconds, on_expire", (1, "Uploads go to S3", "2025-01-01", 60, "DELETE")
    )
    done = brought(memory, path)
    assert [row["is_stale"] for row in memory.list()] == [True]
    assert "marked stale instead" in told(done)


def test_levels_that_only_the_new_column_gave_are_told_by_the_words(memory: Memory, path: Path) -> None:
    rows = [{"id": str(n), "content": f"Queue {n} of the payment service holds {n} orders"} for n in range(25)]
    version_2(path, *rows, {"id": "p", "content": "The project is written in Go"})
    done = brought(memory, path)
    assert done.sorted == {"L0": 1, "L1": 25}
    assert "every fact has level 0" in told(done)


def test_a_few_facts_of_level_0_stay_there(memory: Memory, path: Path) -> None:
    version_2(path, {"id": "1", "content": "The payment service retries", "level": 0})
    assert brought(memory, path).sorted == {}
    assert held(memory)[0].level == 0


def test_a_domain_is_given_only_where_it_is_certain(memory: Memory, path: Path) -> None:
    version_2(
        path,
        {"id": "1", "content": "Retries are three", "level": 1, "domain": "payment-service"},
        {"id": "2", "content": "The payment service is slow", "level": 1},
        {"id": "3", "content": "Payments are slow", "level": 1},
    )
    brought(memory, path)
    assert [version.domain for version in held(memory)] == ["payment-service", "payment-service", ""]


@pytest.mark.parametrize(
    ("written", "here"),
    [
        ("file:///home/anna/project/src/app.py#L2-3", "src/app.py#L2-L3"),
        ("src/app.py", "src/app.py"),
        ('["src/app.py#L1", "file:///elsewhere/none.py"]', "src/app.py#L1-L1"),
    ],
)
def test_a_reference_into_this_tree_points_there(memory: Memory, path: Path, written: str, here: str) -> None:
    (memory.code.root / "src").mkdir()
    (memory.code.root / "src" / "app.py").write_text("a = 1\nb = 2\nc = 3\n")
    version_1(path, "id, content, code_ref", (1, "Uploads go to S3", written))
    brought(memory, path)
    assert [str(ref) for ref in held(memory)[0].refs] == [here]


@pytest.mark.parametrize(
    "written", ["file:///etc/passwd", "../../secret.py#L1-2", "file:///a/b.py#L9-1", "/x" * 3000, "https://example.org/x", "#L1"]
)  # fmt: skip
def test_a_reference_that_leads_elsewhere_is_kept_as_a_tag(memory: Memory, path: Path, written: str) -> None:
    version_1(path, "id, content, code_ref", (1, "Uploads go to S3", written))
    done = brought(memory, path)
    assert (done.references, done.unplaced, done.statuses["added"]) == (0, 1, 1)
    assert "unplaced_refs" in held(memory)[0].tags


def test_a_person_keeps_the_paths(open_memory: OpenMemory, path: Path) -> None:
    memory = open_memory(person="anna")
    version_1(path, "id, content, code_ref", (1, "Uploads go to S3", "file:///a/b.py#L1-2"))
    brought(memory, path)
    assert [str(ref) for ref in held(memory)[0].refs] == ["/a/b.py#L1-L2"]


# -- through the gateway


def test_secrets_are_masked_in_what_is_stored_and_told(memory: Memory, path: Path) -> None:
    version_1(path, "id, content, note, created_at", (TOKEN, f"The key is {TOKEN}", TOKEN, TOKEN))
    done = brought(memory, path)
    assert done.masked
    assert TOKEN not in json.dumps(memory.list())
    assert TOKEN not in json.dumps(done.to_json())


def test_the_copy_that_is_kept_holds_no_secret(memory: Memory, path: Path) -> None:
    version_2(path, {"id": "1", "content": f"The key is {TOKEN}"}, {"id": "2", "content": "Uploads go to S3"})
    with closing(sqlite3.connect(path)) as database:
        database.executescript(
            f"""
            CREATE TABLE settings (name TEXT PRIMARY KEY, value);
            CREATE INDEX by_content ON facts (content);
            CREATE VIRTUAL TABLE words USING fts5(content);
            INSERT INTO words VALUES ('{TOKEN}');
            INSERT INTO settings VALUES ('dsn', 'postgres://app:hunter2x9@db/app'), ('blob', CAST('pw: {TOKEN}' AS BLOB));
            INSERT INTO facts (id, content) VALUES ('gone', 'Gone: {TOKEN}');
            DELETE FROM facts WHERE id = 'gone';
            """
        )
    done = brought(memory, path)
    assert done.masked
    copy = Path(done.backup or "")
    assert [one.name for one in copy.parent.iterdir()] == [copy.name]
    raw = copy.read_bytes()
    assert TOKEN.encode() not in raw and TOKEN.lower().encode() not in raw.lower() and b"hunter2x9" not in raw
    with closing(sqlite3.connect(copy)) as database:
        assert database.execute("SELECT content FROM facts WHERE id = '2'").fetchall() == [("Uploads go to S3",)]
        assert database.execute("SELECT value FROM settings WHERE name = 'dsn'").fetchall() == [
            ("postgres://app:[secret: url-password]@db/app",)
        ]
    assert TOKEN.encode() in path.read_bytes(), "the source is only read"


def test_forgetting_a_memory_removes_the_copy_of_the_database_that_it_came_from(memory: Memory, path: Path) -> None:
    done = brought(
        memory, version_1(path, "id, content", (1, "Quokkas meet at the lighthouse"), (2, "Deploys run daily"))
    )
    memory.forget(by_key(memory)["1"].memory_id)
    assert not Path(done.backup or "").exists()
    memory.close()
    assert files_with(memory.space.folder, "Quokkas") == []


def test_what_was_rejected_stays_out_and_is_told(memory: Memory, path: Path) -> None:
    known = memory.remember("Uploads go to S3").id
    assert known
    memory.reject(known)
    version_1(path, "id, content", (1, "Uploads go to S3"), (2, "Deploys run daily"))
    done = brought(memory, path)
    assert (done.statuses["refused"], done.statuses["added"]) == (1, 1)
    assert "memory 1 (1): refused: it was rejected" in told(done)


def test_what_is_here_is_not_doubled_and_carries_children(memory: Memory, path: Path) -> None:
    known = memory.remember("Login is a service of its own", level=1).id
    version_2(
        path,
        {"id": "1", "content": "Login is a service of its own", "level": 1},
        {"id": "2", "content": "Tokens are signed with RS256", "level": 2, "parent_id": "1"},
    )
    done = brought(memory, path)
    assert (done.statuses["duplicate"], done.statuses["added"]) == (1, 1)
    assert by_key(memory)["2"].parent == known


def test_two_databases_with_the_same_ids_are_both_kept(memory: Memory, tmp_path: Path) -> None:
    brought(memory, version_1(tmp_path / "a.db", "id, content", (1, "Uploads go to S3")))
    done = brought(memory, version_1(tmp_path / "b.db", "id, content", (1, "Deploys run daily")))
    assert done.statuses["added"] == 1
    assert brought(memory, tmp_path / "b.db").statuses["duplicate"] == 1
    assert sorted(texts(memory)) == ["Deploys run daily", "Uploads go to S3"]


# -- again, and after an interruption


def many(path: Path, count: int) -> Path:
    rows = [
        (n, f"Rule{n} says what{n} does", None if n % 3 else "2025-01-01", n - 1 if n % 5 == 0 else None)
        for n in range(1, count)
    ]
    return version_1(path, "id, content, valid_from, parent_id", *rows)


def test_a_second_time_changes_nothing(memory: Memory, path: Path, clock: TestClock) -> None:
    many(path, 40)
    brought(memory, path)
    before = memory.list(limit=100)
    clock.advance(days=1)
    done = brought(memory, path)
    assert (done.id, done.statuses["duplicate"], done.notes, done.backup) == (None, 39, (), None)
    assert memory.list(limit=100) == before


def test_what_the_source_says_anew_is_added(memory: Memory, path: Path) -> None:
    version_1(path, "id, content", (1, "Uploads go to S3"))
    brought(memory, path)
    fill(path, "facts", {"id": 2, "content": "Deploys run daily"})
    done = brought(memory, path)
    assert (done.statuses["added"], done.statuses["duplicate"]) == (1, 1)


@pytest.mark.parametrize("after", [1, 2, 3])
def test_an_interrupted_import_goes_on_where_it_was(
    memory: Memory, path: Path, clock: TestClock, monkeypatch: pytest.MonkeyPatch, after: int
) -> None:
    many(path, 60)
    monkeypatch.setattr(importer, "_BATCH", 10)
    real, calls = remember, iter(range(1, 1000))

    def failing(*given: Any, **options: Any) -> Iterator[Receipt]:
        for place, receipt in enumerate(real(*given, **options)):
            yield receipt
            if next(calls) >= after * 10 and place == 4:
                raise KeyboardInterrupt

    monkeypatch.setattr(imports, "remember", failing)
    with pytest.raises(KeyboardInterrupt):
        import_bridge(memory.space, path, CALLER)
    some = len(texts(memory))
    assert 0 < some < 59
    monkeypatch.setattr(imports, "remember", real)
    clock.advance(hours=1)
    done = brought(memory, path)
    assert (done.statuses["added"], done.parents) == (59, 11)
    assert len(held(memory)) == len({version.text for version in held(memory)}) == 59
    assert len(undo(memory).retracted) == 59
    assert texts(memory) == []


def test_what_an_interrupted_import_added_can_be_undone(
    memory: Memory, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(path, 60)
    monkeypatch.setattr(importer, "_BATCH", 10)
    real, calls = remember, iter(range(1000))

    def failing(*given: Any, **options: Any) -> Iterator[Receipt]:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return real(*given, **options)

    monkeypatch.setattr(imports, "remember", failing)
    with pytest.raises(KeyboardInterrupt):
        import_bridge(memory.space, path, CALLER)
    assert len(undo(memory).retracted) == 20
    assert texts(memory) == []


# -- undo


def test_undo_takes_back_everything_with_its_history_links_and_copy(memory: Memory, path: Path) -> None:
    before = memory.remember("Deploys run daily").id
    version_2(
        path,
        {"id": "1", "content": "Login is a service of its own", "level": 1, "ttl_seconds": 60},
        {"id": "2", "content": "Tokens are signed with RS256", "level": 2, "parent_id": "1"},
        {
            "id": "3",
            "content": "Tokens lived in Redis",
            "level": 1,
            "valid_from": "2024-01-01",
            "valid_until": "2025-01-01",
        },
        {"id": "4", "content": "Deploys run daily", "level": 1},
    )
    fill(path, "fact_hierarchy", {"parent_id": "4", "child_id": "2", "relationship": "related"})
    done = brought(memory, path)
    copy = Path(done.backup or "")
    assert copy.stat().st_mode & 0o777 == 0o600
    children = [version.memory_id for version in held(memory)]
    undone = undo(memory, path)
    assert (undone.id, len(undone.retracted), undone.left) == (done.id, 3, ())
    assert [row["id"] for row in memory.list()] == [before]
    assert memory.list()[0]["text"] == "Deploys run daily"
    assert list(memory.admin.export_rows(as_of="2024-06-01")) == []
    assert not copy.exists()
    with memory.space.store.read() as reader:
        assert reader.edges.of_kinds([*children, before or ""], ("contains", "see_also")) == []
    again = undo(memory, done.id)
    assert (again.retracted, again.left) == ((), ())


def test_undo_removes_links_between_what_was_here_before(memory: Memory, path: Path) -> None:
    first = memory.remember("Use FastAPI for the gateway", kind="decision").id or ""
    second = memory.remember("Its types are checked", kind="reason").id or ""
    version_2(path, {"id": "1", "content": "Deploys run daily"})
    fill(
        path,
        "causal_nodes",
        {"id": "d", "node_type": "decision", "content": "Use FastAPI for the gateway", "session_id": "s"},
        {"id": "r", "node_type": "reason", "content": "Its types are checked", "session_id": "s"},
    )
    fill(path, "causal_edges", {"from_id": "r", "to_id": "d", "edge_type": "justifies"})
    assert brought(memory, path).links == 1
    with memory.space.store.read() as reader:
        assert [(one.from_id, one.to_id) for one in reader.edges.of_kinds([first], imports.CAUSAL)] == [(second, first)]
    undo(memory)
    with memory.space.store.read() as reader:
        assert reader.edges.of_kinds([first, second], imports.CAUSAL) == []


def test_undo_leaves_what_somebody_changed_since_and_says_so(memory: Memory, path: Path, clock: TestClock) -> None:
    version_1(path, "id, content", (1, "Uploads go to S3"), (2, "Deploys run daily"))
    brought(memory, path)
    corrected = by_key(memory)["1"].memory_id
    clock.advance(hours=1)
    memory.correct(corrected, "Uploads use presigned URLs")
    undone = undo(memory)
    assert (undone.left, len(undone.retracted)) == ((corrected,), 1)
    assert texts(memory) == ["Uploads use presigned URLs"]


def test_undo_takes_back_what_the_import_itself_said_more_of(memory: Memory, path: Path) -> None:
    version_1(
        path,
        "id, content, valid_from, valid_until",
        (1, "Uploads go to S3", "2025-01-01", "2025-06-01"),
        (2, "Uploads go to S3", "2025-05-01", None),
    )
    assert brought(memory, path).statuses["merged"] == 1
    undone = undo(memory)
    assert (len(undone.retracted), undone.left, texts(memory)) == (1, (), [])


def test_undo_leaves_the_links_of_others(memory: Memory, path: Path) -> None:
    mine = memory.remember("Use FastAPI for the gateway", kind="decision").id or ""
    version_1(path, "id, content, parent_id", (1, "Login is a service of its own", None), (2, "Logout too", 1))
    brought(memory, path)
    theirs = by_key(memory)["1"].memory_id
    with memory.space.store.write() as writer:
        writer.edges.add(Edge("justifies", theirs, mine, 0.5))
    undo(memory)
    with memory.space.store.read() as reader:
        assert reader.edges.of_kinds([theirs], ("contains", *imports.CAUSAL)) == [Edge("justifies", theirs, mine, 0.5)]


def test_no_copy_is_left_under_the_home_once_it_is_dropped(memory: Memory, path: Path, tmp_path: Path) -> None:
    version_1(path, "id, content, secret", (1, "Uploads go to S3", "xylophone"))
    brought(memory, path)
    drop_backups(memory.space)
    assert [one.name for one in memory.space.folder.rglob("*") if one.suffix == ".db"] == ["memory.db"]


def test_what_was_undone_can_be_brought_again(memory: Memory, path: Path, clock: TestClock) -> None:
    (memory.code.root / "app.py").write_text("a = 1\n")
    row = {"created_at": "2025-01-01", "valid_from": "2025-01-01"}
    version_2(
        path,
        {"id": "1", "content": "Login is a service of its own", "level": 1, **row},
        {
            "id": "2",
            "content": "Tokens are signed with RS256",
            "level": 2,
            "parent_id": "1",
            "code_ref": "app.py#L50-90",
            **row,
        },
        {"id": "3", "content": "Tokens lived in Redis", "level": 1, "valid_until": "2025-05-01", **row},
    )
    brought(memory, path)
    clock.advance(hours=1)
    undo(memory)
    clock.advance(hours=1)
    done = brought(memory, path)
    assert (done.statuses["added"], done.parents) == (3, 1)
    assert len(undo(memory).retracted) == 3


def test_undo_of_one_origin_leaves_the_others(memory: Memory, path: Path, tmp_path: Path) -> None:
    brought(memory, version_1(path, "id, content", (1, "Uploads go to S3")))
    tags = tmp_path / "memories.json"
    tags.write_text(json.dumps([{"memory": "Deploys run daily"}]))
    memory.admin.import_coding_brain(tags)
    undo_import(memory.space, None, CALLER, origin=importer.MEMORY_BRIDGE)
    assert texts(memory) == ["Deploys run daily"]
    with pytest.raises(NotFound):
        undo_import(memory.space, None, CALLER, origin="elsewhere")


def test_copies_of_sources_can_be_dropped_together(memory: Memory, tmp_path: Path) -> None:
    for name in "ab":
        brought(memory, version_1(tmp_path / f"{name}.db", "id, content", (1, f"Rule {name} is about uploads{name}")))
    assert drop_backups(memory.space) == 2
    assert drop_backups(memory.space) == 0
    assert not (memory.space.folder / "imports").exists()
    assert len(undo(memory).retracted) == 1


# -- hostile databases


def test_the_source_is_not_changed(memory: Memory, path: Path) -> None:
    version_2(path, {"id": "1", "content": "Uploads go to S3"})
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("INSERT INTO facts (id, content) VALUES ('2', 'In the log only')")
        database.commit()
        before = {one.name: one.read_bytes() for one in path.parent.glob("memory_bridge.db*")}
        assert brought(memory, path).statuses["added"] == 2
        assert {one.name: one.read_bytes() for one in path.parent.glob("memory_bridge.db*")} == before


def test_what_is_no_such_database_is_refused_and_leaves_nothing(memory: Memory, path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE VIEW facts AS SELECT 1 AS id, 'x' AS content")
        database.execute("CREATE TABLE other (id, content)")
    (tmp_path / "text.db").write_text("no database")
    version_1(tmp_path / "numbers.db", "a, b", (1, 2))
    for name, said in ((path.name, "no table `facts`"), ("text.db", "not a SQLite"), ("numbers.db", "no column with text"),
                       ("missing.db", "cannot be read")):  # fmt: skip
        with pytest.raises(InvalidInput, match=said):
            import_bridge(memory.space, tmp_path / name, CALLER)
    assert not (memory.space.folder / "imports").exists()
    with pytest.raises(NotFound):
        undo(memory)


def test_a_damaged_database_is_refused(memory: Memory, path: Path) -> None:
    many(path, 500)
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 3] = b"\xee" * 4096
    path.write_bytes(content)
    with pytest.raises(StoreCorrupt, match="damaged"):
        import_bridge(memory.space, path, CALLER)
    assert not (memory.space.folder / "imports").exists()


def test_every_odd_row_is_accounted_for(memory: Memory, path: Path) -> None:
    version_1(
        path,
        "id, content, level, ttl_seconds, created_at, domain, code_ref",
        (None, "No id at all", None, None, None, None, None),
        (1, None, None, None, None, None, None),
        (2, "   ", None, None, None, None, None),
        (3, b"\xff\xfe\x00", 0, None, None, None, None),
        (4, b"Bytes that are a text", "L1", "60", b"2025-01-01", b"auth", None),
        (5, 42, 99, -5, "never", "x" * 600, 7),
        (6, "bell\x07 and\x1b[31m colour", 1, 1e300, 1e300, "a\nb", "\0"),
        (7, "x" * 1_000_001, 1, None, None, None, None),
        ("x" * 5000, "A long id", 1, None, None, None, None),
        ("x" * 5001, "Another long id", 1, None, None, None, None),
    )
    done = brought(memory, path)
    assert done.statuses == {"added": 6, "merged": 0, "duplicate": 0, "refused": 2, "skipped": 2}
    assert "bell  and colour" in texts(memory)
    assert "42" in texts(memory)
    assert "its text is binary" in told(done)
    assert "the limit is 1,000,000 characters" in told(done)
    assert "no text" in told(done)


def test_circles_and_parents_that_do_not_exist_are_cut(memory: Memory, path: Path) -> None:
    rows = [
        {"id": "a", "content": "Alpha is first", "level": 1, "parent_id": "c"},
        {"id": "b", "content": "Bravo is second", "level": 1, "parent_id": "a"},
        {"id": "c", "content": "Charlie is third", "level": 1, "parent_id": "b"},
        {"id": "d", "content": "Delta is fourth", "level": 1, "parent_id": "d"},
        {"id": "e", "content": "Echo is fifth", "level": 1, "parent_id": "nobody"},
        {"id": "f", "content": "Foxtrot is sixth", "level": 0, "parent_id": "a"},
    ]
    version_2(path, *rows)
    fill(path, "fact_hierarchy", {"parent_id": "d", "child_id": "d"}, {"parent_id": "nobody", "child_id": "a"},
         {"parent_id": "d", "child_id": "e"})  # fmt: skip
    done = brought(memory, path)
    here = by_key(memory)
    assert (done.statuses["added"], done.parents) == (6, 3)
    assert here["e"].parent == here["d"].memory_id
    assert here["f"].tags["parent_id"] == "a"
    assert "its own ancestor" in told(done)
    assert "level 0 cannot be below level 1" in told(done)
    seen, one = set(), here["a"]
    while one.parent and one.memory_id not in seen:
        seen.add(one.memory_id)
        one = next(version for version in here.values() if version.memory_id == one.parent)
    assert one.parent is None


def test_a_tree_of_a_hundred_generations_is_survived(memory: Memory, path: Path) -> None:
    rows = [(n, f"Rule{n} says what{n} does", n + 1 if n < 99 else None) for n in range(100)]
    version_1(path, "id, content, parent_id", *rows)
    done = brought(memory, path)
    assert done.statuses["added"] == 100
    assert done.parents >= 15


def test_edges_without_ends_or_of_unknown_kinds_are_told(memory: Memory, path: Path) -> None:
    version_2(path, {"id": "1", "content": "Deploys run daily"})
    nodes = [
        {"id": name, "node_type": "decision", "content": f"Choice {name} of tool{name}", "session_id": "s"}
        for name in "ab"
    ]
    fill(path, "causal_nodes", *nodes)
    fill(
        path,
        "causal_edges",
        {"from_id": "a", "to_id": "nobody", "edge_type": "causes"},
        {"from_id": "a", "to_id": "b", "edge_type": "wonders"},
        {"from_id": "a", "to_id": "a", "edge_type": "causes"},
        {"from_id": "a", "to_id": "b", "edge_type": "leads-to", "strength": "many"},
        {"from_id": "b", "to_id": "a", "edge_type": "blocks", "strength": 7},
    )
    done = brought(memory, path)
    assert done.links == 2
    assert "there is no node 'nobody'" in told(done)
    assert "'wonders' is not one of" in told(done)


def test_hundreds_of_columns_are_survived(memory: Memory, path: Path) -> None:
    names = ", ".join(f"c{n}" for n in range(1500))
    version_1(path, f"id, content, {names}", (1, "Uploads go to S3", *range(1500)))
    done = brought(memory, path)
    assert done.statuses["added"] == 1
    assert "ignored columns" in told(done)


def test_notes_are_bounded(memory: Memory, path: Path) -> None:
    version_1(path, "id, content", *((n, None) for n in range(6000)))
    done = brought(memory, path)
    assert done.statuses["skipped"] == 6000
    assert len(done.notes) == 501
    assert "5,500 more" in told(done)


def test_rows_are_read_in_little_memory(path: Path, clock: TestClock) -> None:
    version_1(path, "id, content, parent_id", *((n, f"Rule {n} " + "x" * 4000, n - 1) for n in range(1_500)))
    tracemalloc.start()
    with ForeignDatabase(path) as database:
        table = database.table("facts")
        assert table is not None
        columns = Columns.of(table.name, table.columns, iter(()), 60)
        reader = BridgeFactReader(columns, survey(database, table, columns, None), clock(), "memory-bridge:")
        rows = enumerate(database.rows(table, columns.names), 1)
        size = sum(len(reader.read(number, row).draft_fields["text"]) for number, row in rows)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert size > 6_000_000
    assert most < 3_000_000


@pytest.mark.soak
def test_twenty_thousand_rows_come_over(memory: Memory, path: Path) -> None:
    many(path, 20_000)
    done = brought(memory, path)
    assert (done.statuses["added"], done.parents) == (19_999, 3_999)
    assert len(undo(memory).retracted) == 19_999
