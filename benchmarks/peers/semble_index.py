"""semble 0.7.0 on a tree, run by an interpreter of its own: `semble_index.py TREE none|minilm` prints JSON.

Its own model is on a server only. `none` gives every text the same vector, which leaves its chunks and keywords; `minilm`
embeds with Waypost's engine, from this repository.
"""

import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Constant:
    """No meaning at all."""

    dim = 2

    def encode(self, texts: Sequence[str], **_: object) -> Any:
        import numpy as np

        return np.ones((len(texts), 2), np.float32)


class Minilm:
    dim = 384

    def __init__(self) -> None:
        sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "src"))
        from waypost import config
        from waypost.embed.registry import open_engine

        self._engine = open_engine("minilm", config.load())
        self._engine.warm()

    def encode(self, texts: Sequence[str], **_: object) -> Any:
        return self._engine.embed(list(texts))


def main(tree: str, model: str) -> dict[str, float]:
    from semble.index.create import create_index_from_path

    root, engine = Path(tree).resolve(), Minilm() if model == "minilm" else Constant()
    started, busy = time.perf_counter(), time.process_time()
    _, _, chunks, _ = create_index_from_path(root, model=engine, display_root=root)
    told = os.times()
    return {
        "s": time.perf_counter() - started,
        "cpu_s": time.process_time() - busy + told.children_user + told.children_system,
        "chunks": len(chunks),
    }


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
