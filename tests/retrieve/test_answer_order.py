"""Code, facts and the journal in one list, by certainty. The journal keeps its order."""

from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from waypost.model.recall import Hit
from waypost.retrieve.answer_order import OTHERS, one_list
from waypost.retrieve.score import total_of

AT = datetime(2026, 1, 1, tzinfo=UTC)


def hit(name: str, score: float, certainty: float) -> Hit:
    return Hit(name, score, name, "fact", "facts", "person", AT, AT, certainty=certainty)


def order(facts: list[Hit], code: list[Hit] | None = None, journal: list[Hit] | None = None) -> list[str]:
    return [each.id for each in one_list(facts, code or [], journal or [])]


def test_what_answers_comes_before_what_is_only_the_best_of_its_group() -> None:
    assert order([hit("fact", 0.82, 0.1)], [hit("code", 0.4, 0.7)]) == ["code", "fact"]


def test_of_equal_hits_the_earlier_group_comes_first() -> None:
    assert order([hit("fact", 0.5, 0.5)], [hit("code", 0.9, 0.5)]) == ["fact", "code"]


def test_code_alone_and_the_journal_alone_keep_order_and_scores() -> None:
    hits = [hit("a", 0.9, 0.1), hit("b", 0.5, 0.8)]
    assert one_list([], hits, []) == hits
    assert one_list([], [], hits) == hits


def test_facts_are_ordered_by_certainty() -> None:
    assert order([hit("a", 0.9, 0.1), hit("b", 0.5, 0.8)]) == ["b", "a"]


def test_what_a_person_stated_comes_before_what_is_nearly_as_certain() -> None:
    agent = replace(hit("agent", 0.9, 0.6), source="agent")
    assert order([agent, hit("person", 0.8, 0.55)]) == ["person", "agent"]
    assert order([agent, hit("person", 0.8, 0.2)]) == ["agent", "person"]


def test_stale_facts_come_later() -> None:
    stale = replace(hit("stale", 0.9, 0.8), why={"freshness": -1.0})
    assert order([stale, hit("fresh", 0.5, 0.6)]) == ["fresh", "stale"]


def test_turns_that_contradict_their_order_share_their_certainty() -> None:
    turns = [hit("first", 0.9, 0.2), hit("second", 0.8, 0.6)]
    assert order([hit("fact", 0.5, 0.2)], journal=turns) == ["first", "second", "fact"]
    assert order([hit("fact", 0.5, 0.5)], journal=turns) == ["fact", "first", "second"]


_HITS = st.lists(st.tuples(st.integers(1, 99), st.integers(0, 100)), max_size=6)


@settings(deadline=None, max_examples=50)
@given(st.tuples(_HITS, _HITS, _HITS))
def test_the_journal_keeps_its_order_and_scores_explain_themselves(drawn: tuple[list[tuple[int, int]], ...]) -> None:
    groups = [
        [
            hit(f"{side}{at}", score / 100, likely / 100)
            for at, (score, likely) in enumerate(sorted(given, reverse=True))
        ]
        for side, given in zip("fcj", drawn, strict=True)
    ]
    hits = one_list(*groups)
    before = {each.id: each for group in groups for each in group}
    turns = groups[2]
    ids = {each.id for each in turns}
    assert [each.id for each in hits if each.id in ids] == [each.id for each in turns]
    if groups[0] or sum(map(bool, groups)) > 1:
        assert [each.score for each in hits] == sorted((each.score for each in hits), reverse=True)
    for each in hits:
        part = each.why.get(OTHERS, 0.0)
        assert abs(total_of(before[each.id].score) + part - total_of(each.score)) < 1e-6
        assert replace(each, score=before[each.id].score, why={}) == before[each.id]
