"""What the state of the code behind a memory does to its rank."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from waypost.model.code_link import CodeLink, LinkedMemory
from waypost.model.code_verdict import CHANGED, DELETED, MOVED, UNCHANGED, CodeVerdict
from waypost.model.memory import State, Version
from waypost.model.reference import CodeReference
from waypost.retrieve.freshness import outdone, with_freshness
from waypost.retrieve.score import ScoredMemory, shown_score

T0 = datetime(2026, 1, 1, tzinfo=UTC)
ONE = ScoredMemory("one", shown_score(2.0), 2.0, {"keywords": 2.0})


def memory(number: int, place: str, state: str = UNCHANGED, symbol: str | None = None) -> LinkedMemory:
    reference = replace(CodeReference.parse(place), symbol_id=symbol)
    version = Version(str(number), "fact", "text", T0, T0, "agent", "test", number=number, refs=(reference,))
    stale = state in (CHANGED, DELETED)
    path = None if state == DELETED else reference.file_path
    link = CodeLink(reference, reference, CodeVerdict(state, path, reference.line_range), stale)
    return LinkedMemory(version, State(is_stale=stale), (link,), 0.5 if stale else 0.74)


def weighed(
    *, points_at_code: bool = True, is_stale: bool = False, confidence: float = 0.74, is_outdone: bool = False
) -> ScoredMemory:
    return with_freshness(
        ONE, points_at_code=points_at_code, is_stale=is_stale, confidence=confidence, is_outdone=is_outdone
    )


def test_a_memory_that_points_at_nothing_keeps_its_score() -> None:
    assert weighed(points_at_code=False, confidence=0.2) is ONE


def test_the_score_follows_the_total_and_says_why() -> None:
    stale = weighed(is_stale=True)
    assert stale.score == pytest.approx(shown_score(stale.total))
    assert sum(stale.why.values()) == pytest.approx(stale.total)


def test_a_stale_memory_yields_most_where_a_fresh_one_knows_better() -> None:
    alone, surpassed = weighed(is_stale=True, is_outdone=False), weighed(is_stale=True, is_outdone=True)
    assert surpassed.total < alone.total < ONE.total


def test_the_surer_of_two_fresh_ones_is_first() -> None:
    assert weighed(confidence=0.95).total > weighed(confidence=0.6).total


@pytest.mark.parametrize(
    ("stale", "fresh", "is_outdone"),
    [
        ("a.py#L10-L20", "a.py#L10-L20", True),
        ("a.py#L10-L20", "a.py#L11-L22", True),
        ("a.py#L10-L20", "a.py#L19-L40", False),  # beside it
        ("a.py#L10-L20", "b.py#L10-L20", False),
        ("a.py", "a.py", True),
        ("a.py", "a.py#L1-L9", False),
    ],
)
def test_outdone_is_what_another_one_knows_of_the_same_code(stale: str, fresh: str, is_outdone: bool) -> None:
    found = outdone([memory(1, stale, CHANGED), memory(2, fresh)])
    assert found == (frozenset({1}) if is_outdone else frozenset())


def test_a_symbol_is_the_same_code_wherever_its_lines_are() -> None:
    assert outdone([memory(1, "a.py#L1-L9", CHANGED, "x#"), memory(2, "a.py#L50-L59", MOVED, "x#")]) == {1}


def test_one_stale_memory_does_not_outdo_another() -> None:
    assert not outdone([memory(1, "a.py#L1-L9", CHANGED), memory(2, "a.py#L1-L9", CHANGED)])
