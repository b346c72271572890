"""Plain vector search, as simple memory layers do it: rows of text and vector in SQLite, all vectors in memory,
brute-force cosine, nothing else. It is the floor: what it saves in time is what it does not do."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from benchmarks.peers.protocol import Floats


class Plain:
    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(folder / "plain.db")
        self._db.execute("CREATE TABLE IF NOT EXISTS memories (id TEXT PRIMARY KEY, text TEXT, vector BLOB)")
        rows = self._db.execute("SELECT text, vector FROM memories ORDER BY rowid").fetchall()
        self._texts: list[str] = [text for text, _ in rows]
        self._matrix: Floats = np.frombuffer(b"".join(vector for _, vector in rows), np.float32).reshape(-1, 384)
        self._new: list[Floats] = []

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: "Floats") -> None:
        with self._db:
            self._db.executemany(
                "INSERT INTO memories VALUES (?, ?, ?)",
                [(i, t, v.tobytes()) for i, t, v in zip(ids, texts, vectors, strict=True)],
            )
        self._texts += texts
        self._new.append(np.array(vectors, np.float32))

    def search(self, vector: "Floats", k: int) -> list[str]:
        if self._new:
            self._matrix, self._new = np.concatenate([self._matrix, *self._new]), []
        scores = self._matrix @ vector
        best = np.argpartition(-scores, min(k, len(scores) - 1))[:k]
        return [self._texts[place] for place in best[np.argsort(-scores[best])]]

    def close(self) -> None:
        self._db.close()
