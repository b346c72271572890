import re
from concurrent.futures import ThreadPoolExecutor

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.text.keywords import (
    LONGEST_TERM,
    MOST_QUERY_TERMS,
    MOST_TERMS,
    keyword_terms,
    query_terms,
    stop_words,
)
from waypost.text.language import language_of


class Index:
    """FTS5 as the store uses it: two columns of terms, any term of the question."""

    def __init__(self, *texts: str) -> None:
        self.database = apsw.Connection(":memory:")
        self.database.execute(
            "create virtual table terms using fts5(words, stems, "
            "tokenize = \"unicode61 remove_diacritics 0 tokenchars '_'\")"
        )
        for text in texts:
            terms = keyword_terms(text, language_of(text))
            row = (" ".join(terms.words), " ".join(terms.stems))
            self.database.execute("insert into terms values (?, ?)", row)

    def finds(self, question: str) -> bool:
        match = " OR ".join(f'"{term}"' for term in query_terms(question))
        return bool(list(self.database.execute("select 1 from terms where terms match ?", (match,))))


NAMES = ["getUserById", "get_user_by_id", "get-user-by-id", "get.user.by.id", "GetUserByID", "GET_USER_BY_ID"]


@pytest.mark.parametrize("stored", NAMES)
@pytest.mark.parametrize("asked", NAMES)
def test_a_name_is_found_whole_in_any_convention(stored: str, asked: str) -> None:
    joined = "getuserbyid"
    assert joined in keyword_terms(stored, "en").stems
    assert joined in query_terms(asked)
    assert Index(f"See {stored}().").finds(asked)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("getUserById", "get a user by id"),
        ("get the user by their id", "getUserById"),
        ("HTTPServer2", "http server"),
        ("HTTPServer2", "HTTPServer2"),
        ("class HttpServer", "HTTPServer2"),
        ("parseURLs", "url"),
        ("Released v1.2.3 today", "1.2.3"),
        ("Released 1.2.3 today", "v1.2.3"),
        ("src/storage/upload.ts fails", "upload.ts"),
        ("src/storage/upload.ts fails", "storage"),
        ("write to ada@example.org", "ada@example.org"),
        ("write to ada@example.org", "Ada"),
        ("fixed in 3f2a9c41d0b7e6558a1f", "3f2a9c4"),
        ("fixed in 3f2a9c4", "3f2a9c41d0b7e6558a1f"),
        ("1,250 users", "1250"),
        ("The uploads were retried", "retry an upload"),
        ("don’t panic", "dont"),
        ("the user’s token", "users' tokens"),
        ("Die Größe der Datei", "groesse"),
        ("Die Groesse der Datei", "Größe"),
        ("GRÖSSE", "größe"),
        ("Straßen", "strasse"),
        ("alte Häuser", "Haus"),
        ("Wir verwenden zwei Datenbanken", "Welche Datenbank wird verwendet?"),
        ("Ключи хранятся в базе", "где хранить ключ"),
        ("Ещё счёт", "счет"),
        ("сто́ит дорого", "стоит"),
        ("café au lait", "cafe"),
        ("東京タワーに行く", "東京"),
        ("Der Server läuft auf Port 5433", "5433"),
        ("Ｆｕｌｌｗｉｄｔｈ", "fullwidth"),
    ],
)
def test_what_was_stored_is_found_by_what_people_ask(stored: str, asked: str) -> None:
    assert Index(stored).finds(asked)


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("getUserById", "setOrderName"),
        ("version 1.2.3", "4.5.6"),
        ("Wir haben gegessen", "essbar"),
        ("the color of money", "Where is the house?"),
        ("Он не пришёл", "где ключи?"),
    ],
)
def test_other_things_are_not_found(stored: str, asked: str) -> None:
    assert not Index(stored).finds(asked)


def test_a_question_keeps_its_stop_words_when_it_has_nothing_else() -> None:
    assert query_terms("What is it?") == ["what", "is", "it"]
    assert set(query_terms("To be or not to be")) >= {"to", "be", "or", "not"}
    assert query_terms("Where is the key?") == ["key"]
    assert query_terms("Wo ist der Schlüssel?") == ["schluessel", "schlussel"]
    assert query_terms("Где находится ключ?")[-1:] == ["ключ"]
    assert query_terms("…") == []


def test_a_word_is_no_stop_word_because_another_language_has_it() -> None:
    assert "war" in query_terms("When did the war end?")
    assert "die" in query_terms("When do the workers die?")


def test_repetitions_count_in_a_text_but_not_in_a_question() -> None:
    assert keyword_terms("cache cache caches", "en").stems == ["cach"] * 3
    terms = query_terms("cache cache caches")
    assert len(terms) == len(set(terms))


def test_a_text_and_a_question_have_bounded_numbers_of_terms() -> None:
    terms = keyword_terms(" ".join(f"word{n}x" for n in range(9000)), "en")
    assert len(terms.words) <= MOST_TERMS
    assert len(terms.stems) <= MOST_TERMS
    assert len(query_terms(" ".join(f"word{n}x" for n in range(900)))) <= MOST_QUERY_TERMS


def test_a_very_long_token_is_cut_and_still_found() -> None:
    blob = "QmFzZTY0" * 5000
    assert max(map(len, keyword_terms(blob, "").words)) == LONGEST_TERM
    assert Index(blob).finds(blob)


def test_threads_share_the_analysis() -> None:
    texts = [f"running tests number{n} läuft бежит" for n in range(200)]
    expected = [keyword_terms(text, "en") for text in texts]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda text: keyword_terms(text, "en"), texts)) == expected


def test_stop_words_are_folded_and_exist_for_three_languages() -> None:
    assert {"the", "dont"} <= stop_words("en")
    assert {"fuer", "der"} <= stop_words("de")
    assert {"еще", "не"} <= stop_words("ru")
    assert stop_words("fr") == frozenset()
    for language in ("en", "de", "ru"):
        for word in stop_words(language):
            assert keyword_terms(word, language).words == [word]


@given(st.text() | st.text(st.sampled_from("aB1_-./:@'’äßЁ東 ²½İ\u0301"), max_size=20))
def test_every_term_is_one_token_of_the_index(text: str) -> None:
    terms = keyword_terms(text, language_of(text))
    for term in [*terms.words, *terms.stems, *query_terms(text)]:
        assert re.fullmatch(r"\w{1,64}", term)
        assert term.strip("_")


@given(st.lists(st.sampled_from(["getUser", "HTTPServer", "v2.1", "größe", "файлы", "a-b", "3,000"]), max_size=6))
def test_a_text_is_always_found_by_its_own_words(words: list[str]) -> None:
    text = " ".join(words)
    terms = keyword_terms(text, language_of(text))
    asked = set(query_terms(text))
    assert not words or asked & {*terms.words, *terms.stems}
