"""The ONNX graph of a BERT sentence encoder, written from its safetensors file without torch.

The graph has only the structure. Its weights stay in the safetensors file, which the session maps into memory.
onnxruntime and numpy thus use the same file. Mean pooling and normalisation are part of the graph.

Why float32: a text must always have the same vector. Usual dynamic int8 quantises the activations of a whole batch, so
that the vector depends on the batch. Quantised per token (8-bit activations, 7-bit weights), it does not. Retrieval is
as good, and 2 times as fast with VNNI (1.1 times without). But differences in the last bit then change roundings:
vectors by numpy and onnxruntime, or from two processors, have a cosine of .9993 on average and .995 at worst.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waypost.embed import onnx_format as onnx
from waypost.embed.bert import LAYER_NORM_EPSILON, BertShape
from waypost.embed.safetensors import TensorPlace

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FLOAT_BYTES = 4


@dataclass(slots=True)
class _Graph:
    """Collects nodes and constants. Every method returns the name of the added one."""

    places: Mapping[str, TensorPlace]
    location: str
    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def add(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: onnx.Attribute
    ) -> str:
        self.nodes.append(onnx.node(operator, inputs, [output], domain, **attributes))
        return output

    def constant(self, name: str, values: NDArray[np.generic]) -> str:
        self.constants.append(onnx.tensor(name, values))
        return name

    def weight(self, name: str) -> str:
        place = self.places[name]
        self.constants.append(onnx.external_tensor(name, place.shape, self.location, place.offset, place.length))
        return name

    def first_row(self, name: str) -> str:
        place = self.places[name]
        width = place.shape[1]
        row = f"{name}.0"
        self.constants.append(onnx.external_tensor(row, [width], self.location, place.offset, width * _FLOAT_BYTES))
        return row

    def product(self, x: str, weight: str, output: str) -> str:
        """x times a matrix stored [out, in], as in torch; packed once when the session starts."""
        return self.add("FusedMatMul", [x, self.weight(weight)], output, onnx.MICROSOFT, transB=1)


def build(
    weights: Mapping[str, NDArray[np.float32]], places: Mapping[str, TensorPlace], location: str, shape: BertShape
) -> bytes:
    """The model's bytes. Inputs: int32 `ids` and `mask` [batch, length]; output: `vectors` [batch, hidden].

    `location` is the name of the safetensors file next to the graph, and `places` says where its tensors are. The
    arrays are needed only for the biases of the attention inputs, which the fused operator takes as one tensor.
    """
    graph = _Graph(places, location)
    x = _embeddings(graph)
    for layer in range(shape.layers):
        x = _layer(graph, weights, x, layer, shape)
    _pooling(graph, x)
    inputs = [onnx.value(name, onnx.INT32, ["batch", "length"]) for name in ("ids", "mask")]
    outputs = [onnx.value("vectors", onnx.FLOAT, ["batch", shape.hidden])]
    return onnx.model(graph.nodes, graph.constants, inputs, outputs)


def _embeddings(graph: _Graph) -> str:
    import numpy as np

    word = graph.add("Gather", [graph.weight("embeddings.word_embeddings.weight"), "ids"], "word")
    zero = graph.constant("zero", np.array(0, np.int64))
    unit = graph.constant("one", np.array(1, np.int64))
    length = graph.add("Gather", [graph.add("Shape", ["ids"], "shape"), unit], "length")
    positions = graph.add("Range", [zero, length, unit], "positions")
    place = graph.add("Gather", [graph.weight("embeddings.position_embeddings.weight"), positions], "place")
    segment = graph.first_row("embeddings.token_type_embeddings.weight")  # a text is always one segment
    placed = graph.add("Add", [place, segment], "placed")
    total = graph.add("Add", [word, placed], "embedded")
    norm = [graph.weight(f"embeddings.LayerNorm.{part}") for part in ("weight", "bias")]
    return graph.add("LayerNormalization", [total, *norm], "x0", axis=-1, epsilon=LAYER_NORM_EPSILON)


def _layer(graph: _Graph, weights: Mapping[str, NDArray[np.float32]], x: str, number: int, shape: BertShape) -> str:
    import numpy as np

    base = f"encoder.layer.{number}"
    parts = [f"{base}.attention.self.{part}" for part in ("query", "key", "value")]
    inputs = [graph.product(x, f"{part}.weight", f"{part}.product") for part in parts]
    biases = graph.constant(f"{base}.biases", np.concatenate([weights[f"{part}.bias"] for part in parts]))
    attended = graph.add(
        "MultiHeadAttention", [*inputs, biases, "mask"], f"{base}.attended", onnx.MICROSOFT, num_heads=shape.heads
    )
    x = _residual(graph, attended, x, f"{base}.attention.output", f"{base}.middle")
    inner = graph.product(x, f"{base}.intermediate.dense.weight", f"{base}.inner")
    bias = graph.weight(f"{base}.intermediate.dense.bias")
    active = graph.add("BiasGelu", [inner, bias], f"{base}.active", onnx.MICROSOFT)
    return _residual(graph, active, x, f"{base}.output", f"x{number + 1}")


def _residual(graph: _Graph, x: str, skip: str, base: str, output: str) -> str:
    """normalise(skip + x times the dense matrix + its bias)"""
    dense = graph.product(x, f"{base}.dense.weight", f"{output}.dense")
    norm = [graph.weight(f"{base}.LayerNorm.{part}") for part in ("weight", "bias")]
    bias = graph.weight(f"{base}.dense.bias")
    inputs = [dense, skip, *norm, bias]
    return graph.add("SkipLayerNormalization", inputs, output, onnx.MICROSOFT, epsilon=LAYER_NORM_EPSILON)


def _pooling(graph: _Graph, x: str) -> None:
    """Sum the text's tokens. Dividing by their number is unnecessary, since the result is normalised."""
    import numpy as np

    axis = graph.constant("axis", np.array([1], np.int64))
    mask = graph.add("Cast", ["mask"], "mask.float", to=onnx.FLOAT)
    row = graph.add("Unsqueeze", [mask, axis], "mask.row")
    total = graph.add("Squeeze", [graph.add("MatMul", [row, x], "total.row"), axis], "total")
    graph.add("LpNormalization", [total], "vectors", axis=-1, p=2)
