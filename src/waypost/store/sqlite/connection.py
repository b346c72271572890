"""Connections to one database file: settings, waiting for a turn, and translated errors."""

import contextlib
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
from waypost.store.open_databases import clear_after_fork
from waypost.store.sqlite.checksums import add_checksum_function
from waypost.store.sqlite.files import DatabaseFiles, close_untouched, is_ours
from waypost.store.sqlite.full_disk import has_no_room, is_about_room, open_for_reading
from waypost.store.tables import TABLES

# In older versions a checkpoint that races with a writer could drop committed frames of the write-ahead log.
OLDEST_SAFE_SQLITE = (3, 51, 3)
_PAGE_CACHE_KIB = 8 * 1024
_CHECKPOINT_PAGES = 1000  # pages of the log, as in SQLite itself
_LONG_LOG_PAGES = 2048  # 8 MB: beyond it a writer waits for readers, else permanent readers would make it grow for ever
_READER_PATIENCE_SECONDS = 1.0
_FORK_PATIENCE_SECONDS = 10.0  # a fork waits this long for a write of another thread
_OWN_TABLES = frozenset((*TABLES, "migrations", "keywords", "code_keywords"))
# What SQLite says of a database whose list of tables is damaged.
_MISSING = re.compile(r"no such table: (?:main\.)?(\w+)|malformed|unsupported file format|vtable constructor failed")
_LOG_LIMIT_BYTES = 16 * 1024 * 1024  # the log file shrinks back to this size after a burst


def check_library(version: str | None = None) -> None:
    """Raise StoreError for a SQLite library that can lose data with two processes."""
    installed = apsw.sqlite_lib_version() if version is None else version
    if tuple(map(int, installed.split("."))) < OLDEST_SAFE_SQLITE:
        raise DatabaseTooOld(
            f"SQLite {installed} can corrupt a database used by two processes.",
            "Install apsw 3.51.3 or later: pip install -U apsw.",
        )


@contextmanager
def translated_errors(path: Path) -> Iterator[None]:
    """Turn errors of SQLite into errors that say what to do."""
    try:
        yield
    except (apsw.BusyError, apsw.ProtocolError) as error:  # the second if very many open it at once
        raise StoreBusy(
            f"{path} has been held by another process for too long.",
            "Wait for it to finish, or stop it; nothing was lost. busy_timeout_seconds in config.toml sets the limit.",
        ) from error
    except apsw.FullError as error:
        raise _full(path) from error
    except (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError) as error:
        if has_no_room(path):
            raise _full(path) from error
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
        if is_about_room(error) and has_no_room(path):
            raise _full(path) from error
        raise StoreError(
            f"The disk of {path} reported an error ({error}).", "Check the disk and its free space, then repeat."
        ) from error


def _full(path: Path) -> StoreFull:
    return StoreFull(
        f"No room left on the disk of {path}.",
        "Free some space and repeat; what was stored before is safe and can still be read.",
    )


def keep_private(path: Path) -> None:
    """Let only the owner read a new database; SQLite creates later files beside it with the same mode.

    It changes the mode by name: opening and closing the file would drop the locks of this process on it.
    """
    if os.name != "posix":
        return
    for place in (str(path), *(f"{path}-{kind}" for kind in ("wal", "shm", "journal"))):
        with contextlib.suppress(FileNotFoundError, PermissionError):  # missing, or the file of another user
            if os.stat(place).st_mode & 0o177:
                os.chmod(place, 0o600)


def _damaged(path: Path) -> StoreCorrupt:
    return StoreCorrupt(
        f"{path} is damaged.",
        "Run `waypost doctor --fix`: it repairs the file, keeps the damaged one and lists what is lost.",
    )


class FilePool:
    """A few connections to one file; one thread uses each at a time. A forked child starts with none.

    If someone replaces the open database or its log, or removes its locks, new connections are opened. The old ones
    are closed without touching the files.
    """

    def __init__(self, path: Path, busy_seconds: float) -> None:
        self._path = path
        self._busy_seconds = busy_seconds
        self._closed = False
        self._idle: list[apsw.Connection] = []
        self._files: dict[apsw.Connection, DatabaseFiles] = {}  # of each open connection
        self._used_once: set[apsw.Connection] = set()  # connections that are not kept
        self._lock = threading.Lock()
        self.turn = threading.Lock()  # threads of this process queue here to write; processes queue in SQLite
        _all.add(self)

    @property
    def path(self) -> Path:
        return self._path

    @contextmanager
    def lend(self, *, patient: bool = True) -> Iterator[apsw.Connection]:
        """A connection for this thread alone. An impatient one does not wait for locks."""
        connection = self._take()
        if not patient:
            connection.set_busy_handler(None)
        try:
            yield connection
        finally:
            if not patient:
                connection.set_busy_handler(_patience(self._busy_seconds))
            self._give_back(connection)

    def only(self, connection: apsw.Connection) -> apsw.Connection | None:
        """This connection, if it only reads because the disk is full: no other can be made then. Otherwise None."""
        return connection if connection in self._used_once else None

    def confirm(self, connection: apsw.Connection) -> None:
        """After a commit: raise StoreError if it went into files that are no longer the database's.

        Lost locks are taken again before the next use.
        """
        files = self._files[connection]
        if not files.are_in_place():
            raise StoreError(
                f"{self._path} or its log was replaced while this process had it open; the last write may not be stored.",
                "Repeat it: the database has been opened again. Only Waypost may touch the files of a memory in use.",
            )
        if files.lost_locks():
            for pool in open_pools(self._path):
                pool.give_up()

    def is_intact(self) -> bool:
        """Whether every open connection still has its files in place and its locks on them."""
        with self._lock:
            files = list(self._files.values())
        return all(files.are_in_place() and not files.lost_locks() for files in files)

    def give_up(self) -> None:
        with self._lock:
            for files in self._files.values():
                files.give_up()

    def close(self) -> None:
        """Close idle connections and keep none from now on. Work in progress may finish."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        for connection in idle:
            self._close(connection)

    def open_again(self) -> None:
        """Keep connections for reuse again."""
        with self._lock:
            self._closed = False

    def start_afresh(self) -> None:
        """In a forked child: leave the parent's connections alone, and locks that its threads may hold."""
        for connection in self._files:
            # Closing one here, as the end of the process would, can delete the log under the parent's successor.
            ctypes.pythonapi.Py_IncRef(ctypes.py_object(connection))
        self._idle, self._files, self._lock, self.turn = [], {}, threading.Lock(), threading.Lock()
        self._used_once = set()

    def _take(self) -> apsw.Connection:
        with self._lock:
            connection = self._idle.pop() if self._idle else None
        if connection is not None and not self._files[connection].are_in_place():
            self._close(connection)
            connection = None
            self._start_over()
        return connection or self._open()

    def _give_back(self, connection: apsw.Connection) -> None:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        in_place = self._files[connection].are_in_place()
        with self._lock:
            if in_place and not self._closed and connection not in self._used_once:
                self._idle.append(connection)
                return
        self._close(connection)

    def _close(self, connection: apsw.Connection) -> None:
        with self._lock:
            files = self._files.pop(connection)
            self._used_once.discard(connection)
        if files.are_in_place():
            connection.close()
        else:
            close_untouched([connection])
        files.release()

    def _start_over(self) -> None:
        """Wait until no connection of this process uses the old files: only then SQLite locks the new ones."""
        wait, tries = _patience(self._busy_seconds), 0
        while True:
            in_use = [pool.drop_replaced() for pool in open_pools(self._path)]
            if not any(in_use):
                return
            if not wait(tries):
                raise apsw.BusyError("connections to files that were replaced are still in use")
            tries += 1

    def drop_replaced(self) -> bool:
        """Close idle connections whose files were replaced; True if others are still in use."""
        with self._lock:
            gone = [connection for connection in self._idle if not self._files[connection].are_in_place()]
            self._idle = [connection for connection in self._idle if connection not in gone]
        for connection in gone:
            self._close(connection)
        with self._lock:
            return any(not files.are_in_place() for files in self._files.values())

    def _open(self) -> apsw.Connection:
        connection = apsw.Connection(str(self._path))
        keep_private(self._path)
        try:
            connection = self._with_log(connection)
            self._set_up(connection)
        except BaseException:  # an error that is kept would keep the connection, and its locks
            connection.close()
            raise
        files = DatabaseFiles(self._path)
        with self._lock:
            self._files[connection] = files
        return connection

    def _with_log(self, connection: apsw.Connection) -> apsw.Connection:
        """Use the write-ahead log; on a full disk another connection that only reads."""
        connection.set_busy_handler(_patience(self._busy_seconds))
        try:
            _use_log(connection, self._busy_seconds)
        except apsw.Error as error:
            connection.close()
            if not (is_about_room(error) and has_no_room(self._path)):
                raise
            connection = open_for_reading(self._path)
            connection.set_busy_handler(_patience(self._busy_seconds))
            self._used_once.add(connection)
        return connection

    def _set_up(self, connection: apsw.Connection) -> None:
        for name, value in (
            ("synchronous", "full"),  # acknowledged means on disk
            ("secure_delete", "on"),  # erased text is overwritten, not only unlinked
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
        # The keyword indexes by term; outside of the file and of any transaction.
        for index in ("keywords", "code_keywords"):
            connection.execute(f"CREATE VIRTUAL TABLE temp.{index}_terms USING fts5vocab (main, {index}, row)")


_all: "weakref.WeakSet[FilePool]" = weakref.WeakSet()
_fork_locks: list[threading.Lock] = []


def open_pools(path: Path | None = None) -> list[FilePool]:
    """All pools of this process, or those of one database: a memory is opened once for each checkout."""
    return [pool for pool in list(_all) if path in (None, pool.path)]


def _await_writers() -> None:
    """Before a fork: wait for writes of other threads, else the child would find the database locked for ever."""
    _fork_locks[:] = [pool.turn for pool in list(_all) if pool.turn.acquire(timeout=_FORK_PATIENCE_SECONDS)]


def _let_writers_go_on() -> None:
    while _fork_locks:
        _fork_locks.pop().release()


def _start_afresh() -> None:
    _fork_locks.clear()
    clear_after_fork()
    for connections in list(_all):
        connections.start_afresh()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_await_writers, after_in_parent=_let_writers_go_on, after_in_child=_start_afresh)


def _use_log(connection: apsw.Connection, seconds: float) -> None:
    """Switch to the write-ahead log.

    If several processes create a file at once, SQLite refuses this without calling the busy handler. So it waits
    here.
    """
    wait, tries = _patience(seconds), 0
    while True:
        try:
            connection.pragma("journal_mode", "wal")
        except apsw.BusyError:
            if not wait(tries):
                raise
            tries += 1
        else:
            connection.pragma("schema_version")  # the log of a new file is created when the file is first read
            return


def _keep_log_short(busy_seconds: float) -> Callable[[apsw.Connection, str, int], int]:
    """After a commit: move the log into the database, if needed after its readers have finished."""
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
        except apsw.BusyError:  # a long read must not make every write wait
            wait_at = pages + _LONG_LOG_PAGES // 2 if waits else wait_at
        finally:
            if waits:
                connection.set_busy_handler(_patience(busy_seconds))
        return apsw.SQLITE_OK

    return checkpoint


def _patience(seconds: float) -> Callable[[int], bool]:
    """A busy handler that waits in short random steps, so that many writers do not retry at the same moments."""
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
