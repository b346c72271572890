"""Keywords in PostgreSQL: the scores of FTS5, and nothing left of a word that nobody holds any more."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.model.kinds import CODE_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.store.postgres.search import keyword_changes, keyword_rows
from waypost.store.postgres.search.keyword_keys import keys_of, lookups, signed, term_of, tokens
from waypost.store.postgres.store import PostgresStore
from waypost.store.protocol import FoundPassage, PassageRow, Store
from waypost.store.sql import search
from waypost.store.sqlite import search as sqlite_search

T0 = datetime(2026, 1, 1, tzinfo=UTC)
NOW = View(Moment(T0))
WEIGHTS = (8.0, 4.5, 2.0, 1.0)
WORDS = [
    *(f"word{number}" for number in range(60)),
    "größe",
    "ſtraße",
    "ΣΑΣ",
    "наука",
    "日本",
    "user_id",
    "v1_2_3",
    "Ͽ",
]
TABLES = [f"{index}{part}" for index in ("keywords", "code_keywords") for part in ("", "_terms")]


def text(chance: random.Random, most: int) -> str:
    """Few words are frequent, and some stand many times in one text."""
    known = WORDS[: chance.randint(1, len(WORDS))]
    return " ".join(chance.choice(known) for _ in range(chance.randint(0, most)))


def prose(number: int, terms: str, domain: str = "") -> tuple[Version, PassageRow]:
    new = Version(f"m{number}", "fact", "text", T0, T0, "agent", "test", domain=domain, level=1)
    return new, PassageRow(number.to_bytes(16), "en", terms)


def code(number: int, columns: tuple[str, str, str, str]) -> tuple[Version, PassageRow]:
    new = Version(f"c{number}", "symbol", "text", T0, T0, "code", "test", checkout_id="here", name=f"c{number}")
    return new, PassageRow(number.to_bytes(16), "code", code_terms=columns)


def fill(stores: Sequence[Store], *, seed: int = 1, count: int = 150) -> None:
    for store in stores:
        chance = random.Random(seed)
        with store.write() as writer:
            for number in range(count):
                new, row = prose(number, text(chance, 40), "rare" if number % 25 == 0 else "common")
                writer.memories.add(new, [row], ())
            derived = [
                code(number, (text(chance, 3), text(chance, 4), text(chance, 12), text(chance, 400)))
                for number in range(count)
            ]
            writer.code.add_derived([(new, [row]) for new, row in derived], ())


def answers(
    store: Store, terms: Sequence[str], view: View = NOW, limit: int = 30
) -> tuple[list[FoundPassage], list[FoundPassage]]:
    with store.read() as reader:
        of_prose = reader.search.keywords(terms, limit, view)
        of_code = reader.search.code_keywords(terms, WEIGHTS, limit, replace(view, collections=CODE_COLLECTIONS))
    return of_prose, of_code


def assert_same(stores: tuple[Store, Store], terms: Sequence[str], view: View = NOW) -> None:
    for mine, theirs in zip(*(answers(store, terms, view) for store in stores), strict=True):
        assert [found.score for found in mine] == pytest.approx([found.score for found in theirs], abs=1e-9)
        scores = {found.passage_id: found.score for found in mine}
        edge = theirs[-1].score if theirs else 0.0  # of those that are equally good, some were left out
        assert all(
            scores[found.passage_id] == pytest.approx(found.score) for found in theirs if found.score > edge + 1e-9
        )


def questions(seed: int, count: int = 12) -> list[list[str]]:
    chance = random.Random(seed)
    return [chance.sample(WORDS, chance.randint(1, 9)) for _ in range(count)]


def rows(store: PostgresStore, sql: str) -> list[Any]:
    with store.read() as reader:
        return reader.database.rows(sql)


def test_the_same_writes_are_found_with_the_same_scores(both: tuple[Store, Store]) -> None:
    fill(both)
    for terms in questions(2):
        assert_same(both, terms)


def test_what_was_erased_or_indexed_anew_leaves_the_same_scores(both: tuple[Store, Store]) -> None:
    fill(both)
    for store in both:
        with store.write() as writer:
            for number in range(0, 150, 3):
                writer.memories.erase(
                    f"m{number}", [version.number for version in writer.memories.versions(f"m{number}")]
                )
            for number in range(1, 150, 5):
                (kept,) = [version.number for version in writer.memories.versions(f"c{number}")]
                writer.memories.replace_passages(
                    kept, [code(number, ("word1", "größe", "", f"word{number % 9} word2"))[1]], ()
                )
    for terms in questions(3):
        assert_same(both, terms)


def test_a_view_of_a_few_memories_finds_them_among_many(
    both: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(both)
    view = replace(NOW, domains=("rare",))
    for few in (0, 3, 1000):  # members that are compared directly
        monkeypatch.setattr(search, "few_members", lambda _, few=few: few)
        for terms in questions(4, 4):
            mine, theirs = (answers(store, terms, view, 4)[0] for store in both)
            assert [found.score for found in mine] == pytest.approx([found.score for found in theirs])
            assert {int(found.memory_id[1:]) % 25 for found in mine} <= {0}


def test_only_the_rarest_words_are_weighed_in_a_large_space(
    both: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(both)
    monkeypatch.setattr(keyword_rows, "MOST_WEIGHED", 60)
    monkeypatch.setattr(sqlite_search, "_MOST_WEIGHED", 60)
    for terms in questions(5):
        assert_same(both, [term for term in terms if tokens(term) == [term]])


def test_many_passages_are_indexed_as_one_by_one(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> None:
    fill([store])
    few = [answers(store, terms) for terms in questions(6, 4)]
    with store.write() as writer:
        passages = [row for (row,) in writer.database.rows("SELECT passage_id FROM code_keywords")]
        texts = random.Random(1)
        writer.index.drop_keywords(passages)
        monkeypatch.setattr(keyword_changes, "_MANY", 10)
        monkeypatch.setattr(keyword_changes, "_AT_ONCE", 7)
        for _ in range(150):
            text(texts, 40)  # what was written before
        columns = [(text(texts, 3), text(texts, 4), text(texts, 12), text(texts, 400)) for _ in passages]
        writer.index.add_keywords([(at, code(0, one)[1]) for at, one in zip(sorted(passages), columns, strict=True)])
    assert [answers(store, terms) for terms in questions(6, 4)] == few
    assert not [*store.problems()]


def test_nothing_is_left_of_words_that_nobody_holds(store: PostgresStore) -> None:
    fill([store], count=40)
    with store.write() as writer:
        new, row = prose(999, "unheard word1")
        number = writer.memories.add(new, [row], ())
    key = term_of("unheard")
    assert rows(store, f"SELECT passages FROM keywords_terms WHERE term = {key}") == [(1,)]
    with store.write() as writer:
        writer.memories.erase("m999", [number])
    assert rows(store, f"SELECT passages FROM keywords_terms WHERE term = {key}") == []
    assert rows(store, f"SELECT 1 FROM keywords WHERE keys && ARRAY[{key}, {key + 1}]::bigint[]") == []
    with store.write() as writer:
        writer.index.drop_keywords([one for (one,) in writer.database.rows("SELECT passage_id FROM passages")])
    assert [rows(store, f"SELECT count(*) FROM {table}") for table in TABLES] == [[(0,)]] * 4
    assert rows(store, "SELECT passages, tokens FROM keywords_totals") == [(0, 0)]
    kept = "SELECT count(*) FROM pg_stats WHERE attname = 'keys' AND most_common_elems IS NOT NULL"
    assert rows(store, kept) == [(0,)]


def test_what_is_rolled_back_is_not_counted(store: PostgresStore) -> None:
    with pytest.raises(RuntimeError), store.write() as writer:
        new, row = prose(1, "one two")
        writer.memories.add(new, [row], ())
        assert [found.memory_id for found in writer.search.keywords(["two"], 5, NOW)] == ["m1"]
        raise RuntimeError
    assert answers(store, ["two"]) == ([], [])
    assert rows(store, "SELECT passages, tokens FROM keywords_totals") == [(0, 0)]


def test_hostile_terms_are_only_looked_up(store: PostgresStore) -> None:
    fill([store], count=5)
    for term in ("'", '"', "\0", "?1", "$1", "{}", "%s", "", " ", "\ud800", "x" * 100_000):
        assert answers(store, [term]) == ([], [])


@given(st.lists(st.text(st.sampled_from("ab_é1 "), max_size=60), min_size=1, max_size=4))
def test_keys_say_how_often_each_word_stands_in_each_column(columns: list[str]) -> None:
    made = keys_of(columns)
    assert made.tokens == sum(len(tokens(column)) for column in columns)
    assert len(set(made.keys)) == len(made.keys)
    for word in {word for column in columns for word in tokens(column)}:
        times = [tokens(column).count(word) for column in columns]
        weights = [1000.0**place for place in range(len(columns))]
        told = sum(
            weight for key, weight in lookups(term_of(word), made.terms[term_of(word)], weights) if key in made.keys
        )
        assert told == sum(weight * count for weight, count in zip(weights, times, strict=True))


def test_keys_are_numbers_that_the_database_can_hold() -> None:
    made = keys_of(["", "", "", "word " * 70_000])
    assert len(made.keys) == 16  # more often than can be told counts as often as can be told
    assert all(-(2**63) <= number < 2**63 for number in (*made.keys, *made.terms, *map(signed, made.terms.values())))


def test_words_are_those_of_the_tokenizer_of_sqlite() -> None:
    connection = apsw.Connection(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE k USING fts5 (terms, tokenize=\"unicode61 remove_diacritics 0 tokenchars '_'\");"
        "CREATE VIRTUAL TABLE words USING fts5vocab (k, row)"
    )
    for word in (*WORDS, "a-b", "Ümläut", "İ", "x.y/z", "日本語 テスト", "ⅷ"):
        connection.execute("DELETE FROM k")
        connection.execute("INSERT INTO k VALUES (?)", (word,))
        theirs: list[Any] = connection.execute("SELECT term FROM words").fetchall()
        assert {*tokens(word)} == {term for (term,) in theirs}
