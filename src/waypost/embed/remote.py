"""Engines on another process or machine: Ollama's `/api/embed` and OpenAI's `/v1/embeddings`.

Only by configuration, never by default. What such a server answers is not trusted: its count, sizes and numbers are
checked, and whatever is wrong becomes `EngineUnavailable`, so that recall goes on by keywords.
"""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from waypost.config import RemoteEngine
from waypost.errors import ConfigError, EngineUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 32
_PATIENT = (0.5, 1.0, 2.0)  # seconds before the second, third and last attempt
_QUICK = (0.2,)  # somebody waits for the answer to a question
_LONGEST_PAUSE = 30.0  # a server that asks for more (Retry-After) is taken to be away
_ANSWER_LIMIT = 256 << 20  # bytes
_WORTH_ANOTHER_ATTEMPT = frozenset({408, 429, 500, 502, 503, 504})
# nomic-embed-text was trained with these, and without them its vectors separate questions from passages badly.
_NOMIC_PREFIXES = ("search_document: ", "search_query: ")


@dataclass(frozen=True, slots=True)
class _Dialect:
    """How one kind of server wants to be asked and where in its answer the vectors are."""

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
) -> Remote:
    """An engine on an Ollama server."""
    return Remote(settings, secrets, _OLLAMA, sleep)


def openai(
    settings: RemoteEngine, secrets: Mapping[str, str], *, sleep: Callable[[float], None] = time.sleep
) -> Remote:
    """An engine on a server that speaks OpenAI's protocol."""
    return Remote(settings, secrets, _OPENAI, sleep)


class Remote:
    """Asks a server for vectors, in batches, with bounded patience; follows no redirect."""

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
        self._url = _checked_url(settings.url)
        self._dimensions = settings.dimensions
        self._headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if settings.api_key_variable:
            key = secrets.get(settings.api_key_variable, "")
            if not key or not key.isascii() or not key.isprintable():
                variable = settings.api_key_variable
                raise EngineUnavailable(f"{variable} holds no API key.", f"Set the environment variable {variable}.")
            self._headers["Authorization"] = f"Bearer {key}"
        nomic = settings.model.split("/")[-1].startswith("nomic-embed-text")
        self._text_prefix, self._question_prefix = _NOMIC_PREFIXES if nomic else ("", "")

    @property
    def name(self) -> str:
        return f"{self._dialect.label}:{self._settings.model}"

    @property
    def dimensions(self) -> int:
        """As configured, else as the server's first answer shows: that asks it once."""
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

        answer = self._ask({"model": self._settings.model, "input": list(texts)}, pauses)
        try:
            vectors = np.array(self._dialect.vectors(json.loads(answer)), np.float32)
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise self._unavailable("answered with something that is no list of vectors") from error
        if vectors.ndim != 2 or len(vectors) != len(texts):
            raise self._unavailable(f"answered {len(texts)} texts with vectors of the shape {vectors.shape}")
        if self._dimensions is None:
            self._dimensions = vectors.shape[1]
        if vectors.shape[1] != self._dimensions:
            raise self._unavailable(f"sent {vectors.shape[1]} dimensions instead of {self._dimensions}")
        lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
        if not np.isfinite(lengths).all() or not lengths.all():
            raise self._unavailable("sent a vector that has no direction")
        unit: NDArray[np.float32] = (vectors / lengths).astype(np.float32)
        return unit

    def _ask(self, question: dict[str, Any], pauses: Sequence[float]) -> bytes:
        body = json.dumps(question).encode()
        for pause in (*pauses, None):
            cause: Exception | None = None
            try:
                status, wait, answer = self._post(body)
            except (OSError, http.client.HTTPException) as error:
                failure, wait, cause = f"did not answer ({type(error).__name__})", 0.0, error
            else:
                if status == http.client.OK:
                    return answer
                failure = f"answered with HTTP status {status}"
                if status not in _WORTH_ANOTHER_ATTEMPT:
                    raise self._unavailable(failure)
            if pause is None or wait > _LONGEST_PAUSE:
                raise self._unavailable(failure) from cause
            self._sleep(max(pause, wait))
        raise AssertionError("the last attempt returns or raises")

    def _post(self, body: bytes) -> tuple[int, float, bytes]:
        """Status, seconds that the server asks to wait, answer."""
        secure = self._url.scheme == "https"
        kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = kind(self._url.hostname or "", self._url.port, timeout=self._settings.timeout_seconds)
        try:
            connection.request("POST", self._path(), body, self._headers)
            response = connection.getresponse()
            answer = response.read(_ANSWER_LIMIT + 1)
            if len(answer) > _ANSWER_LIMIT:
                raise self._unavailable("sent more than can be an answer")
            if response.length:  # the connection broke; reading with a limit does not tell by itself
                raise http.client.IncompleteRead(answer, response.length)
            asked = response.getheader("Retry-After", "")
            return response.status, float(asked) if asked.isdecimal() else 0.0, answer
        finally:
            connection.close()

    def _path(self) -> str:
        """The URL's own path may already name the version, as in `https://example.org/v1`."""
        base = self._url.path.rstrip("/")
        version = "/v1"
        if base.endswith(version) and self._dialect.path.startswith(version + "/"):
            base = base[: -len(version)]
        return base + self._dialect.path

    def _unavailable(self, what: str) -> EngineUnavailable:
        """The address without user, password and query: these may be secrets."""
        server = f"{self._url.scheme}://{self._url.hostname}"
        server += f":{self._url.port}" if self._url.port else ""
        return EngineUnavailable(f"The embedding server {server} {what}.", self._remedy)


def _checked_url(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, brackets that do not close
        valid = False
    if not valid:
        raise ConfigError("The URL of the embedding server is not valid.", "It looks like http://127.0.0.1:11434.")
    return parts
