"""Hashes, empty databases and engines are the same for every test, so each process makes them once."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from waypost import config
from waypost.config import Settings
from waypost.embed import weights
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine
from waypost.model.time import to_micros, utc_now
from waypost.store.sqlite.store import DATABASE_NAME, SqliteStore


@contextmanager
def made_once() -> Iterator[None]:
    with ExitStack() as stack:
        for one in (hashed(), copied(), renamed(), loaded()):
            stack.enter_context(one)
        yield


@contextmanager
def hashed() -> Iterator[None]:
    """Hash the installed models (200 MB) once, and again only after a file has changed."""
    known: dict[tuple[Path, int, int, int], str] = {}
    installed, digest = config.load().models, weights.digest

    def remembered(path: Path) -> str:
        if not any(path.is_relative_to(folder) for folder in installed):
            return digest(path)
        seen = path.stat()
        key = (path, seen.st_ino, seen.st_size, seen.st_ctime_ns)
        if key not in known:
            known[key] = digest(path)
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "digest", remembered)
        yield


really_open = SqliteStore.__init__


@contextmanager
def copied() -> Iterator[None]:
    """Start each new SQLite store as a copy of a migrated one: migrations take ten times as long as opening. Other
    processes still run them."""
    made = _made()

    def open_(self: SqliteStore, folder: Path, **options: Any) -> None:
        if folder.is_dir() and not (folder / DATABASE_NAME).exists():
            _place(made, folder)
        really_open(self, folder, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SqliteStore, "__init__", open_)
        yield


def _made() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        SqliteStore(Path(folder)).close()
        return (Path(folder) / DATABASE_NAME).read_bytes()


def _place(made: bytes, folder: Path) -> None:
    """Place the database atomically, and never replace one that another thread created."""
    descriptor, name = tempfile.mkstemp(dir=folder)
    try:
        os.write(descriptor, made)
        os.close(descriptor)
        os.link(name, folder / DATABASE_NAME)
    except FileExistsError:
        pass
    finally:
        os.unlink(name)


SPARE = "spare_space"  # a schema of a database of the tests that the first new space takes over
SPARE_IS_MINE = "SELECT count(*) FROM pg_namespace WHERE nspname = $1 AND nspowner = current_user::regrole"
FUNCTIONS = (
    "SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1)"
)


def make_spare(dsn: str) -> None:
    """Migrate an empty schema for the first space of a database, or of its copies."""
    from waypost.store.postgres.connection import connections
    from waypost.store.postgres.schema import migrate

    pool = connections(dsn)
    with pool.lend("BEGIN") as connection:
        connection.begin(f"SET LOCAL search_path = {SPARE}, public, pg_temp")
        migrate(connection, SPARE, pool.shown, utc_now())
        connection.begin("COMMIT")


@contextmanager
def renamed() -> Iterator[None]:
    """Start the first PostgreSQL space of a prepared database with its spare schema: migrations take longer than the
    rest of most tests. Later spaces, and other processes, still run them."""
    from waypost.store.postgres import schema as schemas
    from waypost.store.postgres.connection import ServerConnection

    really = schemas.migrate

    def migrate(connection: ServerConnection, schema: str, place: str, now: datetime) -> bool:
        is_new = schemas.missing(connection, schema, place) == list(schemas.MIGRATIONS)
        if not is_new or not connection.execute(SPARE_IS_MINE, (SPARE,)).fetchall()[0][0]:
            return really(connection, schema, place, now)
        connection.execute(f"ALTER SCHEMA {SPARE} RENAME TO {schema}")
        connection.execute(f"UPDATE {schema}.migrations SET applied_at = $1", (to_micros(now),))
        for (signature,) in connection.execute(FUNCTIONS, (schema,)).fetchall():
            connection.begin(f"ALTER FUNCTION {signature} SET search_path FROM CURRENT")
        return True

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.store.postgres.store.migrate", migrate)
        yield


_engines: dict[object, Engine] = {}


def open_once(name: str, settings: Settings) -> Engine:
    """One engine for each folder of weights: otherwise each test would load them into memory again."""
    model = {"minilm": weights.MINILM, "multilingual": weights.MULTILINGUAL}.get(name)
    if model is None:
        return open_engine(name, settings)
    key = (os.getpid(), weights.find(model, settings.models))  # the threads of an engine do not come along in a fork
    if key not in _engines:
        _engines[key] = open_engine(name, settings)
    return _engines[key]


@contextmanager
def loaded() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("waypost.memory.spaces.open_engine", open_once)
        yield
