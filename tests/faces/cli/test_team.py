"""A team by its commands, as an administrator types them, against a real PostgreSQL."""

from pathlib import Path

import psycopg
import pytest
from tests.faces.cli.conftest import Waypost

from waypost import config
from waypost.faces.guard.tokens import digest_of
from waypost.space.identity import identify
from waypost.store.postgres.directory import Directory
from waypost.store.postgres.directory_rows import Space
from waypost.store.postgres.roles import schema_of


@pytest.fixture
def store(postgres: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("WAYPOST_ADMIN_STORE", postgres)
    return postgres


@pytest.fixture
def space(store: str, waypost: Waypost, project: Path) -> str:
    """This project's memory, in a database that was set up."""
    from datetime import UTC, datetime

    assert waypost("team", "init").code == 0
    found = identify(project, machine=config.load().machine)
    with psycopg.connect(store, autocommit=True) as connection:
        Directory(connection).register_space(
            Space(found.space_id, found.kind, found.name, found.source, None, datetime(2026, 1, 30, tzinfo=UTC))
        )
    assert waypost("team", "init", "--json").json["migrated"] == 1
    return found.space_id


def test_an_administrator_sets_up_a_team_step_by_step(space: str, store: str, waypost: Waypost) -> None:
    login = f"bob_{space}"
    assert waypost("team", "user", "add", "bob").code == 0
    added = waypost("team", "login", "add", "bob", login, "--create", "--json").json
    assert len(added["password"]) >= 32
    assert waypost("team", "member", "add", "bob", "writer").out == f"bob is writer of {space}.\n"
    token = waypost("team", "token", "make", "bob", "robot", "--days", "30").out.strip()
    assert "robot  agent, may write" in waypost("team", "token", "list").out
    assert token not in waypost("team", "token", "list", "bob", "--json").out
    with psycopg.connect(store.replace("postgres@", f"{login}@"), autocommit=True) as machine:
        machine.execute(f"INSERT INTO {schema_of(space)}.meta VALUES ('a', 'b')".encode())
    with psycopg.connect(store, autocommit=True) as admin:
        hashed = admin.execute("SELECT rolpassword FROM pg_authid WHERE rolname = %s", (login,)).fetchone()
        assert hashed is not None and hashed[0].startswith("SCRAM-SHA-256$")
        holder = Directory(admin).holder(digest=digest_of(token))
        assert holder is not None and holder.roles == {space: "writer"}
        waypost("team", "token", "revoke", "bob", "robot")
        assert Directory(admin).holder(digest=digest_of(token)) is None
    listed = waypost("team", "member", "list").out
    assert listed.startswith("bob  writer, since ")
    waypost("team", "member", "role", "bob", "reader")
    assert waypost("team", "member", "list", "--json").json["members"][0]["role"] == "reader"
    waypost("team", "member", "remove", "bob")
    assert waypost("team", "member", "list").out == "Nobody that you can see.\n"
    done = [one["action"] for one in waypost("team", "audit", "--json").json["changes"]]
    assert done == [
        "remove member", "change role", "revoke token", "make token", "add member", "add login", "add user",
        "register space",
    ]  # fmt: skip


def test_a_member_uses_the_commands_with_their_own_login(space: str, store: str, waypost: Waypost) -> None:
    login = f"ann_{space}"
    waypost("team", "user", "add", "ann")
    waypost("team", "login", "add", "ann", login, "--create")
    waypost("team", "member", "add", "ann", "owner")
    waypost("team", "user", "add", "eve")
    hers = ("--database", store.replace("postgres@", f"{login}@"))
    told = waypost("team", "status", *hers, "--json").json
    assert (told["user"], told["login"], told["admin"], told["spaces"]) == ("ann", login, False, 1)
    assert waypost("team", "member", "add", "eve", "reader", *hers).code == 0
    assert waypost("team", "token", "make", "ann", "me", "--person", "--yes", "--everywhere", *hers).code == 0
    refused = waypost("team", "user", "add", "mallory", *hers)
    assert refused.code == 1 and "Only an administrator" in refused.err
    assert waypost("team", "space", "list", *hers).out == f"{space}  project, you are owner\n"
    assert waypost("team", "space", "forget", "project", *hers).code == 2  # nobody has said yes
    assert waypost("team", "space", "forget", "project", "--yes", *hers).code == 0
    assert waypost("team", "space", "list", "--json").json == {"spaces": []}


def test_a_disabled_user_is_shown_as_such(space: str, waypost: Waypost) -> None:
    waypost("team", "user", "add", "bob")
    waypost("team", "user", "disable", "bob")
    assert waypost("team", "user", "list").out == "bob (disabled)\n"
    waypost("team", "user", "enable", "bob")
    assert waypost("team", "user", "list", "--json").json["users"][0]["disabled"] is False


def test_what_cannot_be_done_is_told(space: str, waypost: Waypost) -> None:
    assert waypost("team", "member", "add", "nobody", "reader").code == 3
    assert waypost("team", "user", "add", "a b").code == 2
    waypost("team", "user", "add", "bob")
    assert "one of owner, writer, reader" in waypost("team", "member", "add", "bob", "god").err
    assert waypost("team", "member", "list", "--space", "elsewhere").code == 2
    refused = waypost("team", "token", "make", "bob", "me", "--person")
    assert refused.code == 2 and "nobody is at a terminal" in refused.err
    assert waypost("team", "token", "make", "bob", "robot").code == 3  # no member


def test_the_sql_for_somebody_else_is_printed(space: str, store: str, waypost: Waypost) -> None:
    lines = waypost("team", "role", "print-sql").out.splitlines()
    assert any(line.endswith(f"{space}_reader NOLOGIN;") for line in lines)
    assert lines[-1].endswith('TO "postgres" WITH ADMIN OPTION;')


def test_before_it_is_set_up_the_way_is_told(store: str, waypost: Waypost) -> None:
    told = waypost("team", "user", "list")
    assert told.code == 1 and "waypost team init" in told.err


def test_without_a_database_the_way_is_told(waypost: Waypost) -> None:
    told = waypost("team", "user", "list")
    assert told.code == 2 and "WAYPOST_ADMIN_STORE" in told.err


def test_the_servers_password_is_shown_once(store: str, waypost: Waypost) -> None:
    first = waypost("team", "init", "--server", "--json").json
    assert first["changed"] is True and first["server"].endswith("_server") and len(first["password"]) >= 32
    assert "password" not in waypost("team", "init", "--json").json
