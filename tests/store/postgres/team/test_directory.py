"""Who is who, who may what: every change is checked and noted by the database."""

import hashlib
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import psycopg
import pytest
from psycopg import errors
from tests.store.postgres.team.conftest import NOW, A, B, Connection, Team, make_space

from waypost.errors import ForeignFile, InvalidInput, NotFound, SchemaTooNew, SecurityError, StoreError, WaypostError
from waypost.model.memory import StoredSpace
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.schema import MIGRATIONS, migrate_directory, missing_migrations
from waypost.store.postgres.roles import ensure_roles, schema_of
from waypost.store.postgres.security import Acting, act, act_in_directory

HOSTILE = ["", "x'; DROP TABLE waypost.users; --", 'a"b', "a b", "$$", "a\nb", "ж", "x" * 65, "-x", "a\0b"]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# -- the schema ----------------------------------------------------------------------------------------------------


def test_many_processes_that_start_at_once_make_one_directory_and_its_roles_once(postgres: str) -> None:
    failures: list[BaseException] = []

    def start() -> None:
        try:
            with psycopg.connect(postgres, autocommit=True) as connection:
                migrate_directory(connection, NOW)
                ensure_roles(connection)
        except psycopg.Error as error:
            failures.append(error)

    threads = [threading.Thread(target=start) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with psycopg.connect(postgres, autocommit=True) as connection:
        assert not failures
        assert missing_migrations(connection) == []
        assert not migrate_directory(connection, NOW)
        assert connection.execute("SELECT count(*) FROM waypost.migrations").fetchone() == (len(MIGRATIONS),)


def test_a_migration_that_fails_leaves_nothing(admin: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = {**MIGRATIONS, "9999_broken": "CREATE TABLE waypost.more (x int); SELECT 1 / 0"}
    monkeypatch.setattr("waypost.store.postgres.directory.schema.MIGRATIONS", broken)
    with pytest.raises(errors.DivisionByZero):
        migrate_directory(admin, NOW)
    assert admin.execute("SELECT FROM pg_namespace WHERE nspname = 'waypost'").fetchall() == []


def test_a_later_version_is_left_alone(admin: Connection) -> None:
    migrate_directory(admin, NOW)
    admin.execute("INSERT INTO waypost.migrations VALUES ('9999_later', now())")
    with pytest.raises(SchemaTooNew, match="9999_later"):
        migrate_directory(admin, NOW)


def test_a_schema_of_somebody_else_is_left_alone(admin: Connection) -> None:
    admin.execute("CREATE SCHEMA waypost")
    with pytest.raises(ForeignFile, match="not ours"):
        migrate_directory(admin, NOW)


def test_a_member_who_comes_with_a_later_version_is_sent_to_the_administrator(
    standing_team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.store.postgres.directory.schema.MIGRATIONS", {**MIGRATIONS, "9999_next": "SELECT 1"})
    with pytest.raises(StoreError, match="9999_next") as told:
        migrate_directory(standing_team.machine("bob"), NOW)
    assert "team init" in told.value.remedy


# -- users and members ---------------------------------------------------------------------------------------------


def test_an_administrator_sees_everybody_and_a_member_those_of_their_spaces(standing_team: Team) -> None:
    assert [one.name for one in standing_team.directory.users()] == ["alice", "bob", "carol", "dave"]
    bobs = Directory(standing_team.machine("bob"))
    assert [one.name for one in bobs.users()] == ["alice", "bob", "carol"]
    assert [one.space_id for one in bobs.spaces()] == [A]
    assert {one.user: one.role for one in bobs.members(A)} == {"alice": "owner", "bob": "writer", "carol": "reader"}
    assert bobs.members(B) == ()
    assert bobs.spaces_of("dave") == {} and bobs.role_of("dave", B) is None
    assert bobs.role_of("carol", A) == "reader"
    assert bobs.acting_user() == "bob" and not bobs.is_admin()


@pytest.mark.parametrize("name", HOSTILE)
def test_a_name_that_is_none_is_refused_here_and_by_the_database(standing_team: Team, name: str) -> None:
    with pytest.raises(InvalidInput):
        standing_team.directory.add_user(name)
    with pytest.raises((errors.CheckViolation, psycopg.DataError)):
        standing_team.admin.execute("SELECT waypost.add_user(%s)", (name,))


@pytest.mark.parametrize("space_id", ["", "a" * 15, "A" * 16, "a' OR 1 = 1 --", "../../etc/passwd", "a" * 16 + "\n"])
def test_an_id_that_is_none_never_reaches_the_database(standing_team: Team, space_id: str) -> None:
    for call in (
        lambda: standing_team.directory.add_member(space_id, "bob", "owner"),
        lambda: standing_team.directory.forget_space(space_id),
        lambda: schema_of(space_id),
        lambda: standing_team.roles.group(space_id, "reader"),
        lambda: act(standing_team.server(), standing_team.roles, space_id, Acting("bob", "owner")),
    ):
        with pytest.raises(SecurityError):
            call()


def test_sql_in_the_name_of_a_memory_or_a_login_is_a_name(team: Team) -> None:
    role = "o\"'; DROP SCHEMA waypost CASCADE; --" + team.login_of("")
    team.admin.execute(psycopg.sql.SQL("CREATE ROLE {} LOGIN").format(psycopg.sql.Identifier(role)))
    team.directory.add_login("bob", role)
    other = "c" * 16
    team.directory.register_space(StoredSpace(other, "project", "'; DROP TABLE waypost.users; --", "x", None, NOW))
    team.directory.add_member(other, "bob", "reader")
    assert team.directory.users()[1].logins == (team.login_of("bob"), role)
    assert team.directory.spaces()[-1].name == "'; DROP TABLE waypost.users; --"
    team.directory.remove_login("bob", role)
    assert team.directory.users()[1].logins == (team.login_of("bob"),)


def test_an_owner_adds_changes_and_removes_members_from_their_own_machine(team: Team) -> None:
    alices = Directory(team.machine("alice"))
    alices.add_member(A, "dave", "reader")
    dave = team.machine("dave")
    assert dave.execute(f"SELECT count(*) FROM {schema_of(A)}.memories".encode()).fetchone() == (2,)
    alices.change_role(A, "dave", "writer")
    dave.execute(f"INSERT INTO {schema_of(A)}.memories (memory_id, text) VALUES ('m', 't')".encode())
    alices.remove_member(A, "dave")
    with pytest.raises(errors.InsufficientPrivilege):
        dave.execute(f"SELECT count(*) FROM {schema_of(A)}.memories".encode())
    assert [(one.actor, one.action, one.subject, one.details) for one in alices.audit(space_id=A)[:3]] == [
        ("alice", "remove member", "dave", {}),
        ("alice", "change role", "dave", {"role": "writer"}),
        ("alice", "add member", "dave", {"role": "reader"}),
    ]


@pytest.mark.parametrize("user", ["bob", "carol", "dave"])
def test_who_is_no_owner_changes_no_membership(standing_team: Team, user: str) -> None:
    machine = standing_team.machine(user)
    mine = Directory(machine)
    refused: tuple[Callable[[], None], ...] = (
        lambda: mine.add_member(A, "dave", "reader"),
        lambda: mine.change_role(A, user, "owner"),
        lambda: mine.remove_member(A, "alice"),
        lambda: mine.forget_space(A),
        lambda: mine.add_user("eve"),
        lambda: mine.disable_user("alice"),
        lambda: mine.enable_user("alice"),
        lambda: mine.add_login(user, standing_team.login_of("alice")),
        lambda: mine.remove_login("alice", standing_team.login_of("alice")),
        lambda: mine.make_token("alice", "t", digest=digest("t")),
        lambda: mine.register_space(StoredSpace("d" * 16, "project", "x", "x", None, NOW)),
    )
    for call in refused:
        with pytest.raises(SecurityError):
            call()
    for statement in (
        "UPDATE waypost.members SET role = 'owner'",
        "INSERT INTO waypost.members VALUES ('aaaaaaaaaaaaaaaa', 'carol', 'owner', now(), 'x')",
        "DELETE FROM waypost.audit",
        "INSERT INTO waypost.servers VALUES (session_user)",
        "UPDATE waypost.settings SET value = 'x'",
        "SELECT digest FROM waypost.tokens",
        "SELECT * FROM waypost.sessions",
        "SELECT * FROM waypost.secrets",
        "SELECT * FROM waypost.holder(NULL, NULL)",
        "SELECT waypost.note('a', 'b')",
        "SELECT waypost.grant_groups('aaaaaaaaaaaaaaaa', 'bob')",
    ):
        with pytest.raises(errors.InsufficientPrivilege):
            machine.execute(statement.encode())


def test_others_do_not_learn_which_memories_there_are(standing_team: Team) -> None:
    mine = Directory(standing_team.machine("carol"))
    told = []
    for space_id in (B, "e" * 16):
        with pytest.raises(SecurityError) as refused:
            mine.add_member(space_id, "carol", "reader")
        told.append(str(refused.value))
    assert told[0] == told[1]


def test_everybody_may_go_but_the_last_owner(team: Team) -> None:
    Directory(team.machine("bob")).remove_member(A, "bob")
    with pytest.raises(InvalidInput, match="last owner"):
        Directory(team.machine("alice")).remove_member(A, "alice")
    with pytest.raises(InvalidInput, match="last owner"):
        Directory(team.machine("alice")).change_role(A, "alice", "reader")
    team.directory.remove_member(A, "alice")  # an administrator can
    Directory(team.machine("carol")).remove_member(A, "carol")
    assert team.directory.members(A) == ()


def test_who_is_refused_is_told_what_to_do_in_this_case(standing_team: Team) -> None:
    directory, alices = standing_team.directory, Directory(standing_team.machine("alice"))
    bobs = Directory(standing_team.machine("bob"))
    cases: tuple[tuple[Callable[[], object], str], ...] = (
        (lambda: alices.remove_member(A, "alice"), "Make somebody else an owner first: `waypost team member role"),
        (lambda: bobs.add_member(A, "dave", "reader"), "`waypost team member list` names them."),
        (lambda: bobs.add_user("zoe"), "Ask an administrator of the database to run the same command."),
        (lambda: bobs.revoke_token("alice", "phone"), "Ask one of those who are named."),
        (lambda: directory.add_member(A, "eve", "reader"), "`waypost team user add` adds one."),
        (lambda: directory.remove_member(B, "bob"), "`waypost team member list` has those that there are."),
        (lambda: directory.add_login("bob", "nobody_of_this_name"), "Add --create"),
        (lambda: directory.add_login("bob", standing_team.roles.server), "Name a role that only this person"),
        (lambda: directory.make_token("bob", "b", digest="0" * 64, space_id=B), "`waypost team member add USER ROLE`"),
    )
    for refused, todo in cases:
        with pytest.raises(WaypostError) as told:
            refused()
        assert todo in told.value.remedy, told.value


def test_what_is_there_or_missing_is_told(standing_team: Team) -> None:
    directory = standing_team.directory
    with pytest.raises(InvalidInput, match="there already"):
        directory.add_user("bob")
    with pytest.raises(InvalidInput, match="there already"):
        directory.add_member(A, "bob", "owner")
    with pytest.raises(NotFound, match="no user 'eve'"):
        directory.add_member(A, "eve", "reader")
    with pytest.raises(NotFound, match="no such member"):
        directory.remove_member(B, "bob")
    with pytest.raises(NotFound, match="no memory"):
        directory.add_member("f" * 16, "bob", "reader")
    with pytest.raises(NotFound, match="can log in"):
        directory.add_login("bob", "nobody_of_this_name")
    with pytest.raises(InvalidInput, match="nobody's own"):
        directory.add_login("bob", standing_team.roles.server)
    with pytest.raises(InvalidInput, match="no role"):
        directory.add_member(A, "dave", "admin")  # type: ignore[arg-type]


def test_a_disabled_user_has_nothing_and_gets_it_back(team: Team) -> None:
    machine = team.machine("bob")
    team.directory.disable_user("bob")
    with pytest.raises(errors.InsufficientPrivilege):
        machine.execute(f"SELECT count(*) FROM {schema_of(A)}.memories".encode())
    assert team.directory.role_of("bob", A) is None
    server = team.server()
    with server.transaction():
        act(server, team.roles, A, Acting("bob", "writer"))
        assert server.execute(f"SELECT count(*) FROM {schema_of(A)}.memories".encode()).fetchone() == (0,)
    team.directory.enable_user("bob")
    assert machine.execute(f"SELECT count(*) FROM {schema_of(A)}.memories".encode()).fetchone() == (2,)


def test_a_forgotten_memory_leaves_no_schema_and_no_roles(team: Team) -> None:
    team.directory.make_token("alice", "t", digest=digest("t"), space_id=A)
    Directory(team.machine("alice")).forget_space(A)
    assert team.admin.execute("SELECT FROM pg_namespace WHERE nspname = %s", (schema_of(A),)).fetchall() == []
    like = f"{team.roles.prefix}\\_{A}%"
    assert team.admin.execute("SELECT FROM pg_roles WHERE rolname LIKE %s", (like,)).fetchall() == []
    assert [one.space_id for one in team.directory.spaces()] == [B]
    assert team.directory.tokens() == ()
    assert team.directory.audit()[0].action == "forget space"
    make_space(team.admin, team.names, A, "again")
    assert team.directory.members(A) == ()


def test_connections_with_other_cursors_do_as_well(team: Team) -> None:
    team.admin.cursor_factory = psycopg.RawCursor
    assert [one.name for one in team.directory.users()] == ["alice", "bob", "carol", "dave"]
    team.directory.make_token("bob", "t", digest=digest("t"))
    assert migrate_directory(team.admin, NOW) is False


# -- tokens --------------------------------------------------------------------------------------------------------


def test_a_server_knows_who_has_a_token_and_what_they_may(team: Team) -> None:
    team.directory.add_member(B, "bob", "reader")
    Directory(team.machine("bob")).make_token("bob", "laptop", digest=digest("1"), kind="person")
    team.directory.make_token("bob", "robot", digest=digest("2"), rights="read", space_id=A)
    servers = Directory(team.server())
    person = servers.holder(digest=digest("1"))
    assert person is not None
    assert (person.user, person.kind, person.rights, person.roles) == (
        "bob", "person", "write", {A: "writer", B: "reader"},
    )  # fmt: skip
    robot = servers.holder(key=digest("2")[:16])
    assert robot is not None and robot.roles == {A: "writer"} and robot.rights == "read" and robot.kind == "agent"


def test_a_forged_token_is_nobodys(standing_team: Team) -> None:
    servers = Directory(standing_team.server())
    for forged in ("", "x", digest("x"), "' OR 1 = 1 --", "%"):
        assert servers.holder(digest=forged) is None
        assert servers.holder(key=forged) is None
    assert servers.holder() is None


def test_a_token_ends_when_it_is_revoked_runs_out_or_its_user_goes(team: Team) -> None:
    servers = Directory(team.server())
    later = datetime.now(UTC) + timedelta(hours=1)
    for name, expires in (("kept", later), ("over", later - timedelta(hours=2)), ("revoked", None)):
        team.directory.make_token("bob", name, digest=digest(name), expires=expires)
    team.directory.revoke_token("bob", "revoked")
    known = {name: servers.holder(digest=digest(name)) for name in ("kept", "over", "revoked")}
    assert [name for name, holder in known.items() if holder] == ["kept"]
    team.directory.remove_member(A, "bob")
    holder = servers.holder(digest=digest("kept"))
    assert holder is not None and holder.roles == {}
    team.directory.disable_user("bob")
    assert servers.holder(digest=digest("kept")) is None
    team.directory.make_token("bob", "revoked", digest=digest("another"))  # the name is free again
    with pytest.raises(NotFound, match="has no token"):
        team.directory.revoke_token("bob", "nothing")


def test_an_agent_of_a_user_gives_out_no_tokens_and_no_memberships(standing_team: Team) -> None:
    server = standing_team.server()
    refused: tuple[Callable[[], None], ...] = (
        lambda: Directory(server).make_token("alice", "t", digest=digest("t"), kind="person"),
        lambda: Directory(server).add_member(A, "dave", "owner"),
        lambda: Directory(server).remove_member(A, "alice"),
        lambda: Directory(server).forget_space(A),
    )
    for acting in (Acting("alice", "owner", "agent"), Acting("alice", "reader", "person")):
        for call in refused:
            with pytest.raises(SecurityError), server.transaction():
                act_in_directory(server, acting)
                call()


def test_an_owner_manages_members_through_a_server(team: Team) -> None:
    server = team.server()
    with server.transaction():
        act_in_directory(server, Acting("alice", "owner", "person"))
        Directory(server).add_member(A, "dave", "reader")
    assert team.directory.audit()[0].actor == "alice"
    assert team.directory.role_of("dave", A) == "reader"


@pytest.mark.parametrize("name", HOSTILE)
def test_a_token_has_a_plain_name(standing_team: Team, name: str) -> None:
    with pytest.raises(InvalidInput):
        standing_team.directory.make_token("bob", name, digest=digest("t"))


def test_a_token_is_for_a_memory_of_its_user(standing_team: Team) -> None:
    with pytest.raises(NotFound, match="no member"):
        standing_team.directory.make_token("bob", "t", digest=digest("t"), space_id=B)
    with pytest.raises(InvalidInput, match="no hash"):
        standing_team.directory.make_token("bob", "t", digest="waypost_secret")
    with pytest.raises(InvalidInput):
        standing_team.directory.make_token("bob", "t", digest=digest("t"), kind="god")  # type: ignore[arg-type]
