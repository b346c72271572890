"""Repairs a damaged database: every readable row goes into a new one, which then replaces the old one.

SQLite writes the new content into the existing file, in one transaction. So open connections continue with the
repaired database, and nobody writes into a deleted file. If the process is killed, the file has the old content or
the new one. The folder `damaged` beside it has a copy of each damaged file and, during a repair, the new database.
"""

import contextlib
import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path

import apsw

from waypost.errors import StoreBusy
from waypost.store.salvaged import CHECKOUTS_LOST, FOLDER, WORKPLACE, Index, Salvaged
from waypost.store.sqlite.checksums import add_checksum_function
from waypost.store.sqlite.connection import translated_errors
from waypost.store.sqlite.files import keep_copy, pages_of
from waypost.store.sqlite.pages import Pages
from waypost.store.sqlite.salvage import Salvage, SalvageSurvey
from waypost.store.sqlite.schema import MIGRATIONS, make, refuse_later

DOUBTFUL = "damaged on disk: its text may be wrong"  # why such a memory counts as stale
_TRIES = 3
# Tables that are rebuilt: from the memories, by an engine, or from the files of a journal.
_MADE_AGAIN = ("passages", "owed", "domains", "journal_files", "migrations", "sqlite_sequence")
_OF_TREES = ("memories", "code_refs", "edges", "files", "tracked")
_COUNTED = ("memories", "passages", "vectors", "audit")


def survey(path: Path, now: datetime) -> tuple[SalvageSurvey, bool]:
    """What can be read of a database without SQLite, and whether its end is missing."""
    with translated_errors(path), pages_of(path) as pages:
        salvage, _names = _salvage(pages, path, now)
        for _row in salvage.rows():
            pass
        return salvage.survey, pages.is_short


def repair(path: Path, index: Index, now: datetime, busy_seconds: float) -> Salvaged:
    """Rebuild the database from everything that can be read. `index` fills the indexes.

    The caller makes sure that nobody else repairs it, and that this process has no other connection to it.
    """
    folder = path.parent / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    workplace = folder / WORKPLACE
    with translated_errors(path):
        first = _keep_log(path, folder, now)
        for _ in range(_TRIES):
            shutil.rmtree(workplace, ignore_errors=True)  # left by a killed repair
            workplace.mkdir(mode=0o700)
            try:
                with _without_writers(path, busy_seconds) as holder:
                    done = _make_new(path, workplace / path.name, index, now, first)
                    if _swap(path, workplace / path.name, holder, busy_seconds):
                        return done
            finally:
                shutil.rmtree(workplace, ignore_errors=True)
    raise StoreBusy(
        f"Other processes kept writing to {path} while it was repaired.",
        "Stop them (`waypost serve`, `waypost mcp`, `waypost watch`), then run `waypost doctor --fix` again.",
    )


@contextmanager
def salvaged_copy(path: Path, now: datetime, busy_seconds: float) -> Iterator[tuple[Path, Sequence[str]]]:
    """A temporary folder with a database of everything that can be read, and the ids of unreadable memories.

    The damaged database stays unchanged.
    """
    folder = path.parent / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    workplace = folder / f"{WORKPLACE}-{os.getpid()}"
    workplace.mkdir(mode=0o700)
    try:
        with translated_errors(path), _without_writers(path, busy_seconds), pages_of(path) as pages:
            salvage, names = _salvage(pages, path, now)
            _fill(salvage, names, workplace / path.name, now)
        yield workplace, salvage.survey.unsound_ids
    finally:
        shutil.rmtree(workplace, ignore_errors=True)
        with contextlib.suppress(OSError):  # it contains copies
            folder.rmdir()


def _keep_log(path: Path, folder: Path, now: datetime) -> Path | None:
    """Copy an empty or missing database with its remaining log: SQLite removes the log when it opens the file."""
    if path.exists() and path.stat().st_size:
        return None
    path.touch(mode=0o600)
    return keep_copy(path, folder, f"{now:%Y%m%dT%H%M%SZ}")


def _make_new(path: Path, new: Path, index: Index, now: datetime, old: Path | None) -> Salvaged:
    old = old or keep_copy(path, path.parent / FOLDER, f"{now:%Y%m%dT%H%M%SZ}")
    with pages_of(old) as pages:  # a private copy: nobody changes it
        salvage, names = _salvage(pages, path, now)
        _fill(salvage, names, new, now)
    survey = salvage.survey
    _index(new.parent, index)
    return Salvaged(
        old,
        dict(survey.read),
        dict(survey.bad_rows),
        dict(survey.bad_pages),
        tuple(survey.lost_memories),
        tuple(survey.lost_versions),
        tuple(dict.fromkeys(survey.doubtful.values())),
    )


def _index(folder: Path, index: Index) -> None:
    from waypost.store.sqlite.store import SqliteStore  # which can be repaired, and imports this module

    with closing(SqliteStore(folder)) as store:
        index(store)
        with store.write() as writer:
            writer.index.drop_unused_vectors()


def _salvage(pages: Pages, path: Path, now: datetime) -> tuple[Salvage, list[str]]:
    """By the tables of the database, which may be those of an earlier version; with their migrations."""
    salvage = _by(MIGRATIONS, pages, now)
    applied = salvage.migrations()
    if applied > set(MIGRATIONS):  # else an unknown name is one of ours that was damaged
        refuse_later(applied, str(path))
    places = [place for place, name in enumerate(MIGRATIONS) if name in applied]
    names = list(MIGRATIONS)[: places[-1] + 1] if places else list(MIGRATIONS)
    if len(names) == len(MIGRATIONS):
        return salvage, names
    # The names of the latest migrations may be damaged: choose the tables that fit more memories.
    if _memories(_by(names, pages, now)) > _memories(salvage):
        return _by(names, pages, now), names
    return _by(MIGRATIONS, pages, now), list(MIGRATIONS)


def _by(names: Iterable[str], pages: Pages, now: datetime) -> Salvage:
    with closing(_tables(names, now)) as schema:
        return Salvage(pages, schema)


def _memories(salvage: Salvage) -> int:
    return sum(shape.name == "memories" for shape, _ in salvage.rows()) - len(salvage.survey.doubtful)


def _tables(names: Iterable[str], now: datetime, place: str = ":memory:") -> apsw.Connection:
    connection = apsw.Connection(place)
    add_checksum_function(connection)
    make(connection, names, now)
    return connection


# -- the new database


def _fill(salvage: Salvage, names: Iterable[str], new: Path, now: datetime) -> None:
    with closing(_tables(names, now, str(new))) as connection:
        new.chmod(0o600)
        connection.execute("BEGIN")
        numbers = dict.fromkeys(_COUNTED, 0)
        for shape, row in salvage.rows():
            if shape.name == "sqlite_sequence" and row["name"] in numbers and isinstance(row["seq"], int):
                numbers[row["name"]] = max(numbers[row["name"]], row["seq"])
            if shape.name in _MADE_AGAIN or "keywords" in shape.name:
                continue
            columns = [name for name in shape.columns if name != "checksum"]
            connection.execute(
                f"INSERT OR IGNORE INTO {shape.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                [row[name] for name in columns],
            )
        _put_in_order(connection, salvage.survey, numbers)
        connection.execute("COMMIT")


def _put_in_order(connection: apsw.Connection, survey: SalvageSurvey, numbers: dict[str, int]) -> None:
    """Drop what refers to lost rows, and mark everything that can be rebuilt."""
    for table in ("code_refs", "verdicts"):
        connection.execute(f"DELETE FROM {table} WHERE number NOT IN (SELECT number FROM memories)")
    connection.execute(
        "DELETE FROM vectors WHERE vector_id NOT IN (SELECT v.vector_id FROM vectors v JOIN engines e USING (engine_id)"
        " WHERE length(v.packed) = 2 * e.dimensions)"
    )
    # A lost journal entry is read again from its file.
    connection.execute("DELETE FROM journal_places WHERE memory_id NOT IN (SELECT memory_id FROM memories)")
    damaged = survey.bad_rows.keys() | survey.bad_pages.keys()
    if damaged & {*_OF_TREES, "sqlite_schema"} or not survey.read["files"]:
        connection.execute("UPDATE files SET mtime = 0, hash = x''")  # so that they are read again
    if "checkouts" in damaged or not survey.read["checkouts"]:
        connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, '1')", (CHECKOUTS_LOST,))
    for number, memory_id in survey.doubtful.items():
        current = "SELECT 1 FROM memories WHERE number = ? AND superseded_at IS NULL"
        if connection.execute(current, (number,)).fetchall():
            connection.execute("INSERT INTO states (memory_id) VALUES (?) ON CONFLICT DO NOTHING", (memory_id,))
            connection.execute(
                "UPDATE states SET is_stale = 1, stale_reason = ? WHERE memory_id = ?", (DOUBTFUL, memory_id)
            )
    for table, number in numbers.items():
        key = {"memories": "number", "audit": "number", "vectors": "vector_id", "passages": "passage_id"}[table]
        ((highest,),) = connection.execute(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchall()
        highest = max(highest, number, *(survey.memory_ids if table == "memories" else ()))
        connection.execute("DELETE FROM sqlite_sequence WHERE name = ?", (table,))
        connection.execute("INSERT INTO sqlite_sequence VALUES (?, ?)", (table, highest))


# -- taking the place of the old one


class _Holder:
    """A connection that keeps other writers out, and knows what was committed when it began."""

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.seen = connection.pragma("data_version")


@contextmanager
def _without_writers(path: Path, busy_seconds: float) -> Iterator[_Holder | None]:
    """Keep writers out. None: SQLite cannot even begin a transaction, so nobody else can write either."""
    with closing(apsw.Connection(str(path))) as connection:
        connection.set_busy_timeout(int(busy_seconds * 1000))
        try:
            connection.pragma("journal_mode", "wal")
            connection.execute("BEGIN IMMEDIATE")
            holder = _Holder(connection)
        except (apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.IOError, apsw.ReadOnlyError):
            holder = None
        if holder is None:
            connection.close()
        yield holder
        if holder is not None and connection.in_transaction:
            connection.execute("ROLLBACK")


def _swap(path: Path, new: Path, holder: _Holder | None, busy_seconds: float) -> bool:
    """Write the new content into the old file. False: someone wrote into it at the last moment, so nothing was changed."""
    with closing(apsw.Connection(str(path))) as target, closing(apsw.Connection(str(new))) as source:
        target.set_busy_timeout(int(busy_seconds * 1000))
        if holder is None:  # from here on the file is empty for SQLite, whatever its header says
            target.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 1)
        else:
            holder.connection.execute("ROLLBACK")
        try:
            with target.backup("main", source, "main") as copying:
                copying.step(1)  # from here on nobody else writes
                if holder is not None and holder.connection.pragma("data_version") != holder.seen:
                    return False
                copying.step(-1)
        except apsw.BusyError as error:
            raise StoreBusy(
                f"Other processes have {path} open, and it is damaged in a way that they must not see repaired.",
                "Stop them (`waypost serve`, `waypost mcp`, `waypost watch`), then run `waypost doctor --fix` again.",
            ) from error
        target.config(apsw.SQLITE_DBCONFIG_RESET_DATABASE, 0)
        target.pragma("journal_mode", "wal")
        with contextlib.suppress(apsw.BusyError):
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return True
