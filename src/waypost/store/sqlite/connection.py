"""Connections to one database file: settings, waiting for a turn, and errors in our own words."""

import ctypes
import os
import random
import re
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from waypost.errors import (
    DatabaseTooOld,
    ForeignFile,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
)
from waypost.store.moved_tables import TABLES
from waypost.store.sqlite.checksums import add_checksum_function
from waypost.store.sqlite.file_copy import is_ours

# Below this, a checkpoint racing with a writer could drop committed frames of the write-ahead log.
OLDEST_SAFE_SQLITE = (3, 51, 3)
_PAGE_CACHE_KIB = 8 * 1024
_CHECKPOINT_PAGES = 1000  # of the log, as SQLite itself would do it
_LONG_LOG_PAGES = 2048  # 8 MB: then a writer waits for readers, else those who never pause make it grow for ever
_READER_PATIENCE_SECONDS = 1.0
_FORK_PATIENCE_SECONDS = 10.0  # a fork waits this long for a write of another thread
_OWN_TABLES = frozenset((*TABLES, "migrations", "keywords", "code_keywords"))
# What SQLite says of a database whose list of tables is damaged.
_MISSING = re.compile(r"no such table: (?:main\.)?(\w+)|malformed|unsupported file format|vtable constructor failed")
_LOG_LIMIT_BYTES = 16 * 1024 * 1024  # the log file shrinks back to this after a burst


def check_library(version: str | None = None) -> None:
    """Refuse a SQLite library that can lose data under two processes."""
    found = apsw.sqlite_lib_version() if version is None else version
    if tuple(map(int, found.split("."))) < OLDEST_SAFE_SQLITE:
        raise DatabaseTooOld(
            f"SQLite {found} can corrupt a database used by two processes.",
            "Install apsw 3.51.3 or later: pip install -U apsw.",
        )


@contextmanager
def in_our_words(path: Path) -> Iterator[None]:
    """Turn what SQLite reports into an error that says what to do."""
    try:
        yield
    except (apsw.BusyError, apsw.ProtocolError) as error:  # the second when very many open it at once
        raise StoreBusy(
            f"{path} has been held by another process for too long.",
            "Wait for it to finish, or stop it; nothing was lost. busy_timeout_seconds in config.toml sets the patience.",
        ) from error
    except apsw.FullError as error:
        raise StoreFull(
            f"No room left on the disk of {path}.", "Free some space and repeat; what was stored before is safe."
        ) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        raise StoreReadOnly(
            f"{path} cannot be opened for writing.",
            "Check that its directory exists and belongs to you, or set WAYPOST_HOME to another one.",
        ) from error
    except apsw.NotADBError as error:
        if is_ours(path):
            raise _damaged(path) from error
        raise ForeignFile(
            f"{path} is not a Waypost database.", "Move the file away; Waypost will not overwrite it."
        ) from error
    except apsw.CorruptError as error:
        raise _damaged(path) from error
    except apsw.SQLError as error:
        if (missing := _MISSING.search(str(error))) and (missing[1] is None or missing[1] in _OWN_TABLES):
            raise _damaged(path) from error
        raise
    except apsw.IOError as error:
        raise StoreError(
            f"The disk of {path} reported an error ({error}).", "Check the disk and its free space, then repeat."
        ) from error


def _damaged(path: Path) -> StoreCorrupt:
    return StoreCorrupt(
        f"{path} is damaged.",
        "Run `waypost doctor --fix`: it repairs the file, keeps the damaged one and lists what is lost.",
    )


class Connections:
    """A few connections to one file, lent to one thread at a time. Survives a fork by starting afresh."""

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._closed = False
        self._idle: list[apsw.Connection] = []
        self._lock = threading.Lock()
        self.turn = threading.Lock()  # threads of this process queue here to write, processes queue in SQLite
        _all.add(self)

    @contextmanager
    def lend(self, *, patient: bool = True) -> Iterator[apsw.Connection]:
        """A connection for this thread alone. An impatient one waits for nobody else's lock."""
        connection = self._take()
        if not patient:
            connection.set_busy_handler(None)
        try:
            yield connection
        finally:
            if not patient:
                connection.set_busy_handler(_patience(self._busy_seconds))
            self._give_back(connection)

    def close(self) -> None:
        """Keep nothing open from now on. Whoever is in the middle of something may finish it."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()

    def open_again(self) -> None:
        """Keep connections for reuse again."""
        with self._lock:
            self._closed = False

    def start_afresh(self) -> None:
        """In a forked child: leave the parent's connections alone, and locks that a thread of the parent may hold."""
        for connection in self._idle:
            # Closing one here, as the end of the process would, can delete the log under the parent's successor.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._idle, self._lock, self.turn = [], threading.Lock(), threading.Lock()

    def _take(self) -> apsw.Connection:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _give_back(self, connection: apsw.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        with self._lock:
            if not self._closed:
                self._idle.append(connection)
                return
        connection.close()

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path))
        try:
            self._set_up(connection)
        except BaseException:  # whoever keeps the error would keep the connection, and with it its locks
            connection.close()
            raise
        return connection

    def _set_up(self, connection: apsw.Connection) -> None:
        connection.set_busy_handler(_patience(self._busy_seconds))
        _use_log(connection, self._busy_seconds)
        for name, value in (
            ("synchronous", "full"),  # acknowledged means on disk
            ("secure_delete", "on"),  # forgotten text is overwritten, not only unlinked
            ("foreign_keys", "on"),
            ("temp_store", "memory"),  # no copies of memories in temporary files
            ("cache_size", -_PAGE_CACHE_KIB),
            ("journal_size_limit", _LOG_LIMIT_BYTES),
            ("trusted_schema", "off"),
            ("cell_size_check", "on"),
        ):
            connection.pragma(name, value)
        add_checksum_function(connection)
        connection.set_wal_hook(_keep_log_short(self._busy_seconds))
        # Views of the keyword indexes by their terms; outside of the file, and outside of any transaction.
        for index in ("keywords", "code_keywords"):
            connection.execute(f"CREATE VIRTUAL TABLE temp.{index}_terms USING fts5vocab (main, {index}, row)")


_all: "weakref.WeakSet[Connections]" = weakref.WeakSet()
_held: list[threading.Lock] = []


def _await_writers() -> None:
    """Before a fork: a child that is born in the middle of another thread's write finds the database locked for ever."""
    _held[:] = [known.turn for known in list(_all) if known.turn.acquire(timeout=_FORK_PATIENCE_SECONDS)]


def _let_writers_go_on() -> None:
    while _held:
        _held.pop().release()


def _start_afresh() -> None:
    _held.clear()
    for connections in list(_all):
        connections.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_await_writers, after_in_parent=_let_writers_go_on, after_in_child=_start_afresh)


def _use_log(connection: apsw.Connection, seconds: float) -> None:
    """Switch to the write-ahead log. When several processes make a new file at once, SQLite refuses this without asking
    the busy handler, so the waiting is done here."""
    wait, tries = _patience(seconds), 0
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if not wait(tries):
                raise
            tries += 1
        else:
            return


def _keep_log_short(busy_seconds: float) -> Callable[[apsw.Connection, str, int], int]:
    """What to do after a commit: move the log into the database, if need be when those who read it have finished."""
    wait_at = _LONG_LOG_PAGES

    def checkpoint(connection: apsw.Connection, name: str, pages: int) -> int:
        nonlocal wait_at
        if pages < _CHECKPOINT_PAGES:
            return apsw.SQLITE_OK
        waits = pages >= wait_at
        if waits:
            connection.set_busy_handler(_patience(_READER_PATIENCE_SECONDS))
        try:
            connection.wal_checkpoint(name, apsw.SQLITE_CHECKPOINT_RESTART if waits else apsw.SQLITE_CHECKPOINT_PASSIVE)
            wait_at = _LONG_LOG_PAGES
        except apsw.BusyError:  # somebody reads for long: do not make every write wait for that
            wait_at = pages + _LONG_LOG_PAGES // 2 if waits else wait_at
        finally:
            if waits:
                connection.set_busy_handler(_patience(busy_seconds))
        return apsw.SQLITE_OK

    return checkpoint


def _patience(seconds: float) -> Callable[[int], bool]:
    """A busy handler that waits in short random steps: many writers get their turn without queueing in lockstep."""
    deadline = 0.0

    def wait(tries: int) -> bool:
        nonlocal deadline
        now = time.monotonic()
        if tries == 0:
            deadline = now + seconds
        if now >= deadline:
            return False
        time.sleep(random.uniform(0.0005, min(0.02, 0.001 * (tries + 2))))
        return True

    return wait
