"""A small private SQLite file of a server, such as its stored replies."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from waypost.store.sqlite.connection import keep_private, translated_errors
from waypost.system.platform import make_private_directory

_BUSY_MS = 5_000


@contextmanager
def private_transaction(path: Path, schema: str) -> Iterator[apsw.Connection]:
    """A write transaction on the file, which only its owner can read. Creates the file and its tables.

    Raises StoreError. An exception in the block rolls back.
    """
    if not path.exists():
        make_private_directory(path.parent)
    with translated_errors(path):
        connection = apsw.Connection(str(path))
        keep_private(path)
        try:
            connection.set_busy_timeout(_BUSY_MS)
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(schema)
            yield connection
            connection.execute("COMMIT")
        finally:
            connection.close()  # rolls back without a COMMIT
