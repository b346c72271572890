"""The BERT encoder in plain numpy, for one text, with memory-mapped weights.

For a process that answers one question, loading onnxruntime takes longer than computing the vector.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from waypost.embed.bert import LAYER_NORM_EPSILON, BertShape
from waypost.embed.blas import one_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

_ROOT_HALF = np.float32(0.5**0.5)
# Abramowitz and Stegun 7.1.26: the error function to 1.5e-7, accurate enough for six layers in float32.
_ERF = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
_ERF_SCALE = 0.3275911


def embed(weights: Mapping[str, Array], ids: Sequence[int], shape: BertShape) -> Array:
    """The mean-pooled, normalised vector of one text, given its token ids.

    Tokens are columns, because the matrices are stored [out, in]. With so few tokens, BLAS is 2.5 times as fast this
    way as with rows and the transposed matrix.
    """
    with one_thread():
        return _embed(weights, np.asarray(ids, np.intp), shape)


def _embed(weights: Mapping[str, Array], tokens: NDArray[np.intp], shape: BertShape) -> Array:
    rows = weights["embeddings.word_embeddings.weight"][tokens]
    rows = rows + weights["embeddings.position_embeddings.weight"][: len(tokens)]
    rows += weights["embeddings.token_type_embeddings.weight"][0]
    x = _normalise(np.ascontiguousarray(rows.T), weights, "embeddings.LayerNorm")
    for number in range(shape.layers):
        x = _layer(x, weights, f"encoder.layer.{number}", shape.heads)
    total: Array = x.sum(1)
    unit: Array = total / np.linalg.norm(total)
    return unit


def _layer(x: Array, weights: Mapping[str, Array], base: str, heads: int) -> Array:
    hidden, length = x.shape
    query, key, value = (
        _linear(x, weights, f"{base}.attention.self.{part}").reshape(heads, -1, length)
        for part in ("query", "key", "value")
    )
    scores = query.transpose(0, 2, 1) @ key
    scores *= np.float32((hidden // heads) ** -0.5)
    scores -= scores.max(-1, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(-1, keepdims=True)
    attended = (value @ scores.transpose(0, 2, 1)).reshape(hidden, length)
    x = x + _linear(attended, weights, f"{base}.attention.output.dense")
    x = _normalise(x, weights, f"{base}.attention.output.LayerNorm")
    inner = gelu(_linear(x, weights, f"{base}.intermediate.dense"))
    x = x + _linear(inner, weights, f"{base}.output.dense")
    return _normalise(x, weights, f"{base}.output.LayerNorm")


def _linear(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    product: Array = weights[f"{name}.weight"] @ x
    product += weights[f"{name}.bias"][:, None]
    return product


def _normalise(x: Array, weights: Mapping[str, Array], name: str) -> Array:
    x -= x.mean(0)
    x /= np.sqrt(np.square(x).mean(0) + np.float32(LAYER_NORM_EPSILON))
    x *= weights[f"{name}.weight"][:, None]
    x += weights[f"{name}.bias"][:, None]
    return x


def gelu(x: Array) -> Array:
    """The Gaussian error linear unit, elementwise."""
    z = np.abs(x) * _ROOT_HALF
    t = 1 / (1 + np.float32(_ERF_SCALE) * z)
    polynomial = np.full_like(t, _ERF[0])
    for coefficient in _ERF[1:]:
        polynomial *= t
        polynomial += np.float32(coefficient)
    erf = 1 - polynomial * t * np.exp(-z * z)
    result: Array = 0.5 * x * (1 + np.copysign(erf, x))
    return result
