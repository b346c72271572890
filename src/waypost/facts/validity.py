"""Periods in which something is true: from an instant, included, until another, excluded, or without end."""

from collections.abc import Iterable
from datetime import datetime

Period = tuple[datetime, datetime | None]


def holds_at(period: Period, instant: datetime) -> bool:
    return period[0] <= instant and (period[1] is None or instant < period[1])


def overlap(one: Period, other: Period) -> bool:
    """Whether there is an instant that lies in both."""
    return (one[1] is None or other[0] < one[1]) and (other[1] is None or one[0] < other[1])


def without(whole: Period, cut: Period) -> list[Period]:
    """What is left of a period when another is taken out: nothing, a part, or what was before and what comes after."""
    if not overlap(whole, cut):
        return [whole]
    before: list[Period] = [(whole[0], cut[0])] if whole[0] < cut[0] else []
    after: list[Period] = [(cut[1], whole[1])] if cut[1] is not None and (whole[1] is None or cut[1] < whole[1]) else []
    return before + after


def shared(one: Period, other: Period) -> list[Period]:
    """The part of a period that lies in another: one period, or none."""
    if not overlap(one, other):
        return []
    ends = [end for end in (one[1], other[1]) if end is not None]
    return [(max(one[0], other[0]), min(ends, default=None))]


def remaining(parts: Iterable[Period], cuts: Iterable[Period]) -> list[Period]:
    """What is left of some periods when others are taken out."""
    left = list(parts)
    for cut in cuts:
        left = [rest for part in left for rest in without(part, cut)]
    return left
