"""Detect a clock that has jumped ahead, before anything is deleted by it.

A clock that jumps ahead by years makes everything expire, and it may come back. Expired memories are erased only if the
clock is steady: it continues from the last maintenance, or the new time has held for a day.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_time, parse_time
from waypost.store.protocol import Reader

JUMP = timedelta(days=365)  # hardly any machine is off for so long between two runs of maintenance
STEADY_FOR = timedelta(days=1)
_KEY = "clock_seen"
_OFTEN_ENOUGH = timedelta(hours=1)  # the least time between two notes of the clock


@dataclass(frozen=True, slots=True)
class SeenClock:
    """`steady`: the last trusted time. `since`: when a time far ahead was first seen, while it is not trusted yet.

    `seen`: the last time seen.
    """

    steady: datetime
    since: datetime | None
    seen: datetime

    @property
    def is_doubtful(self) -> bool:
        return self.since is not None

    @property
    def notice(self) -> str:
        return (
            f"The clock shows {self.seen:%Y-%m-%d}, more than a year after the last maintenance ({self.steady:%Y-%m-%d})."
            " If it is wrong, set it right. Expired memories are hidden meanwhile, and erased once the new time has held"
            " for a day."
        )


def check_clock(reader: Reader, now: datetime, earlier: datetime | None = None) -> SeenClock:
    """The clock, compared with what maintenance saw before. `earlier`: a time for a memory without maintenance so far."""
    before = _before(reader) or SeenClock(earlier or now, None, earlier or now)
    if now - before.steady <= JUMP:  # or it went back: then less has expired
        return SeenClock(now, None, now)
    if before.since is None or not timedelta(0) <= now - before.seen <= JUMP:
        return SeenClock(before.steady, now, now)  # it has just jumped
    if now - before.since < STEADY_FOR:
        return SeenClock(before.steady, before.since, now)
    return SeenClock(now, None, now)


def is_noted(reader: Reader, clock: SeenClock) -> bool:
    """Whether the stored note is recent enough."""
    before = _before(reader)
    return (
        before is not None
        and before.since == clock.since
        and timedelta(0) <= clock.seen - before.seen < _OFTEN_ENOUGH
        and (clock.is_doubtful or before.steady == before.seen)
    )


def note_clock(space: OpenSpace, clock: SeenClock) -> None:
    with space.store.read() as reader:
        if is_noted(reader, clock):
            return
    times = (clock.steady, clock.since, clock.seen)
    with space.store.write() as writer:
        writer.meta.set(_KEY, json.dumps([at and format_time(at) for at in times]))


def clock_notices(space: OpenSpace) -> tuple[str, ...]:
    """A notice that deletions are postponed because of the clock, if they are."""
    with space.store.read() as reader:
        clock = check_clock(reader, space.clock())
    return (clock.notice,) if clock.is_doubtful else ()


def _before(reader: Reader) -> SeenClock | None:
    stored = reader.meta.get(_KEY)
    if stored is None:
        return None
    steady, since, seen = (value and parse_time(value, _KEY) for value in json.loads(stored))
    return SeenClock(steady, since, seen)
