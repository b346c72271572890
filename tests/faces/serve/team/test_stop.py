"""The end of a team's server beside a database that is gone, and what it tells of itself meanwhile. With real processes."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from tests.faces.serve.team.conftest import Server, server_login
from tests.postgres_server import Postgres

from waypost import Memory, config
from waypost.faces.guard.team_tokens import make_token
from waypost.faces.serve.run import Started
from waypost.memory.spaces import open_spaces
from waypost.model.time import utc_now
from waypost.store.postgres.connection import connections, release
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.installation import set_up

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name != "posix", reason="signals")]


def test_beside_a_database_that_is_gone_it_tells_so_at_once_and_ends_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_BACKGROUND", "0")
    with Postgres() as database:
        dsn = database.new_database()
        with connections(dsn).alone() as connection:
            set_up(connection, "here", utc_now())
        settings = config.load({"WAYPOST_HOME": str(tmp_path / "a"), "WAYPOST_STORE": dsn, "HOME": str(tmp_path)})
        (tmp_path / "shop").mkdir()
        space = Memory.open(tmp_path / "shop", settings=replace(settings, machine="elsewhere")).identity.space_id
        open_spaces.drop_all()
        with psycopg.connect(dsn, autocommit=True) as admin:
            Directory(admin).add_user("ann")
            Directory(admin).add_member(space, "ann", "owner")
            token = make_token(Directory(admin), "ann", "phone", kind="person", rights="write")
            login = server_login(dsn, admin)
        release(dsn)
        home = tmp_path / "h"
        home.mkdir(mode=0o700)
        (home / "config.toml").write_text("[serve]\nopen_metrics = true\nshutdown_seconds = 1\n")
        environment = {**os.environ, "WAYPOST_STORE": login, "WAYPOST_HOME": str(home)}
        command = [sys.executable, "-m", "waypost", "serve", "--port", "0", "--log-format", "json"]
        with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            try:
                port = int(json.loads(process.stderr.readline())["listens"].rpartition(":")[2])
                server = Server(port, Started("", ""))
                assert server.ask("GET", f"/api/v1/spaces/{space}/memories", token).status == 200
                with server.events(token, space), socket.create_connection(("127.0.0.1", port)) as request:
                    database.kill()
                    head = f"GET /api/v1/spaces/{space}/memories HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                    request.sendall(f"{head}Authorization: Bearer {token}\r\n\r\n".encode())
                    began = time.monotonic()
                    for _ in range(3):
                        told = server.ask("GET", "/readyz")
                        assert told.status == 503 and "store" in told.json["reason"] and "wpg" not in told.text
                        assert server.ask("GET", "/healthz").status == 200
                        figures = server.ask("GET", "/metrics")
                        assert figures.status == 200 and "waypost_build_info" in figures.text
                    assert time.monotonic() - began < 10, "the first look waits for a moment, the others for nothing"
                    process.send_signal(signal.SIGTERM)
                    code = process.wait(40)
                    assert request.recv(65536).startswith(b"HTTP/1.1 503 ")
                lines = [json.loads(line) for line in process.stderr]
                assert (code, lines[-1]["event"]) == (0, "stop")
                assert not [one for one in lines if token in json.dumps(one)]
            finally:
                process.kill()
                database.start_again()
