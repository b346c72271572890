"""Whether the clock of the machine can be believed for what cannot be undone.

A clock that jumps ahead by years makes everything expire at once, and the clock may come back. So what a lifetime deletes is
erased only when the clock runs on from where maintenance last saw it, or when a new time has held for a day.
"""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_time, parse_time
from waypost.store.protocol import Reader

JUMP = timedelta(days=365)  # no machine rests for so long between two runs of maintenance, or hardly one
HELD = timedelta(days=1)
_KEY = "clock_seen"
_OFTEN_ENOUGH = timedelta(hours=1)  # what maintenance saw is written down no more often


@dataclass(frozen=True, slots=True)
class SeenClock:
    """`steady`: the last time that was believed. `since`: when a time that is far ahead of it was seen first, while it is not
    believed yet. `seen`: the last time that was seen."""

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


def look(reader: Reader, now: datetime, known: datetime | None = None) -> SeenClock:
    """What the clock shows, beside what maintenance saw before. `known`: a time that the clock showed once, for a memory
    without any maintenance so far."""
    before = _before(reader) or SeenClock(known or now, None, known or now)
    if now - before.steady <= JUMP:  # or it went back: then less has expired
        return SeenClock(now, None, now)
    if before.since is None or not timedelta(0) <= now - before.seen <= JUMP:
        return SeenClock(before.steady, now, now)  # it has jumped just now
    if now - before.since < HELD:
        return SeenClock(before.steady, before.since, now)
    return SeenClock(now, None, now)


def is_noted(reader: Reader, clock: SeenClock) -> bool:
    """Whether there is nothing in what was seen now that has to be written down."""
    before = _before(reader)
    return (
        before is not None
        and before.since == clock.since
        and timedelta(0) <= clock.seen - before.seen < _OFTEN_ENOUGH
        and (clock.is_doubtful or before.steady == before.seen)
    )


def note(space: OpenSpace, clock: SeenClock) -> None:
    with space.store.read() as reader:
        if is_noted(reader, clock):
            return
    times = (clock.steady, clock.since, clock.seen)
    with space.store.write() as writer:
        writer.meta.set(_KEY, json.dumps([one and format_time(one) for one in times]))


def clock_notices(space: OpenSpace) -> tuple[str, ...]:
    """That deletions wait because of the clock, where they do."""
    with space.store.read() as reader:
        clock = look(reader, space.clock())
    return (clock.notice,) if clock.is_doubtful else ()


def _before(reader: Reader) -> SeenClock | None:
    told = reader.meta.get(_KEY)
    if told is None:
        return None
    steady, since, seen = (one and parse_time(one, _KEY) for one in json.loads(told))
    return SeenClock(steady, since, seen)
