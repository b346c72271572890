"""Vectors in PostgreSQL: the cosines of SQLite's store, compared one by one or found by an index."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from waypost.model.kinds import CODE_COLLECTIONS, KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.postgres.search import index_writer as search_index
from waypost.store.postgres.search import search as postgres_search
from waypost.store.postgres.search import vector_samples
from waypost.store.postgres.search.halfvec import Halves, array_bytes, half_bytes, packed
from waypost.store.postgres.search.vector_rows import NearVector, all_scores, find_engine, near
from waypost.store.postgres.search.vector_samples import Samples, _combined
from waypost.store.postgres.store import PostgresStore
from waypost.store.protocol import PassageRow, Population, Store
from waypost.store.sql.packed import pack

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0))
PROSE = replace(NOW, collections=KEPT_COLLECTIONS)
CODE = replace(NOW, collections=CODE_COLLECTIONS)
ENGINE = "engine"
DIMENSIONS = 24
LANGUAGES = ("en", "en", "de", "fr", "code", "code-other")

Matrix = NDArray[np.float32]


def vectors(count: int, seed: int = 1, dimensions: int = DIMENSIONS) -> Matrix:
    """In clusters, as those of texts are."""
    chance = np.random.default_rng(seed)
    centres = np.random.default_rng(99).standard_normal((20, dimensions))
    made = centres[chance.integers(0, 20, count)] + 0.7 * chance.standard_normal((count, dimensions))
    unit: Matrix = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


def fill(stores: Sequence[Store], count: int = 240, *, dimensions: int = DIMENSIONS) -> None:
    """Every seventh is not to be seen any more; every fifth says the same as the one before."""
    made = vectors(count, dimensions=dimensions)
    for store in stores:
        with store.write() as writer:
            items = [(version(number), [passage(number)]) for number in range(count)]
            first = writer.memories.last_number() + 1
            writer.code.add_derived(items, [ENGINE])
            for number in range(6, count, 7):
                writer.memories.supersede(first + number, T0)
            rows = [(row.content_hash, row.language, vector) for (_, (row,)), vector in zip(items, made, strict=True)]
            writer.vectors.put(ENGINE, rows)


def version(number: int) -> Version:
    is_code = passage(number).language.startswith("code")
    return Version(
        f"m{number}", "symbol" if is_code else "fact", "text", T0, T0, "agent", "test",
        domain="rare" if number % 30 == 0 else "common", level=None if is_code else 1,
        checkout_id="here" if is_code else None, name=f"m{number}" if is_code else None,
    )  # fmt: skip


def passage(number: int) -> PassageRow:
    return PassageRow((number - (number % 5 == 4)).to_bytes(16), LANGUAGES[number % len(LANGUAGES)], "")


def index(store: PostgresStore) -> int:
    with pytest.MonkeyPatch.context() as patch, store.write() as writer:
        patch.setattr(search_index, "INDEX_FROM", 10)
        return writer.index.index_vectors()


def rows(store: PostgresStore, sql: str) -> list[Any]:
    with store.read() as reader:
        return reader.database.rows(sql)


def nearest(store: Store, asked: Matrix, limit: int = 10, view: View = NOW) -> list[tuple[str, float]]:
    with store.read() as reader:
        answer = reader.search.vectors(ENGINE, asked, limit, view)
    return [(found.memory_id, round(found.score, 5)) for found in answer.hits]


def spread(store: Store, asked: Matrix, view: View = NOW) -> dict[str, Population]:
    with store.read() as reader:
        return dict(reader.search.vectors(ENGINE, asked, 1, view).population)


def assert_same_spread(mine: dict[str, Population], theirs: dict[str, Population]) -> None:
    assert mine.keys() == theirs.keys()
    for language, one in mine.items():
        other = theirs[language]
        assert one.count == other.count
        assert (one.mean, one.deviation) == pytest.approx((other.mean, other.deviation), abs=1e-6)


@pytest.fixture(params=["one by one", "by an index"])
def filled(request: pytest.FixtureRequest, both: tuple[PostgresStore, Store]) -> tuple[PostgresStore, Store]:
    fill(both)
    if request.param == "by an index":
        assert index(both[0]) == 2
        assert index(both[0]) == 0
    return both


@pytest.mark.parametrize("view", [NOW, PROSE, CODE])
def test_the_same_questions_find_the_same_as_in_sqlite(filled: tuple[PostgresStore, Store], view: View) -> None:
    shared, asked = 0, vectors(20, seed=2)
    for one in asked:
        mine, theirs = (nearest(store, one, view=view) for store in filled)
        assert {len(mine), len(theirs)} == {10}
        shared += len({*mine} & {*theirs})
    assert shared >= 0.95 * 10 * len(asked)


@pytest.mark.parametrize("view", [NOW, PROSE, CODE])
def test_cosines_spread_as_in_sqlite(filled: tuple[PostgresStore, Store], view: View) -> None:
    asked = vectors(1, seed=3)[0]
    assert_same_spread(spread(filled[0], asked, view), spread(filled[1], asked, view))


def test_a_view_of_a_few_memories_finds_them_among_many(filled: tuple[PostgresStore, Store]) -> None:
    view = replace(PROSE, domains=("rare",))
    asked = vectors(1, seed=4)[0]
    assert nearest(filled[0], asked, 5, view) == nearest(filled[1], asked, 5, view) != []


def test_a_few_members_of_a_view_are_found_by_one_search_even_if_many_of_them_are_put_away(
    filled: tuple[PostgresStore, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, view = vectors(1, seed=4)[0], replace(PROSE, levels=(1,))
    for store in filled:
        with store.write() as writer:
            for number in range(0, 240, 2):  # of the best as of the others
                writer.memories.set_state(f"m{number}", archived_at=T0)
    whole = [nearest(store, asked, 5, view) for store in filled]
    depths: list[int] = []

    def noting(*given: Any) -> list[NearVector]:
        depths.append(given[-1])
        return near(*given)

    monkeypatch.setattr(postgres_search, "near", noting)
    assert nearest(filled[0], asked, 5, view) == whole[0] == whole[1]
    assert len(depths) <= 1  # no deeper search than the first
    for limit in (1, 2, 60):
        assert nearest(filled[0], asked, limit, view) == nearest(filled[1], asked, limit, view)


def test_what_is_found_makes_up_for_a_small_sample(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_samples, "SAMPLE", 40)
    fill([store], 600)
    assert index(store) == 2
    chosen = Samples()
    plain, better = list[float](), list[float]()
    with store.read() as reader:
        engine = find_engine(reader.database, ENGINE)
        assert engine is not None
        for asked in vectors(40, seed=8):
            exact = all_scores(reader.database, engine, False, asked).cosines.std()
            found = near(reader.database, engine, False, asked, 60)
            for errors, nearest in ((plain, []), (better, found)):
                spread = _combined([*chosen.spread(reader.database, engine, False, asked, nearest).values()])
                errors.append(abs(spread.deviation / exact - 1))
    assert np.mean(better) < 0.6 * np.mean(plain)
    assert np.mean(better) < 0.05


def test_cosines_of_versions_are_those_of_sqlite(filled: tuple[PostgresStore, Store]) -> None:
    asked, numbers = vectors(1, seed=5)[0], [1, 2, 5, 40, 100, 9999]
    found = []
    for store in filled:
        with store.read() as reader:
            found.append(reader.search.vector_scores(ENGINE, asked, numbers))
            assert reader.search.vector_scores("another", asked, numbers) == {}
            assert reader.search.vector_scores(ENGINE, asked[:8], numbers) == {}
    assert found[0].keys() == found[1].keys() == {1, 2, 5, 40, 100}
    assert found[0] == pytest.approx(found[1], abs=1e-6)


def test_twins_are_those_of_sqlite(filled: tuple[PostgresStore, Store]) -> None:
    asked = vectors(240)[[3, 8, 21, 44]]
    found = []
    for store in filled:
        with store.read() as reader:
            found.append(reader.search.twins(ENGINE, asked, "fact", "common", 0.9, 5))
    assert found[0]
    assert [(twin.index, twin.number) for twin in found[0]] == [(twin.index, twin.number) for twin in found[1]]


def test_stored_vectors_come_back_as_they_are_kept_in_sqlite(filled: tuple[PostgresStore, Store]) -> None:
    digests = [number.to_bytes(16) for number in range(20)]
    found = []
    for store in filled:
        with store.read() as reader:
            found.append(reader.vectors.get(ENGINE, digests))
            assert reader.vectors.missing(ENGINE, [*digests, b"?" * 16]) == [
                *(digest for digest in digests if digest not in found[-1]),
                b"?" * 16,
            ]
    assert found[0].keys() == found[1].keys()
    assert all((found[0][digest] == found[1][digest]).all() for digest in found[0])


def test_what_was_erased_is_not_found_and_not_counted(filled: tuple[PostgresStore, Store]) -> None:
    asked = vectors(1, seed=6)[0]
    for store in filled:
        with store.write() as writer:
            for number in (*range(0, 240, 3), 4):
                writer.memories.erase(
                    f"m{number}", [version.number for version in writer.memories.versions(f"m{number}")]
                )
    mine, theirs = (nearest(store, asked, 200) for store in filled)
    assert {*mine} == {*theirs}
    counted = rows(filled[0], "SELECT language, vectors FROM vector_counts ORDER BY 1")
    assert counted == rows(filled[0], "SELECT language, count(*) FROM vectors GROUP BY 1 ORDER BY 1")
    filled[0]._samples.forget()
    assert_same_spread(spread(filled[0], asked), spread(filled[1], asked))


def test_vectors_made_again_replace_the_old_ones(filled: tuple[PostgresStore, Store]) -> None:
    digest, turned = (8).to_bytes(16), -vectors(240)[8]
    for store in filled:
        with store.write() as writer:
            writer.vectors.put(ENGINE, [(digest, "de", turned)], again=True)
    assert nearest(filled[0], turned, 1, PROSE)[0][0] in {"m8", "m9"}
    assert rows(filled[0], "SELECT sum(vectors)::bigint FROM vector_counts") == rows(
        filled[0], "SELECT count(*) FROM vectors"
    )


def test_another_model_under_the_same_name_starts_afresh(filled: tuple[PostgresStore, Store]) -> None:
    with filled[0].write() as writer:
        writer.vectors.put(ENGINE, [((8).to_bytes(16), "de", vectors(1, dimensions=8)[0])])
        assert writer.vectors.pending()[ENGINE] > 100
    assert nearest(filled[0], vectors(1)[0]) == []
    assert [name for name, _ in nearest(filled[0], vectors(1, dimensions=8)[0], 1)] == ["m8"]
    with filled[0].write() as writer:
        writer.vectors.drop_engine(ENGINE)
    assert rows(filled[0], "SELECT count(*) FROM vector_counts") == [(0,)]


def test_an_index_is_made_when_vectors_have_become_many(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_index, "INDEX_FROM", 100)
    fill([store], 100)
    assert rows(
        store, "SELECT count(*) FROM pg_indexes WHERE indexdef LIKE '%hnsw%' AND schemaname = current_schema()"
    ) == [(0,)]
    with store.write() as writer:
        digests = [(1000 + number).to_bytes(16) for number in range(60)]
        new = Version("new", "fact", "text", T0, T0, "agent", "test")
        writer.memories.add(new, [PassageRow(digest, "en", "") for digest in digests], [ENGINE])
        writer.vectors.put(ENGINE, [(digest, "en", one) for digest, one in zip(digests, vectors(60, 3), strict=True)])
    made = rows(
        store, "SELECT indexname::text FROM pg_indexes WHERE indexdef LIKE '%hnsw%' AND schemaname = current_schema()"
    )
    assert made == [("vectors_near_1_24_prose",)]
    assert index(store) == 1  # of code, which are fewer


def test_the_index_finds_nearly_all_of_the_nearest(both: tuple[PostgresStore, Store]) -> None:
    fill(both, 1800, dimensions=64)
    exact = [nearest(both[0], asked, 10, PROSE) for asked in vectors(20, seed=7, dimensions=64)]
    index(both[0])
    found = [nearest(both[0], asked, 10, PROSE) for asked in vectors(20, seed=7, dimensions=64)]
    assert sum(len({*mine} & {*all_}) for mine, all_ in zip(found, exact, strict=True)) >= 0.95 * 200
    with both[0].read() as reader:
        plan = "\n".join(
            line
            for (line,) in reader.database.rows(
                "EXPLAIN SELECT vector_id FROM vectors WHERE engine_id = 1 AND NOT of_code AND vector_dims(packed) = 64"
                f" ORDER BY packed::halfvec(64) <#> '{[0.5] * 64}'::halfvec(64) LIMIT 20"
            )
        )
    assert "vectors_near_1_64_prose" in plan


def test_a_sample_tells_how_cosines_spread(both: tuple[PostgresStore, Store], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_samples, "SAMPLE", 100)
    fill(both, 1000)
    index(both[0])
    for asked in vectors(5, seed=8):
        mine, theirs = (spread(store, asked) for store in both)
        for language, one in theirs.items():
            assert mine[language].count == one.count
            assert mine[language].mean == pytest.approx(one.mean, abs=0.4 * one.deviation)
            assert mine[language].deviation == pytest.approx(one.deviation, rel=0.25)


def test_a_sample_is_taken_again_after_a_time_or_when_much_has_changed(store: PostgresStore) -> None:
    time = [0.0]
    store._samples = Samples(lambda: time[0])
    fill([store])
    index(store)
    asked = vectors(1, seed=9)[0]
    before = spread(store, asked)
    with store.write() as writer:
        for number in range(0, 240, 6):
            writer.vectors.put(ENGINE, [(number.to_bytes(16), "en", vectors(240)[number] * 0)], again=True)
    assert spread(store, asked) == before
    time[0] = 1000.0
    assert spread(store, asked)["en"].mean != before["en"].mean


def test_a_vector_goes_to_the_database_and_back_as_the_same_bytes() -> None:
    vector = vectors(1)[0]
    assert packed(half_bytes(pack(vector))) == pack(vector)
    sent = array_bytes(Halves([pack(vector)], 77))
    assert sent.endswith(half_bytes(pack(vector)))
    assert array_bytes(Halves([], 77))[:4] == bytes(4)


def test_few_vectors_are_compared_one_by_one() -> None:
    assert search_index.INDEX_FROM >= 5_000  # else a thousand small memories would have a thousand indexes
