"""Periods compared with sets of instants."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from waypost.facts.validity import Period, intersection, overlap, subtract, without

T0 = datetime(2026, 1, 1, tzinfo=UTC)
INSTANTS = range(8)


def at(day: int) -> datetime:
    return T0 + timedelta(days=day)


@st.composite
def periods(draw: st.DrawFn) -> Period:
    start = draw(st.integers(0, 6))
    end = draw(st.one_of(st.none(), st.integers(start + 1, 7)))
    return at(start), None if end is None else at(end)


def instants(period: Period) -> set[int]:
    return {day for day in INSTANTS if period[0] <= at(day) and (period[1] is None or at(day) < period[1])}


@given(periods(), periods())
def test_overlap_and_remainder_are_those_of_sets(first: Period, other: Period) -> None:
    assert overlap(first, other) == bool(instants(first) & instants(other))
    rest = without(first, other)
    assert set().union(*map(instants, rest)) == instants(first) - instants(other)
    assert not any(overlap(a, b) for i, a in enumerate(rest) for b in rest[i + 1 :])


@pytest.mark.slow
@given(periods(), periods(), st.lists(periods(), max_size=3))
def test_the_shared_part_without_others_is_that_of_sets(first: Period, other: Period, cuts: list[Period]) -> None:
    both = intersection(first, other)
    assert set().union(*map(instants, both)) == instants(first) & instants(other)
    rest = subtract(both, cuts)
    assert set().union(*map(instants, rest)) == (instants(first) & instants(other)).difference(*map(instants, cuts))
