"""A memory that an earlier version made is brought to this one's schema when it is opened."""

import secrets
from datetime import UTC, datetime

import psycopg

from waypost.model.memory import StoredSpace
from waypost.store.postgres.store import PostgresStore

THEN = datetime(2026, 1, 1, tzinfo=UTC)


def test_tombstones_of_an_earlier_version_still_stand_and_can_be_lifted(searched_database: str) -> None:
    space = StoredSpace(secrets.token_hex(8), "project", "earlier", "directory", None, THEN)
    first = PostgresStore(searched_database, space)
    with first.write() as writer:
        writer.tombstones.add(b"old", THEN)
    first.close()
    with psycopg.connect(searched_database, autocommit=True) as connection:
        (schema,) = connection.execute(
            "SELECT table_schema FROM information_schema.tables WHERE table_name = 'tombstones' AND table_schema LIKE %s",
            (f"%{space.space_id}%",),
        ).fetchone() or ("",)
        connection.execute(f'ALTER TABLE "{schema}".tombstones DROP COLUMN cause')
        connection.execute(f"DELETE FROM \"{schema}\".migrations WHERE name = '0003_tombstone_causes'")
    again = PostgresStore(searched_database, space)
    with again.write() as writer:
        assert writer.tombstones.matching([b"old"]) == {b"old"}
        writer.tombstones.add(b"new", THEN, "a rejection")
        assert writer.tombstones.remove([b"old"]) == 1
        assert writer.tombstones.matching([b"new"]) == {b"new"}
    again.close()
