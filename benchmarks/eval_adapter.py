"""Waypost in an evaluation of memory for conversations or for code, used as a library by a user would.

An evaluation calls `reset(store)`, `ingest(items)` and `search(query, k, date) -> ids`. Items are turns with an id, a text
and `meta` (session, speaker, role, date), or files, whose id is their path; for these the answers are
`path#first-last`. Name this module to it, with the root of the project on PYTHONPATH:

    --system python:benchmarks.eval_adapter:conversation
    --system python:benchmarks.eval_adapter:code
    --system python:benchmarks.eval_adapter:stale

For staleness it calls `open(files)`, `pin(anchors)`, `move(files)` and `status(id)`; with EVAL_NOT_INDEXED=1 the tree is not
indexed, as with somebody who only remembers. Changed type annotations count, as in the labels; with EVAL_ANNOTATIONS=0
they do not, which is the default outside of evaluations.

Many stores that share texts embed them over and over; with EVAL_VECTORS=FILE.db vectors are kept from run to run. They
are the same vectors, so only the time for writing differs.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import apsw

import waypost.memory.spaces
from waypost import Memory, config
from waypost.config import Settings
from waypost.embed.protocol import Engine
from waypost.embed.registry import open_engine

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Item(Protocol):
    id: str
    text: str
    meta: Mapping[str, Any]


class Conversation:
    """One space for each store, all under a temporary home that ends with the process."""

    name = "waypost"

    def __init__(self) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="waypost-eval-")
        environment = {**os.environ, "WAYPOST_HOME": self._home.name, "WAYPOST_BACKGROUND": "0"}
        self._settings = config.load(environment)
        self._memory: Memory | None = None
        self._number = 0
        if os.environ.get("EVAL_VECTORS"):
            keep_vectors(os.environ["EVAL_VECTORS"])

    def reset(self, store: str) -> None:
        if self._memory is not None:
            self._memory.close()
        self._number += 1  # a store may be named twice, and each time it starts empty
        self._memory = Memory.open(person=f"{self._number} {store}", settings=self._settings)

    def ingest(self, items: Sequence[Item]) -> None:
        assert self._memory is not None, "reset() first"
        self._memory.remember_many(_draft(item) for item in items)
        self._memory.admin.embed_pending()

    def search(self, query: str, k: int, date: str | None = None) -> list[str]:
        assert self._memory is not None, "reset() first"
        return [hit.key for hit in self._memory.recall(query, k=k, now=date).hits if hit.key is not None]


class Code:
    """A tree of files for each store, indexed from nothing and asked about."""

    name = "waypost"

    def __init__(self) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="waypost-eval-")
        environment = {**os.environ, "WAYPOST_HOME": f"{self._home.name}/home", "WAYPOST_BACKGROUND": "0"}
        self._settings = config.load(environment)
        self._memory: Memory | None = None
        self._tree = Path(self._home.name)
        self._number = 0
        if os.environ.get("EVAL_VECTORS"):
            keep_vectors(os.environ["EVAL_VECTORS"])

    def reset(self, store: str) -> None:
        if self._memory is not None:
            self._memory.close()
            shutil.rmtree(self._tree)
        self._number += 1
        self._tree = Path(self._home.name) / f"{self._number}-{store.replace('/', '-')}"
        self._memory = None

    def ingest(self, items: Sequence[Item]) -> None:
        for item in items:
            path = self._tree / item.id
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(item.text.encode())
        self._memory = Memory.open(self._tree, settings=self._settings)
        self._memory.index()

    def search(self, query: str, k: int, date: str | None = None) -> list[str]:
        assert self._memory is not None, "ingest() first"
        hits = self._memory.recall(query, k=k, scope="code", now=date).hits
        return [f"{hit.path}#{hit.line}-{hit.end_line}" for hit in hits if hit.path is not None]


class Stale:
    """A tree with a memory for each anchor, written over with another state of it, then asked about each memory."""

    name = "waypost"
    _STATUS: ClassVar = {
        "unchanged": "fresh",
        "moved": "moved",
        "changed": "changed",
        "ambiguous": "changed",
        "deleted": "gone",
    }

    def open(self, files: Mapping[str, str]) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="waypost-eval-")
        environment = {**os.environ, "WAYPOST_HOME": f"{self._home.name}/home", "WAYPOST_BACKGROUND": "0"}
        self._tree = Path(self._home.name) / "tree"
        _write(self._tree, files)
        settings = config.load(environment)
        # No vectors. The labels of this set count changed annotations as edits.
        counted = os.environ.get("EVAL_ANNOTATIONS", "1") == "1"
        settings = replace(settings, models=(Path(self._home.name),), count_annotations=counted)
        self._memory = Memory.open(self._tree, settings=settings)
        if not os.environ.get("EVAL_NOT_INDEXED"):
            self._memory.index(wait=False)

    def pin(self, anchors: Sequence[Mapping[str, Any]]) -> None:
        given = [
            {"text": f"Anchor {one['id']}", "key": one["id"], "refs": [f"{one['path']}#L{one['start']}-L{one['end']}"]}
            for one in anchors
        ]
        receipts = self._memory.remember_many(given)
        self._ids = {one["id"]: receipt.id for one, receipt in zip(anchors, receipts, strict=True)}

    def move(self, files: Mapping[str, str]) -> None:
        shutil.rmtree(self._tree)
        _write(self._tree, files)
        self._memory.code.stale(check=True)

    def status(self, anchor_id: str) -> dict[str, Any]:
        memory_id = self._ids[anchor_id]
        assert memory_id is not None
        link = self._memory.show(memory_id).links[0]
        lines = link.finding.lines
        place = {"path": link.finding.path, "start": lines.start if lines else None} if link.finding.path else {}
        return {"status": self._STATUS[link.finding.state], **place}


def _write(tree: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_bytes(text.encode())


def stale() -> Stale:
    return Stale()


def conversation() -> Conversation:
    return Conversation()


def code() -> Code:
    return Code()


def _draft(item: Item) -> dict[str, Any]:
    meta = item.meta
    return {
        "text": item.text,
        "kind": "conversation",
        "key": item.id,
        "session": meta["session"],
        "speaker": meta.get("speaker"),
        "time": meta.get("date"),
        "tags": {"role": meta["role"]} if meta.get("role") else {},
    }


def keep_vectors(path: str) -> None:
    """Every engine that is opened from now on reads what it once embedded from this file."""

    def open_kept(name: str, settings: Settings) -> Engine:
        return _Kept(open_engine(name, settings), path)

    waypost.memory.spaces.open_engine = open_kept


class _Kept:
    """An engine that reads what it once embedded from a file."""

    def __init__(self, engine: Engine, path: str) -> None:
        self._engine = engine
        self._db = apsw.Connection(path)
        self._db.set_busy_timeout(60_000)
        self._db.execute("PRAGMA synchronous = off")
        self._db.execute("CREATE TABLE IF NOT EXISTS vectors (hash BLOB PRIMARY KEY, vector BLOB)")

    @property
    def name(self) -> str:
        return self._engine.name

    @property
    def dimensions(self) -> int:
        return self._engine.dimensions

    def embed(self, texts: Sequence[str]) -> "NDArray[np.float32]":
        import numpy as np

        hashes = [hashlib.blake2b(f"{self.name}\0{text}".encode(), digest_size=16).digest() for text in texts]
        kept = {h: self._db.execute("SELECT vector FROM vectors WHERE hash = ?", (h,)).fetchone() for h in hashes}
        missing = {h: text for h, text in zip(hashes, texts, strict=True) if kept[h] is None}
        vectors = self._engine.embed(list(missing.values())) if missing else ()
        with self._db:
            for h, vector in zip(missing, vectors, strict=True):
                kept[h] = (vector.astype(np.float32).tobytes(),)
                self._db.execute("INSERT OR REPLACE INTO vectors VALUES (?, ?)", (h, kept[h][0]))
        rows = [np.frombuffer(kept[h][0], np.float32) for h in hashes]
        return np.stack(rows) if rows else np.zeros((0, self.dimensions), np.float32)

    def embed_question(self, text: str) -> "NDArray[np.float32]":
        return self._engine.embed_question(text)

    def warm(self) -> None:
        self._engine.warm()
