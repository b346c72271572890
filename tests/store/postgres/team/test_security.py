"""Isolation: each of these is refused by the database itself, whatever a client or a server does."""

import psycopg
import pytest
from psycopg import errors
from tests.store.postgres.team.conftest import A, B, Connection, Team

from waypost.errors import SecurityError
from waypost.store.postgres.roles import schema_of
from waypost.store.postgres.security import Acting, act

IN_A, IN_B = schema_of(A), schema_of(B)


def texts(connection: Connection, schema: str = IN_A) -> list[str]:
    return [text for (text,) in connection.execute(f"SELECT text FROM {schema}.memories ORDER BY number".encode())]


def add(connection: Connection, schema: str = IN_A) -> None:
    connection.execute(f"INSERT INTO {schema}.memories (memory_id, text) VALUES ('m-3', 'new')".encode())


@pytest.mark.parametrize("user", ["alice", "bob", "carol"])
def test_members_read(standing_team: Team, user: str) -> None:
    assert texts(standing_team.machine(user)) == [f"secret of {IN_A}", f"code of {IN_A}"]


@pytest.mark.parametrize("user", ["alice", "bob"])
def test_owners_and_writers_write(team: Team, user: str) -> None:
    machine = team.machine(user)
    add(machine)
    machine.execute(f"UPDATE {IN_A}.memories SET superseded_at = 1 WHERE memory_id = 'm-1'".encode())
    machine.execute(f"UPDATE {IN_A}.memories SET text = 'changed' WHERE memory_id = 'm-2'".encode())  # from a file
    machine.execute(f"INSERT INTO {IN_A}.audit (action) VALUES ('add')".encode())
    machine.execute(f"SELECT setval('{IN_A}.memories_number_seq', 100)".encode())  # numbers for many at once
    assert texts(machine) == [f"secret of {IN_A}", "changed", "new"]
    machine.execute(f"DELETE FROM {IN_A}.memories WHERE checkout_id = 'c'".encode())
    assert texts(machine) == [f"secret of {IN_A}", "new"]


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO {}.memories (memory_id, text) VALUES ('m', 't')",
        "UPDATE {}.memories SET text = ''",
        "DELETE FROM {}.memories",
        "TRUNCATE {}.memories",
        "INSERT INTO {}.audit (action) VALUES ('add')",
        "INSERT INTO {}.keywords VALUES (2, '')",
        "SELECT * FROM {}.memories FOR UPDATE",
        "SELECT setval('{}.memories_number_seq', 1)",
        "CREATE TABLE {}.mine (x int)",
        "ALTER TABLE {}.memories DISABLE ROW LEVEL SECURITY",
        "DROP TABLE {}.memories",
    ],
)
def test_a_reader_changes_nothing(standing_team: Team, statement: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        standing_team.machine("carol").execute(statement.format(IN_A).encode())


def test_a_writer_cannot_forget_what_somebody_said(team: Team) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        team.machine("bob").execute(f"DELETE FROM {IN_A}.memories WHERE memory_id = 'm-1'".encode())
    team.machine("alice").execute(f"DELETE FROM {IN_A}.memories WHERE memory_id = 'm-1'".encode())
    assert texts(team.admin) == [f"code of {IN_A}"]


@pytest.mark.parametrize(
    "change",
    [
        "text = ''",
        "text = text",
        "checkout_id = 'c'",
        "superseded_at = 1, text = ''",
        "superseded_at = NULL",
        "memory_id = 'm-9'",
    ],
)
def test_a_writer_changes_nothing_of_what_somebody_said(team: Team, change: str) -> None:
    with pytest.raises(errors.InsufficientPrivilege):
        team.machine("bob").execute(f"UPDATE {IN_A}.memories SET {change} WHERE memory_id = 'm-1'".encode())
    assert texts(team.admin) == [f"secret of {IN_A}", f"code of {IN_A}"]


def test_what_is_superseded_stays_so(team: Team) -> None:
    bob = team.machine("bob")
    bob.execute(f"UPDATE {IN_A}.memories SET superseded_at = 1 WHERE memory_id = 'm-1'".encode())
    for change in ("superseded_at = NULL", "superseded_at = 2"):
        with pytest.raises(errors.InsufficientPrivilege):
            bob.execute(f"UPDATE {IN_A}.memories SET {change} WHERE memory_id = 'm-1'".encode())


def test_a_writer_gives_an_erasing_end_only_to_what_they_add(team: Team) -> None:
    bob, end = team.machine("bob"), f"INSERT INTO {IN_A}.states VALUES (%s, 'delete', 1)"
    with bob.transaction():
        add(bob)
        bob.execute(end.encode(), ("m-3",))
    with pytest.raises(errors.InsufficientPrivilege):
        bob.execute(end.encode(), ("m-1",))
    with pytest.raises(errors.InsufficientPrivilege), bob.transaction():  # now it looks like one of this transaction
        bob.execute(f"UPDATE {IN_A}.memories SET superseded_at = 1 WHERE memory_id = 'm-1'".encode())
        bob.execute(end.encode(), ("m-1",))


def test_a_writer_ends_what_was_to_end(team: Team) -> None:
    team.admin.execute(f"INSERT INTO {IN_A}.states VALUES ('m-1', 'delete', 1)".encode())
    team.machine("bob").execute(f"DELETE FROM {IN_A}.memories WHERE memory_id = 'm-1'".encode())
    assert texts(team.admin) == [f"code of {IN_A}"]


@pytest.mark.parametrize("user", ["alice", "bob", "carol"])
def test_a_member_of_one_memory_has_nothing_of_another(standing_team: Team, user: str) -> None:
    machine = standing_team.machine(user)
    for statement in (
        f"SELECT * FROM {IN_B}.memories",
        f"SELECT * FROM {IN_B}.keywords",
        f"INSERT INTO {IN_B}.memories (memory_id, text) VALUES ('m', 't')",
        f"DELETE FROM {IN_B}.audit",
    ):
        with pytest.raises(errors.InsufficientPrivilege):
            machine.execute(statement.encode())


def test_a_search_path_opens_nothing(standing_team: Team) -> None:
    machine = standing_team.machine("bob")
    machine.execute(f"SET search_path = {IN_B}, {IN_A}".encode())
    assert [text for (text,) in machine.execute("SELECT text FROM memories")] == [
        f"secret of {IN_A}",
        f"code of {IN_A}",
    ]


def test_temporary_tables_do_not_stand_in_for_those_of_the_directory(standing_team: Team) -> None:
    machine = standing_team.machine("carol")
    machine.execute("CREATE TEMP TABLE members AS SELECT %s AS space_id, 'carol' AS user_name, 'owner' AS role", (B,))
    machine.execute("CREATE TEMP TABLE users AS SELECT 'carol' AS name, NULL::timestamptz AS disabled_at")
    machine.execute("SET search_path = pg_temp, waypost, public")
    assert machine.execute("SELECT waypost.role_in(%s), waypost.may_own(%s)", (B, A)).fetchone() == (None, False)


def test_a_function_that_runs_as_its_owner_finds_no_table_of_the_caller(standing_team: Team) -> None:
    machine = standing_team.machine("bob")
    machine.execute(
        "CREATE FUNCTION pg_temp.evil() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION '%', current_user;"
        " END $$"
    )
    machine.execute("CREATE TEMP VIEW memories AS SELECT pg_temp.evil()")
    assert machine.execute(f"SELECT {IN_A}.count_as_owner()".encode()).fetchone() == (2,)
    for stranger in (standing_team.machine("carol"), standing_team.machine("dave")):
        with pytest.raises(errors.InsufficientPrivilege):
            stranger.execute(f"SELECT {IN_A}.count_as_owner()".encode())


def test_nobody_takes_on_a_role_that_is_not_theirs(standing_team: Team) -> None:
    machine = standing_team.machine("bob")
    for role in (
        standing_team.roles.group(A, "owner"),
        standing_team.roles.group(B, "reader"),
        standing_team.roles.server,
        standing_team.login_of("alice"),
        "postgres",
    ):
        with pytest.raises(errors.InsufficientPrivilege):
            machine.execute(f'SET ROLE "{role}"'.encode())
        with pytest.raises(errors.InsufficientPrivilege):
            machine.execute(f'SET SESSION AUTHORIZATION "{role}"'.encode())


def test_a_setting_of_a_direct_login_gains_nothing(standing_team: Team) -> None:
    machine = standing_team.machine("carol")
    machine.execute("SELECT set_config('waypost.user', 'alice', false)")
    assert machine.execute("SELECT waypost.acting_user()").fetchone() == ("carol",)
    with pytest.raises(errors.InsufficientPrivilege):
        add(machine)
    machine.execute("SELECT set_config('waypost.user', 'dave', false)")
    with pytest.raises(errors.InsufficientPrivilege):
        texts(machine, IN_B)


def test_a_wrong_grant_shows_no_rows(team: Team) -> None:
    """The second line: somebody granted too much."""
    team.admin.execute(f'GRANT {team.roles.group(B, "owner")} TO "{team.login_of("bob")}"'.encode())
    machine = team.machine("bob")
    assert texts(machine, IN_B) == []
    with pytest.raises(errors.InsufficientPrivilege):
        add(machine, IN_B)
    assert machine.execute(f"UPDATE {IN_B}.memories SET text = ''".encode()).rowcount == 0
    assert machine.execute(f"DELETE FROM {IN_B}.memories".encode()).rowcount == 0


def test_a_reader_with_a_wrong_grant_writes_nothing(team: Team) -> None:
    team.admin.execute(f'GRANT {team.roles.group(A, "owner")} TO "{team.login_of("carol")}"'.encode())
    machine = team.machine("carol")
    assert len(texts(machine)) == 2
    with pytest.raises(errors.InsufficientPrivilege):
        add(machine)
    assert machine.execute(f"DELETE FROM {IN_A}.memories".encode()).rowcount == 0


def test_a_server_alone_sees_nothing(standing_team: Team) -> None:
    server = standing_team.server()
    with pytest.raises(errors.InsufficientPrivilege):
        texts(server)
    with server.transaction():  # the group's role, and nobody that it acts for
        server.execute(f"SET LOCAL ROLE {standing_team.roles.group(A, 'owner')}".encode())
        assert texts(server) == []


def test_a_server_sees_alone_which_version_a_memory_has(standing_team: Team) -> None:
    server = standing_team.server()
    assert server.execute(f"SELECT count(*) FROM {IN_A}.migrations".encode()).fetchone() == (0,)
    with pytest.raises(errors.InsufficientPrivilege):
        server.execute(f"INSERT INTO {IN_A}.migrations VALUES ('x')".encode())


def test_a_server_acts_for_a_user_until_the_end_of_the_transaction(team: Team) -> None:
    server = team.server()
    with server.transaction():
        act(server, team.roles, A, Acting("bob", "writer"))
        add(server)
        assert len(texts(server)) == 3
    assert server.execute("SELECT current_user, waypost.acting_user()").fetchone() == (team.roles.server, None)


def test_a_server_that_takes_the_wrong_group_shows_nothing(standing_team: Team) -> None:
    server = standing_team.server()
    with server.transaction():
        act(server, standing_team.roles, B, Acting("bob", "owner"))
        assert texts(server, IN_B) == []
    with pytest.raises(errors.InsufficientPrivilege), server.transaction():
        act(server, standing_team.roles, A, Acting("carol", "owner"))
        add(server)


def test_a_token_that_reads_writes_nothing_for_an_owner(standing_team: Team) -> None:
    server = standing_team.server()
    with pytest.raises(errors.InsufficientPrivilege), server.transaction():
        act(server, standing_team.roles, A, Acting("alice", "reader"))
        add(server)
    with pytest.raises(errors.InsufficientPrivilege), server.transaction():  # and with the owner's group by mistake
        act(server, standing_team.roles, A, Acting("alice", "reader"))
        server.execute(f"SET LOCAL ROLE {standing_team.roles.group(A, 'owner')}".encode())
        add(server)


def test_a_space_without_groups_is_told(standing_team: Team) -> None:
    server = standing_team.server()
    with pytest.raises(SecurityError), server.transaction():
        act(server, standing_team.roles, "c" * 16, Acting("alice", "reader"))


def test_the_audit_keeps_its_rows_even_for_the_administrator(standing_team: Team) -> None:
    for connection in (standing_team.machine("alice"), standing_team.machine("bob"), standing_team.admin):
        for statement in (
            f"UPDATE {IN_A}.audit SET action = 'x'",
            f"DELETE FROM {IN_A}.audit",
            f"TRUNCATE {IN_A}.audit",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement.encode())
    for statement in ("UPDATE waypost.audit SET actor = 'x'", "DELETE FROM waypost.audit", "TRUNCATE waypost.audit"):
        with pytest.raises(errors.InsufficientPrivilege, match="append-only"):
            standing_team.admin.execute(statement.encode())


def test_a_stranger_who_can_connect_sees_nothing(standing_team: Team) -> None:
    role = f"eve_{standing_team.login_of('')}"
    standing_team.admin.execute(f'CREATE ROLE "{role}" LOGIN'.encode())
    eve = standing_team.connect(role)
    for statement in (
        "SELECT * FROM waypost.users",
        "SELECT * FROM waypost.settings",
        "SELECT waypost.add_member('aaaaaaaaaaaaaaaa', 'carol', 'owner')",
        "SELECT waypost.may_read('aaaaaaaaaaaaaaaa')",
        f"SELECT * FROM {IN_A}.memories",
    ):
        with pytest.raises(errors.InsufficientPrivilege):
            eve.execute(statement.encode())


def test_the_directory_is_asked_once_for_a_statement(team: Team) -> None:
    team.admin.execute(
        f"INSERT INTO {IN_A}.memories (memory_id, text) SELECT 'n-' || n, 't' FROM generate_series(1, 500) n".encode()
    )
    machine = team.machine("carol")
    plan = machine.execute(
        f"EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) SELECT count(*) FROM {IN_A}.memories WHERE number > 3".encode()
    )
    lines = [line for (line,) in plan]
    once = next(at for at, line in enumerate(lines) if "InitPlan" in line)
    assert "loops=1)" in lines[once + 1], lines


def test_words_are_found_by_the_index(standing_team: Team) -> None:
    """PostgreSQL uses no full-text index behind a condition of row-level security."""
    machine = standing_team.machine("carol")
    machine.execute("SET enable_seqscan = off")
    plan = machine.execute(f"EXPLAIN SELECT passage_id FROM {IN_A}.keywords WHERE terms @@ 'secret'".encode())
    assert any("Bitmap Index Scan" in line for (line,) in plan)
    assert machine.execute(f"SELECT count(*) FROM {IN_A}.keywords".encode()).fetchone() == (1,)


def test_protecting_again_changes_no_policy(team: Team) -> None:
    from waypost.store.postgres.security import protect_space

    def policies() -> list[tuple[object, ...]]:
        return team.admin.execute("SELECT oid, polname FROM pg_policy ORDER BY oid").fetchall()

    before = policies()
    team.admin.execute(f"CREATE TABLE {IN_A}.later (x int)".encode())
    with pytest.raises(errors.InsufficientPrivilege):
        team.machine("bob").execute(f"SELECT * FROM {IN_A}.later".encode())
    assert protect_space(team.admin, A, team.names) > 0
    assert protect_space(team.admin, A, team.names) == 0
    assert policies()[: len(before)] == before
    team.machine("bob").execute(f"INSERT INTO {IN_A}.later VALUES (1)".encode())
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        team.machine("carol").execute(f"INSERT INTO {IN_A}.later VALUES (1)".encode())
