"""Universal Sentence Encoder, multilingual v3: 512 dimensions, sixteen languages, in plain numpy.

The network: embeddings of pieces; three stacks of two convolutions over 2, 3 and 5 neighbours; their sum over the
text; three dense layers. The embeddings are quantised to 6 bits per value.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from waypost.embed import safetensors, weights
from waypost.embed.blas import one_thread
from waypost.embed.sentencepiece import SentencePiece, compile_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

DIMENSIONS = 512
MAX_TOKENS = 512
_DERIVED = weights.MULTILINGUAL.derived[0]
_GROUPS = 17  # rows of the table with the same number modulo this share a scale
_WIDTH = 256  # of a convolution
_STACKS = ((2, 0), (3, 1), (5, 2))  # how many neighbours, and how many of them to the left
_GAP = 2  # empty rows between texts: the reach of the widest window, so that no text affects its neighbour
_TOKENS_PER_BATCH = 512  # large enough to rarely read the weights, small enough for the cache


@dataclass(frozen=True, slots=True)
class TextPieces:
    """The pieces of one text, and what the network sees of each: the piece by itself, and with 2, 3 and 5 neighbours."""

    ids: NDArray[np.intp]
    features: Array
    vector: Array  # of all pieces together


def write_model(folder: Path) -> None:
    """Derive a file that can be mapped into memory: the unpacked weights and the tokenizer's table."""
    with np.load(folder / "weights.npz", allow_pickle=False) as archive:
        parts = {name: archive[name] for name in archive.files}
    blocks = [parts.pop(f"q{number + 1}") for number in range(_GROUPS)]
    table = np.stack(blocks, axis=1).reshape(-1, DIMENSIONS)
    floats = {name: np.asarray(part, np.float32) for name, part in parts.items() if name != "bits"}
    pieces = compile_table((folder / "sp.model").read_bytes())
    safetensors.write(folder / _DERIVED, {"table": table, **floats, **pieces})


class Multilingual:
    """A text has the same vector in every batch. Texts are cut after 512 pieces."""

    name = weights.MULTILINGUAL.name
    dimensions = DIMENSIONS

    def __init__(self, folder: Path) -> None:
        self._path = folder / _DERIVED
        self._parts: tuple[SentencePiece, _Network] | None = None
        self._lock = threading.Lock()

    def warm(self) -> None:
        self._loaded()

    def embed(self, texts: Sequence[str]) -> Array:
        tokenizer, network = self._loaded()
        return network.vectors([tokenizer.encode(text, MAX_TOKENS) for text in texts])

    def embed_question(self, text: str) -> Array:
        vector: Array = self.embed([text])[0]
        return vector

    def pieces(self, text: str, most: int) -> TextPieces:
        """The first pieces of a text, for models that compare two texts piece by piece."""
        tokenizer, network = self._loaded()
        ids = tokenizer.encode(text, most)
        with one_thread():
            rows, starts, _ = network.features([ids])
            features = rows[starts[0] : starts[0] + len(ids)]
            vector = network.dense(features.sum(0, keepdims=True), np.array([[len(ids)]], np.float32))[0]
        return TextPieces(np.asarray(ids, np.intp), features, vector)

    def _loaded(self) -> tuple[SentencePiece, _Network]:
        with self._lock:
            if self._parts is None:
                arrays = safetensors.load(self._path)
                self._parts = SentencePiece(arrays), _Network(arrays)
            return self._parts


class _Network:
    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self._arrays = arrays
        self._epsilon = float(arrays["eps"])
        self._projection: tuple[Array, ...] = tuple(
            np.concatenate([arrays[f"{name}{size}"] for size, _ in _STACKS], axis=-1)
            for name in ("proj", "proj_b", "ln_g", "ln_b")
        )

    def vectors(self, rows: Sequence[Sequence[int]]) -> Array:
        vectors = np.empty((len(rows), DIMENSIONS), np.float32)
        with one_thread():
            for batch in _batches(rows):
                vectors[batch] = self.dense(*self._sums([rows[index] for index in batch]))
        return vectors

    def _sums(self, rows: Sequence[Sequence[int]]) -> tuple[Array, Array]:
        """The sum of the features of each text, and the texts' lengths."""
        features, starts, lengths = self.features(rows)
        return np.add.reduceat(features, starts, axis=0), lengths.astype(np.float32)[:, None]

    def features(self, rows: Sequence[Sequence[int]]) -> tuple[Array, NDArray[np.intp], NDArray[np.intp]]:
        """The features of each piece, where each text begins, and the texts' lengths.

        All texts are in one matrix, with a row for each piece and empty rows between texts. A convolution is then a
        few products of shifted parts of that matrix.
        """
        lengths = np.array([len(row) for row in rows], np.intp)
        starts = np.cumsum(lengths + _GAP) - lengths
        total = int(starts[-1] + lengths[-1]) + _GAP
        ids = np.zeros(total, np.intp)
        inside = np.zeros((total, 1), np.float32)
        for row, start in zip(rows, starts, strict=True):
            ids[start : start + len(row)] = row
            inside[start : start + len(row)] = 1.0
        embedded = self._embeddings(ids)
        projected = self._project(embedded)
        projected *= inside
        parts = [embedded]
        for number, (size, left) in enumerate(_STACKS):
            x = projected[:, number * _WIDTH : (number + 1) * _WIDTH]
            for stage in (1, 2):
                x = x + self._convolve(x, stage, size, left)
                x *= inside
            parts.append(x)
        features = self._normalise(np.concatenate(parts, axis=1), self._arrays["ln_g"], self._arrays["ln_b"])
        features *= inside
        return features, starts, lengths

    def _embeddings(self, ids: NDArray[np.intp]) -> Array:
        group = ids % _GROUPS
        rows: Array = self._arrays["table"][ids].astype(np.float32)
        rows *= self._arrays["scale"][group][:, None]
        rows += self._arrays["lo"][group][:, None]
        return rows

    def _project(self, embedded: Array) -> Array:
        """The input of all three stacks side by side, normalised as one."""
        matrix, bias, gain, shift = self._projection
        return self._normalise(embedded @ matrix + bias, gain, shift)

    def _convolve(self, x: Array, stage: int, size: int, left: int) -> Array:
        """One convolution over `size` neighbouring rows, `left` of them before the row."""
        weight = self._arrays[f"w{stage}_{size}"]
        padded = np.zeros((len(x) + size - 1, _WIDTH), np.float32)
        padded[left : left + len(x)] = x
        y: Array = np.broadcast_to(self._arrays[f"b{stage}_{size}"], x.shape).copy()
        for shift in range(size):
            y += padded[shift : shift + len(x)] @ weight[shift * _WIDTH : (shift + 1) * _WIDTH]
        return np.maximum(y, 0, out=y)

    def _normalise(self, x: Array, gain: Array, shift: Array) -> Array:
        x -= x.mean(-1, keepdims=True)
        x /= np.sqrt(np.einsum("ij,ij->i", x, x)[:, None] / x.shape[1] + np.float32(self._epsilon))
        x *= gain
        x += shift
        return x

    def dense(self, sums: Array, lengths: Array) -> Array:
        """The vectors of texts, from the sums of their features."""
        a = self._arrays
        mean = (sums @ a["cnn_W"] + lengths * a["cnn_b"]) / np.sqrt(lengths)
        first = np.maximum(mean @ a["p1"] + np.maximum(mean @ a["d0"], 0) @ a["d1"], 0)
        second = np.tanh(first @ a["p3"] + np.maximum(first @ a["d2"], 0) @ a["d3"])
        unit: Array = second / np.sqrt(np.maximum(np.square(second).sum(-1, keepdims=True), self._epsilon))
        return unit


def _batches(rows: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    batch: list[int] = []
    tokens = 0
    for index, row in enumerate(rows):
        if batch and tokens + len(row) > _TOKENS_PER_BATCH:
            yield batch
            batch, tokens = [], 0
        batch.append(index)
        tokens += len(row)
    if batch:
        yield batch
