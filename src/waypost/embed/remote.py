"""Engines on a server: Ollama's `/api/embed` and OpenAI's `/v1/embeddings`. Used only if configured.

Answers are not trusted: their count, sizes and numbers are checked. Any problem raises `EngineUnavailable`, so that
recall falls back to keywords.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from waypost.config import RemoteEngine
from waypost.errors import EngineUnavailable
from waypost.wire import HttpServer, NoReply, retry, usable_key

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 32
_PATIENT = (0.5, 1.0, 2.0)  # seconds before the second, third and last attempt
_QUICK = (0.2,)  # someone is waiting for the answer
_ANSWER_LIMIT = 256 << 20  # bytes
# nomic-embed-text was trained with these. Without them, its vectors match questions and passages badly.
_NOMIC_PREFIXES = ("search_document: ", "search_query: ")


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How to call one kind of server, and where its answer has the vectors."""

    label: str
    path: str
    remedy: str
    vectors: Callable[[Any], list[Any]]


def _ollama_vectors(answer: Any) -> list[Any]:
    return list(answer["embeddings"])


def _openai_vectors(answer: Any) -> list[Any]:
    return [item["embedding"] for item in sorted(answer["data"], key=lambda item: int(item["index"]))]


_OLLAMA = _Dialect(
    "ollama",
    "/api/embed",
    "Start Ollama (`ollama serve`), fetch the model (`ollama pull {model}`), or use another engine.",
    _ollama_vectors,
)
_OPENAI = _Dialect("openai", "/v1/embeddings", "Check [openai] in config.toml, or use another engine.", _openai_vectors)


def ollama(
    settings: RemoteEngine, secrets: Mapping[str, str], *, sleep: Callable[[float], None] = time.sleep
) -> ServerEngine:
    """An engine on an Ollama server."""
    return ServerEngine(settings, secrets, _OLLAMA, sleep)


def openai(
    settings: RemoteEngine, secrets: Mapping[str, str], *, sleep: Callable[[float], None] = time.sleep
) -> ServerEngine:
    """An engine on a server that speaks OpenAI's protocol."""
    return ServerEngine(settings, secrets, _OPENAI, sleep)


class ServerEngine:
    """Requests vectors in batches, with a few retries; follows no redirect."""

    def __init__(
        self,
        settings: RemoteEngine,
        secrets: Mapping[str, str],
        dialect: _Dialect,
        sleep: Callable[[float], None],
    ) -> None:
        self._settings = settings
        self._dialect = dialect
        self._sleep = sleep
        self._remedy = dialect.remedy.format(model=settings.model)
        self._dimensions = settings.dimensions
        variable = settings.api_key_variable
        key = usable_key(secrets, variable)
        if variable and not key:
            raise EngineUnavailable(f"{variable} has no API key.", f"Set the environment variable {variable}.")
        self._server = HttpServer(
            settings.url,
            "embedding server",
            key=key,
            timeout_seconds=settings.timeout_seconds,
            largest_answer=_ANSWER_LIMIT,
        )
        nomic = settings.model.split("/")[-1].startswith("nomic-embed-text")
        self._text_prefix, self._question_prefix = _NOMIC_PREFIXES if nomic else ("", "")

    @property
    def name(self) -> str:
        return f"{self._dialect.label}:{self._settings.model}"

    @property
    def dimensions(self) -> int:
        """As configured, else from the server's first answer, which may take a request."""
        if self._dimensions is None:
            self.warm()
        assert self._dimensions is not None
        return self._dimensions

    def warm(self) -> None:
        self._vectors(["warm"], _QUICK)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return self._vectors([self._text_prefix + text for text in texts], _PATIENT)

    def embed_question(self, text: str) -> NDArray[np.float32]:
        vector: NDArray[np.float32] = self._vectors([self._question_prefix + text], _QUICK)[0]
        return vector

    def _vectors(self, texts: Sequence[str], pauses: Sequence[float]) -> NDArray[np.float32]:
        import numpy as np

        parts = [self._batch(texts[start : start + _BATCH], pauses) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else np.empty((0, self.dimensions), np.float32)

    def _batch(self, texts: Sequence[str], pauses: Sequence[float]) -> NDArray[np.float32]:
        import numpy as np

        answer = self._post({"model": self._settings.model, "input": list(texts)}, pauses)
        try:
            vectors = np.array(self._dialect.vectors(json.loads(answer)), np.float32)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise self._unavailable("answered with something other than a list of vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._unavailable(f"answered {len(texts)} texts with vectors of the shape {vectors.shape}")
        if self._dimensions is None:
            self._dimensions = vectors.shape[1]
        if vectors.shape[1] != self._dimensions:
            raise self._unavailable(f"sent {vectors.shape[1]} dimensions instead of {self._dimensions}")
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unavailable("sent a vector that is zero or not finite")
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit

    def _post(self, question: dict[str, Any], pauses: Sequence[float]) -> bytes:
        try:
            reply = retry(lambda: self._server.post(self._dialect.path, question), pauses, self._sleep)
        except NoReply as error:
            raise self._unavailable(str(error)) from error
        if reply.status != HTTPStatus.OK:
            raise self._unavailable(f"answered with HTTP status {reply.status}")
        return reply.body

    def _unavailable(self, what: str) -> EngineUnavailable:
        return EngineUnavailable(f"The embedding server {self._server.address} {what}.", self._remedy)
