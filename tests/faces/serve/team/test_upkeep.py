"""What a memory needs that is only written through a server of the team: done by the servers, for who may write."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.faces.serve.team.conftest import Team, server_login

from waypost import config
from waypost.faces.guard.access_log import Log
from waypost.faces.guard.limits import Processes
from waypost.faces.serve import maintenance
from waypost.faces.serve.maintenance import ServerMaintenance
from waypost.faces.serve.metrics import ServerMetrics
from waypost.faces.serve.team import team_of
from waypost.memory.catalog import TeamSpaces


@dataclass(slots=True)
class Seconds:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def server(team: Team, tmp_path: Path, seconds: Seconds) -> Iterator[ServerMaintenance]:
    settings = config.load(
        {"WAYPOST_HOME": str(tmp_path), "WAYPOST_STORE": server_login(team.dsn, team.admin), "HOME": str(tmp_path)}
    )
    found, log = team_of(settings), Log("json")
    assert found is not None
    yield ServerMaintenance(TeamSpaces(settings), found, log, ServerMetrics(), Processes(), seconds)
    log.close()


def came(server: ServerMaintenance, token: str) -> None:
    identity = server.team.tokens.verify(token)
    assert identity is not None
    server.note_caller(identity)


def drop_vectors(team: Team) -> None:
    """As if the engine had been away while they were to be made."""
    schema = f"waypost_{team.shop}"
    take = f"INSERT INTO {schema}.owed (engine_id, hash) SELECT engine_id, hash FROM gone ON CONFLICT DO NOTHING"
    team.admin.execute(f"WITH gone AS (DELETE FROM {schema}.vectors RETURNING engine_id, hash) {take}".encode())


def owed(team: Team) -> int:
    status = team.one.ask("GET", f"/api/v1/spaces/{team.shop}/status", team.token("bob", f"u-{count(team)}")).json
    return sum(status["pending"].values())


def count(team: Team) -> int:
    return len(team.directory.tokens())


def test_vectors_that_are_owed_are_paid_and_what_has_run_out_goes(
    team: Team, server: ServerMaintenance, seconds: Seconds
) -> None:
    bob = team.token("bob", "u1")
    said = team.one.remember(bob, team.shop, "The code of the day is 4711.").json["id"]
    place = f"/api/v1/spaces/{team.shop}/memories/{said}"
    lifetime = {"seconds": 60, "on_expire": "delete"}
    assert team.one.ask("PUT", f"{place}/ttl", bob, lifetime).status == 403  # he could not forget it either
    assert team.one.ask("PUT", f"{place}/ttl", team.token("alice", "u1"), lifetime).status == 200
    schema = f"waypost_{team.shop}"
    team.admin.execute(f"UPDATE {schema}.states SET expires_at = 1 WHERE memory_id = %s".encode(), (said,))
    drop_vectors(team)
    assert owed(team) > 0
    server.round()
    assert owed(team) > 0, "nobody came for whom it could work"
    came(server, bob)
    server.round()
    assert owed(team) == 0
    assert team.one.ask("GET", place, bob).status == 404
    assert server.figures.upkeep.get("done") == 1
    server.round()
    assert server.figures.upkeep.get("done") == 1, "not before it is due again"
    seconds.now = maintenance.EVERY_SECONDS + 1
    server.round()
    assert server.figures.upkeep.get("done") == 2


@pytest.mark.parametrize("who", ["reader", "only-reads", "revoked"])
def test_it_works_for_nobody_who_may_not_write(team: Team, server: ServerMaintenance, who: str) -> None:
    user = "carol" if who == "reader" else "bob"
    token = team.token(user, f"u2-{who}", rights="read" if who == "only-reads" else "write")
    drop_vectors(team)
    came(server, token)
    if who == "revoked":
        team.directory.revoke_token(user, f"u2-{who}")
    server.round()
    assert owed(team) > 0 and not server.figures.upkeep.get("done")


def test_of_several_servers_one_looks_after_a_memory_at_a_time(team: Team, server: ServerMaintenance) -> None:
    came(server, team.token("bob", "u3"))
    goes_on, is_at_it = threading.Event(), threading.Event()

    def hold() -> None:
        with server.team.database.exclusive(team.shop) as is_free:
            assert is_free
            is_at_it.set()
            assert goes_on.wait(20)

    other = threading.Thread(target=hold)
    other.start()
    assert is_at_it.wait(20)
    server.round()
    goes_on.set()
    other.join()
    assert server.figures.upkeep.get("busy") == 1 and not server.figures.upkeep.get("done")


def test_the_servers_that_there_are_are_counted(team: Team, server: ServerMaintenance) -> None:
    server.round()
    assert server.processes.count == 2
