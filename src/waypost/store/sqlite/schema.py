"""The tables and their migrations.

A migration is a name and its statements. Missing ones run in order, each in one transaction with its record. A
failure leaves the database unchanged. A released migration is never edited.
"""

import contextlib
from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import apsw

from waypost.errors import ForeignFile, SchemaTooNew
from waypost.model.time import to_micros
from waypost.store.sqlite.checksums import CHECKSUMS, add_checksum_function
from waypost.store.sqlite.files import APPLICATION_ID, header

_HEADER_BYTES = 100
_RECONCILED = "0007_first_databases"

MIGRATIONS: Mapping[str, str] = MappingProxyType(
    {
        "0001_ground": """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

        CREATE TABLE checkouts (
            checkout_id TEXT PRIMARY KEY, root TEXT NOT NULL, first_seen INTEGER NOT NULL
        ) WITHOUT ROWID;

        CREATE TABLE memories (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            memory_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            collection TEXT NOT NULL,
            text TEXT NOT NULL,
            recorded_at INTEGER NOT NULL,
            superseded_at INTEGER,
            valid_from INTEGER NOT NULL,
            valid_until INTEGER,
            source TEXT NOT NULL,
            actor TEXT NOT NULL,
            level INTEGER,
            domain TEXT NOT NULL,
            module TEXT NOT NULL,
            key TEXT,
            session TEXT,
            position INTEGER NOT NULL,
            speaker TEXT,
            time INTEGER,
            checkout_id TEXT,
            name TEXT,
            language TEXT NOT NULL,
            traits INTEGER NOT NULL,
            fingerprint BLOB NOT NULL,
            evidence TEXT NOT NULL,
            tags TEXT NOT NULL,
            details TEXT NOT NULL
        );
        CREATE INDEX memories_by_id ON memories (memory_id);
        CREATE INDEX memories_by_fingerprint ON memories (fingerprint);
        CREATE INDEX memories_by_key ON memories (key) WHERE key IS NOT NULL AND superseded_at IS NULL;
        CREATE INDEX memories_by_session ON memories (session, position) WHERE session IS NOT NULL;
        CREATE INDEX memories_by_speaker ON memories (speaker) WHERE speaker IS NOT NULL;
        CREATE INDEX memories_current ON memories (collection, kind) WHERE superseded_at IS NULL;

        CREATE TABLE states (
            memory_id TEXT PRIMARY KEY,
            protected INTEGER NOT NULL DEFAULT 0,
            is_stale INTEGER NOT NULL DEFAULT 0,
            stale_reason TEXT,
            verified_at INTEGER,
            archived_at INTEGER,
            expires_at INTEGER,
            on_expire TEXT,
            importance REAL
        ) WITHOUT ROWID;

        CREATE TABLE code_refs (
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            path TEXT NOT NULL,
            symbol TEXT,
            reference TEXT NOT NULL,
            PRIMARY KEY (number, place)
        ) WITHOUT ROWID;
        CREATE INDEX code_refs_by_path ON code_refs (path);
        CREATE INDEX code_refs_by_symbol ON code_refs (symbol) WHERE symbol IS NOT NULL;

        CREATE TABLE passages (
            passage_id INTEGER PRIMARY KEY AUTOINCREMENT,
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            hash BLOB NOT NULL,
            language TEXT NOT NULL
        );
        CREATE INDEX passages_by_version ON passages (number);
        CREATE INDEX passages_by_hash ON passages (hash);
        CREATE VIRTUAL TABLE keywords USING fts5 (
            terms, content='', contentless_delete=1, tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
        );

        CREATE TABLE engines (
            engine_id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimensions INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE vectors (
            vector_id INTEGER PRIMARY KEY AUTOINCREMENT,
            engine_id INTEGER NOT NULL REFERENCES engines (engine_id),
            hash BLOB NOT NULL,
            language TEXT NOT NULL,
            packed BLOB NOT NULL
        );
        CREATE UNIQUE INDEX vectors_by_hash ON vectors (engine_id, hash);
        CREATE INDEX vectors_by_engine ON vectors (engine_id);  -- in the order of their ids: what is new since the last one
        CREATE TABLE owed (
            engine_id INTEGER NOT NULL REFERENCES engines (engine_id), hash BLOB NOT NULL, PRIMARY KEY (engine_id, hash)
        ) WITHOUT ROWID;

        CREATE TABLE edges (
            kind TEXT NOT NULL, from_id TEXT NOT NULL, to_id TEXT NOT NULL, strength REAL NOT NULL,
            PRIMARY KEY (from_id, kind, to_id)
        ) WITHOUT ROWID;
        CREATE INDEX edges_back ON edges (to_id);

        CREATE TABLE tombstones (digest BLOB PRIMARY KEY, made_at INTEGER NOT NULL) WITHOUT ROWID;

        CREATE TABLE audit (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            at INTEGER NOT NULL,
            action TEXT NOT NULL,
            memory_id TEXT,
            source TEXT NOT NULL,
            actor TEXT NOT NULL,
            details TEXT NOT NULL
        );
        CREATE INDEX audit_by_memory ON audit (memory_id);
        CREATE TRIGGER audit_keeps_rows BEFORE DELETE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;
        CREATE TRIGGER audit_keeps_words BEFORE UPDATE ON audit BEGIN SELECT RAISE (ABORT, 'audit is append-only'); END;
        """,
        "0002_code": """
        CREATE TABLE files (
            file_id INTEGER PRIMARY KEY,
            checkout_id TEXT NOT NULL,
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            mtime INTEGER NOT NULL,  -- in nanoseconds, as the file system tells it
            hash BLOB NOT NULL,
            language TEXT NOT NULL,
            lines INTEGER NOT NULL,
            changed_at INTEGER NOT NULL,
            referrers INTEGER NOT NULL DEFAULT 0,  -- how many other files use something of this one
            digest BLOB NOT NULL  -- what the rest of the tree needs to know of this file: compressed JSON
        );
        CREATE UNIQUE INDEX files_by_path ON files (checkout_id, path);
        CREATE TABLE tracked (
            checkout_id TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (checkout_id, path)
        ) WITHOUT ROWID;
        CREATE INDEX memories_by_checkout ON memories (checkout_id, kind) WHERE checkout_id IS NOT NULL;
        CREATE INDEX memories_by_last_name ON memories (
            substr(name, length(rtrim(name, replace(name, '.', ''))) + 1) COLLATE NOCASE  -- what follows the last dot
        ) WHERE checkout_id IS NOT NULL;

        CREATE VIRTUAL TABLE code_keywords USING fts5 (
            name, path, doc, body, content='', contentless_delete=1,
            tokenize="unicode61 remove_diacritics 0 tokenchars '_'"
        );

        ALTER TABLE owed ADD COLUMN urgency REAL NOT NULL DEFAULT 1;
        CREATE INDEX owed_by_urgency ON owed (engine_id, urgency);
        """,
        "0003_verdicts": """
        CREATE TABLE pointers (
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            path TEXT NOT NULL,
            symbol TEXT,
            first INTEGER,
            last INTEGER,
            hash BLOB,  -- of the code that it was pinned to
            git_commit BLOB,
            made_at INTEGER,
            verified_at INTEGER,
            anchor BLOB,  -- what the code is found again by
            more TEXT,  -- what few references say, as JSON
            PRIMARY KEY (number, place)
        ) WITHOUT ROWID;
        INSERT INTO pointers (number, place, path, symbol, first, last, more)
            SELECT number, place, path, symbol, json_extract(reference, '$.line_range.start'),
                json_extract(reference, '$.line_range.end'),
                nullif(json_remove(reference, '$.file_path', '$.symbol_id', '$.line_range'), '{}')
            FROM code_refs;
        DROP TABLE code_refs;
        ALTER TABLE pointers RENAME TO code_refs;
        CREATE INDEX code_refs_by_path ON code_refs (path);
        CREATE INDEX code_refs_by_symbol ON code_refs (substr(symbol, -16)) WHERE symbol IS NOT NULL;  -- ids are long

        CREATE TABLE verdicts (
            number INTEGER NOT NULL REFERENCES memories (number) ON DELETE CASCADE,
            place INTEGER NOT NULL,
            checkout_id TEXT NOT NULL,
            file_hash BLOB NOT NULL,  -- of the file that is pointed at; empty where there is none
            current INTEGER NOT NULL,  -- 1: of the tree as it was looked at last
            state TEXT NOT NULL,
            path TEXT,  -- empty where it is the one that is pointed at
            first INTEGER,
            last INTEGER,
            amount REAL NOT NULL,
            since INTEGER,
            checked_at INTEGER NOT NULL,
            target_hash BLOB,  -- of the file where it was found, when that is another
            more TEXT,
            PRIMARY KEY (number, place, checkout_id, file_hash)
        ) WITHOUT ROWID;
        CREATE INDEX verdicts_by_path ON verdicts (checkout_id, path) WHERE current AND path > '';
        """,
        "0004_facts": """
        ALTER TABLE states ADD COLUMN ttl_seconds INTEGER;
        ALTER TABLE states ADD COLUMN ttl_class TEXT;
        ALTER TABLE states ADD COLUMN refresh TEXT;  -- globs, as a JSON list
        CREATE INDEX states_by_end ON states (expires_at) WHERE expires_at IS NOT NULL;
        CREATE INDEX memories_by_level ON memories (level, domain) WHERE superseded_at IS NULL;

        CREATE TABLE candidates (
            candidate_id TEXT PRIMARY KEY,
            made_at INTEGER NOT NULL,
            confidence REAL NOT NULL,
            origin TEXT NOT NULL,
            topic TEXT NOT NULL,
            reason TEXT NOT NULL,
            fingerprint BLOB NOT NULL,
            tombstone BLOB NOT NULL,
            draft TEXT NOT NULL
        ) WITHOUT ROWID;

        ALTER TABLE edges ADD COLUMN made_at INTEGER;  -- empty: before anybody noted it

        CREATE TABLE domains (  -- of the current facts with a vector: what their mean is made from
            engine_id INTEGER NOT NULL,
            domain TEXT NOT NULL,
            facts INTEGER NOT NULL,
            total BLOB NOT NULL,
            PRIMARY KEY (engine_id, domain)
        ) WITHOUT ROWID;
        """,
        "0005_journal": """
        CREATE TABLE journal_files (  -- as they were when they were read or written last
            journal TEXT NOT NULL,  -- the checkout whose tree holds it; empty: beside the database
            path TEXT NOT NULL,
            size INTEGER NOT NULL,
            mtime INTEGER NOT NULL,
            gzipped INTEGER NOT NULL,
            PRIMARY KEY (journal, path)
        ) WITHOUT ROWID;
        CREATE TABLE journal_places (  -- which entries stand in which file
            journal TEXT NOT NULL,
            path TEXT NOT NULL,
            memory_id TEXT NOT NULL,
            place INTEGER NOT NULL,
            digest BLOB NOT NULL,  -- of the entry as it stands there
            since INTEGER NOT NULL,
            by_hand INTEGER NOT NULL,  -- 1: a person wrote it there
            PRIMARY KEY (journal, path, memory_id)
        ) WITHOUT ROWID;
        CREATE INDEX memories_of_journal ON memories (valid_from) WHERE collection = 'journal';
        CREATE INDEX journal_places_by_id ON journal_places (memory_id);
        CREATE INDEX journal_places_by_digest ON journal_places (journal, digest);
        ALTER TABLE states ADD COLUMN accessed_at INTEGER;
        """,
        "0006_shares": """
        CREATE TABLE shares (  -- this space's half of each agreement with another
            role TEXT NOT NULL,  -- gives: to the other; takes: from it
            other TEXT NOT NULL,  -- the id of its space
            name TEXT NOT NULL,  -- what it was called when it was agreed
            offer_id TEXT NOT NULL,  -- the same in both halves, or the acceptance is of an earlier offer
            offer TEXT NOT NULL,  -- JSON: kinds, domains, levels, code
            made_at INTEGER NOT NULL,
            made_by TEXT NOT NULL,
            revoked_at INTEGER,
            revoked_by TEXT,
            PRIMARY KEY (role, other)
        ) WITHOUT ROWID;
        """,
        # The first databases were created while the migrations above were still being edited: `_reconcile` changes those.
        "0007_first_databases": "",
        "0008_declined_candidates": """
        ALTER TABLE candidates ADD COLUMN declined_at INTEGER;  -- empty: it waits
        """,
        "0009_tombstone_causes": """
        ALTER TABLE tombstones ADD COLUMN cause TEXT NOT NULL DEFAULT '';  -- the rejection that left it; empty: before
        """,
        "0010_checksums": CHECKSUMS,
    }
)


def migrate(connection: apsw.Connection, path: str, now: datetime) -> None:
    """Migrate the file to this version, or raise why that is impossible."""
    _make_ours(connection, path)
    try:
        if not _missing(connection, path):
            return
    except apsw.CorruptError:
        if _has_latest_tables(connection):  # then all were applied, though their list is unreadable
            return
        raise
    connection.execute("BEGIN IMMEDIATE")
    try:
        apply(connection, _missing(connection, path), now)  # again, under the lock
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _has_latest_tables(connection: apsw.Connection) -> bool:
    with contextlib.closing(apsw.Connection(":memory:")) as new:
        add_checksum_function(new)
        for statements in MIGRATIONS.values():
            new.execute(statements)
        tables: list[Any] = new.execute(_TABLES).fetchall()
        return _indexes(new).keys() <= _indexes(connection).keys() and all(
            _columns(new, table).keys() == _columns(connection, table).keys() for (table,) in tables
        )


def _reconcile(connection: apsw.Connection) -> None:
    """Give tables and indexes the form that a new database has at this point."""
    with contextlib.closing(apsw.Connection(":memory:")) as new:
        for name, statements in MIGRATIONS.items():
            if name == _RECONCILED:
                break
            new.execute(statements)
        tables: list[Any] = new.execute(_TABLES).fetchall()
        for (table,) in tables:
            wanted, present = _columns(new, table), _columns(connection, table)
            for column, declared in wanted.items():
                if column not in present:
                    connection.execute(f"ALTER TABLE {table} ADD COLUMN {declared}")
            for column in present.keys() - wanted.keys():
                connection.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
        wanted_indexes, present_indexes = _indexes(new), _indexes(connection)
    for name, made_by in present_indexes.items():
        if wanted_indexes.get(name, "").split() != made_by.split():
            connection.execute(f"DROP INDEX {name}")
    for name, made_by in wanted_indexes.items():
        if present_indexes.get(name, "").split() != made_by.split():
            connection.execute(made_by)


_TABLES = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE TABLE%' AND name NOT LIKE 'sqlite%'"
_INDEXES = "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"


def _columns(connection: apsw.Connection, table: str) -> dict[str, str]:
    """The columns of a table, each as it would be declared."""
    rows: list[Any] = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return {
        name: f"{name} {kind}{' NOT NULL' if required else ''}{f' DEFAULT {default}' if default is not None else ''}"
        for _, name, kind, required, default, _ in rows
    }


def _indexes(connection: apsw.Connection) -> dict[str, str]:
    rows: list[Any] = connection.execute(_INDEXES).fetchall()
    return dict(rows)


def apply(connection: apsw.Connection, names: Iterable[str], now: datetime) -> None:
    """Run these migrations, inside a transaction of the caller."""
    wanted = list(names)
    is_new = next(iter(MIGRATIONS)) in wanted  # then no earlier version has created anything
    for name in wanted:
        connection.execute(MIGRATIONS[name])
        if name == _RECONCILED and not is_new:
            _reconcile(connection)
        connection.execute("INSERT INTO migrations VALUES (?, ?)", (name, to_micros(now)))


def make(connection: apsw.Connection, names: Iterable[str], now: datetime) -> None:
    """Fill an empty database with the tables of these migrations."""
    _make_ours(connection, "")
    connection.execute("BEGIN IMMEDIATE")
    apply(connection, names, now)
    connection.execute("COMMIT")


def refuse_later(names: Iterable[str], path: str) -> None:
    """Raise SchemaTooNew if one of these migrations is unknown."""
    later = [name for name in names if name not in MIGRATIONS]
    if later:
        raise SchemaTooNew(
            f"{path} was written by a later version of Waypost (it has {later[0]}).",
            "Upgrade Waypost; this version leaves the file untouched.",
        )


def refuse_foreign(path: Path) -> None:
    """Check a database before it is opened, which would already change its mode."""
    start = header(path, _HEADER_BYTES)  # empty: the file is missing, or opening it will report what is wrong
    if start[:16] != b"SQLite format 3\0" or int.from_bytes(start[68:72], "big") == APPLICATION_ID:
        return
    # This cannot read a log that a killed process left, or a file that is just being created. `migrate` checks again, and
    # reports what else is wrong.
    with contextlib.suppress(apsw.Error), contextlib.closing(_reading(path)) as connection:
        _is_ours_or_empty(connection, str(path))


def _reading(path: Path) -> apsw.Connection:
    return apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)


def _is_ours_or_empty(connection: apsw.Connection, path: str) -> bool:
    """True: a file of Waypost. False: an empty one. A file of another program raises ForeignFile."""
    # Tables before the id: another process may create both at once between these two reads.
    has_tables = bool(connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchall())
    application = connection.pragma("application_id")
    if application == APPLICATION_ID:
        return True
    if application or has_tables:
        if _has_our_tables(connection):
            raise apsw.CorruptError("its mark is damaged")
        raise ForeignFile(
            f"{path} is a SQLite database of another program.",
            "Move it away, or set WAYPOST_HOME to another directory.",
        )
    return False


def _has_our_tables(connection: apsw.Connection) -> bool:
    names = {name for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
    return {"migrations", "meta", "memories", "audit"} <= names


def _make_ours(connection: apsw.Connection, path: str) -> None:
    if _is_ours_or_empty(connection, path):
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ours_or_empty(connection, path):  # again, under the lock
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute(
                "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL) WITHOUT ROWID"
            )
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _missing(connection: apsw.Connection, path: str) -> list[str]:
    applied = [name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name")]
    refuse_later(applied, path)
    return [name for name in MIGRATIONS if name not in applied]
