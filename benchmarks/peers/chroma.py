"""chromadb: a persistent client, cosine distance, everything else as it comes."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chromadb
from chromadb.config import Settings

if TYPE_CHECKING:
    from benchmarks.peers.protocol import Floats


class Chroma:
    def __init__(self, folder: Path) -> None:
        client: Any = chromadb.PersistentClient(str(folder), settings=Settings(anonymized_telemetry=False))
        self._most: int = client.get_max_batch_size()
        # Its own embedder wants a download; texts come with vectors here.
        self._collection: Any = client.get_or_create_collection(
            "memories", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )

    def add(self, ids: Sequence[str], texts: Sequence[str], vectors: "Floats") -> None:
        for start in range(0, len(ids), self._most):
            part = slice(start, start + self._most)
            self._collection.add(ids=list(ids[part]), documents=list(texts[part]), embeddings=vectors[part])

    def search(self, vector: "Floats", k: int) -> list[str]:
        answer = self._collection.query(query_embeddings=vector[None], n_results=k, include=["documents"])
        return list(answer["documents"][0])

    def close(self) -> None:
        """It writes as it goes."""
