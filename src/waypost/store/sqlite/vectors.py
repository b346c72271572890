"""Exact search over all vectors of an engine.

The rows in the database are the truth (half precision). A sidecar file contains them unpacked, as one immutable
memory-mapped generation. Later vectors are read from the database as a tail. Hits on deleted rows are dropped by the
caller, who looks every hit up in the same read transaction. Processes on one database share a generation: the first
one writes it.

A sidecar is used only if it is complete and matches the database. A damaged one, or one beside a restored database,
costs only time.
"""

import contextlib
import os
import struct
import threading
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import apsw
import numpy as np

from waypost.store.sql.packed import pack, unpack
from waypost.store.sql.scores import VectorScores, cosines_of, language_code

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Ids = NDArray[np.int64]
    Codes = NDArray[np.uint8]

_MAGIC = b"WAYPVEC2"
_HEADER = struct.Struct("<8sQQQQ")  # magic, rows, dimensions, last vector id, checksum of ids and languages
_PROBES = 64  # rows of a sidecar that are compared with the database before it is used
_ABANDONED_SECONDS = 3600.0  # seconds: an older temporary file belongs to a killed process
_SIDECAR_FROM = 2048  # rows; fewer are read from the database in a few milliseconds
_TAIL_SHARE = 4  # a new generation when the tail reaches a quarter of the old one
_ROWS_WRITTEN = 512  # rows written to a sidecar at once: 1 MB
_ROWS_AT_ONCE = 16_384  # rows compared at once with up to 256 new vectors: 16 MB of cosines


@dataclass(frozen=True, slots=True)
class VectorBlock:
    """Vectors ordered by id."""

    ids: "Ids"
    languages: "Codes"
    matrix: "Floats"


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All vectors of an engine as of some moment: the mapped generation and the tail."""

    blocks: tuple[VectorBlock, ...]

    def scores(self, question: "Floats") -> VectorScores:
        cosines = [cosines_of(block.matrix, question) for block in self.blocks]
        if len(self.blocks) == 1:
            return VectorScores(self.blocks[0].ids, self.blocks[0].languages, cosines[0])
        return VectorScores(
            np.concatenate([b.ids for b in self.blocks]) if self.blocks else np.empty(0, np.int64),
            np.concatenate([b.languages for b in self.blocks]) if self.blocks else np.empty(0, np.uint8),
            np.concatenate(cosines) if cosines else np.empty(0, np.float32),
        )

    def between(self, vector_ids: Sequence[int]) -> tuple[dict[int, int], list[list[float]]]:
        """The places of those of these ids that are here, and the cosine of each with each."""
        wanted = np.array(vector_ids, np.int64)
        ids, rows = list[int](), []
        for block in self.blocks:
            if len(block.ids):
                places = np.minimum(np.searchsorted(block.ids, wanted), len(block.ids) - 1)
                here = block.ids[places] == wanted
                ids += wanted[here].tolist()
                rows.append(block.matrix[places[here]])
        if not ids:
            return {}, []
        matrix = np.concatenate(rows)
        return {vector_id: place for place, vector_id in enumerate(ids)}, [
            cosines_of(matrix, row).tolist() for row in matrix
        ]

    def pairs_above(self, vectors: "Floats", limit: float) -> Iterator[tuple[int, int, float]]:
        """(vector id, index of the given vector, cosine) for all cosines above `limit`."""
        for block in self.blocks:
            for start in range(0, len(block.ids), _ROWS_AT_ONCE):
                rows = block.matrix[start : start + _ROWS_AT_ONCE]
                cosines = cosines_of(rows, vectors[0])[:, None] if len(vectors) == 1 else rows @ vectors.T
                for row, column in np.argwhere(cosines > limit):
                    yield int(block.ids[start + row]), int(column), float(cosines[row, column])


class EngineVectors:
    """The vectors of one engine in this process. Published snapshots never change."""

    def __init__(self, folder: Path, engine_id: int, dimensions: int) -> None:
        self._folder = folder
        self._engine_id = engine_id
        self._dimensions = self.dimensions = dimensions
        self._base: VectorBlock | None = None
        self._tail: list[VectorBlock] = []
        self._lock = threading.Lock()

    def snapshot(self, connection: apsw.Connection) -> Snapshot:
        """All vectors that this read transaction sees, and perhaps newer ones."""
        with self._lock:
            if self._base is None and not self._tail:
                self._base = self._open_sidecar(connection)
            new = self._read_after(connection, self._last())
            if new is not None:
                self._add_to_tail(new)
            self._maybe_renew(connection)
            return Snapshot(tuple(self._blocks()))

    def drop_sidecars(self) -> None:
        """Drop the generation: it may contain vectors of erased texts."""
        with self._lock:
            self._base, self._tail = None, []
            for path in (*self._sidecars(), *self._folder.glob(".vectors-*.tmp")):
                path.unlink(missing_ok=True)

    def _blocks(self) -> list[VectorBlock]:
        return [b for b in (self._base, *self._tail) if b is not None and len(b.ids)]

    def _add_to_tail(self, new: VectorBlock) -> None:
        """As many blocks as the row count has digits.

        Joining all of them each time would copy the tail for every few writes, and fragment the heap.
        """
        self._tail.append(new)
        while len(self._tail) > 1 and len(self._tail[-2].ids) <= len(self._tail[-1].ids):
            self._tail[-2:] = [_joined(self._tail[-2:])]

    def _last(self) -> int:
        block = self._tail[-1] if self._tail else self._base
        return int(block.ids[-1]) if block is not None and len(block.ids) else 0

    def _read_after(self, connection: apsw.Connection, last: int) -> VectorBlock | None:
        rows: list[Any] = connection.execute(
            "SELECT vector_id, language, packed FROM vectors WHERE engine_id = ? AND vector_id > ? ORDER BY vector_id",
            (self._engine_id, last),
        ).fetchall()
        if not rows:
            return None
        return VectorBlock(
            np.array([row[0] for row in rows], np.int64),
            np.array([language_code(row[1]) for row in rows], np.uint8),
            unpack([row[2] for row in rows], self._dimensions),
        )

    def _sidecars(self) -> list[Path]:
        return sorted(self._folder.glob(f"vectors-{self._engine_id}-*.bin"))

    def _open_sidecar(self, connection: apsw.Connection, after: int = 0) -> VectorBlock | None:
        """The newest usable generation, if it reaches beyond this id."""
        for path in reversed(self._sidecars()):
            # A crash of the machine may remove or truncate a generation; the database has everything.
            with contextlib.suppress(OSError, ValueError):
                block = _map_block(path, self._dimensions)
                if self._agrees(connection, block):
                    return block if int(block.ids[-1]) > after else None
        return None

    def _agrees(self, connection: apsw.Connection, block: VectorBlock) -> bool:
        """Whether the database could have written this: no later ids, and the same vectors where it still has the rows."""
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

    def _maybe_renew(self, connection: apsw.Connection) -> None:
        """When the tail is long: use another process's generation, or write one for all."""
        if self._tail_is_long():
            self._take_over(connection)
        if self._tail_is_long():
            self._write_generation(connection)

    def _tail_is_long(self) -> bool:
        base = 0 if self._base is None else len(self._base.ids)
        return sum(len(block.ids) for block in self._tail) >= max(_SIDECAR_FROM, base // _TAIL_SHARE)

    def _take_over(self, connection: apsw.Connection) -> None:
        newer = self._open_sidecar(connection, 0 if self._base is None else int(self._base.ids[-1]))
        if newer is not None:
            rest = [_after(block, int(newer.ids[-1])) for block in self._tail]
            self._base, self._tail = newer, [block for block in rest if len(block.ids)]

    def _write_generation(self, connection: apsw.Connection) -> None:
        """Without rows that were deleted since they were read: no file keeps erased texts."""
        rows: list[Any] = connection.execute(
            "SELECT vector_id FROM vectors WHERE engine_id = ?", (self._engine_id,)
        ).fetchall()
        living = np.array(rows, np.int64).ravel()
        chosen = [(block, np.isin(block.ids, living)) for block in self._blocks()]
        ids = np.concatenate([block.ids[kept] for block, kept in chosen])
        languages = np.concatenate([block.languages[kept] for block, kept in chosen])
        if not len(ids):
            return
        path = self._folder / f"vectors-{self._engine_id}-{int(ids[-1]):016d}.bin"
        try:
            _write_file(path, ids, languages, self._dimensions, _matrices(chosen))
            self._base, self._tail = _map_block(path, self._dimensions), []
        except (OSError, ValueError):
            return  # full disk or read-only folder: the tail in memory works too, only slower to start
        for old in self._sidecars():
            if old != path:
                with contextlib.suppress(OSError):  # mapped by another process on a system that forbids it
                    old.unlink(missing_ok=True)
        for left in self._folder.glob(".vectors-*.tmp"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                    left.unlink()


def _joined(blocks: list[VectorBlock]) -> VectorBlock:
    return VectorBlock(
        np.concatenate([b.ids for b in blocks]),
        np.concatenate([b.languages for b in blocks]),
        np.concatenate([b.matrix for b in blocks]),
    )


def _after(block: VectorBlock, last: int) -> VectorBlock:
    """Its rows beyond this id, as a copy: a view would keep all of them."""
    begin = int(np.searchsorted(block.ids, last, "right"))
    return VectorBlock(block.ids[begin:].copy(), block.languages[begin:].copy(), block.matrix[begin:].copy())


def _matrices(chosen: "list[tuple[VectorBlock, NDArray[np.bool_]]]") -> "Iterator[Floats]":
    """The chosen rows in pieces: all vectors at once would need the memory twice."""
    for block, kept in chosen:
        for start in range(0, len(kept), _ROWS_WRITTEN):
            piece = slice(start, start + _ROWS_WRITTEN)
            yield block.matrix[piece][kept[piece]]


def _write_file(path: Path, ids: "Ids", languages: "Codes", dimensions: int, matrices: "Iterator[Floats]") -> None:
    """A complete file or none: temporary name, flush to disk, rename."""
    import tempfile  # imports archive modules: only needed to write

    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".vectors-", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(_HEADER.pack(_MAGIC, len(ids), dimensions, int(ids[-1]), _checksum(ids, languages)))
            file.write(ids.astype("<i8").tobytes())
            for matrix in matrices:
                file.write(np.ascontiguousarray(matrix, "<f4").data)
            file.write(languages.tobytes())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _checksum(ids: "Ids", languages: "Codes") -> int:
    """Of ids and languages: a wrong id would give a memory the score of another. Vectors are probed instead."""
    return zlib.crc32(languages.tobytes(), zlib.crc32(ids.astype("<i8").tobytes()))


def _map_block(path: Path, dimensions: int) -> VectorBlock:
    """Map a generation; reject a file with a wrong size, header or checksum."""
    raw = np.asarray(np.memmap(path, np.uint8, "r"))  # single elements of a `memmap` are slow to read
    if len(raw) < _HEADER.size:
        raise ValueError(f"{path} is torn")
    magic, rows, width, last, checksum = _HEADER.unpack(bytes(raw[: _HEADER.size]))
    ids_end = _HEADER.size + 8 * rows
    matrix_end = ids_end + 4 * rows * width
    if magic != _MAGIC or width != dimensions or len(raw) != matrix_end + rows:
        raise ValueError(f"{path} is not a whole generation")
    block = VectorBlock(
        raw[_HEADER.size : ids_end].view("<i8"),
        raw[matrix_end:],
        raw[ids_end:matrix_end].view("<f4").reshape(rows, width),
    )
    if (rows and int(block.ids[-1]) != last) or _checksum(block.ids, block.languages) != checksum:
        raise ValueError(f"{path} is torn")
    return block
