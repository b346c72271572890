"""A team by its commands, as an administrator types them, against a real PostgreSQL."""

from pathlib import Path

import psycopg
import pytest
from tests.conftest import Git
from tests.faces.cli.conftest import Waypost

from waypost import config
from waypost.faces.guard.tokens import digest_of
from waypost.model.memory import StoredSpace
from waypost.space.identity import identify
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.roles import RoleNames, schema_of, team_statements


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
            StoredSpace(found.space_id, found.kind, found.name, found.source, None, datetime(2026, 1, 30, tzinfo=UTC))
        )
    assert waypost("team", "init", "--json").json["migrated"] == 1
    return found.space_id


def test_an_administrator_sets_up_a_team_step_by_step(space: str, store: str, waypost: Waypost) -> None:
    login = f"bob_{space}"
    assert waypost("team", "user", "add", "bob").code == 0
    added = waypost("team", "login", "add", "bob", login, "--create", "--json").json
    assert len(added["password"]) >= 32
    assert waypost("team", "member", "add", "bob", "writer").out == f"bob is now writer of project ({space}).\n"
    token = waypost("team", "token", "make", "bob", "robot", "--days", "30").out.strip()
    assert "robot  agent, read and write" in waypost("team", "token", "list").out
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
    assert waypost("team", "member", "list").out.startswith("No members yet.")
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
    assert "Use owner, writer, reader" in waypost("team", "member", "add", "bob", "god").err
    assert waypost("team", "member", "list", "--space", "elsewhere").code == 2
    refused = waypost("team", "token", "make", "bob", "me", "--person")
    assert refused.code == 2 and "Only a person at a terminal" in refused.err
    assert waypost("team", "token", "make", "bob", "robot").code == 3  # no member


def test_what_is_there_already_is_told_by_name(space: str, waypost: Waypost) -> None:
    login = f"carl_{space}"
    waypost("team", "user", "add", "bob")
    waypost("team", "user", "add", "carl")
    waypost("team", "login", "add", "carl", login, "--create")
    waypost("team", "member", "add", "bob", "writer")
    waypost("team", "token", "make", "bob", "robot")
    assert "User 'bob' already exists." in waypost("team", "user", "add", "bob").err
    assert f"carl already logs in as {login}." in waypost("team", "login", "add", "bob", login).err
    again = waypost("team", "member", "add", "bob", "owner")
    assert "bob is already writer of project." in again.err and "team member role bob" in again.err
    assert "revoke bob robot" in waypost("team", "token", "make", "bob", "robot").err
    assert "Add --create" in waypost("team", "login", "add", "bob", "no_such_role").err
    assert "Unknown user 'zoe'." in waypost("team", "login", "add", "zoe", "no_such_role", "--create").err


def test_a_new_login_comes_with_the_lines_that_its_machine_needs(
    space: str, store: str, waypost: Waypost, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOST_ADMIN_STORE", store.replace("postgres@", "postgres:admins-word@", 1))
    login = f"ann_{space}"
    waypost("team", "user", "add", "ann")
    told = waypost("team", "login", "add", "ann", login, "--create").out
    password = told.split("shown only once: ")[1].split()[0]
    assert f":{login}:{password}\n" in told
    assert f'store = "{store.replace("postgres@", f"{login}@", 1)}"' in told
    assert "admins-word" not in told


def test_a_project_that_nobody_registered_is_told_from_one_without_members(
    store: str, waypost: Waypost, project: Path
) -> None:
    waypost("team", "init")
    waypost("team", "user", "add", "ann")
    assert waypost("team", "space", "list").out.startswith("You can see no memories.")
    told = waypost("team", "member", "add", "ann", "owner")
    assert told.code == 3 and "'project' has no memory in this database" in told.err and "waypost init" in told.err


def test_setting_up_lets_the_team_connect_where_nobody_else_may(space: str, store: str, waypost: Waypost) -> None:
    login = f"ann_{space}"
    waypost("team", "user", "add", "ann")
    waypost("team", "login", "add", "ann", login, "--create")
    waypost("team", "member", "add", "ann", "reader")
    hers = store.replace("postgres@", f"{login}@", 1)
    with psycopg.connect(store, autocommit=True) as admin:
        admin.execute(f"REVOKE CONNECT ON DATABASE {admin.info.dbname} FROM PUBLIC".encode())
    refused = waypost("team", "status", "--database", hers)
    assert refused.code == 2 and "waypost team init" in refused.err
    assert waypost("team", "init", "--json").json["notices"] == []
    assert waypost("team", "status", "--database", hers).code == 0


def test_who_does_not_administer_the_team_is_told_so(space: str, store: str, waypost: Waypost) -> None:
    login = f"ann_{space}"
    waypost("team", "user", "add", "ann")
    waypost("team", "login", "add", "ann", login, "--create")
    refused = waypost("team", "init", "--database", store.replace("postgres@", f"{login}@", 1))
    assert refused.code == 1 and f"'{login}' does not administer this team" in refused.err


def test_a_database_without_pgvector_is_told_when_it_is_set_up(store: str, waypost: Waypost) -> None:
    with psycopg.connect(store, autocommit=True) as admin:
        admin.execute("DROP EXTENSION vector")
    assert "CREATE EXTENSION vector" in waypost("team", "init").err


# -- without the right to create roles ---------------------------------------------------------------------------------


@pytest.fixture
def owner(store: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A login that owns its database, and may create no roles."""
    with psycopg.connect(store, autocommit=True) as admin:
        name = f"owner_{admin.info.dbname}"
        admin.execute(f"CREATE ROLE {name} LOGIN".encode())
        admin.execute(f"ALTER DATABASE {admin.info.dbname} OWNER TO {name}".encode())
    address = store.replace("postgres@", f"{name}@", 1)
    monkeypatch.setenv("WAYPOST_ADMIN_STORE", address)
    monkeypatch.setenv("WAYPOST_STORE", address)
    return address


def _run(store: str, statements: str) -> None:
    with psycopg.connect(store, autocommit=True) as admin:
        admin.execute("\n".join(one for one in statements.splitlines() if not one.startswith("--")).encode())


def test_roles_that_somebody_else_makes_are_those_of_no_other_database(
    owner: str, store: str, waypost: Waypost, project: Path
) -> None:
    with psycopg.connect(store, autocommit=True) as admin:
        if not admin.execute("SELECT FROM pg_roles WHERE rolname = 'waypost_team'").fetchall():
            admin.execute("CREATE ROLE waypost_team NOLOGIN")
    assert "print-sql" in waypost("team", "init").out
    told = waypost("team", "role", "print-sql").out
    last = told.splitlines()[-1]
    prefix = last.removeprefix("-- Then: waypost team init --prefix ")
    assert prefix.startswith("waypost_") and "ROLE waypost_team " not in told
    _run(store, told)
    assert waypost("team", "init", "--prefix", prefix, "--json").json["prefix"] == prefix
    assert waypost("team", "role", "print-sql").out == "-- All roles exist.\n"
    no_password = waypost("team", "init", "--server")
    assert no_password.code == 0 and f"\\password {prefix}_server" in no_password.err


def test_a_later_memory_gets_its_roles_from_somebody_else_too(
    owner: str, store: str, waypost: Waypost, project: Path, git: Git
) -> None:
    git(project, "init", "-q")
    prefix = f"later_{identify(project).space_id[:8]}"
    waypost("team", "init")
    named = RoleNames(prefix)
    _run(store, "\n".join(f"{one};" for one in team_statements(named)))
    with psycopg.connect(store, autocommit=True) as admin:
        login = psycopg.conninfo.conninfo_to_dict(owner)["user"]
        admin.execute(f"GRANT {named.team}, {named.server} TO {login} WITH ADMIN OPTION".encode())
    assert waypost("team", "init", "--prefix", prefix).code == 0
    refused = waypost("remember", "The cache lives on cachebox")
    assert refused.code == 1 and "print-sql" in refused.err
    _run(store, waypost("team", "role", "print-sql").out)
    assert waypost("remember", "The cache lives on cachebox").code == 0


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


def test_a_token_is_listed_with_the_memory_it_opens(space: str, waypost: Waypost) -> None:
    waypost("team", "user", "add", "bob")
    waypost("team", "member", "add", "bob", "writer")
    waypost("team", "token", "make", "bob", "robot")
    assert "robot  agent, read and write, in project, since" in waypost("team", "token", "list").out
    missing = waypost("team", "token", "revoke", "bob", "rob")
    assert missing.code == 3 and "team token list" in missing.err
