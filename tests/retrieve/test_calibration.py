"""Engines and languages made comparable."""

import pytest

from waypost.retrieve.calibration import ServingEngines, Spreads, keyword_weight
from waypost.store.protocol import Population

BOTH = ServingEngines(english="minilm", multilingual="use")


def test_a_pair_of_english_is_judged_by_the_english_engine() -> None:
    assert BOTH.by_preference("en", "en")[0] == "minilm"


@pytest.mark.parametrize(("question", "text"), [("de", "en"), ("en", "ru"), ("de", "de"), ("en", "other")])
def test_a_pair_where_either_side_is_not_english_is_judged_by_the_multilingual_engine(question: str, text: str) -> None:
    assert BOTH.by_preference(question, text)[0] == "use"


def test_what_has_no_words_of_a_language_counts_as_english() -> None:
    assert BOTH.by_preference("", "")[0] == "minilm"


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
