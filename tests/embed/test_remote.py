"""Against a real HTTP server in a thread, with everything that can go wrong with one."""

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from waypost.config import RemoteEngine
from waypost.embed import remote
from waypost.errors import ConfigError, EngineUnavailable

KEY = "sk-very-secret-0123456789"
Answer = Callable[["Server", BaseHTTPRequestHandler, dict[str, Any]], None]


@dataclass
class Server:
    """Answers each request with the next of `answers`, the last one for ever."""

    answers: list[Answer]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def take(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


def vector_of(text: str) -> list[float]:
    return [float(len(text)), 3.0, 4.0]


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def good(server: Server, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
    if handler.path.endswith("/api/embed"):
        answer: dict[str, Any] = {"embeddings": [vector_of(text) for text in request["input"]]}
    else:
        data = [{"index": i, "embedding": vector_of(text)} for i, text in enumerate(request["input"])]
        answer = {"data": data[::-1]}  # the protocol promises no order, only the index
    send(handler, 200, json.dumps(answer).encode())


def failing(status: int, **headers: str) -> Answer:
    return lambda _server, handler, _request: send(handler, status, b'{"error": "no"}', **headers)


def saying(body: str) -> Answer:
    return lambda _server, handler, _request: send(handler, 200, body.encode())


def cut_off(_server: Server, handler: BaseHTTPRequestHandler, _request: dict[str, Any]) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"embeddings": [[1, 2')


def silent(server: Server, _handler: BaseHTTPRequestHandler, _request: dict[str, Any]) -> None:
    server.released.wait(10)


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    running: list[tuple[ThreadingHTTPServer, threading.Thread, Server]] = []

    def start(*answers: Answer) -> Server:
        state = Server(list(answers))

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                state.requests.append(json.loads(body))
                state.headers.append(dict(self.headers))
                state.paths.append(self.path)
                state.take()(state, self, state.requests[-1])

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        state.url = f"http://127.0.0.1:{server.server_address[1]}"
        running.append((server, thread, state))
        return state

    yield start
    for server, thread, state in running:
        state.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def ollama(server: Server, pauses: list[float] | None = None, **settings: Any) -> remote.ServerEngine:
    taken = [] if pauses is None else pauses
    given = {"url": server.url, "model": "some-model", "dimensions": 3, "timeout_seconds": 5.0, **settings}
    return remote.ollama(RemoteEngine(**given), {"KEY": KEY}, sleep=taken.append)


def test_ollama_is_asked_in_its_own_way_and_vectors_are_normalised(serve: Callable[..., Server]) -> None:
    server = serve(good)
    vectors = ollama(server).embed(["", "abc"])
    assert server.paths == ["/api/embed"]
    assert server.requests == [{"model": "some-model", "input": ["", "abc"]}]
    np.testing.assert_allclose(vectors, [[0, 0.6, 0.8], np.array([3, 3, 4]) / np.sqrt(34)], atol=1e-6)
    assert vectors.dtype == np.float32


def test_openai_is_asked_in_its_own_way_and_the_index_gives_the_order(serve: Callable[..., Server]) -> None:
    server = serve(good)
    settings = RemoteEngine(server.url + "/v1", "text-model", 3, api_key_variable="KEY")
    engine = remote.openai(settings, {"KEY": KEY})
    vectors = engine.embed(["", "abc"])
    assert server.paths == ["/v1/embeddings"]
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    np.testing.assert_allclose(vectors[0], [0, 0.6, 0.8], atol=1e-6)
    assert engine.name == "openai:text-model"


def test_nomic_gets_the_prefixes_it_was_trained_with(serve: Callable[..., Server]) -> None:
    server = serve(good)
    engine = ollama(server, model="nomic-embed-text")
    engine.embed(["a"])
    engine.embed_question("b")
    assert [request["input"] for request in server.requests] == [["search_document: a"], ["search_query: b"]]


def test_many_texts_go_in_batches_and_come_back_in_order(serve: Callable[..., Server]) -> None:
    server = serve(good)
    vectors = ollama(server).embed(["x" * length for length in range(70)])
    assert [len(request["input"]) for request in server.requests] == [32, 32, 6]
    assert np.all(np.diff(vectors[:, 0]) > 0)


def test_no_texts_ask_nothing(serve: Callable[..., Server]) -> None:
    server = serve(good)
    assert ollama(server).embed([]).shape == (0, 3)
    assert server.requests == []


def test_unknown_dimensions_are_learnt_from_the_server(serve: Callable[..., Server]) -> None:
    assert ollama(serve(good), dimensions=None).dimensions == 3


def test_a_busy_server_is_asked_again_after_growing_pauses(serve: Callable[..., Server]) -> None:
    pauses: list[float] = []
    server = serve(failing(429), failing(503), good)
    assert ollama(server, pauses).embed(["a"]).shape == (1, 3)
    assert len(server.requests) == 3
    assert len(pauses) == 2
    assert 0 < pauses[0] < pauses[1]


def test_a_server_may_say_how_long_to_wait(serve: Callable[..., Server]) -> None:
    pauses: list[float] = []
    ollama(serve(failing(429, Retry_After="7"), good), pauses).embed(["a"])
    assert pauses == [7.0]


def test_a_server_that_wants_a_long_pause_counts_as_away(serve: Callable[..., Server]) -> None:
    pauses: list[float] = []
    with pytest.raises(EngineUnavailable, match="429"):
        ollama(serve(failing(429, Retry_After="3600")), pauses).embed(["a"])
    assert pauses == []


def test_patience_ends_and_a_question_gets_less_of_it(serve: Callable[..., Server]) -> None:
    server = serve(failing(500))
    with pytest.raises(EngineUnavailable, match="500"):
        ollama(server).embed(["a"])
    passages = len(server.requests)
    with pytest.raises(EngineUnavailable, match="500"):
        ollama(server).embed_question("a")
    assert (passages, len(server.requests) - passages) == (4, 2)


@pytest.mark.parametrize("status", [400, 401, 404])
def test_an_answer_that_will_not_change_is_not_asked_for_again(serve: Callable[..., Server], status: int) -> None:
    server = serve(failing(status))
    with pytest.raises(EngineUnavailable, match=str(status)):
        ollama(server).embed(["a"])
    assert len(server.requests) == 1


def test_a_redirect_is_not_followed(serve: Callable[..., Server]) -> None:
    other = serve(good)
    server = serve(failing(307, Location=other.url + "/api/embed"))
    with pytest.raises(EngineUnavailable, match="307"):
        ollama(server).embed(["a"])
    assert other.requests == []


@pytest.mark.parametrize(
    "body",
    [
        "not json",
        "[]",
        "{}",
        '{"embeddings": null}',
        '{"embeddings": []}',
        '{"embeddings": [[1, 2, 3], [1, 2, 3]]}',
        '{"embeddings": [[1, 2]]}',
        '{"embeddings": [[1, 2, "x"]]}',
        '{"embeddings": [[1, 2, NaN]]}',
        '{"embeddings": [[1, 2, 1e999]]}',
        '{"embeddings": [[0, 0, 0]]}',
        '{"embeddings": [1, 2, 3]}',
        '{"embeddings": [[[1, 2, 3]]]}',
    ],
)
def test_an_answer_that_is_no_vector_is_refused(serve: Callable[..., Server], body: str) -> None:
    server = serve(saying(body))
    with pytest.raises(EngineUnavailable) as caught:
        ollama(server).embed(["a"])
    assert "ollama pull some-model" in caught.value.remedy
    assert len(server.requests) == 1


@pytest.mark.filterwarnings("error")
def test_a_ragged_answer_is_refused(serve: Callable[..., Server]) -> None:
    with pytest.raises(EngineUnavailable):
        ollama(serve(saying('{"embeddings": [[1, 2, 3], [1, 2]]}'))).embed(["a", "b"])


def test_an_answer_that_breaks_off_is_asked_for_again(serve: Callable[..., Server]) -> None:
    server = serve(cut_off, good)
    assert ollama(server).embed(["a"]).shape == (1, 3)
    assert len(server.requests) == 2


def test_a_server_that_keeps_silent_is_given_up(serve: Callable[..., Server]) -> None:
    server = serve(silent)
    with pytest.raises(EngineUnavailable, match="did not answer"):
        ollama(server, timeout_seconds=0.05).embed_question("a")


def test_a_server_that_is_not_there_is_named_with_the_remedy() -> None:
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        engine = remote.ollama(RemoteEngine(url, "some-model", 3), {}, sleep=lambda _: None)
        with pytest.raises(EngineUnavailable) as caught:
            engine.embed(["a"])
    assert url in caught.value.what
    assert "ollama serve" in caught.value.remedy


def test_no_error_tells_the_key_or_a_password_in_the_url(serve: Callable[..., Server]) -> None:
    server = serve(failing(401))
    url = server.url.replace("http://", "http://user:hunter2@") + "/?token=abc"
    engine = remote.openai(RemoteEngine(url, "m", 3, api_key_variable="KEY"), {"KEY": KEY})
    with pytest.raises(EngineUnavailable) as caught:
        engine.embed(["a"])
    assert KEY not in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert "abc" not in str(caught.value)


@pytest.mark.parametrize("secrets", [{}, {"KEY": ""}, {"KEY": "two\nlines"}])
def test_a_missing_or_unusable_key_is_said_by_its_variable(secrets: dict[str, str]) -> None:
    with pytest.raises(EngineUnavailable, match="KEY has no API key"):
        remote.openai(RemoteEngine("http://127.0.0.1:9", "m", api_key_variable="KEY"), secrets)


@pytest.mark.parametrize("url", ["http://", "http://host:port", "http://[::1", "http://host:99999", "ftp://host"])
def test_a_url_that_cannot_be_asked_is_a_mistake_in_the_settings(url: str) -> None:
    with pytest.raises(ConfigError, match="not valid"):
        remote.ollama(RemoteEngine(url, "m"), {})
