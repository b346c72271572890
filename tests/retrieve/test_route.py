"""Which domains join, and what belongs to a fact."""

import pytest

from waypost.retrieve.route import (
    FACT,
    MEAN,
    NEAR,
    WIDEN_BY,
    WIDENED,
    DomainNearness,
    beside,
    chain_word,
    closeness,
    join,
    with_answering,
    with_closeness,
)
from waypost.retrieve.score import ScoredMemory
from waypost.store.protocol import Edge


def near(domain: str, of_mean: float, of_fact: float = 0.0) -> DomainNearness:
    return DomainNearness(domain, 10, of_mean, of_mean, of_fact)


@pytest.mark.parametrize(
    ("cosine", "engine", "wanted"),
    [
        (0.5, "minilm-l6-v2", 0.5),
        (0.4, "use-multilingual-v3", 0.5),  # the same share of questions is nearer than that to their own domain
        (0.5, "an engine that nobody measured", 0.5),
        (0.25, "minilm-l6-v2", 0.25),
        (0.75, "minilm-l6-v2", 0.75),
        (1.0, "use-multilingual-v3", 1.0),
        (-0.3, "minilm-l6-v2", 0.0),
    ],
)
def test_closeness_is_one_half_at_the_threshold_of_the_engine(cosine: float, engine: str, wanted: float) -> None:
    assert closeness(cosine, engine) == pytest.approx(wanted)


def test_a_domain_joins_when_the_mean_of_its_facts_is_near() -> None:
    joined = join([near("auth", 0.49, 0.4), near("billing", 0.51, 0.7)], 0.0)
    assert [(one.domain, one.why, one.similarity, one.facts) for one in joined] == [("billing", MEAN, 0.51, 10)]


def test_a_domain_joins_when_one_of_its_facts_is_near() -> None:
    joined = join([near("auth", 0.1, 0.8), near("billing", 0.6, 0.55)], 0.0)
    assert [(one.domain, one.why) for one in joined] == [("auth", FACT), ("billing", MEAN)]


def test_the_domain_of_a_fact_that_ranks_among_the_best_joins() -> None:
    known = [near("auth", 0.1, 0.2), near("billing", 0.6, 0.6), near("mail", 0.1, 0.1)]
    ranked = [("", 4.0), ("auth", 3.5), ("billing", 3.4), ("mail", 3.3)]
    joined = with_answering(join(known, 0.0), known, ranked)
    assert [(one.domain, one.why) for one in joined] == [("billing", MEAN), ("auth", FACT)]


def test_the_domain_of_a_fact_that_is_far_behind_the_best_does_not_join() -> None:
    known = [near("auth", 0.1, 0.2), near("billing", 0.6, 0.6)]
    ranked = [("billing", 4.0), ("auth", 2.5)]
    assert [one.domain for one in with_answering(join(known, 0.0), known, ranked)] == ["billing"]
    assert with_answering([], known, []) == []


def test_when_nothing_answers_well_the_domains_of_the_nearest_facts_join_too() -> None:
    far = [near(f"d{place}", 0.01 * place, 0.4 - 0.01 * place) for place in range(9)]
    joined = join([near("mean only", 0.6, 0.3), *far], 0.2)
    assert [(one.domain, one.why) for one in joined] == [
        ("mean only", MEAN),
        *((f"d{place}", WIDENED) for place in range(WIDEN_BY)),
    ]


def test_a_fact_without_a_domain_that_answers_well_makes_widening_needless() -> None:
    assert join([near("auth", 0.3, 0.4)], 0.5) == []


def test_no_domain_at_all_is_no_problem() -> None:
    assert join([], 0.0) == []


def test_what_is_near_by_itself_ranks_higher_and_says_why() -> None:
    one = ScoredMemory("a", 0.5, 2.2, {"keywords": 1.0})
    nearer = with_closeness(one, 0.8)
    assert nearer.total == pytest.approx(2.2 + NEAR * 0.8)
    assert nearer.score > one.score
    assert nearer.why == {"keywords": 1.0, "near": NEAR * 0.8}


def test_links_that_are_no_causes_come_in_the_order_of_the_shown_facts_strongest_first() -> None:
    edges = [
        Edge("see_also", "b", "x", 0.4),
        Edge("see_also", "y", "b", 0.9),
        Edge("derived_from", "a", "z", 0.1),
        Edge("causes", "a", "not here", 1.0),
        Edge("see_also", "other", "another", 1.0),
    ]
    assert beside(["a", "b"], edges) == [("a", "z"), ("b", "y"), ("b", "x")]


@pytest.mark.parametrize(
    ("kind", "first", "wanted"),
    [
        ("decision", True, ""),
        ("decision", False, "and"),
        ("reason", True, "because"),
        ("reason", False, "because"),
        ("constraint", False, "given"),
        ("consequence", False, "leads to"),
        ("consequence", True, ""),
        ("fact", False, "and"),
    ],
)
def test_a_chain_reads_like_a_sentence(kind: str, first: bool, wanted: str) -> None:
    assert chain_word(kind, first) == wanted
