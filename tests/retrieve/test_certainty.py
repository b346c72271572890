"""Certainty: what a hit has of its question, whatever else was found."""

import pytest

from waypost.retrieve.certainty import Rarity, certainty, question_words, topic_shares
from waypost.store.protocol import TermCounts

NONE = TermCounts(1000, {})


def rarity(question: str, language: str = "en", counts: TermCounts = NONE) -> Rarity:
    return Rarity.of(question_words(question, language), counts)


def test_a_text_with_all_words_has_the_whole_question() -> None:
    assert rarity("Which port does staging use?").share("Staging uses port 9191.", "en") == 1.0
    assert rarity("Which port does staging use?").share("The sky is blue.", "en") == 0.0


def test_rare_words_count_more() -> None:
    counts = TermCounts(1000, {"port": 900, "stage": 2})
    asked = rarity("port staging", counts=counts)
    assert asked.share("staging", "en") > 0.8 > 0.2 > asked.share("port", "en")


def test_words_of_other_languages_are_had_in_english() -> None:
    assert rarity("Wo ist die Konfigurationsdatei?", "de").share("config file", "en") > 0
    assert rarity("Где настраивается база данных?", "ru").share("the database", "en") > 0


def test_the_parts_of_a_name_are_not_the_name() -> None:
    asked = rarity("FrobnicatorFactory")
    assert asked.share("FrobnicatorFactory", "en") == 1.0
    assert 0 < asked.share("A factory makes things.", "en") < 0.5


def test_a_question_without_telling_words_shares_nothing() -> None:
    assert rarity("What is it?").share("It is that.", "en") == 0.0


@pytest.mark.parametrize("of", ["prose", "code"])
def test_words_and_meaning_make_certain(of: str) -> None:
    little, much = {"words": 0.1, "meaning": -0.5}, {"words": 0.9, "meaning": 0.5}
    assert certainty(little, of) < certainty({**little, "words": 0.9}, of) < certainty(much, of)
    assert 0 < certainty({"words": 0.0}, of) < certainty({"words": 1.0}, of) < 1


def test_a_name_that_no_code_has_makes_uncertain() -> None:
    evidence = {"words": 0.5, "meaning": 0.2}
    assert certainty({**evidence, "misses": 1.0}, "code") < certainty(evidence, "code")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Which licence does the project have?", "en"),
        ("Unter welcher Lizenz steht das Projekt?", "de"),
        ("Под какой лицензией проект?", "ru"),
    ],
)
def test_a_first_fact_is_asked_for_if_all_words_are_about_its_topic_or_the_project(
    question: str, language: str
) -> None:
    shares = topic_shares(question, language)
    assert shares["licence"] == 1.0
    assert "ci" not in shares


@pytest.mark.parametrize(
    ("question", "language", "topic"),
    [
        ("what does it do?", "en", "purpose"),
        ("What is this?", "en", "purpose"),
        ("Was macht das?", "de", "purpose"),
        ("was macht dieses Projekt?", "de", "purpose"),
        ("Что это такое?", "ru", "purpose"),
        ("which version does the project require?", "en", "runtime"),
        ("Which version does it need?", "en", "runtime"),
    ],
)
def test_the_first_questions_of_a_newcomer_ask_for_a_first_fact(question: str, language: str, topic: str) -> None:
    assert topic_shares(question, language)[topic] == 1.0


@pytest.mark.parametrize(
    ("question", "topic"),
    [("who maintains it?", "parts"), ("how does the client work?", "entry"), ("which city?", "ci"), ("party", "parts")],
)
def test_a_short_word_asks_for_no_topic_within_a_longer_word(question: str, topic: str) -> None:
    assert topic not in topic_shares(question, "en")


def test_a_topic_is_not_asked_for_by_one_word_among_others() -> None:
    assert topic_shares("How did the test of the new valves go?", "en")["test"] < 0.5


@pytest.mark.parametrize(
    ("question", "language"),
    [("deploy function", "en"), ("the deploy method", "en"), ("Funktion deploy", "de"), ("функция deploy", "ru")],
)
def test_code_need_not_say_what_kind_it_is(question: str, language: str) -> None:
    words = rarity(question, language)
    assert words.share("deploy def deploy(): Ship it.", "en", is_code=True) == 1.0
    assert words.share("deploy def deploy(): Ship it.", "en") < 1.0
    assert rarity("function", "en").share("deploy", "en", is_code=True) == 0.0
