"""sqlite-vec: a `vec0` table beside the texts, in one SQLite file, with the log and the syncs that Waypost uses."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import apsw
import sqlite_vec

if TYPE_CHECKING:
    from benchmarks.peers.protocol import Floats


class SqliteVec:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._db = apsw.Connection(str(folder / "vectors.db"))
        self._db.enable_load_extension(True)
        self._db.load_extension(sqlite_vec.loadable_path())
        self._db.pragma("journal_mode", "wal")
        self._db.pragma("synchronous", "full")
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS texts (number INTEGER PRIMARY KEY, id TEXT UNIQUE, text TEXT);"
            "CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0 (vector FLOAT[384] distance_metric=cosine)"
        )

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: "Floats") -> None:
        with self._db:
            for given, text, vector in zip(ids, texts, vectors, strict=True):
                self._db.execute("INSERT INTO texts (id, text) VALUES (?, ?)", (given, text))
                self._db.execute(
                    "INSERT INTO vectors (rowid, vector) VALUES (last_insert_rowid(), ?)", (vector.tobytes(),)
                )

    def search(self, vector: "Floats", k: int) -> list[str]:
        rows = self._db.execute(
            "SELECT t.text FROM vectors v JOIN texts t ON t.number = v.rowid WHERE v.vector MATCH ? AND k = ?"
            " ORDER BY v.distance",
            (vector.tobytes(), k),
        )
        return [str(text) for (text,) in rows]

    def close(self) -> None:
        self._db.close()
