"""Reads two facts piece by piece: does the newer one state another value for the subject of the older one?

Vectors of whole sentences are too coarse for "the press runs firmware 4.6" and "the press has new rollers". So a small
transformer reads both facts together. Of each piece it gets its side, and what the multilingual network sees. It also gets
how near the nearest piece of the other fact is. Features of the words (`facts/renewal.py`) join in the last layers.
`benchmarks/renewal_model.py` trains it on pairs in English, German and Russian (`benchmarks/values/learn/`). Its weights have
half precision.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from waypost.embed.blas import one_thread
from waypost.embed.multilingual import DIMENSIONS, Multilingual, TextPieces
from waypost.embed.numpy_bert import gelu

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

MOST_PIECES = 60  # of each fact
HEADS = 4
_EPSILON = np.float32(1e-5)
_TINY = np.float32(1e-9)
_TEXTS, _PAIRS = 128, 8192  # that a process remembers; a text takes 0.2 MB
WIDEST = 4.0  # deviations of a feature of the words


@dataclass(frozen=True, slots=True)
class PieceUnits:
    """The pieces of a text as vectors of length 1: alone, and with their neighbours."""

    ids: NDArray[np.intp]
    alone: Array
    around: Array


@dataclass(frozen=True, slots=True)
class ReadText:
    """What of a text is the same in every pair."""

    vector: Array  # of the whole text
    projected: Array  # a row for each piece, as the transformer takes it
    units: PieceUnits


class RenewalModel:
    """Safe to use from several threads. Loads its weights when first used."""

    def __init__(self, engine: Multilingual) -> None:
        self._engine = engine
        self._texts = lru_cache(maxsize=_TEXTS)(self._read)
        self._scores: dict[tuple[str, str], float] = {}

    def _read(self, text: str) -> ReadText:
        pieces, weights = self._engine.pieces(text, MOST_PIECES), _weights()
        projected = _linear(_normalised(pieces.features, weights, "inln"), weights, "p")
        return ReadText(pieces.vector, projected, units(pieces))

    def score(self, older: str, newer: str, wording: Mapping[str, float]) -> float:
        """The logit of a renewal. `wording` are the features of the words that the model was trained with."""
        known_score = self._scores.get((older, newer))
        if known_score is not None:
            return known_score
        weights = _weights()
        with one_thread():
            before, after = self._texts(older), self._texts(newer)
            own = [wording[name] for name in weights["wording"]] + [float(before.vector @ after.vector)]
            logit = _logit(weights, before, after, np.array(own, np.float32))
        if len(self._scores) >= _PAIRS:
            self._scores.clear()
        self._scores[older, newer] = logit
        return logit


@lru_cache(maxsize=1)
def _weights() -> Mapping[str, NDArray[Any]]:
    content = files("waypost.embed").joinpath("data", "renewal.npz").read_bytes()
    with np.load(io.BytesIO(content), allow_pickle=False) as archive:
        return {name: _wide(archive[name]) for name in archive.files}


def _wide(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.float32) if array.dtype == np.float16 else array


def units(pieces: TextPieces) -> PieceUnits:
    features = pieces.features
    return PieceUnits(pieces.ids, _unit(features[:, :DIMENSIONS]), _unit(features[:, DIMENSIONS:]))


def nearness_of_pieces(before: PieceUnits, after: PieceUnits) -> Array:
    """Of each piece of both texts: how near the nearest piece of the other one is, alone and with its neighbours.

    Then whether the other text has it too, and how near all its pieces are.
    """
    alone, around = before.alone @ after.alone.T, before.around @ after.around.T
    same = (before.ids[:, None] == after.ids[None]).astype(np.float32)
    rows = [np.stack([alone.max(axis), around.max(axis), same.max(axis), alone.mean(axis)], axis=1) for axis in (1, 0)]
    return np.concatenate(rows)


def _logit(weights: Mapping[str, Array], older: ReadText, newer: ReadText, wording: Array) -> float:
    lengths = (len(older.units.ids), len(newer.units.ids))
    if not all(lengths):
        return 0.0
    x = np.concatenate([older.projected, newer.projected])
    x += _linear(nearness_of_pieces(older.units, newer.units), weights, "f")
    x += np.repeat(weights["seg.weight"], lengths, axis=0)
    x += np.concatenate([weights["pos.weight"][:length] for length in lengths])
    x = np.concatenate([weights["cls"][None], x])
    layer = 0
    while f"ls.{layer}.linear1.weight" in weights:
        x = _transformed(x, weights, f"ls.{layer}")
        layer += 1
    x = _normalised(x, weights, "ln")
    middle = 1 + lengths[0]
    words = np.clip((wording - weights["mean"]) / weights["deviation"], -WIDEST, WIDEST)
    pooled = np.concatenate([x[0], x[1:middle].mean(0), x[middle:].mean(0), words])[None]
    hidden = gelu(_linear(pooled, weights, "h.0"))
    return float(_linear(hidden, weights, "h.3")[0, 0])


def _transformed(x: Array, weights: Mapping[str, Array], base: str) -> Array:
    length, width = x.shape
    inputs = _normalised(x, weights, f"{base}.norm1") @ weights[f"{base}.self_attn.in_proj_weight"].T
    inputs += weights[f"{base}.self_attn.in_proj_bias"]
    query, key, value = inputs.reshape(length, 3, HEADS, width // HEADS).transpose(1, 2, 0, 3)
    scores = query @ key.transpose(0, 2, 1) * np.float32((width // HEADS) ** -0.5)
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    attended = (scores @ value).transpose(1, 0, 2).reshape(length, width)
    x = x + _linear(attended, weights, f"{base}.self_attn.out_proj")
    inner = gelu(_linear(_normalised(x, weights, f"{base}.norm2"), weights, f"{base}.linear1"))
    result: Array = x + _linear(inner, weights, f"{base}.linear2")
    return result


def _linear(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    product: Array = x @ weights[f"{name}.weight"].T
    product += weights[f"{name}.bias"]
    return product


def _normalised(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    centred /= np.sqrt(np.square(centred).mean(-1, keepdims=True) + _EPSILON)
    result: Array = centred * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return result


def _unit(rows: NDArray[Any]) -> Array:
    unit: Array = rows / (np.linalg.norm(rows, axis=1, keepdims=True) + _TINY)
    return unit
