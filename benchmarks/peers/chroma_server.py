"""chromadb's server, started as its documentation shows, and used by its own client over HTTP; everything as it comes.

It ranks by vectors alone. What it has for words is a filter, texts that contain one: that is measured as its keyword search, and
not compared by what it finds.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from benchmarks.clock import folder_bytes, percentiles
from benchmarks.scale_data import Passages, domain_of, is_fact
from benchmarks.scale_stages import AT_ONCE, WRITES, Asked, Figures, K, Search, tell

if TYPE_CHECKING:
    from benchmarks.scale_data import Floats
    from benchmarks.scale_memory import Peak

_START_SECONDS = 60.0
_FILTERS: dict[str, dict[str, str] | None] = {"all": None, "facts": {"kind": "fact"}, "domain": {"domain": "part-7"}}
_SETTINGS = {"ANONYMIZED_TELEMETRY": "False"}


class ChromaServer:
    """A server of its own over a folder, until the block ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = int(free.getsockname()[1])
        program = shutil.which("chroma", path=str(Path(sys.executable).parent)) or "chroma"
        self._process = subprocess.Popen(
            [program, "run", "--path", str(folder), "--host", "127.0.0.1", "--port", str(self._port)],
            env={**os.environ, **_SETTINGS}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        self._collection: Any = None

    @property
    def process_id(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        chromadb: Any = import_module("chromadb")  # in an environment of its own
        own: Any = import_module("chromadb.config").Settings(anonymized_telemetry=False)
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                client = chromadb.HttpClient("127.0.0.1", self._port, settings=own)
                break
            except ValueError:  # it does not answer yet
                if time.monotonic() > until or self._process.poll() is not None:
                    self.close()
                    raise
                time.sleep(0.2)
        self._most = int(client.get_max_batch_size())
        self._collection = client.create_collection(
            "passages", metadata={"hnsw:space": "cosine"}, embedding_function=None
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(30)

    def measure(self, passages: Passages, peak: "Peak") -> None:
        busy = peak.cpu()
        seconds = self._ingest(passages)
        each = (peak.cpu() - busy) * 1e6 / passages.count
        # It indexes as it goes: there is nothing to do afterwards.
        rate = passages.count / seconds
        told = {"per_second": rate, "per_second_with_ingest": rate, "cpu_us_each": each}
        tell("ingest", seconds=seconds, **told, **self._sizes(), **peak.lap())
        asked = Asked(passages, peak)
        peak.lap()
        for name, where in _FILTERS.items():
            words = asked.by_words(self._by_words(where))
            del words["found_its_passage"]
            tell("search", view=name, **words, **asked.by_vectors(self._by_vector(where), name), **peak.lap())
        self._write_one_by_one(passages, asked)
        tell("size", **self._sizes())

    def _sizes(self) -> Figures:
        vectors = sum(path.stat().st_size for path in self._folder.rglob("*.bin"))
        return {"database_mb": folder_bytes(self._folder) / 1e6, "vector_index_mb": vectors / 1e6}

    def _ingest(self, passages: Passages) -> float:
        spent, size = 0.0, min(AT_ONCE, self._most)
        for part in passages.parts():
            began = time.perf_counter()
            for at in range(0, len(part.texts), size):
                some = slice(at, at + size)
                self._put(part.start + at, part.texts[some], part.vectors[some])
            spent += time.perf_counter() - began
        return spent

    def _put(self, start: int, texts: Sequence[str], vectors: "Floats") -> None:
        places = range(start, start + len(texts))
        self._collection.add(
            ids=[f"m{place}" for place in places],
            documents=list(texts),
            embeddings=vectors,
            metadatas=[
                {"kind": "fact" if is_fact(place) else "conversation", "domain": domain_of(place)} for place in places
            ],
        )

    def _by_vector(self, where: dict[str, str] | None) -> Search:
        def search(vector: "Floats") -> list[int]:
            answer = self._collection.query(
                query_embeddings=vector[None], n_results=K, where=where, include=["documents"]
            )
            return [int(one[1:]) for one in answer["ids"][0]]

        return search

    def _by_words(self, where: dict[str, str] | None) -> Search:
        def search(words: Sequence[str]) -> list[int]:
            answer = self._collection.get(where=where, where_document={"$contains": max(words, key=len)}, limit=K)
            return [int(one[1:]) for one in answer["ids"]]

        return search

    def _write_one_by_one(self, passages: Passages, asked: Asked) -> None:
        took = []
        for number in range(WRITES):
            began = time.perf_counter()
            text = " ".join(asked.words[number][1])
            self._put(passages.count + number, [text], asked.vectors[number : number + 1])
            took.append((time.perf_counter() - began) * 1000)
        search = self._by_vector(None)
        there = sum(passages.count + number in search(asked.vectors[number]) for number in range(WRITES))
        tell("write", **percentiles(took, "write"), writes_found=there / WRITES)
