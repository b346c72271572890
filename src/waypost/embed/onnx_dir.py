"""`onnx:DIR`: a user's own sentence encoder in ONNX format.

DIR has `model.onnx` (or `onnx/model.onnx`) and `vocab.txt` or `tokenizer.json`. Defaults come from the files of
sentence-transformers, if present: `1_Pooling/config.json`, `config_sentence_transformers.json` and
`sentence_bert_config.json`. A `waypost.toml` in DIR overrides them: pooling ("mean" or "cls"), query_prefix,
text_prefix, max_tokens, normalise.
"""

from __future__ import annotations

import hashlib
import json
import threading
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.embed.onnx_session import OnnxSession
from waypost.embed.wordpiece import WordPiece
from waypost.errors import ConfigError, EngineUnavailable, ModelCorrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SETTINGS = "waypost.toml"
_SAMPLE = 1 << 20  # bytes at each end of a file that go into the engine's name
_INPUTS = {"input_ids", "attention_mask", "token_type_ids"}
_TINY = 1e-12  # avoids dividing by zero
_POOLED = ("sentence_embedding", "sentence_embeddings")  # outputs with one vector for each text


@dataclass(frozen=True, slots=True)
class EncoderSettings:
    pooling: str = "mean"  # mean | cls
    query_prefix: str = ""
    text_prefix: str = ""
    max_tokens: int = 256
    normalise: bool = True


def read_settings(folder: Path) -> EncoderSettings:
    """The settings in sentence-transformers' files, overridden by `waypost.toml`."""
    settings = EncoderSettings()
    pooling = _read_json(folder / "1_Pooling" / "config.json")
    if pooling.get("pooling_mode_cls_token"):
        settings = replace(settings, pooling="cls")
    elif pooling and not pooling.get("pooling_mode_mean_tokens", True):
        raise ConfigError(f"{folder / '1_Pooling'} asks for unsupported pooling.", "Waypost supports mean and cls.")
    prompts = _read_json(folder / "config_sentence_transformers.json").get("prompts") or {}
    if isinstance(prompts, dict):
        query = prompts.get("query", "")
        text = next((prompts[key] for key in ("document", "passage", "text") if prompts.get(key)), "")
        settings = replace(settings, query_prefix=str(query or ""), text_prefix=str(text))
    longest = _read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    if isinstance(longest, int) and longest > 2:
        settings = replace(settings, max_tokens=min(longest, 512))
    return _override(settings, folder / _SETTINGS)


def _override(settings: EncoderSettings, path: Path) -> EncoderSettings:
    if not path.is_file():
        return settings
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} is not valid TOML: {error}", "Correct that line or remove the file.") from error
    names = {item.name for item in fields(settings)}
    for key, content in table.items():
        if key not in names:
            raise ConfigError(f"Unknown setting {key!r} in {path}.", f"Known: {', '.join(sorted(names))}.")
        if type(content) is not type(getattr(settings, key)):
            raise ConfigError(f"{key!r} in {path} has the wrong type.", f"Its default is {getattr(settings, key)!r}.")
    settings = replace(settings, **table)
    if settings.pooling not in {"mean", "cls"} or settings.max_tokens < 3:
        raise ConfigError(f"{path}: pooling must be mean or cls, max_tokens at least 3.", "Correct it.")
    return settings


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except ValueError as error:
        raise ConfigError(f"{path} is not valid JSON.", "Export the model again.") from error
    return content if isinstance(content, dict) else {}


class OnnxDirectory:
    """Loads its parts when first used. With a float32 model, a text has the same vector in every batch."""

    def __init__(self, folder: Path, threads: int | None = None) -> None:
        candidates = (folder / "model.onnx", folder / "onnx" / "model.onnx")
        model = next((path for path in candidates if path.is_file()), None)
        if model is None:
            raise EngineUnavailable(f"{folder} has no model.onnx.", "Give onnx:DIR an exported model's directory.")
        self._model = model
        self._threads = threads
        self._lock = threading.Lock()
        self._session: OnnxSession | None = None
        self._settings = read_settings(folder)
        self._vocabulary = _vocabulary(folder)
        self._encode = _tokenizer(self._vocabulary, self._settings.max_tokens)

    @cached_property
    def name(self) -> str:
        """A hash of the model and everything else that determines its vectors, so that copies have the same name."""
        digest = hashlib.sha256(repr(self._settings).encode())
        weights = sorted(self._model.parent.glob(f"{self._model.name}*"))  # large models have a second file
        for path in (*weights, self._vocabulary):
            size = path.stat().st_size
            digest.update(size.to_bytes(8, "little"))
            with path.open("rb") as file:
                digest.update(file.read(_SAMPLE))
                file.seek(max(0, size - _SAMPLE))
                digest.update(file.read(_SAMPLE))
        return f"onnx:{digest.hexdigest()[:16]}"

    @cached_property
    def dimensions(self) -> int:
        size = self._output[1][-1]
        if isinstance(size, int):
            return size
        import numpy as np

        ids = np.array([self._encode("a")], np.int32)
        return int(self._vectors(ids, np.ones_like(ids)).shape[1])

    def warm(self) -> None:
        self._loaded()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._embed(self._settings.text_prefix, texts)

    def embed_question(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._embed(self._settings.query_prefix, [text])[0]
        return vector

    def _embed(self, prefix: str, texts: Sequence[str]) -> NDArray[np.float32]:
        from waypost.embed.batches import embed_rows

        return embed_rows([self._encode(prefix + text) for text in texts], self.dimensions, self._vectors)

    def _loaded(self) -> OnnxSession:
        with self._lock:
            if self._session is None:
                session = OnnxSession(self._model, self._threads)
                unsupported = {name for name, _ in session.inputs} - _INPUTS
                if unsupported:
                    raise ModelCorrupt(
                        f"{self._model} needs the input {min(unsupported)!r}.", "Export a BERT-style sentence encoder."
                    )
                self._session = session
            return self._session

    @cached_property
    def _output(self) -> tuple[str, tuple[Any, ...]]:
        """The output to read: vectors of texts if the model has them, else its first output, vectors of tokens."""
        outputs = self._loaded().outputs
        return next((output for output in outputs if output[0] in _POOLED), outputs[0])

    def _vectors(self, ids: NDArray[np.int32], mask: NDArray[np.int32]) -> NDArray[np.float32]:
        import numpy as np

        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        session = self._loaded()
        types = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
        feeds = {name: inputs[name].astype(types.get(kind, np.int64)) for name, kind in session.inputs}
        vectors = session.run(feeds, self._output[0]).astype(np.float32)
        if vectors.ndim == 3:
            vectors = self._pool(vectors, mask)
        if vectors.ndim != 2 or not np.isfinite(vectors).all():
            raise ModelCorrupt(f"{self._model} does not output vectors of texts.", "Export a sentence encoder.")
        if self._settings.normalise:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(_TINY))
        return vectors

    def _pool(self, tokens: NDArray[np.float32], mask: NDArray[np.int32]) -> NDArray[np.float32]:
        import numpy as np

        if self._settings.pooling == "cls":
            return tokens[:, 0]
        weight = mask[:, :, None].astype(np.float32)
        mean: NDArray[np.float32] = (tokens * weight).sum(1) / weight.sum(1)
        return mean


def _vocabulary(folder: Path) -> Path:
    """The tokenizer's file: vocab.txt if the model is uncased, since our WordPiece folds case; else tokenizer.json."""
    uncased = _read_json(folder / "tokenizer_config.json").get("do_lower_case", True) is not False
    for path in (folder / "vocab.txt", folder / "tokenizer.json"):
        if path.is_file() and (uncased or path.name != "vocab.txt"):
            return path
    raise EngineUnavailable(f"{folder} has no vocab.txt (uncased) and no tokenizer.json.", "Export the model again.")


def _tokenizer(path: Path, max_tokens: int) -> Callable[[str], list[int]]:
    """A function from text to ids: our own WordPiece or the `tokenizers` library."""
    if path.name == "vocab.txt":
        wordpiece = WordPiece.load(path)
        return lambda text: wordpiece.encode(text, max_tokens)
    try:
        from tokenizers import Tokenizer
    except ImportError as error:
        raise EngineUnavailable(
            f"{path} needs the tokenizers library.", "Install it: `pip install tokenizers`."
        ) from error
    try:
        tokenizer = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises nothing narrower
        raise ModelCorrupt(f"{path} cannot be read: {error}", "Export the model again.") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    return lambda text: list(tokenizer.encode(text).ids)
