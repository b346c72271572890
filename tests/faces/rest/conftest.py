"""A server in memory: the real application behind a real gate, with real tokens, on a memory of its own."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from waypost import Memory
from waypost.config import Settings
from waypost.faces.guard.gate import RequestGate
from waypost.faces.guard.hosts import answered_hosts
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.rest.app import rest_app
from waypost.memory.catalog import Spaces

PORT = 8765


class Client:
    """Somebody with a token, or without. All use the one event loop of the server."""

    def __init__(self, wire: TestClient, token: str | None) -> None:
        self.wire = wire
        self.headers = {"authorization": f"Bearer {token}"} if token else {}

    def request(self, method: str, path: str, *, headers: Any = None, **asked: Any) -> httpx2.Response:
        more = list(headers.items()) if isinstance(headers, dict) else list(headers or ())
        return self.wire.request(method, path, headers=[*self.headers.items(), *more], **asked)

    def get(self, path: str, **asked: Any) -> httpx2.Response:
        return self.request("GET", path, **asked)

    def post(self, path: str, **asked: Any) -> httpx2.Response:
        return self.request("POST", path, **asked)

    def put(self, path: str, **asked: Any) -> httpx2.Response:
        return self.request("PUT", path, **asked)

    def delete(self, path: str, **asked: Any) -> httpx2.Response:
        return self.request("DELETE", path, **asked)


@dataclass(frozen=True, slots=True)
class Served:
    """Clients by who they are; each answer is what came over ASGI."""

    app: FastAPI
    gate: RequestGate
    memory: Memory
    owner: Client
    agent: Client
    reader: Client
    nobody: Client

    def remember(self, text: str, **options: Any) -> str:
        """The id of a new memory, written by the owner over the wire."""
        answer = self.owner.post("/api/v1/spaces/here/memories", json={"text": text, **options})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])


Serve = Callable[..., Served]


@pytest.fixture
def serve(open_memory: Callable[..., Memory], clock: Any, settings: Settings) -> Iterator[Serve]:
    with ExitStack() as running:
        count = iter(range(100))

        def start(memory: Memory | None = None, **options: Any) -> Served:
            memory = memory or open_memory()
            app = rest_app(Spaces(memory, settings, clock), clock=clock, **options)
            tokens, number = TokenFile(settings.home), next(count)
            tokens.ensure_owner()
            agent = tokens.make(f"agent-{number}", kind="agent", rights="write", clock=clock)
            reader = tokens.make(f"reader-{number}", kind="person", rights="read", clock=clock)
            limits = ServerLimits(rate=100_000, burst=100_000, failure_rate=1000, failure_burst=1000)
            gate = RequestGate(app, tokens, answered_hosts("127.0.0.1", PORT), limits)
            wire = running.enter_context(TestClient(gate, base_url=f"http://127.0.0.1:{PORT}"))
            people = [Client(wire, token) for token in (tokens.owner_token(), agent, reader, None)]
            return Served(app, gate, memory, *people)

        yield start


@pytest.fixture
def served(serve: Serve) -> Served:
    return serve()


Problem = Callable[[httpx2.Response, int], dict[str, Any]]


@pytest.fixture
def problem() -> Problem:
    """What a refusal says; fails where it is none, or not one as they all are."""

    def read(answer: httpx2.Response, status: int) -> dict[str, Any]:
        assert answer.status_code == status, (answer.status_code, answer.text)
        assert answer.headers["content-type"] == "application/problem+json"
        told: dict[str, Any] = answer.json()
        assert told["status"] == status and told["title"] and told["detail"] and told["remedy"]
        assert "Traceback" not in answer.text
        return told

    return read
