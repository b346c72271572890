"""Sums of domains in a database that an earlier version wrote, and searching in a few domains of a large space."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.protocol import PassageRow
from waypost.store.sql import search
from waypost.store.sqlite.store import DATABASE_NAME, SqliteStore

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0))
ENGINE = "engine"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = SqliteStore(tmp_path)
    yield opened
    opened.close()


def vector(number: int) -> NDArray[np.float32]:
    made = np.random.default_rng(number).standard_normal(16).astype(np.float32)
    return (made / np.linalg.norm(made)).astype(np.float16).astype(np.float32)  # as it is stored


def write(store: SqliteStore, numbers: range, domain: str, level: int = 1) -> None:
    with store.write() as writer:
        for number in numbers:
            new = Version(f"m{number}", "fact", "text", T0, T0, "agent", "test", level=level, domain=domain)
            digest = number.to_bytes(16)
            writer.memories.add(new, [PassageRow(digest, "en", f"common word{number}")], [ENGINE])
            writer.vectors.put(ENGINE, [(digest, "en", vector(number))])


def as_an_earlier_version_left_it(folder: Path) -> None:
    """The migration has made the table; nobody has counted yet."""
    connection = apsw.Connection(str(folder / DATABASE_NAME))
    connection.execute("DELETE FROM domains; DELETE FROM meta WHERE key LIKE 'domains_counted%'")
    connection.close()


def counts(store: SqliteStore) -> dict[str, int]:
    with store.read() as reader:
        return {name: count for name, (count, _) in reader.facts.domains(ENGINE, NOW).items()}


def kept(folder: Path) -> dict[str, int]:
    connection = apsw.Connection(str(folder / DATABASE_NAME))
    found: list[Any] = connection.execute("SELECT domain, facts FROM domains").fetchall()
    connection.close()
    return dict(found)


def test_a_migrated_database_is_counted_by_its_first_write(store: SqliteStore, tmp_path: Path) -> None:
    write(store, range(1, 6), "billing")
    as_an_earlier_version_left_it(tmp_path)
    assert counts(store) == {"billing": 5}  # computed
    assert kept(tmp_path) == {}
    write(store, range(6, 8), "auth")
    assert counts(store) == {"billing": 5, "auth": 2} == kept(tmp_path)


def test_wrong_sums_are_put_right_by_counting_again(store: SqliteStore, tmp_path: Path) -> None:
    write(store, range(1, 6), "billing")
    connection = apsw.Connection(str(tmp_path / DATABASE_NAME))
    connection.execute("UPDATE domains SET facts = 99")
    connection.close()
    with store.write() as writer:
        writer.facts.recount_domains(ENGINE)
    assert counts(store) == {"billing": 5}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SqliteStore]:
    """Only read by the tests."""
    opened = SqliteStore(tmp_path_factory.mktemp("large"))
    write(opened, range(1, 300), "common")
    write(opened, range(300, 306), "rare")
    write(opened, range(306, 310), "common", level=2)
    yield opened
    opened.close()


@pytest.mark.parametrize("few", [0, 3, 5, 1000])  # members that are compared directly
@pytest.mark.parametrize(
    ("domains", "levels"),
    [(("rare",), None), (("common",), (2,)), (None, (2,)), (("rare", "common"), (1,)), (("",), None)],
)
def test_a_search_in_some_domains_and_levels_finds_what_comparing_all_of_them_finds(
    large: SqliteStore,
    monkeypatch: pytest.MonkeyPatch,
    few: int,
    domains: tuple[str, ...] | None,
    levels: tuple[int, ...] | None,
) -> None:
    monkeypatch.setattr(search, "few_members", lambda _: few)
    view = replace(NOW, domains=domains, levels=levels)
    members = [
        number
        for number in range(1, 310)
        if (domains is None or ("rare" if 300 <= number < 306 else "common") in domains)
        and (levels is None or (2 if number >= 306 else 1) in levels)
    ]
    asked = vector(9999)
    best = sorted(members, key=lambda number: -float(vector(number) @ asked))[:4]
    with large.read() as reader:
        by_meaning = reader.search.vectors(ENGINE, asked, 4, view)
        by_words = reader.search.keywords(["common"], 4, view)
    assert [found.memory_id for found in by_meaning.hits] == [f"m{number}" for number in best]
    assert sum(one.count for one in by_meaning.population.values()) == 309
    assert len(by_words) == min(4, len(members))
    assert {found.memory_id for found in by_words} <= {f"m{number}" for number in members}


def test_a_search_of_another_moment_finds_the_few_that_were_known_then(store: SqliteStore) -> None:
    write(store, range(1, 60), "common")
    with store.write() as writer:
        early = T0.replace(year=2020)
        writer.memories.add(
            Version("old", "fact", "text", early, early, "agent", "test", level=1),
            [PassageRow(b"o" * 16, "en", "common")],
            [ENGINE],
        )
        writer.vectors.put(ENGINE, [(b"o" * 16, "en", vector(7777))])
    then = View(Moment(T0, known_at=T0.replace(year=2021)))
    with store.read() as reader:
        assert [found.memory_id for found in reader.search.vectors(ENGINE, vector(1), 4, then).hits] == ["old"]
        assert [found.memory_id for found in reader.search.keywords(["common"], 4, then)] == ["old"]


@pytest.mark.parametrize(("passages", "few"), [(0, 3_000), (90_000, 3_000), (1_000_000, 10_000), (4_000_000, 20_000)])
def test_the_larger_the_memory_the_more_members_are_compared_directly(passages: int, few: int) -> None:
    assert search.few_members(passages) == few
