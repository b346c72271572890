"""The same MiniLM weights by sentence-transformers and torch, as chromadb's users run them."""

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Normalize, Pooling, Transformer

if TYPE_CHECKING:
    from benchmarks.peers.protocol import Floats

_SHAPE = {
    "model_type": "bert", "architectures": ["BertModel"], "hidden_size": 384, "intermediate_size": 1536,
    "num_attention_heads": 12, "num_hidden_layers": 6, "vocab_size": 30522, "max_position_embeddings": 512,
    "hidden_act": "gelu", "layer_norm_eps": 1e-12,
}  # fmt: skip


class TorchMinilm:
    def __init__(self, folder: Path) -> None:
        """`folder` is where Waypost keeps the weights; what else transformers wants to read is written beside them."""
        with tempfile.TemporaryDirectory() as made:
            whole = Path(made)
            for name in ("model.safetensors", "vocab.txt"):
                (whole / name).symlink_to(folder / name)
            (whole / "config.json").write_text(json.dumps(_SHAPE))
            settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True}
            (whole / "tokenizer_config.json").write_text(json.dumps(settings))
            words = Transformer(str(whole), max_seq_length=256)
        pooling = Pooling(384, "mean")
        self._model: Any = SentenceTransformer(modules=[words, pooling, Normalize()], device="cpu")

    def embed(self, texts: Sequence[str]) -> "Floats":
        vectors: Floats = self._model.encode(list(texts), convert_to_numpy=True, show_progress_bar=False)
        return vectors
