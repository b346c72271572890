"""Exact search over all vectors of an engine.

The rows in the database are the truth (half precision). A sidecar file holds them unpacked, as one immutable
generation that is memory-mapped; what was stored since is read from the database as a tail. Rows deleted
since are dropped by the caller, who looks every answer up in the same read transaction.

A sidecar is believed only if it is whole and says what the database says, so that one that is damaged, or
lies beside a database put back from a backup, costs time and not the right answer.
"""

import contextlib
import os
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from waypost.store.sql.packed import pack, unpack
from waypost.store.sql.scores import Scores, cosines_of, language_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int64]
    Codes = NDArray[np.uint8]

_MAGIC = b"WAYPVEC2"
_HEADER = struct.Struct("<8sQQQQ")  # magic, rows, dimensions, last vector id, checksum of ids and languages
_PROBES = 64  # rows of a sidecar that are compared with the database before it is believed
_ABANDONED_SECONDS = 3600.0  # a temporary file this old belongs to a process that was killed
_SIDECAR_FROM = 2048  # rows; below, reading them from the database takes a few milliseconds
_TAIL_SHARE = 4  # a new generation when the tail reaches a quarter of the old one
_ROWS_AT_ONCE = 16_384  # compared with up to 256 new vectors: 16 MB of cosines


@dataclass(frozen=True, slots=True)
class Block:
    """Some vectors in the order of their ids."""

    ids: "Ids"
    languages: "Codes"
    matrix: "Floats"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All vectors of an engine as of some moment: the mapped generation and the tail."""

    blocks: tuple[Block, ...]

    def scores(self, question: "Floats") -> Scores:
        cosines = [cosines_of(block.matrix, question) for block in self.blocks]
        if len(self.blocks) == 1:
            return Scores(self.blocks[0].ids, self.blocks[0].languages, cosines[0])
        return Scores(
            np.concatenate([b.ids for b in self.blocks]) if self.blocks else np.empty(0, np.int64),
            np.concatenate([b.languages for b in self.blocks]) if self.blocks else np.empty(0, np.uint8),
            np.concatenate(cosines) if cosines else np.empty(0, np.float32),
        )

    def pairs_above(self, asked: "Floats", limit: float) -> Iterator[tuple[int, int, float]]:
        """(vector id, index of the asked vector, cosine) for all that resemble more than `limit`."""
        for block in self.blocks:
            for start in range(0, len(block.ids), _ROWS_AT_ONCE):
                rows = block.matrix[start : start + _ROWS_AT_ONCE]
                cosines = cosines_of(rows, asked[0])[:, None] if len(asked) == 1 else rows @ asked.T
                for row, column in np.argwhere(cosines > limit):
                    yield int(block.ids[start + row]), int(column), float(cosines[row, column])


class EngineVectors:
    """The vectors of one engine in this process. Publishes snapshots; never changes one that is out."""

    def __init__(self, folder: Path, engine_id: int, dimensions: int) -> None:
        self._folder = folder
        self._engine_id = engine_id
        self._dimensions = self.dimensions = dimensions
        self._base: Block | None = None
        self._tail: list[Block] = []
        self._lock = threading.Lock()

    def snapshot(self, connection: apsw.Connection) -> Snapshot:
        """All vectors that this read transaction sees, and perhaps newer ones."""
        with self._lock:
            if self._base is None and not self._tail:
                self._base = self._open_sidecar(connection)
            new = self._read_after(connection, self._last())
            if len(new.ids):
                self._tail.append(new)
                if len(self._tail) > 16:
                    self._tail = [_joined(self._tail)]
            self._maybe_write_generation(connection)
            return Snapshot(tuple(b for b in (self._base, *self._tail) if b is not None and len(b.ids)))

    def drop_sidecars(self) -> None:
        """Forget the generation: it may hold vectors of what was erased."""
        with self._lock:
            self._base, self._tail = None, []
            for path in (*self._sidecars(), *self._folder.glob(".vectors-*.tmp")):
                path.unlink(missing_ok=True)

    def _last(self) -> int:
        block = self._tail[-1] if self._tail else self._base
        return int(block.ids[-1]) if block is not None and len(block.ids) else 0

    def _read_after(self, connection: apsw.Connection, last: int) -> Block:
        rows: list[Any] = connection.execute(
            "SELECT vector_id, language, packed FROM vectors WHERE engine_id = ? AND vector_id > ? ORDER BY vector_id",
            (self._engine_id, last),
        ).fetchall()
        return Block(
            np.array([row[0] for row in rows], np.int64),
            np.array([language_code(row[1]) for row in rows], np.uint8),
            unpack([row[2] for row in rows], self._dimensions),
        )

    def _sidecars(self) -> list[Path]:
        return sorted(self._folder.glob(f"vectors-{self._engine_id}-*.bin"))

    def _open_sidecar(self, connection: apsw.Connection) -> Block | None:
        for path in reversed(self._sidecars()):
            # A generation may vanish or be cut off by a crash of the machine; the database has it all.
            with contextlib.suppress(OSError, ValueError):
                block = _map_block(path, self._dimensions)
                if self._agrees(connection, block):
                    return block
        return None

    def _agrees(self, connection: apsw.Connection, block: Block) -> bool:
        """Whether the database could have made this: no later ids, and where it still has a row, the same vector."""
        last: list[Any] = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'vectors'").fetchall()
        if not len(block.ids) or not last or int(block.ids[-1]) > last[0][0]:
            return False
        for place in {*range(0, len(block.ids), max(1, len(block.ids) // _PROBES)), len(block.ids) - 1}:
            rows: list[Any] = connection.execute(
                "SELECT engine_id, packed FROM vectors WHERE vector_id = ?", (int(block.ids[place]),)
            ).fetchall()
            if rows and rows[0] != (self._engine_id, pack(block.matrix[place])):
                return False
        return True

    def _living(self, connection: apsw.Connection, block: Block) -> Block:
        """Without the rows that were deleted since they were read: no file keeps what was forgotten."""
        rows: list[Any] = connection.execute(
            "SELECT vector_id FROM vectors WHERE engine_id = ?", (self._engine_id,)
        ).fetchall()
        kept = np.isin(block.ids, np.array(rows, np.int64).ravel())
        return block if kept.all() else Block(block.ids[kept], block.languages[kept], block.matrix[kept])

    def _maybe_write_generation(self, connection: apsw.Connection) -> None:
        base = 0 if self._base is None else len(self._base.ids)
        tail = sum(len(block.ids) for block in self._tail)
        if tail < max(_SIDECAR_FROM, base // _TAIL_SHARE):
            return
        whole = self._living(connection, _joined([b for b in (self._base, *self._tail) if b is not None]))
        if not len(whole.ids):
            return
        path = self._folder / f"vectors-{self._engine_id}-{int(whole.ids[-1]):016d}.bin"
        try:
            _write_block(path, whole)
            self._base, self._tail = _map_block(path, self._dimensions), []
        except (OSError, ValueError):
            return  # no room or a read-only place: the tail in memory serves, only slower to start
        for old in self._sidecars():
            if old != path:
                with contextlib.suppress(OSError):  # mapped by another process on a system that forbids it
                    old.unlink(missing_ok=True)
        for left in self._folder.glob(".vectors-*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                    left.unlink()


def _joined(blocks: list[Block]) -> Block:
    return Block(
        np.concatenate([b.ids for b in blocks]),
        np.concatenate([b.languages for b in blocks]),
        np.concatenate([b.matrix for b in blocks]),
    )


def _write_block(path: Path, block: Block) -> None:
    """A complete file or none: temporary name, flush to disk, rename."""
    rows, dimensions = block.matrix.shape
    import tempfile  # brings archives along: only who writes pays for it

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".vectors-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_HEADER.pack(_MAGIC, rows, dimensions, int(block.ids[-1]), _checksum(block)))
            file.write(block.ids.astype("<i8").tobytes())
            file.write(np.ascontiguousarray(block.matrix, "<f4").data)
            file.write(block.languages.tobytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _checksum(block: Block) -> int:
    """Of the small parts: a wrong id would give a memory the score of another. Vectors are probed instead."""
    return zlib.crc32(block.languages.tobytes(), zlib.crc32(block.ids.astype("<i8").tobytes()))


def _map_block(path: Path, dimensions: int) -> Block:
    """Map a generation; refuse a file whose size, header or checksum is not exactly what it must be."""
    raw = np.asarray(np.memmap(path, np.uint8, "r"))  # single elements of a `memmap` are slow to take
    if len(raw) < _HEADER.size:
        raise ValueError(f"{path} is torn")
    magic, rows, width, last, checksum = _HEADER.unpack(bytes(raw[: _HEADER.size]))
    ids_end = _HEADER.size + 8 * rows
    matrix_end = ids_end + 4 * rows * width
    if magic != _MAGIC or width != dimensions or len(raw) != matrix_end + rows:
        raise ValueError(f"{path} is not a whole generation")
    block = Block(
        raw[_HEADER.size : ids_end].view("<i8"),
        raw[matrix_end:],
        raw[ids_end:matrix_end].view("<f4").reshape(rows, width),
    )
    if (rows and int(block.ids[-1]) != last) or _checksum(block) != checksum:
        raise ValueError(f"{path} is torn")
    return block
