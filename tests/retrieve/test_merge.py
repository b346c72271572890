"""Memories and code in one list: a hit is compared with everything, not only with its own half."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.model.recall import Hit
from waypost.retrieve import code_rank
from waypost.retrieve import score as fuse
from waypost.retrieve.calibration import ServingEngines
from waypost.retrieve.merge import MEANT, OTHERS, USUAL_WEIGHT, one_list
from waypost.store.protocol import Population

ENGINES = ServingEngines("e", "m")
FAR = {"e": {"en": Population(800, 0.005, 0.044)}}  # nothing here is close to the question
NEAR = {"e": {"code": Population(460, 0.19, 0.13)}}
AT = datetime(2026, 1, 1, tzinfo=UTC)


def hit(name: str, score: float, meaning: float = 0.0) -> Hit:
    return Hit(name, score, name, "fact", "facts", "person", AT, AT, why={"meaning": fuse.MEANING * meaning})


def order(kept: list[Hit], code: list[Hit], language: str = "en") -> list[str]:
    return [one.id for one in one_list(kept, code, (FAR, NEAR), ENGINES, language)]


def test_what_stands_out_only_among_what_is_far_away_comes_after_what_is_close() -> None:
    fact, place = hit("fact", 0.82, meaning=3.0), hit("code", 0.78, meaning=3.0)
    assert order([fact], [place]) == ["code", "fact"]


SAME = {"e": {"en": Population(100, 0.1, 0.1)}}


def test_what_means_the_same_in_both_halves_is_ranked_by_its_score() -> None:
    code = replace(hit("code", 0.7, 2.0), why={"meaning": 2 * fuse.MEANING, "weight": 0.9})
    found = one_list([hit("fact", 0.8, 2.0)], [code], (SAME, SAME), ENGINES, "en")
    assert [(one.id, round(one.score, 6)) for one in found] == [("fact", 0.8), ("code", 0.7)]


def test_code_of_a_small_tree_counts_what_code_of_others_does() -> None:
    used = replace(hit("used", 0.7), why={"weight": USUAL_WEIGHT})
    found = one_list([hit("fact", 0.5)], [used, hit("unused", 0.65)], (SAME, SAME), ENGINES, "en")
    assert [(one.id, round(one.score, 4)) for one in found] == [("used", 0.7), ("unused", 0.7), ("fact", 0.5)]


def test_one_half_alone_keeps_its_scores() -> None:
    hits = [hit("a", 0.9, 1.0), hit("b", 0.5)]
    assert one_list(hits, [], (FAR, {}), ENGINES, "en") == hits
    assert one_list([], hits, ({}, NEAR), ENGINES, "en") == hits


def test_without_an_engine_that_has_read_both_scores_decide() -> None:
    found = one_list([hit("fact", 0.82, 3.0)], [hit("code", 0.78, 3.0)], (FAR, {"m": NEAR["e"]}), ENGINES, "en")
    assert [one.score for one in found] == [0.82, 0.78]


def test_a_question_in_another_language_is_judged_by_the_multilingual_engine() -> None:
    halves = ({"e": NEAR["e"], "m": FAR["e"]}, {"e": FAR["e"], "m": NEAR["e"]})
    kept, code = [hit("fact", 0.8, 3.0)], [hit("code", 0.7, 3.0)]
    assert [one.id for one in one_list(kept, code, halves, ENGINES, "de")] == ["code", "fact"]
    assert [one.id for one in one_list(kept, code, halves, ENGINES, "en")] == ["fact", "code"]


_HITS = st.lists(st.tuples(st.integers(0, 100).map(lambda n: n / 100), st.integers(-5, 9).map(float)), max_size=6)


@settings(deadline=None, max_examples=50)
@given(_HITS, _HITS)
def test_each_half_keeps_its_order_and_scores_explain_themselves(
    kept: list[tuple[float, float]], code: list[tuple[float, float]]
) -> None:
    halves = [
        [hit(f"{side}{at}", *one) for at, one in enumerate(sorted(given, reverse=True))]
        for side, given in (("k", kept), ("c", code))
    ]
    found = one_list(halves[0], halves[1], (FAR, NEAR), ENGINES, "en")
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    for half in halves:
        names = [one.id for one in half]
        assert [one.id for one in found if one.id in names] == names
    if kept and code:
        before = {one.id: one.score for half in halves for one in half}
        for one in found:
            if 0.01 < one.score < 0.99 and 0.01 < before[one.id] < 0.99:
                total = fuse.total_of(before[one.id]) + one.why[OTHERS]
                assert fuse.shown_score(total) == pytest.approx(one.score)


def test_meaning_weighs_the_same_in_both_halves() -> None:
    assert pytest.approx(code_rank.MEANING + code_rank.FILE_MEANING) == MEANT
