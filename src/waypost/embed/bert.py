"""Shared by the two ways to run a BERT encoder: `onnx_graph` for many texts, `numpy_bert` for one."""

from dataclasses import dataclass

LAYER_NORM_EPSILON = 1e-12


@dataclass(frozen=True, slots=True)
class BertShape:
    layers: int
    heads: int
    hidden: int
