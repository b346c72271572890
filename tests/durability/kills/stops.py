"""Where a process can be stopped on its way through a write: each level names its steps and dies at the chosen one."""

import itertools
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import apsw

import waypost.flows.versions.prepare
import waypost.flows.write.lifecycle
import waypost.flows.write.remember
from waypost.store.sqlite.store import SqliteStore


class Stops:
    """Counts the steps of the write path, and kills the process at the chosen one; at 0 it only notes them."""

    def __init__(self, chosen: int, *, armed: bool = True) -> None:
        self._left = chosen
        self.armed = armed
        self.noted: list[str] = []
        self.last_act: Callable[[], None] = lambda: None

    def step(self, name: str) -> None:
        if self.armed:
            self.noted.append(name)
            self._left -= 1
            if self._left == 0:
                self.armed = False
                self.last_act()
                os.kill(os.getpid(), signal.SIGKILL)


_CHANGES = ("CREATE", "ALTER", "DROP", "INSERT", "UPDATE", "DELETE", "--", "")


def telling(steps: list[str], every: int) -> list[int]:
    """The numbers of the steps to be stopped at: of a run of the same thing (one page of a commit after the other, one change
    inside a transaction after the other) the first, the last and every so manieth between."""
    chosen: set[int] = set()
    words = [step.partition(" ")[0] for step in steps]
    kinds = ["change" if word in _CHANGES else word for word in words]
    for _, run in itertools.groupby(enumerate(kinds, 1), lambda step: step[1]):
        numbers = [number for number, _ in run]
        chosen |= {numbers[0], numbers[-1], *numbers[::every]}
    return sorted(chosen)


def stop_at_functions(stops: Stops) -> None:
    for name in ("mask", "embed_items", "finish"):
        for module in (waypost.flows.versions.prepare, waypost.flows.write.remember, waypost.flows.write.lifecycle):
            if hasattr(module, name):
                setattr(module, name, _stepping(getattr(module, name), name, stops))
    plain = SqliteStore.write

    def write(store: SqliteStore) -> Any:
        return _Stepped(plain(store), stops)

    SqliteStore.write = write  # type: ignore[method-assign, assignment]


def _stepping(function: Callable[..., Any], name: str, stops: Stops) -> Callable[..., Any]:
    def stepped(*given: Any, **named: Any) -> Any:
        stops.step(f"before {name}")
        result = function(*given, **named)
        stops.step(f"after {name}")
        return result

    return stepped


class _Stepped:
    """A write transaction with a stop before it begins and after it is committed, before anybody is told."""

    def __init__(self, inner: Any, stops: Stops) -> None:
        self._inner = inner
        self._stops = stops

    def __enter__(self) -> Any:
        self._stops.step("before the transaction")
        return self._inner.__enter__()

    def __exit__(self, *error: Any) -> Any:
        done = self._inner.__exit__(*error)
        self._stops.step("after the commit")
        return done


_SETTINGS = ("synchronous", "secure", "foreign", "temp", "c", "trust", "data_version", "journal_size")
READING = ("SELECT", *(f"{start}{name}" for start in ("PRAGMA ", 'pragma "') for name in _SETTINGS))
AROUND_READING = ("BEGIN", "ROLLBACK")  # what writes begins immediately


def stop_at_statements(stops: Stops) -> None:
    def trace(_cursor: Any, statement: str, _values: Any) -> bool:
        # What reads leaves nothing: the next statement stops in the same state.
        if not statement.startswith(READING) and statement not in AROUND_READING:
            stops.step(" ".join(statement.split())[:60])
        return True

    def hook(connection: apsw.Connection) -> None:
        connection.exec_trace = trace

    apsw.connection_hooks.append(hook)


def stop_at_file_operations(stops: Stops) -> None:
    """A stop before everything that SQLite does to a file: between the pages of one commit, before each sync."""
    SteppedFile.step = stops.step


def stop_by_power_failure(stops: Stops) -> None:
    """The same stops, and all that was written to a file since it was last synced is lost."""
    SteppedFile.step = stops.step
    SteppedFile.remembers = True
    stops.last_act = SteppedFile.lose_what_is_not_synced


class SteppedFile(apsw.VFSFile):
    step: Callable[[str], None] = staticmethod(lambda _: None)
    remembers = False
    undo: ClassVar[list[tuple[str, int, bytes, int]]] = []  # path, offset, what was there, size

    def __init__(self, name: Any, flags: Any) -> None:
        super().__init__("unix", name, flags)
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)

    def xWrite(self, data: Any, offset: int) -> None:
        SteppedFile.step("write to a file")
        self._remember(offset, len(data))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        """Only counted: what a killed process has written stays in the system's memory, synced or not."""
        SteppedFile.step("sync a file")
        SteppedFile.undo = [entry for entry in SteppedFile.undo if entry[0] != self._path]

    def xTruncate(self, size: int) -> None:
        SteppedFile.step("truncate a file")
        self._remember(size, self.xFileSize())
        super().xTruncate(size)

    def _remember(self, offset: int, length: int) -> None:
        if SteppedFile.remembers:
            size = self.xFileSize()
            there = max(0, min(length, size - offset))
            SteppedFile.undo.append((self._path, offset, self.xRead(there, offset) if there else b"", size))

    @classmethod
    def lose_what_is_not_synced(cls) -> None:
        for path, offset, content, size in reversed(cls.undo):
            if os.path.exists(path):
                with open(path, "r+b") as file:
                    file.seek(offset)
                    file.write(content)
                    file.truncate(size)


class SteppedFiles(apsw.VFS):
    def xOpen(self, name: Any, flags: Any) -> SteppedFile:
        return SteppedFile(name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        SteppedFile.step("delete a file")
        super().xDelete(filename, False)


def stop_at_system_calls(stops: Stops) -> None:
    """A stop before everything that Python itself does to a file: temporary files, renames, removals."""
    names = {"open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir", "os.truncate", "os.chmod"}

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if event in names and (event != "open" or arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)):
            stops.step(f"{event} {arguments[0]}")

    sys.addaudithook(watch)


def stop_at_requests(stops: Stops) -> None:
    """A stop before everything but questions that a database server is asked."""
    import psycopg  # only where there is one

    for name in ("execute", "executemany", "copy"):
        plain = getattr(psycopg.Cursor, name)

        def asking(cursor: Any, query: Any, *given: Any, plain: Any = plain, **named: Any) -> Any:
            sql = query if isinstance(query, str) else bytes(query).decode() if isinstance(query, bytes) else str(query)
            if not sql.lstrip().startswith("SELECT"):
                stops.step(" ".join(sql.split())[:60])
            return plain(cursor, query, *given, **named)

        setattr(psycopg.Cursor, name, asking)


LEVELS = {
    "functions": stop_at_functions,
    "statements": stop_at_statements,
    "files": stop_at_file_operations,
    "power": stop_by_power_failure,
    "system": stop_at_system_calls,
    "requests": stop_at_requests,
}
