"""Searching and indexing by those who own no table, behind row-level security."""

import random
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import psycopg
import pytest
from numpy.typing import NDArray
from tests.postgres_server import Postgres

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import StoredSpace, Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.roles import ensure_roles
from waypost.store.postgres.search import index_writer as index
from waypost.store.postgres.store import PostgresStore
from waypost.store.protocol import PassageRow

T0 = datetime(2026, 1, 1, tzinfo=UTC)
CODE = View(Moment(T0), CODE_COLLECTIONS)
ENGINE = "engine"
COUNT = 700


@dataclass(frozen=True)
class Machines:
    writer: PostgresStore
    reader: PostgresStore


@pytest.fixture(scope="module")
def machines(postgres_server: Postgres) -> Machines:
    dsn = postgres_server.new_database()
    space = StoredSpace(secrets.token_hex(8), "project", "shop", "directory", None, T0)
    opened = []
    with psycopg.connect(dsn, autocommit=True) as admin:
        migrate_directory(admin, T0)
        ensure_roles(admin, f"t{secrets.token_hex(4)}")
        PostgresStore(dsn, space).close()
        directory = Directory(admin)
        for role in ("writer", "reader"):
            login = f"{role}_{secrets.token_hex(4)}"
            admin.execute(f"CREATE ROLE {login} LOGIN".encode())
            directory.add_user(role)
            directory.add_login(role, login)
            directory.add_member(space.space_id, role, role)
            opened.append(PostgresStore(dsn.replace("//postgres@", f"//{login}@"), space))
    return Machines(*opened)


def vectors(seed: int, count: int) -> NDArray[np.float32]:
    made = np.random.default_rng(seed).standard_normal((count, 32))
    unit: NDArray[np.float32] = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


@pytest.fixture(scope="module")
def filled(machines: Machines) -> Machines:
    chance = random.Random(1)
    with pytest.MonkeyPatch.context() as patch, machines.writer.write() as writer:
        patch.setattr(index, "INDEX_FROM", 100)
        items = [
            (
                Version(f"c{n}", "symbol", "text", T0, T0, "code", "test", checkout_id="here", name=f"c{n}"),
                [PassageRow(n.to_bytes(16), "code", code_terms=(f"n{n}", "", "", f"w{chance.randint(1, 200)}"))],
            )
            for n in range(COUNT)
        ]
        writer.code.add_derived(items, [ENGINE])
        hashes = [row.content_hash for _, (row,) in items]
        made = vectors(2, COUNT)
        writer.vectors.put(ENGINE, [(hashes[n], "code", made[n]) for n in range(COUNT)])
    return machines


def test_a_writer_indexes_and_both_find(filled: Machines) -> None:
    for store in (filled.writer, filled.reader):
        with store.read() as reader:
            assert [hit.memory_id for hit in reader.search.code_keywords(["n7"], (1.0,), 3, CODE)] == ["c7"]
            assert [hit.memory_id for hit in reader.search.vectors(ENGINE, vectors(2, COUNT)[7], 1, CODE).hits] == [
                "c7"
            ]


def plan(store: PostgresStore, sql: str) -> str:
    with store.read() as reader:
        reader.database.rows(
            "SELECT set_config('enable_seqscan', 'off', true)"
        )  # a table of this size is read as a whole
        return "\n".join(line for (line,) in reader.database.rows(f"EXPLAIN {sql}"))


def test_indexes_are_used_behind_row_level_security(filled: Machines) -> None:
    words = plan(filled.reader, "SELECT passage_id FROM code_keywords WHERE keys @> ARRAY[1]::bigint[]")
    assert "code_keywords_by_key" in words
    near = plan(
        filled.reader,
        "SELECT vector_id FROM vectors WHERE engine_id = 1 AND of_code AND vector_dims(packed) = 32"
        f" ORDER BY packed::halfvec(32) <#> '{[0.5] * 32}'::halfvec(32) LIMIT 10",
    )
    assert "vectors_near_1_32_code" in near
    terms = plan(filled.reader, "SELECT passages FROM keywords_terms WHERE term = ANY('{1,2}'::bigint[])")
    assert "keywords_terms_pkey" in terms


def test_a_writer_takes_words_and_vectors_away_again(filled: Machines) -> None:
    with filled.writer.write() as writer:
        (number,) = [version.number for version in writer.memories.versions("c9")]
        writer.memories.replace_passages(
            number, [PassageRow(b"9" * 16, "code", code_terms=("other", "", "", ""))], [ENGINE]
        )
    with filled.reader.read() as reader:
        assert reader.search.code_keywords(["n9"], (1.0,), 3, CODE) == []
        assert reader.vectors.missing(ENGINE, [(9).to_bytes(16)]) == [(9).to_bytes(16)]
        assert reader.database.rows("SELECT sum(vectors)::bigint FROM vector_counts") == [(COUNT - 1,)]
