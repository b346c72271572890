"""A whole server in a thread of its own: real port, real faces, a small project, a fake engine."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.conftest import TestClock

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.session import ServedProject
from waypost.faces.serve.run import Started, run
from waypost.memory.catalog import Spaces

LIMITS = ServerLimits(body_bytes=200_000, failure_rate=1000, failure_burst=1000)
FORM = "application/x-www-form-urlencoded"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Whole servers are not for the inner loop."""
    item.add_marker(pytest.mark.slow)


@dataclass(frozen=True, slots=True)
class Reply:
    """All that came back on one connection."""

    raw: bytes

    @property
    def status(self) -> int:
        """0: closed without a word."""
        return int(self.raw.split(b" ", 2)[1]) if self.raw else 0

    @property
    def head(self) -> str:
        return self.raw.partition(b"\r\n\r\n")[0].decode("latin-1")

    @property
    def body(self) -> bytes:
        return self.raw.partition(b"\r\n\r\n")[2]

    def header(self, name: str) -> str:
        lines = (line.partition(":") for line in self.head.split("\r\n")[1:])
        return next((value.strip() for key, _, value in lines if key.lower() == name), "")

    @property
    def count(self) -> int:
        """How many answers there are."""
        return self.raw.count(b"HTTP/1.1 ")


@dataclass(frozen=True, slots=True)
class Served:
    started: Started
    spaces: Spaces
    tokens: TokenFile
    clock: TestClock
    project: Path

    @property
    def port(self) -> int:
        return int(self.started.listens.rpartition(":")[2])

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens.owner_token()}"}

    @property
    def memory(self) -> Memory:
        """In the owner's hands."""
        owner = self.tokens.owner()
        assert owner is not None
        return self.spaces.memory(owner.caller)

    def raw(self, request: bytes) -> Reply:
        """Send these bytes as they are; everything that comes back until the server closes."""
        answer = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as connection:
            connection.sendall(request)
            try:
                while piece := connection.recv(65536):
                    answer += piece
            except ConnectionResetError:
                pass
        return Reply(answer)

    def head(self, method: str, target: str, headers: dict[str, str] | None = None) -> bytes:
        told = {"Host": f"127.0.0.1:{self.port}", "Connection": "close", **(headers or {})}
        lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in told.items())]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "surrogateescape")

    def ask(self, method: str, target: str, headers: dict[str, str] | None = None, body: bytes = b"") -> Reply:
        length = {"Content-Length": str(len(body))} if body or method not in {"GET", "HEAD"} else {}
        return self.raw(self.head(method, target, {**length, **(headers or {})}) + body)

    def get(self, target: str, headers: dict[str, str] | None = None) -> Reply:
        """As the owner's program."""
        return self.ask("GET", target, {**self.bearer, **(headers or {})})

    def form(self, target: str, fields: dict[str, str], headers: dict[str, str] | None = None) -> Reply:
        sent = {"Content-Type": FORM, "Origin": self.origin, "Accept": "text/html", **(headers or {})}
        return self.ask("POST", target, sent, urlencode(fields).encode())

    def sign_in(self, secret: str) -> dict[str, str]:
        """The headers of a browser that has signed in."""
        answer = self.form("/login", {"secret": secret})
        assert answer.status == 303, answer.raw
        return {"Cookie": answer.header("set-cookie").partition(";")[0], "Accept": "text/html"}

    def answers(self) -> bool:
        return self.get("/api/memories").status == 200 and self.ask("GET", "/healthz").status == 200


Serve = Callable[..., AbstractContextManager[Served]]


@contextmanager
def serving(folder: Path, limits: ServerLimits = LIMITS, **options: Any) -> Iterator[Served]:
    """A server of the project in `folder`, which is made if it is not there."""
    home, project = folder / "home", folder / "shop"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src" / "door.py").write_text('def opens(key: str) -> bool:\n    """Doors."""\n    return bool(key)\n')
    settings = config.load({"WAYPOST_HOME": str(home), "WAYPOST_BACKGROUND": "0", "HOME": str(folder)})
    clock, tools = TestClock(), tools_of("default")
    heard: list[Started] = []
    failures: list[BaseException] = []
    stop, ready = threading.Event(), threading.Event()
    memory = Memory.open(project, settings=settings, clock=clock)
    memory.remember("The door of the archive opens with the blue key")
    spaces = Spaces(memory, settings, clock)

    def say(started: Started) -> None:
        heard.append(started)
        ready.set()

    def work() -> None:
        served = ServedProject(project, follows_roots=False, settings=settings, clock=clock)
        try:
            run(spaces, served, tools, port=0, limits=limits, say=say, stop=stop, **options)
        except BaseException as error:
            failures.append(error)
            ready.set()
            raise

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(30)
        assert not failures
        yield Served(heard[0], spaces, TokenFile(home), clock, project)
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive() and not failures


@pytest.fixture(scope="module")
def engine() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        one = FakeEngine()
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: one)
        yield


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory, engine: None) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("served")) as started:
        yield started


@pytest.fixture
def serve(engine: None) -> Serve:
    return serving
