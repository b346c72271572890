"""Two servers of one team on one PostgreSQL, each with a home of its own, in threads of this process."""

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx2
import psycopg
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import ElicitResult
from tests.postgres_server import Postgres

from waypost import Memory, config
from waypost.embed.fake import FakeEngine
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.team_tokens import make_token
from waypost.faces.mcp.compat import tools_of
from waypost.faces.mcp.session import ServedProject
from waypost.faces.serve.run import Started, run
from waypost.faces.serve.team import team_of
from waypost.memory.catalog import TeamSpaces
from waypost.memory.spaces import open_spaces
from waypost.model.time import utc_now
from waypost.store.postgres.connection import connections, release
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.installation import set_up
from waypost.store.postgres.roles import Role

BLUE = "The archive opens with the blue key."
RED = "The vault opens with the red key."
LIMITS = ServerLimits(failure_rate=1000, failure_burst=1000)
FORM = "application/x-www-form-urlencoded"


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    started: Started

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method: str, target: str, token: str = "", body: object = None, **headers: str) -> Answer:
        sent = {"Authorization": f"Bearer {token}"} if token else {}
        content = None if body is None else json.dumps(body)
        if content is not None:
            sent["Content-Type"] = "application/json"
        with httpx2.Client(base_url=self.origin, timeout=30) as http:
            told = http.request(method, target, content=content, headers={**sent, **headers})
        return Answer(told.status_code, told.text, dict(told.headers))

    def remember(self, token: str, space: str, text: str, **headers: str) -> Answer:
        return self.ask("POST", f"/api/v1/spaces/{space}/memories", token, {"text": text}, **headers)

    def recalled(self, token: str, space: str, question: str) -> list[str]:
        answer = self.ask("GET", f"/api/v1/spaces/{space}/recall?{urlencode({'q': question})}", token)
        assert answer.status == 200, answer.text
        return [hit["text"] for hit in answer.json["hits"]]

    def form(self, target: str, fields: Mapping[str, str], **headers: str) -> Answer:
        sent = {"Content-Type": FORM, "Origin": self.origin, "Accept": "text/html", **headers}
        with httpx2.Client(base_url=self.origin, timeout=30) as http:
            told = http.request("POST", target, content=urlencode(fields), headers=sent)
        return Answer(told.status_code, told.text, dict(told.headers))

    def sign_in(self, token: str) -> dict[str, str]:
        answer = self.form("/login", {"secret": token})
        assert answer.status == 303, answer.text
        return {"Cookie": answer.headers["set-cookie"].partition(";")[0], "Accept": "text/html"}

    def call(
        self, token: str, tool: str, arguments: dict[str, Any], asked: list[str] | None = None, /, **headers: str
    ) -> tuple[bool, str]:
        """A tool of MCP: whether it was done, and what it said. With `asked` the client says yes to every question, and
        keeps it there."""

        async def yes(context: object, params: Any) -> ElicitResult:
            assert asked is not None
            asked.append(params.message)
            return ElicitResult(action="accept", content={"confirm": True})

        async def called() -> tuple[bool, str]:
            sent = {"Authorization": f"Bearer {token}", **headers}
            async with (
                httpx2.AsyncClient(headers=sent, timeout=30) as http,
                Client(
                    streamable_http_client(f"{self.origin}/mcp", http_client=http),
                    elicitation_callback=None if asked is None else yes,
                ) as client,
            ):
                told = await client.call_tool(tool, arguments)
                return not told.is_error, str(told.content)

        return asyncio.run(called())

    @contextmanager
    def events(self, token: str, space: str) -> Iterator["Events"]:
        """The stream of a space, of which the first event has come."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            head = f"GET /api/v1/spaces/{space}/events HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            connection.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
            events = Events(connection)
            assert events.until(b"event: hello\n")
            yield events


@dataclass(slots=True)
class Events:
    connection: socket.socket
    heard: bytes = b""

    def until(self, wanted: bytes) -> bool:
        """Whether this came before the stream ended."""
        while wanted not in self.heard:
            piece = self.connection.recv(65536)
            if not piece or piece.endswith(b"\r\n0\r\n\r\n") or piece == b"0\r\n\r\n":
                return wanted in self.heard + piece
            self.heard += piece
        return True


@dataclass(frozen=True, slots=True)
class Team:
    """alice owns the first project, bob writes to it, carol reads it; dave owns the second; eve is in none."""

    dsn: str
    admin: "psycopg.Connection[Any]"
    shop: str
    vault: str
    servers: tuple[Server, Server]
    homes: Path

    @property
    def directory(self) -> Directory:
        return Directory(self.admin)

    @property
    def one(self) -> Server:
        return self.servers[0]

    @property
    def other(self) -> Server:
        return self.servers[1]

    def token(self, user: str, name: str, **options: Any) -> str:
        return make_token(self.directory, user, name, **{"kind": "person", "rights": "write", **options})


PEOPLE: tuple[tuple[str, str, Role], ...] = (
    ("alice", "shop", "owner"),
    ("bob", "shop", "writer"),
    ("carol", "shop", "reader"),
    ("dave", "vault", "owner"),
)


@contextmanager
def served(dsn: str, home: Path, limits: ServerLimits = LIMITS) -> Iterator[Server]:
    """A server, as `waypost serve` starts it."""
    settings = config.load({"WAYPOST_HOME": str(home), "WAYPOST_STORE": dsn, "HOME": str(home)})
    team = team_of(settings)
    assert team is not None
    spaces = TeamSpaces(settings)
    project = ServedProject(follows_roots=False, settings=spaces.settings)
    heard: list[Started] = []
    stop, ready = threading.Event(), threading.Event()

    def say(started: Started) -> None:
        heard.append(started)
        ready.set()

    def work() -> None:
        try:
            run(spaces, project, tools_of("default"), port=0, limits=limits, team=team, say=say, stop=stop)
        finally:
            ready.set()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        assert ready.wait(30) and heard
        yield Server(int(heard[0].listens.rpartition(":")[2]), heard[0])
    finally:
        stop.set()
        thread.join(30)
    assert not thread.is_alive()


def server_login(dsn: str, admin: "psycopg.Connection[Any]") -> str:
    row = admin.execute("SELECT database_role FROM waypost.servers").fetchone()
    assert row is not None
    return dsn.replace("postgresql://postgres@", f"postgresql://{row[0]}@")


@pytest.fixture(scope="module")
def team(postgres_server: Postgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Team]:
    dsn, folder = postgres_server.new_database(), tmp_path_factory.mktemp("team")
    with ExitStack() as ended, pytest.MonkeyPatch.context() as patch:
        engine = FakeEngine()
        patch.setattr("waypost.memory.spaces.open_engine", lambda _name, _settings: engine)
        patch.setenv("WAYPOST_BACKGROUND", "0")
        patch.setattr("waypost.faces.serve.maintenance.PAUSE_SECONDS", 3600.0)  # tests make rounds of their own
        with connections(dsn).alone() as connection:
            set_up(connection, "here", utc_now())
        admin = ended.enter_context(psycopg.connect(dsn, autocommit=True))
        settings = config.load({"WAYPOST_HOME": str(folder / "admin"), "WAYPOST_STORE": dsn, "HOME": str(folder)})
        made = {}
        for name, said in (("shop", BLUE), ("vault", RED)):
            (folder / name).mkdir()
            # Of another machine: its tree is not where the servers are.
            memory = Memory.open(folder / name, settings=replace(settings, machine="elsewhere", background=False))
            memory.remember(said)
            made[name] = memory.identity.space_id
        open_spaces.drop_all()
        directory = Directory(admin)
        for user in ("alice", "bob", "carol", "dave", "eve"):
            directory.add_user(user)
        for user, name, role in PEOPLE:
            directory.add_member(made[name], user, role)
        login = server_login(dsn, admin)
        servers = (
            ended.enter_context(served(login, folder / "one")),
            ended.enter_context(served(login, folder / "other")),
        )
        yield Team(dsn, admin, made["shop"], made["vault"], servers, folder)
    release(login)
    release(dsn)
