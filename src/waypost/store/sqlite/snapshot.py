"""Copies a database that is in use, and restores a copy into a damaged file. Only SQLite touches the live file."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import apsw

from waypost.errors import StoreBusy, StoreCorrupt
from waypost.store.sqlite.connection import translated_errors
from waypost.store.sqlite.files import APPLICATION_ID

_PRIVATE = 0o600
_SIDE_FILES = ("-wal", "-shm", "-journal")
_DERIVED_TABLES = ("verdicts", "vectors", "owed", "domains", "passages", "engines", "files", "tracked")
_KEYWORD_INDEXES = ("keywords", "code_keywords")


def copy_pages(source: Path, target: Path, *, busy_seconds: float) -> None:
    """Copy a database as of one moment to the new file `target`. Others may read and write `source` meanwhile."""
    _make_private(target)
    with (
        translated_errors(source),
        contextlib.closing(apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READWRITE)) as live,
        contextlib.closing(apsw.Connection(str(target))) as copy,
    ):
        live.set_busy_timeout(int(busy_seconds * 1000))
        with copy.backup("main", live, "main") as backup:
            backup.step(-1)  # all at once, for one moment; readers of a write-ahead log stop no writer


def keep_only_kept(whole: Path, target: Path, *, derived: Sequence[str], meta: Sequence[str]) -> int:
    """Write what is kept in the copy `whole` to the new file `target`, and remove `whole`. Returns the count of
    memories.

    `derived` names collections to leave out, `meta` prefixes of keys to include. Vectors, keywords and the code index
    are left out: they can be rebuilt. Raises StoreCorrupt if the result is not sound.
    """
    try:
        _make_private(target)
        with translated_errors(whole):
            _strip(whole, target, derived, meta)
        problems = check_file(target)
        if problems:
            raise StoreCorrupt(f"The copy of the database is damaged: {problems[0]}.", "Run `waypost doctor`.")
        return count_current(target)
    finally:
        for end in ("", *_SIDE_FILES):
            Path(f"{whole}{end}").unlink(missing_ok=True)


def _make_private(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _PRIVATE))


def _strip(whole: Path, target: Path, derived: Sequence[str], meta: Sequence[str]) -> None:
    with contextlib.closing(apsw.Connection(str(whole))) as copy:
        for name in (
            "journal_mode",
            "synchronous",
            "secure_delete",
            "foreign_keys",
        ):  # optional: nobody needs it if this fails
            copy.pragma(name, "off")
        copy.pragma("temp_store", "memory")
        for index in _KEYWORD_INDEXES:
            copy.execute(f"INSERT INTO {index} ({index}) VALUES ('delete-all')")
        for table in _DERIVED_TABLES:
            copy.execute(f"DELETE FROM {table}")
        copy.execute(f"DELETE FROM memories WHERE collection IN ({', '.join('?' * len(derived))})", derived)
        copy.execute("DELETE FROM code_refs WHERE number NOT IN (SELECT number FROM memories)")
        copy.execute("DELETE FROM states WHERE memory_id NOT IN (SELECT memory_id FROM memories)")
        copy.execute(
            "DELETE FROM edges WHERE from_id NOT IN (SELECT memory_id FROM memories)"
            " AND to_id NOT IN (SELECT memory_id FROM memories)"
        )
        others = " AND ".join("substr(key, 1, length(?)) <> ?" for _ in meta)
        copy.execute(f"DELETE FROM meta WHERE {others}", [part for key in meta for part in (key, key)])
        copy.execute("VACUUM INTO ?", (str(target),))


def fold_log(path: Path) -> None:
    """Merge the log of a killed process into the file: `check_file` and `holds` read only the file."""
    with contextlib.suppress(apsw.Error), contextlib.closing(apsw.Connection(str(path))) as connection:
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def check_file(path: Path) -> list[str]:
    """What is wrong with a database that nobody writes; empty if it is sound."""
    try:
        with contextlib.closing(_reading(path)) as connection:
            if connection.pragma("application_id") != APPLICATION_ID:
                return ["it is not a Waypost database"]
            problems: list[Any] = connection.execute("PRAGMA integrity_check(5)").fetchall()
            problems += [
                (f"a row of {table} points at nothing",) for table, *_ in connection.execute("PRAGMA foreign_key_check")
            ]
    except apsw.Error as error:
        return [str(error)]
    return [str(message) for (message,) in problems if message != "ok"]


def holds(path: Path, ids: Iterable[str], fingerprints: Iterable[bytes], topics: Iterable[str]) -> bool:
    """Whether a database that nobody writes has one of these ids, fingerprints or candidate topics."""
    memory, candidate = "SELECT 1 FROM memories WHERE {} = ?", "SELECT 1 FROM candidates WHERE {} = ?"
    lookups: list[tuple[str, str | bytes]] = [
        *(
            (sql, memory_id)
            for memory_id in ids
            for sql in (memory.format("memory_id"), candidate.format("candidate_id"))
        ),
        *((sql.format("fingerprint"), fingerprint) for fingerprint in fingerprints for sql in (memory, candidate)),
        *((candidate.format("topic"), topic) for topic in topics),
    ]
    with translated_errors(path), contextlib.closing(_reading(path)) as connection:
        return any(connection.execute(f"{sql} LIMIT 1", (value,)).fetchall() for sql, value in lookups)


def count_current(path: Path) -> int:
    with translated_errors(path), contextlib.closing(_reading(path)) as connection:
        rows: list[Any] = connection.execute("SELECT count(*) FROM memories WHERE superseded_at IS NULL").fetchall()
        return int(rows[0][0])


def _reading(path: Path) -> apsw.Connection:
    """Without a log: for files that nobody writes."""
    address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
    return apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)


@dataclass(frozen=True, slots=True)
class Remains:
    """Readable content of a damaged database that must survive a restore."""

    key: str | None = None  # of the tombstones
    tombstones: dict[bytes, int] = field(default_factory=dict)  # with their times
    forgotten: set[str] = field(default_factory=set)  # ids of memories that were forgotten, at least in part
    expired: set[str] = field(default_factory=set)  # ids of memories that were deleted on expiry


def read_remains(path: Path) -> Remains:
    def rows(sql: str) -> Iterator[Any]:
        with contextlib.suppress(apsw.Error), contextlib.closing(apsw.Connection(str(path))) as connection:
            yield from connection.execute(sql)

    keys = [str(row[0]) for row in rows("SELECT value FROM meta WHERE key = 'tombstone_key'")]
    expired = "SELECT memory_id FROM audit WHERE action = 'expire' AND json_extract(details, '$.action') = 'delete'"
    return Remains(
        keys[0] if keys else None,
        dict(rows("SELECT digest, made_at FROM tombstones")),
        {str(row[0]) for row in rows("SELECT memory_id FROM audit WHERE action = 'forget'")},
        {str(row[0]) for row in rows(expired)},
    )


def overwrite(source: Path, target: Path, *, busy_seconds: float) -> None:
    """Replace `target`, which may be damaged, empty or missing, by the content of `source`, completely or not at all.

    The file itself stays, so that a process that waits for its lock sees the new content. Raises StoreBusy while
    another process has it open.
    """
    with contextlib.closing(apsw.Connection(str(target))) as live:
        live.set_busy_timeout(int(busy_seconds * 1000))
        live.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)  # do not read the old content
        try:
            live.pragma("locking_mode", "exclusive")
            live.pragma("synchronous", "full")
            live.execute("BEGIN EXCLUSIVE")
            live.execute("ROLLBACK")  # holds the lock from here on: nobody else has the file open
            for end in ("-wal", "-shm"):
                Path(f"{target}{end}").unlink(missing_ok=True)  # else SQLite would apply an old log to the new pages
            with (
                contextlib.closing(apsw.Connection(str(source))) as given,
                live.backup("main", given, "main") as backup,
            ):
                backup.step(-1)
        except apsw.BusyError as error:
            raise StoreBusy(
                f"{target} is damaged, and another process has it open.",
                "Stop `waypost serve`, `waypost mcp` and agents that use this memory, then repeat.",
            ) from error
