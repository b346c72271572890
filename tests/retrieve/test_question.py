"""What a question is read as."""

from datetime import UTC, datetime

import pytest

from waypost.retrieve.question import Question, read_question

NOW = datetime(2023, 6, 15, 12, tzinfo=UTC)


def read(text: str, language: str = "en", speakers: tuple[str, ...] = ()) -> Question:
    return read_question(text, language=language, now=NOW, speakers=speakers)


def test_keywords_are_the_words_that_tell_something_each_once() -> None:
    assert read("How does the upload retry the upload?").keywords == ("upload", "retry")


@pytest.mark.parametrize(
    ("text", "language", "keywords"),
    [
        ("Wie viele Punkte gab die Verteidigung ab?", "de", ("viele", "punkte", "gab", "verteidigung")),
        ("Сколько очков уступила защита?", "ru", ("очков", "уступила", "защита")),
    ],
)
def test_every_language_has_its_stop_words(text: str, language: str, keywords: tuple[str, ...]) -> None:
    assert read(text, language).keywords == keywords


def test_the_name_of_a_speaker_is_no_keyword_but_who_is_asked_about() -> None:
    question = read("What is Caroline's dog called?", speakers=("Caroline", "Melanie"))
    assert question.speakers == {"caroline"}
    assert question.keywords == ("dog", "called")


def test_a_name_that_nobody_in_the_space_bears_stays_a_keyword() -> None:
    assert "anna" in read("Where does Anna live?", speakers=("Caroline",)).keywords


def test_a_first_name_names_a_speaker_with_two() -> None:
    question = read("What does Anna like?", speakers=("Anna Schmidt", "Ben"))
    assert question.speakers == {"anna schmidt"}
    assert question.keywords == ("like",)


def test_a_german_genitive_names_its_speaker() -> None:
    question = read("Wie heißt Carolines Hund?", "de", speakers=("Caroline",))
    assert question.speakers == {"caroline"}
    assert "carolines" not in question.keywords


def test_roles_are_no_names() -> None:
    question = read("Which user wrote the tool?", speakers=("user", "tool"))
    assert question.speakers == frozenset()
    assert question.keywords == ("user", "wrote", "tool")


def test_a_question_of_nothing_but_a_name_looks_for_the_name() -> None:
    assert read("Who is Caroline?", speakers=("Caroline",)).keywords == ("caroline",)


def test_a_question_of_nothing_but_stop_words_looks_for_them() -> None:
    assert read("Who is it?").keywords == ("who", "is", "it")


@pytest.mark.parametrize(
    ("text", "language"), [("When was it?", "en"), ("Wann war das?", "de"), ("Когда это было?", "ru")]
)
def test_a_question_for_a_time_is_recognised(text: str, language: str) -> None:
    question = read(text, language)
    assert question.asks_when
    assert not question.asks_how_many


@pytest.mark.parametrize(
    ("text", "language"), [("How many are there?", "en"), ("Wie viele gibt es?", "de"), ("Сколько их?", "ru")]
)
def test_a_question_for_a_number_is_recognised(text: str, language: str) -> None:
    question = read(text, language)
    assert question.asks_how_many
    assert not question.asks_when


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What activities does Ann enjoy?", "en"),
        ("Which of the old books has Ben read?", "en"),
        ("What kind of music do they like?", "en"),
        ("What are the names of Ann's cats?", "en"),
        ("Welche Städte haben wir besucht?", "de"),
        ("Was für Pflanzen mag sie?", "de"),
        ("Wie viele Bücher hat er gelesen?", "de"),
        ("Какие книги читала Аня?", "ru"),
        ("Сколько раз мы были на море?", "ru"),
    ],
)
def test_a_question_for_a_list_is_recognised(text: str, language: str) -> None:
    assert read(text, language).asks_several


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("What does this do?", "en"),
        ("Which bus has he missed?", "en"),
        ("What was the address of the hotel?", "en"),
        ("What is her class about?", "en"),
        ("Was ist das?", "de"),
        ("Welche Farbe hat das Auto?", "de"),
        ("Какой сегодня день?", "ru"),
    ],
)
def test_a_question_for_one_thing_asks_for_no_list(text: str, language: str) -> None:
    assert not read(text, language).asks_several


@pytest.mark.parametrize(
    ("text", "language"),
    [("Where did I park my car?", "en"), ("Wo habe ich geparkt?", "de"), ("Где я припарковал машину?", "ru")],
)
def test_a_question_about_oneself_is_recognised(text: str, language: str) -> None:
    question = read(text, language)
    assert question.about_self
    assert not question.about_answers


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Can you remind me which hotel you recommended to me?", "en"),
        ("Welches Hotel hast du mir empfohlen?", "de"),
        ("Какой отель ты мне советовал?", "ru"),
    ],
)
def test_a_question_for_what_was_answered_before_is_not_one_about_oneself(text: str, language: str) -> None:
    question = read(text, language)
    assert question.about_answers
    assert not question.about_self


@pytest.mark.parametrize(
    ("text", "language"),
    [("How did we fix the upload?", "en"), ("Wie lief unser Upload?", "de"), ("Как мы это исправили?", "ru")],
)
def test_what_we_did_may_have_been_told_by_either_side(text: str, language: str) -> None:
    question = read(text, language)
    assert not question.about_self
    assert not question.about_answers


def test_an_unknown_language_is_read_as_english() -> None:
    assert read("the upload", "other").keywords == ("upload",)
