"""What is costly, and the same for every test, is made once in a process: hashes, databases and engines."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from waypost import config
from waypost.config import Settings
from waypost.embed import weights
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine
from waypost.store.sqlite.store import DATABASE_NAME, SqliteStore


@contextmanager
def made_once() -> Iterator[None]:
    with ExitStack() as stack:
        for one in (hashed(), copied(), loaded()):
            stack.enter_context(one)
        yield


@contextmanager
def hashed() -> Iterator[None]:
    """The models that are installed have 200 MB: they are hashed when somebody first looks whether they are whole, and
    again only if a file has changed since."""
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
    """A store of SQLite that is not there yet begins as a copy of one that the migrations have made: they take ten times as
    long as all else that opens it. Not in other processes."""
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
    """Whole or not at all, and never in the place of one that somebody else has made meanwhile."""
    descriptor, name = tempfile.mkstemp(dir=folder)
    try:
        os.write(descriptor, made)
        os.close(descriptor)
        os.link(name, folder / DATABASE_NAME)
    except FileExistsError:
        pass
    finally:
        os.unlink(name)


_engines: dict[object, Engine] = {}


def open_once(name: str, settings: Settings) -> Engine:
    """Engines whose weights are in the same folder are one: else each test would load them into memory anew."""
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
