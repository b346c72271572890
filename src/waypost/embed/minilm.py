"""all-MiniLM-L6-v2: 384 dimensions, English, built in."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from waypost.embed import weights
from waypost.embed.bert import BertShape
from waypost.embed.wordpiece import WordPiece

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waypost.embed.onnx_session import OnnxSession

SHAPE = BertShape(layers=6, heads=12, hidden=384)
MAX_TOKENS = 256  # as in training; longer texts are cut
_WEIGHTS = "model.safetensors"
_GRAPH = weights.MINILM.derived[0]


def write_graph(folder: Path) -> None:
    """Derive the ONNX graph next to the weights."""
    from waypost.embed import safetensors
    from waypost.embed.onnx_graph import build

    path = folder / _WEIGHTS
    (folder / _GRAPH).write_bytes(build(safetensors.load_floats(path), safetensors.places(path), _WEIGHTS, SHAPE))


class Minilm:
    """Embeds many texts with onnxruntime, and a question with numpy unless onnxruntime is already loaded."""

    name = weights.MINILM.name
    dimensions = SHAPE.hidden

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        self._folder = folder
        self._threads = threads
        self._session: OnnxSession | None = None
        self._lock = threading.Lock()

    @cached_property
    def _tokenizer(self) -> WordPiece:
        return WordPiece.load(self._folder / "vocab.txt")

    @cached_property
    def _weights(self) -> dict[str, NDArray[np.float32]]:
        from waypost.embed import safetensors

        return safetensors.load_floats(self._folder / _WEIGHTS)

    def warm(self) -> None:
        """Load onnxruntime, which takes half as long as numpy for each question."""
        from waypost.embed.onnx_session import OnnxSession

        with self._lock:
            if self._session is None:
                self._session = OnnxSession(self._folder / _GRAPH, self._threads)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.warm()
        return self._run([self._tokenizer.encode(text, MAX_TOKENS) for text in texts])

    def embed_question(self, text: str) -> NDArray[np.float32]:
        ids = self._tokenizer.encode(text, MAX_TOKENS)
        if self._session is not None:
            vector: NDArray[np.float32] = self._run([ids])[0]
            return vector
        from waypost.embed import numpy_bert

        return numpy_bert.embed(self._weights, ids, SHAPE)

    def _run(self, rows: list[list[int]]) -> NDArray[np.float32]:
        from waypost.embed.batches import embed_rows

        assert self._session is not None
        session = self._session
        return embed_rows(rows, self.dimensions, lambda ids, mask: session.run({"ids": ids, "mask": mask}))
