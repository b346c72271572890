"""A real HTTP server in a thread that speaks the chat protocol, and fails in every way one can."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Answer = Callable[["ChatServer", BaseHTTPRequestHandler], None]


@dataclass
class ChatServer:
    """Answers each request with the next of `answers`, the last one for ever."""

    answers: list[Answer]
    url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def take(self) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def asked(self) -> str:
        """The user's message of the last request."""
        return str(self.requests[-1]["messages"][1]["content"])


def send(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


class Say:
    """What the server may answer."""

    @staticmethod
    def text(content: Any, reason: str = "stop", usage: Any = None, **message: Any) -> Answer:
        choice = {"index": 0, "message": {"role": "assistant", "content": content, **message}, "finish_reason": reason}
        return Say.json({"choices": [choice], "usage": usage})

    @staticmethod
    def json(answer: Any) -> Answer:
        return Say.raw(json.dumps(answer).encode())

    @staticmethod
    def raw(body: bytes) -> Answer:
        return lambda _server, handler: send(handler, 200, body)

    @staticmethod
    def status(status: int, error: Any = "no", **headers: str) -> Answer:
        body = json.dumps({"error": error}).encode()
        return lambda _server, handler: send(handler, status, body, **headers)

    @staticmethod
    def half(_server: ChatServer, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"choices": [{"mess')

    @staticmethod
    def nothing(server: ChatServer, _handler: BaseHTTPRequestHandler) -> None:
        server.released.wait(10)

    @staticmethod
    def drops(server: ChatServer, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then, for ever: each comes in time, the whole never does."""
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        while not server.released.wait(0.01):
            try:
                handler.wfile.write(b" ")
                handler.wfile.flush()
            except OSError:
                return


@pytest.fixture
def say() -> type[Say]:
    return Say


@pytest.fixture
def serve() -> Iterator[Callable[..., ChatServer]]:
    running: list[tuple[ThreadingHTTPServer, threading.Thread, ChatServer]] = []

    def start(*answers: Answer) -> ChatServer:
        state = ChatServer(list(answers))

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                state.requests.append(json.loads(body))
                state.headers.append(dict(self.headers))
                state.paths.append(self.path)
                state.take()(state, self)

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
