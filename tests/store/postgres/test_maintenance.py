"""Upkeep by those who own no table but may keep it, by a server that acts for one of them, and behind a pooler."""

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
import pytest
from tests.postgres_server import Postgres
from tests.store.postgres.pooler import Pooler

from waypost.model.memory import StoredSpace, Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.postgres import maintenance
from waypost.store.postgres.connection import release
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.roles import Role, RoleNames, ensure_roles, schema_of
from waypost.store.postgres.security import PRINCIPAL, Principal
from waypost.store.postgres.store import PostgresStore
from waypost.store.protocol import PassageRow

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0))
SECRET = "unheard-of words"


@dataclass(frozen=True)
class Team:
    dsn: str
    space: StoredSpace
    names: RoleNames
    admin: "psycopg.Connection[Any]"

    def address(self, login: str) -> str:
        return self.dsn.replace("//postgres@", f"//{login}@")

    def login(self, user: str, role: Role) -> str:
        name = f"{user}_{secrets.token_hex(4)}"
        self.admin.execute(f"CREATE ROLE {name} LOGIN".encode())
        Directory(self.admin).add_user(user)
        Directory(self.admin).add_login(user, name)
        Directory(self.admin).add_member(self.space.space_id, user, role)
        return name

    def let_owners_maintain(self) -> None:
        group = self.names.group(self.space.space_id, "owner")
        schema = schema_of(self.space.space_id)
        self.admin.execute(f"GRANT MAINTAIN ON ALL TABLES IN SCHEMA {schema} TO {group}".encode())

    def forbid_owners_to_maintain(self) -> None:
        group = self.names.group(self.space.space_id, "owner")
        schema = schema_of(self.space.space_id)
        self.admin.execute(f"REVOKE MAINTAIN ON ALL TABLES IN SCHEMA {schema} FROM {group}".encode())

    def file_of(self, table: str) -> int:
        sql = f"SELECT pg_relation_filenode('{schema_of(self.space.space_id)}.{table}')::bigint"
        return int(self.admin.execute(sql.encode()).fetchall()[0][0])


@pytest.fixture(scope="module")
def team(postgres_server: Postgres) -> Iterator[Team]:
    dsn = postgres_server.new_database()
    space = StoredSpace(secrets.token_hex(8), "project", "shop", "directory", None, T0)
    with psycopg.connect(dsn, autocommit=True) as admin:
        migrate_directory(admin, T0)
        names = ensure_roles(admin, f"t{secrets.token_hex(4)}")
        assert names is not None
        PostgresStore(dsn, space).close()
        yield Team(dsn, space, names, admin)
    release(dsn)


@contextmanager
def acting_for(team: Team, user: str, role: Role) -> Iterator[None]:
    before = PRINCIPAL.set(Principal(user, "person", "write", {team.space.space_id: role}))
    try:
        yield
    finally:
        PRINCIPAL.reset(before)


def test_an_owner_of_the_memory_erases_traces_where_the_server_lets_them(team: Team) -> None:
    store = PostgresStore(team.address(team.login("olga", "owner")), team.space)
    team.forbid_owners_to_maintain()
    before = team.file_of("memories")
    assert not store.scrub([SECRET])
    assert team.file_of("memories") == before
    team.let_owners_maintain()
    assert store.scrub([SECRET])
    assert team.file_of("memories") != before
    store.compact()


def test_a_writer_leaves_it_to_an_owner(team: Team) -> None:
    store = PostgresStore(team.address(team.login("walt", "writer")), team.space)
    team.let_owners_maintain()
    before = team.file_of("memories")
    assert not store.scrub([])
    assert team.file_of("memories") == before
    store.compact()  # what is left out is only the statistics


def test_a_server_erases_traces_for_an_owner_and_for_nobody_else(team: Team) -> None:
    team.let_owners_maintain()
    team.login("olaf", "owner")
    team.login("wim", "writer")
    store = PostgresStore(team.address(team.names.server), team.space)
    before = team.file_of("memories")
    with acting_for(team, "wim", "writer"):
        assert not store.scrub([SECRET])
    assert not store.scrub([SECRET])
    assert team.file_of("memories") == before
    with acting_for(team, "olaf", "owner"):
        assert store.scrub([SECRET])
        store.compact()
    assert team.file_of("memories") != before
    with store._connections.lend("BEGIN") as lent:  # nobody else gets that role
        assert lent.execute("SELECT current_user::text").fetchall() == [(team.names.server,)]


def add(store: PostgresStore, name: str) -> int:
    with store.write() as writer:
        new = Version(name, "fact", SECRET, T0, T0, "agent", "test")
        return writer.memories.add(new, [PassageRow(name.encode(), "en", "unheard")], ())


def settings(pooler_dsn: str) -> list[tuple[str, ...]]:
    """As whoever comes next finds them, on each connection of the pool."""
    found = []
    with psycopg.connect(pooler_dsn, autocommit=True, prepare_threshold=None) as connection:
        for _ in range(4):
            found += connection.execute(
                "SELECT current_setting('lock_timeout'), current_setting('statement_timeout'), current_setting('role'),"
                " current_setting('search_path'), current_setting('hnsw.ef_search', true)"
            ).fetchall()
    return found


@pytest.fixture
def pooled(team: Team) -> Iterator[str]:
    with Pooler(team.dsn) as pooler:
        yield pooler.dsn
        release(pooler.dsn)


def test_everything_works_behind_a_pooler_of_transactions_and_leaves_nothing_there(team: Team, pooled: str) -> None:
    before = settings(pooled)
    store = PostgresStore(pooled, team.space)
    for number in range(8):  # more often than a statement is run before it is prepared
        added = add(store, f"p{number}")
        with store.read() as reader:
            assert f"p{number}" in {found.memory_id for found in reader.search.keywords(["unheard"], 20, NOW)}
        with store.write() as writer:
            writer.memories.erase(f"p{number}", [added])
    old = team.file_of("memories")
    assert store.scrub([SECRET])
    assert team.file_of("memories") != old
    store.compact()
    assert {setting[:4] for setting in settings(pooled)} == {setting[:4] for setting in before}


def test_many_threads_share_the_few_connections_of_a_pooler(team: Team, pooled: str) -> None:
    store = PostgresStore(pooled, team.space)
    names = [f"t{at}" for at in range(12)]
    threads = [threading.Thread(target=add, args=(store, name)) for name in names]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    with store.read() as reader:
        assert {*names} <= {found.memory_id for found in reader.search.keywords(["unheard"], 50, NOW)}


def test_behind_a_pooler_a_reader_is_waited_for_as_long_as_told(team: Team, pooled: str) -> None:
    store = PostgresStore(pooled, team.space, busy_seconds=0.2)
    with team.admin.transaction():
        team.admin.execute(f"SELECT count(*) FROM {schema_of(team.space.space_id)}.memories".encode())
        assert not store.scrub([], wait=False)
        assert not store.scrub([])
    assert store.scrub([])


def test_a_server_takes_on_no_role_behind_a_pooler(team: Team) -> None:
    team.let_owners_maintain()
    team.login("oona", "owner")
    with Pooler(team.address(team.names.server)) as pooler:
        store = PostgresStore(pooler.dsn, team.space)
        with acting_for(team, "oona", "owner"):
            assert not store.scrub([SECRET])
        assert {role for _, _, role, *_ in settings(pooler.dsn)} == {"none"}
        release(pooler.dsn)


def test_while_traces_wait_for_a_long_reader_the_memory_is_read_and_written(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "_ATTEMPT_MILLISECONDS", 30)
    store = PostgresStore(team.dsn, team.space, busy_seconds=60)
    done: list[bool] = []
    with store.read() as long:
        long.memories.last_number()  # holds the table until its end
        erasing = threading.Thread(target=lambda: done.append(store.scrub([])))
        erasing.start()
        for at in range(10):
            add(store, f"meanwhile{at}")
        assert erasing.is_alive()
    erasing.join(30)
    assert done == [True]
