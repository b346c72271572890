"""The ONNX graph of a BERT sentence encoder, written from its safetensors file without torch.

The graph holds only the structure: its weights stay in the safetensors file, which the session maps into memory. So
one file on the disk serves onnxruntime and the numpy path alike. Mean pooling and normalisation are part of the graph.

Why float32. Dynamic int8 as usual quantises the activations of a whole batch, so a text's vector depends on what else
is in its batch. Quantised per token (activations 8 bits, weights 7) it does not, retrieval is as good, and a machine
with VNNI is 2 times as fast (without: 1.1). But then a difference in the last bit tips roundings, and these tip others:
numpy and onnxruntime, or two kinds of processor, give vectors whose cosine is .9993 on average and .995 at worst. One
text has to have one vector.
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
    """Collects nodes and constants; every method returns the name of what it added."""

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
        """x times a matrix stored as torch does, [out, in]; packed once when the session starts."""
        return self.add("FusedMatMul", [x, self.weight(weight)], output, onnx.MICROSOFT, transB=1)


def build(
    weights: Mapping[str, NDArray[np.float32]], places: Mapping[str, TensorPlace], location: str, shape: BertShape
) -> bytes:
    """The model's bytes. Inputs: int32 `ids` and `mask` [batch, length]; output: `vectors` [batch, hidden].

    `location` is the name of the safetensors file beside the graph, `places` where its tensors are. The arrays are
    needed only for the biases of the three attention inputs, which the fused operator wants in one piece.
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
    one = graph.constant("one", np.array(1, np.int64))
    length = graph.add("Gather", [graph.add("Shape", ["ids"], "shape"), one], "length")
    positions = graph.add("Range", [zero, length, one], "positions")
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
    """The sum over the text's own tokens: dividing it by their number would be undone by the normalisation."""
    import numpy as np

    axis = graph.constant("axis", np.array([1], np.int64))
    mask = graph.add("Cast", ["mask"], "mask.float", to=onnx.FLOAT)
    row = graph.add("Unsqueeze", [mask, axis], "mask.row")
    total = graph.add("Squeeze", [graph.add("MatMul", [row, x], "total.row"), axis], "total")
    graph.add("LpNormalization", [total], "vectors", axis=-1, p=2)
