"""New databases are copied from one that the migrations have made: they take ten times as long as all else that opens it."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from waypost.store.sqlite.store import DATABASE_NAME, SqliteStore


really_open = SqliteStore.__init__


@contextmanager
def copied() -> Iterator[None]:
    """Inside, a store of SQLite that is not there yet begins as such a copy. Not in other processes."""
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
