"""Engines and languages made comparable."""

import pytest

from waypost.retrieve.spread import Engines, Spreads, engines_for, keyword_weight
from waypost.store.protocol import Population

BOTH = Engines(english="minilm", multilingual="use")


def test_english_alone_is_served_by_the_english_engine() -> None:
    assert engines_for("en", BOTH, ("en", "")) == ("minilm",)


def test_an_english_question_asks_both_engines_where_there_are_other_texts() -> None:
    assert engines_for("en", BOTH, ("en", "de")) == ("minilm", "use")


def test_a_german_question_asks_the_multilingual_engine() -> None:
    assert engines_for("de", BOTH, ("en", "de")) == ("use",)


def test_without_the_multilingual_engine_the_english_one_does_what_it_can() -> None:
    assert engines_for("ru", Engines(english="minilm"), ("en", "ru")) == ("minilm",)


def test_without_engines_none_is_asked() -> None:
    assert engines_for("en", Engines(), ("en",)) == ()


def test_keywords_count_in_full_in_a_space_of_one_language() -> None:
    assert keyword_weight("de", {"use": {"de": Population(50, 0.1, 0.1)}}) == 1.0


def test_keywords_count_less_the_more_is_written_in_other_languages() -> None:
    few = keyword_weight("en", {"use": {"en": Population(90, 0, 1), "de": Population(10, 0, 1)}})
    many = keyword_weight("en", {"use": {"en": Population(30, 0, 1), "de": Population(70, 0, 1)}})
    assert 1.0 > few > many > 0.0


def test_texts_without_words_of_a_language_are_no_other_language() -> None:
    assert keyword_weight("en", {"minilm": {"en": Population(90, 0, 1), "": Population(10, 0, 1)}}) == 1.0


def test_without_vectors_keywords_count_in_full() -> None:
    assert keyword_weight("en", {}) == 1.0


def test_a_cosine_counts_by_how_far_it_stands_out_in_its_language() -> None:
    spreads = Spreads({"en": Population(10_000, 0.2, 0.1), "de": Population(10_000, 0.1, 0.05)})
    assert spreads.deviations(0.4, "en") == pytest.approx(2.0, abs=0.02)
    assert spreads.deviations(0.2, "de") == pytest.approx(2.0, abs=0.02)


def test_a_language_of_few_texts_leans_on_the_whole() -> None:
    """One German text has no spread of its own."""
    spreads = Spreads({"en": Population(1000, 0.2, 0.1), "de": Population(1, 0.9, 0.0)})
    assert spreads.deviations(0.9, "de") > 5.0


def test_texts_that_are_all_alike_do_not_stand_out() -> None:
    assert Spreads({"en": Population(3, 0.5, 0.0)}).deviations(0.5, "en") == 0.0


def test_an_unseen_language_is_measured_by_the_whole() -> None:
    assert Spreads({"en": Population(10, 0.2, 0.1)}).deviations(0.3, "de") == pytest.approx(1.0)
