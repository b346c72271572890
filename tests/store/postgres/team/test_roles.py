"""The same for whoever installs: a superuser, the owner of a rented database, somebody who may create no roles."""

import psycopg
import pytest
from psycopg import errors
from tests.postgres_server import Postgres
from tests.store.postgres.team.conftest import NOW, A, Connection, Owned, make_space

from waypost.errors import InvalidInput, StoreError
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.roles import RoleNames, ensure_roles, schema_of, sql_for_admins
from waypost.store.postgres.security import MAINTAIN_FROM, Acting, act, protect_space

COUNT = f"SELECT count(*) FROM {schema_of(A)}.memories"


def connect_as(connection: Connection, role: str) -> Connection:
    given = connection.info
    return psycopg.connect(host=given.host, port=given.port, dbname=given.dbname, user=role, autocommit=True)


def test_the_owner_of_a_rented_database_installs_a_team(owned: Owned) -> None:
    root, owner, connection = owned
    root.execute(f"ALTER ROLE {owner} CREATEROLE".encode())
    migrate_directory(connection, NOW)
    names = ensure_roles(connection)
    assert names is not None
    make_space(connection, names, A, "project")
    directory = Directory(connection)
    directory.add_user("bob")
    login = f"bob_{owner}"
    connection.execute(f"CREATE ROLE {login} LOGIN".encode())
    directory.add_login("bob", login)
    directory.add_member(A, "bob", "writer")
    with connect_as(connection, login) as bob:
        assert bob.execute(COUNT.encode()).fetchone() == (2,)
        directory.remove_member(A, "bob")
        with pytest.raises(errors.InsufficientPrivilege):
            bob.execute(COUNT.encode())
    directory.add_member(A, "bob", "owner")
    with connect_as(connection, names.server) as server, server.transaction():
        act(server, names, A, Acting("bob", "owner"))
        assert server.execute(COUNT.encode()).fetchone() == (2,)
    with connect_as(connection, login) as bob:
        Directory(bob).forget_space(A)
    assert directory.spaces() == ()
    assert ensure_roles(connection) == names


def test_without_the_right_to_create_roles_the_owner_works_alone(owned: Owned) -> None:
    _, _, connection = owned
    migrate_directory(connection, NOW)
    assert ensure_roles(connection) is None
    make_space(connection, None, A, "project")
    directory = Directory(connection)
    directory.add_user("bob")
    directory.add_member(A, "bob", "writer")
    assert connection.execute(COUNT.encode()).fetchone() == (2,)
    connection.execute(f"DELETE FROM {schema_of(A)}.memories".encode())
    directory.forget_space(A)


def test_somebody_else_creates_the_roles_by_the_printed_sql(owned: Owned) -> None:
    root, owner, connection = owned
    migrate_directory(connection, NOW)
    assert ensure_roles(connection) is None
    make_space(connection, None, A, "project")
    prefix = owner[:31]
    for statement in sql_for_admins(RoleNames(prefix), [A], owner):
        root.execute(statement.encode())
    names = ensure_roles(connection, prefix)
    assert names == RoleNames(prefix)
    from waypost.store.postgres.security import protect_space

    protect_space(connection, A, names)
    directory = Directory(connection)
    directory.add_user("bob")
    login = f"bob_{owner}"
    root.execute(f"CREATE ROLE {login} LOGIN".encode())
    directory.add_login("bob", login)
    directory.add_member(A, "bob", "reader")
    with connect_as(connection, login) as bob:
        assert bob.execute(COUNT.encode()).fetchone() == (2,)
    directory.forget_space(A)  # whoever may make no roles can take none away either
    assert directory.spaces() == ()
    assert root.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", (login, names.group(A, "reader"))).fetchone() == (
        False,
    )


def test_a_role_that_is_missing_and_cannot_be_made_is_told(owned: Owned) -> None:
    root, owner, connection = owned
    migrate_directory(connection, NOW)
    for statement in sql_for_admins(RoleNames(owner[:31]), [], owner):
        root.execute(statement.encode())
    names = ensure_roles(connection, owner[:31])
    assert names is not None
    with pytest.raises(StoreError, match="may not create roles") as told:
        make_space(connection, names, A, "project")
    assert "print-sql" in told.value.remedy


def test_two_databases_of_one_server_share_no_roles(postgres_server: Postgres) -> None:
    found = []
    for dsn in (postgres_server.new_database(), postgres_server.new_database()):
        with psycopg.connect(dsn, autocommit=True) as connection:
            migrate_directory(connection, NOW)
            found.append(ensure_roles(connection))
            assert ensure_roles(connection) == found[-1]
    assert found[0] != found[1] and None not in found


def test_a_prefix_stays_and_is_no_sql(admin: Connection) -> None:
    migrate_directory(admin, NOW)
    ensure_roles(admin)
    with pytest.raises(InvalidInput, match="stays"):
        ensure_roles(admin, "other")
    for hostile in ("", "A", "a;b", 'a"', "a" * 32, "1a", "a b"):
        with pytest.raises(InvalidInput):
            RoleNames(hostile)


def test_a_prefix_that_is_taken_is_told(postgres_server: Postgres) -> None:
    taken = "taken_by_a_test"
    with psycopg.connect(postgres_server.new_database(), autocommit=True) as connection:
        migrate_directory(connection, NOW)
        assert ensure_roles(connection, taken) == RoleNames(taken)
    with psycopg.connect(postgres_server.new_database(), autocommit=True) as connection:
        migrate_directory(connection, NOW)
        with pytest.raises(InvalidInput, match="begin with"):
            ensure_roles(connection, taken)


def test_roles_lost_in_a_restore_are_made_again(admin: Connection) -> None:
    migrate_directory(admin, NOW)
    names = ensure_roles(admin)
    assert names is not None
    make_space(admin, names, A, "project")
    directory = Directory(admin)
    directory.add_user("bob")
    directory.add_member(A, "bob", "reader")
    login = f"bob_{names.prefix}"
    admin.execute(f"CREATE ROLE {login} LOGIN".encode())
    directory.add_login("bob", login)
    admin.execute(f"REVOKE {names.group(A, 'reader')} FROM {login}".encode())
    admin.execute(f"REVOKE {names.group(A, 'owner')} FROM {names.server}".encode())
    admin.execute(f"DROP OWNED BY {names.group(A, 'owner')}; DROP ROLE {names.group(A, 'owner')}".encode())
    ensure_roles(admin)
    protect_space(admin, A, names)
    if admin.info.server_version >= MAINTAIN_FROM:
        owner, table = names.group(A, "owner"), f"{schema_of(A)}.memories"
        assert admin.execute("SELECT has_table_privilege(%s, %s, 'MAINTAIN')", (owner, table)).fetchone() == (True,)
    with connect_as(admin, login) as bob, connect_as(admin, names.server) as server:
        assert bob.execute(COUNT.encode()).fetchone() == (2,)
        with server.transaction():
            act(server, names, A, Acting("bob", "reader"))
            assert server.execute(COUNT.encode()).fetchone() == (2,)
