"""Hits of several projects in one list, by pure values."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from waypost.model.recall import Hit
from waypost.model.share import SharingProject
from waypost.retrieve.score import shown_score
from waypost.retrieve.shared import ranked_as_one, together
from waypost.store.protocol import Population

NOON = datetime(2026, 1, 30, 12, tzinfo=UTC)
SHOP = SharingProject("0" * 16, "shop")


def hit(name: str, text: str, total: float, keywords: float, project: SharingProject | None = None) -> Hit:
    why = {"keywords": keywords} if keywords else {}
    return Hit(name, shown_score(total), text, "fact", "facts", "person", NOON, NOON, why=why, project=project)


def test_the_best_match_of_a_project_that_has_one_word_of_four_does_not_count_as_a_full_one() -> None:
    own = hit("a", "the invoice total is rounded to cents", 3.0, 1.0)
    other = hit("b", "the total eclipse was on a Monday", 3.1, 1.0, SHOP)
    terms = ["invoic", "total", "round", "cent"]
    assert [one.id for one in ranked_as_one([own], [[other]], terms)] == ["a", "b"]
    found = {one.id: one for one in ranked_as_one([own], [[other]], terms)}
    assert found["a"].score == own.score, "who has most of the words keeps its score"
    assert found["b"].why["reach"] < 0


def test_what_is_found_by_meaning_alone_keeps_its_score() -> None:
    own = hit("a", "the invoice total is rounded to cents", 3.0, 1.0)
    other = hit("b", "amounts on bills have two decimals", 3.1, 0.0, SHOP)
    assert [one.score for one in ranked_as_one([own], [[other]], ["invoic", "total"])] == [other.score, own.score]


def test_the_same_words_or_the_same_id_are_told_once_and_ones_own_first() -> None:
    own = hit("a", "Deploys run on Fridays", 2.0, 0.0)
    same_words = hit("b", "deploys  run on fridays", 3.0, 0.0, SHOP)
    same_id = replace(same_words, id="a", text="Deploys ran on Mondays")
    third = hit("c", "Deploys run on fridays", 3.0, 0.0, replace(SHOP, name="third"))
    assert ranked_as_one([own], [[same_words, same_id], [third]], []) == [own]
    assert ranked_as_one([], [[same_words], [third]], []) == [same_words]


def test_spreads_are_those_of_all_passages_together() -> None:
    one = {"minilm": {"en": Population(2, 0.5, 0.1)}}
    two = {
        "minilm": {"en": Population(6, 0.1, 0.1), "de": Population(3, 0.2, 0.0)},
        "other": {"en": Population(1, 0, 0)},
    }
    found = together([one, two])
    assert found["minilm"]["en"].count == 8
    assert found["minilm"]["en"].mean == pytest.approx(0.2)
    assert found["minilm"]["en"].deviation == pytest.approx(0.2)
    assert found["minilm"]["de"] == Population(3, 0.2, 0.0)
    assert together([one]) == one
    assert together([{}, {}]) == {}
