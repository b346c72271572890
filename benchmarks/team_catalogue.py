"""Many memories in one PostgreSQL: how long they take to make and to migrate, what the catalogue weighs, what roles cost.

    python benchmarks/team_catalogue.py [--spaces 1000]

Starts a PostgreSQL of its own. One administrator makes the memories, each in a transaction, with the tables of this
version, group roles, grants and policies. One user is a member of all of them, one of a single one.
"""

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.postgres_server import Postgres

from waypost.model.memory import StoredSpace
from waypost.store.postgres import schema
from waypost.store.postgres.connection import ServerConnection, connections
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.directory.installation import bring_up_to_date, set_up
from waypost.store.postgres.roles import RoleNames, schema_of
from waypost.store.postgres.security import Acting, act

NOW = datetime(2026, 1, 30, tzinfo=UTC)
REPEATS = 200
LATER = "CREATE TABLE later (x bigint PRIMARY KEY); ALTER TABLE memories ADD COLUMN later text"
CATALOGUE = """
SELECT sum(pg_total_relation_size(c.oid))::bigint FROM pg_class c
WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'r'
"""


def space_id(number: int) -> str:
    return hashlib.sha256(f"space {number}".encode()).hexdigest()[:16]


def microseconds(call: Callable[[], object], repeats: int = REPEATS) -> dict[str, float]:
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        call()
        taken.append((time.perf_counter() - begun) * 1e6)
    return {
        "first": round(taken[0]),
        "median": round(statistics.median(taken)),
        "p95": round(sorted(taken)[-repeats // 20]),
    }


def seconds(call: Callable[[], object]) -> float:
    begun = time.perf_counter()
    call()
    return round(time.perf_counter() - begun, 2)


def sizes(connection: ServerConnection) -> dict[str, int]:
    catalogue = run(connection.raw, CATALOGUE).fetchone()
    rows = run(
        connection.raw,
        "SELECT (SELECT count(*) FROM pg_class), (SELECT count(*) FROM pg_policy), (SELECT count(*) FROM pg_attribute),"
        " (SELECT count(*) FROM pg_roles), (SELECT count(*) FROM pg_auth_members), pg_database_size(current_database())",
    ).fetchone()
    assert catalogue is not None
    assert rows is not None
    names = ("relations", "policies", "attributes", "roles", "memberships", "database_bytes")
    return {"catalogue_bytes": catalogue[0]} | dict(zip(names, rows, strict=True))


def make(connection: ServerConnection, names: RoleNames, number: int) -> None:
    raw, one = connection.raw, space_id(number)
    with raw.transaction():
        Directory(raw).register_space(StoredSpace(one, "project", f"project {number}", "origin", None, NOW))
        bring_up_to_date(connection, "here", one, names, NOW)


def roles_cost(dsn: str, names: RoleNames, spaces: int) -> dict[str, Any]:
    """What it costs to act for somebody, and to be asked for each statement, with so many roles."""
    one, logged_in = space_id(7), names.server
    count = f"SELECT count(*) FROM {schema_of(one)}.memories WHERE number = 1"
    found: dict[str, Any] = {}
    with connections(dsn.replace("postgres@", f"{logged_in}@")).alone() as connection:
        raw = connection.raw

        def acted(user: str) -> None:
            with raw.transaction():
                act(raw, names, one, Acting(user, "writer"))

        def read(user: str) -> None:
            with raw.transaction():
                act(raw, names, one, Acting(user, "writer"))
                run(raw, count)

        found["server: act, µs"] = microseconds(lambda: acted("everywhere"))
        found["server: act and read, µs"] = microseconds(lambda: read("everywhere"))
        digests = {user: hashlib.sha256(user.encode()).hexdigest() for user in ("everywhere", "somewhere")}
        for user, digest in digests.items():
            found[f"server: whose token, {user}, µs"] = microseconds(partial(Directory(raw).holder, digest=digest))
    with connections(dsn).alone() as admin:
        run(admin.raw, "CREATE ROLE machine LOGIN")
        found[f"add a login that is a member of {spaces}, s"] = seconds(
            lambda: Directory(admin.raw).add_login("everywhere", "machine")
        )
        with connections(dsn.replace("postgres@", "machine@")).alone() as machine:
            found["machine: read, µs"] = microseconds(lambda: run(machine.raw, count))
            found["machine: list its memories, µs"] = microseconds(lambda: Directory(machine.raw).spaces(), 20)
        found["remove one member, s"] = seconds(lambda: Directory(admin.raw).remove_member(one, "everywhere"))
        found["owner of the tables: read, µs"] = microseconds(lambda: run(admin.raw, count))
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--spaces", type=int, default=1000)
    spaces = parser.parse_args().spaces
    with Postgres() as server:
        dsn = server.new_database()
        with connections(dsn).alone() as connection:
            raw = connection.raw
            found: dict[str, Any] = {"set up, s": seconds(lambda: set_up(connection, "here", NOW))}
            names = set_up(connection, "here", NOW).names
            assert names is not None
            found["empty"] = sizes(connection)
            taken = [seconds(partial(make, connection, names, number)) for number in range(spaces)]
            found["make all, s"] = round(sum(taken), 1)
            tenth = max(1, spaces // 10)
            found["make one, ms: first tenth, last tenth"] = [
                round(1000 * statistics.mean(part), 1) for part in (taken[:tenth], taken[-tenth:])
            ]
            run(raw, "VACUUM ANALYZE")
            found["full"] = sizes(connection)
            found["catalogue, bytes a memory"] = (
                found["full"]["catalogue_bytes"] - found["empty"]["catalogue_bytes"]
            ) // spaces
            for user in ("everywhere", "somewhere"):
                Directory(raw).add_user(user)
                Directory(raw).make_token(user, "t", digest=hashlib.sha256(user.encode()).hexdigest())
            Directory(raw).add_member(space_id(7), "somewhere", "reader")
            with raw.transaction():
                for number in range(spaces):
                    Directory(raw).add_member(space_id(number), "everywhere", "writer")
            found["set up again, nothing to do, s"] = seconds(lambda: set_up(connection, "here", NOW))
            schema.MIGRATIONS = {**schema.MIGRATIONS, "9999_later": LATER}
            found["migrate all by a table and a column, s"] = seconds(lambda: set_up(connection, "here", NOW))
        found |= roles_cost(dsn, names, spaces)
        with connections(dsn).alone() as connection:
            found["forget one, s"] = seconds(lambda: Directory(connection.raw).forget_space(space_id(3)))
    print(json.dumps({"spaces": spaces} | found, indent=2, ensure_ascii=False))


if __name__ == "__main__":
    main()
