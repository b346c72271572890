"""Validity periods: from an instant (included) until another (excluded), or without end."""

from collections.abc import Iterable
from datetime import datetime

Period = tuple[datetime, datetime | None]


def holds_at(period: Period, instant: datetime) -> bool:
    return period[0] <= instant and (period[1] is None or instant < period[1])


def overlap(first: Period, second: Period) -> bool:
    """Whether an instant lies in both periods."""
    return (first[1] is None or second[0] < first[1]) and (second[1] is None or first[0] < second[1])


def without(whole: Period, cut: Period) -> list[Period]:
    """A period without another: nothing, one part, or the parts before and after."""
    if not overlap(whole, cut):
        return [whole]
    before: list[Period] = [(whole[0], cut[0])] if whole[0] < cut[0] else []
    after: list[Period] = [(cut[1], whole[1])] if cut[1] is not None and (whole[1] is None or cut[1] < whole[1]) else []
    return before + after


def intersection(first: Period, second: Period) -> list[Period]:
    """The intersection of two periods: one period, or none."""
    if not overlap(first, second):
        return []
    ends = [end for end in (first[1], second[1]) if end is not None]
    return [(max(first[0], second[0]), min(ends, default=None))]


def subtract(parts: Iterable[Period], cuts: Iterable[Period]) -> list[Period]:
    """The periods without all cuts."""
    rests = list(parts)
    for cut in cuts:
        rests = [rest for part in rests for rest in without(part, cut)]
    return rests
