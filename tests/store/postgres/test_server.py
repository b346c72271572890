"""That the tests have a real PostgreSQL with pgvector."""

import psycopg


def test_the_server_is_real_and_has_pgvector(postgres: str) -> None:
    with psycopg.connect(postgres) as connection:
        version = connection.execute("SHOW server_version_num").fetchone()
        vector = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
    assert version is not None
    assert int(version[0]) >= 150000
    assert vector is not None
    assert tuple(map(int, vector[0].split("."))) >= (0, 8)
