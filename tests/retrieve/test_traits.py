"""What is kept of a text for ranking."""

import pytest

from waypost.retrieve.traits import MOST_WORDS, Traits, traits_of


@pytest.mark.parametrize(
    "text", ["How are you?", "Nice. And you? [shares an image: a photo of a dog]", 'He said "why?"']
)
def test_a_text_that_ends_with_a_question_asks(text: str) -> None:
    assert traits_of(text, "en").asks


def test_a_question_in_the_middle_does_not_make_a_text_a_question() -> None:
    assert not traits_of("Why? Because it rained.", "en").asks


@pytest.mark.parametrize(
    ("text", "language"),
    [("I went there last Friday", "en"), ("Gestern war ich dort", "de"), ("Я был там вчера", "ru"), ("in 2019", "en")],
)
def test_a_text_that_names_a_time_is_dated(text: str, language: str) -> None:
    assert traits_of(text, language).dated


def test_a_text_without_a_time_is_not_dated() -> None:
    assert not traits_of("I like trains", "en").dated


@pytest.mark.parametrize(
    ("text", "language"),
    [("I have 3 cats", "en"), ("three cats", "en"), ("drei Katzen", "de"), ("три кошки", "ru")],
)
def test_a_text_with_a_number_is_counted(text: str, language: str) -> None:
    assert traits_of(text, language).counted


def test_words_are_counted_up_to_a_limit() -> None:
    assert traits_of("Hello, old friend!", "en").words == 3
    assert traits_of("word " * (MOST_WORDS + 1), "en").words == MOST_WORDS


def test_packed_traits_are_laid_out_as_stores_have_them() -> None:
    assert Traits(7).packed == 0b111000
    assert [Traits(0, asks=True).packed, Traits(0, dated=True).packed, Traits(0, counted=True).packed] == [1, 2, 4]
