"""lancedb: one table, exact search (no index; it recommends one from some hundred thousand rows)."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lancedb
import pyarrow as pa

if TYPE_CHECKING:
    from benchmarks.peers.protocol import Floats

_NAME = "memories"


class Lance:
    def __init__(self, folder: Path) -> None:
        self._database: Any = lancedb.connect(str(folder))
        exists = (folder / f"{_NAME}.lance").exists()
        self._table: Any = self._database.open_table(_NAME) if exists else None

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: "Floats") -> None:
        width = vectors.shape[1]
        rows = pa.table(
            {
                "id": pa.array(ids),
                "text": pa.array(texts),
                "vector": pa.FixedSizeListArray.from_arrays(pa.array(vectors.ravel()), width),
            }
        )
        if self._table is None:
            self._table = self._database.create_table(_NAME, rows)
        else:
            self._table.add(rows)

    def search(self, vector: "Floats", k: int) -> list[str]:
        found = self._table.search(vector).metric("cosine").select(["text"]).limit(k).to_list()
        return [row["text"] for row in found]

    def close(self) -> None:
        """Every addition is a committed version of the table."""
