"""Whoever was put out is out, whatever they had begun; and what they left behind keeps nobody from erasing a memory."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from psycopg import errors
from tests.postgres_server import Postgres
from tests.store.postgres.team.conftest import NOW, A, B, Connection, Owned, Team, make_space

from waypost.errors import InvalidInput, SecurityError
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.roles import ensure_roles, schema_of

IN_A = schema_of(A)
# A transaction that sees the world as it was when it began.
OLD = "BEGIN ISOLATION LEVEL {}; SELECT count(*) FROM waypost.members"
LEVELS = ["REPEATABLE READ", "SERIALIZABLE"]


@contextmanager
def begun(connection: Connection, level: str) -> Iterator[Connection]:
    connection.execute(OLD.format(level).encode())
    yield connection
    connection.execute("ROLLBACK")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "statement",
    [
        f"SELECT waypost.add_member('{A}', 'dave', 'owner')",
        f"SELECT waypost.change_role('{A}', 'bob', 'reader')",
        f"SELECT waypost.remove_member('{A}', 'bob')",
        f"SELECT waypost.forget_space('{A}')",
        f"INSERT INTO {IN_A}.memories (memory_id, text) VALUES ('m-3', 'new')",
    ],
)
def test_a_transaction_begun_as_an_owner_changes_nothing_after_having_been_put_out(
    team: Team, level: str, statement: str
) -> None:
    with begun(team.machine("alice"), level) as alice:
        team.directory.add_member(A, "dave", "owner")
        team.directory.remove_member(A, "alice")
        with pytest.raises(errors.InsufficientPrivilege):
            alice.execute(statement.encode())
    assert {(one.user, one.role) for one in team.directory.members(A)} == {
        ("dave", "owner"), ("bob", "writer"), ("carol", "reader"),
    }  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
def test_nor_does_one_of_somebody_who_still_belongs(team: Team, level: str) -> None:
    """Nobody can tell the two apart from inside of such a transaction."""
    with begun(team.machine("alice"), level) as alice, pytest.raises(SecurityError, match="COMMITTED"):
        Directory(alice).remove_member(A, "bob")


def test_the_last_owner_who_can_act_stays(team: Team) -> None:
    team.directory.add_member(A, "dave", "owner")
    team.directory.disable_user("dave")
    with pytest.raises(InvalidInput, match="last owner"):
        Directory(team.machine("alice")).remove_member(A, "alice")


def test_a_login_has_what_its_groups_may_and_becomes_none_of_them(team: Team) -> None:
    for user, role in (("alice", "owner"), ("bob", "writer"), ("carol", "reader")):
        machine = team.machine(user)
        for group in (team.roles.group(A, "reader"), f"{team.roles.prefix}_{A}_{role}", team.roles.team):
            with pytest.raises(errors.InsufficientPrivilege):
                machine.execute(f"SET ROLE {group}".encode())
        assert machine.execute(f"SELECT count(*) FROM {IN_A}.memories".encode()).fetchone() == (2,)


@pytest.fixture
def rented(owned: Owned) -> Iterator[Team]:
    """alice and carol in memory A, on a database whose owner may create roles and nothing else."""
    root, owner, admin = owned
    root.execute(f"ALTER ROLE {owner} CREATEROLE".encode())
    migrate_directory(admin, NOW)
    made = Team(f"postgresql://postgres@/{root.info.dbname}?host={root.info.host}", admin, ensure_roles(admin))
    make_space(admin, made.names, A, "a project")
    for user in ("alice", "carol"):
        made.directory.add_user(user)
        made.add_login(user)
        made.directory.add_member(A, user, "owner" if user == "alice" else "reader")
    with made.opened:
        yield made


def test_what_was_left_to_a_group_keeps_nobody_from_erasing_the_memory(rented: Team) -> None:
    """Before PostgreSQL 16 a login can become its group."""
    with psycopg.connect(rented.dsn, autocommit=True) as root:
        root.execute(f"SET ROLE {rented.roles.group(A, 'reader')}; SELECT lo_create(0)".encode())
    Directory(rented.machine("alice")).forget_space(A)
    assert rented.directory.spaces() == ()
    left = rented.admin.execute("SELECT FROM pg_roles WHERE rolname LIKE %s", (f"{rented.roles.prefix}_{A}_%",))
    assert left.fetchall() == []
    assert rented.admin.execute("SELECT count(*) FROM pg_largeobject_metadata").fetchone() == (0,)


def test_of_a_group_that_cannot_go_nobody_is_a_member_any_more(rented: Team, postgres_server: Postgres) -> None:
    reader, elsewhere = rented.roles.group(A, "reader"), postgres_server.new_database()
    with psycopg.connect(elsewhere, autocommit=True) as root:
        root.execute(f"CREATE TABLE theirs (x int); ALTER TABLE theirs OWNER TO {reader}".encode())
    Directory(rented.machine("alice")).forget_space(A)
    assert rented.directory.spaces() == ()
    left = rented.admin.execute(
        "SELECT m.rolname FROM pg_auth_members a JOIN pg_roles m ON m.oid = a.member JOIN pg_roles g ON g.oid = a.roleid"
        " WHERE g.rolname = %s AND a.inherit_option",
        (reader,),
    ).fetchall()
    assert left == []
    make_space(rented.admin, None, A, "another of that name")
    with pytest.raises(errors.InsufficientPrivilege):
        rented.machine("carol").execute(f"SELECT count(*) FROM {IN_A}.memories".encode())


def test_another_memory_is_not_concerned(team: Team) -> None:
    team.directory.forget_space(A)
    assert team.machine("dave").execute(f"SELECT count(*) FROM {schema_of(B)}.memories".encode()).fetchone() == (2,)
