"""Upkeep that should have been and was not: noticed, and caught up with (CM-10)."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from waypost.flows.admin.maintenance import STEPS, StepResult, applies, maintain
from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_time, parse_time
from waypost.space.metadata import read_metadata
from waypost.space.platform import try_lock

LONGEST = timedelta(hours=36)  # a day, and half of one for a machine that is switched on late
_AGAIN = timedelta(hours=6)  # one that failed is not tried by every process that comes along
_TRIED = "catch_up_tried"
_LOCK = "maintain.lock"


@dataclass(frozen=True, slots=True)
class Overdue:
    """Since when nobody has looked after a space."""

    last: datetime | None  # None: never
    since: datetime  # the last time, or the first day of the space
    days: int  # whole days that were missed

    @property
    def message(self) -> str:
        when = f"the last one was at {self.last:%Y-%m-%d %H:%M} UTC" if self.last else "there has been none"
        return f"Upkeep is overdue by {self.days} day{'' if self.days == 1 else 's'}: {when}."

    def to_json(self) -> dict[str, Any]:
        return {"last": format_time(self.last) if self.last else None, "days": self.days}


def last_maintained(space: OpenSpace) -> datetime | None:
    """When upkeep was gone through to its end. A run that was cut off counts for nothing."""
    done = [step for step in STEPS if not step.needs_tree and not step.every and applies(space, step)]
    keys = [f"maintained:{step.name}:" for step in done]
    with space.store.read() as reader:
        found = {key: reader.meta.get(key) for key in keys}
    times = [parse_time(value, key) for key, value in found.items() if value is not None]
    return min(times) if len(times) == len(keys) else None


def missed(space: OpenSpace) -> Overdue | None:
    """Whether the last upkeep is longer ago than a day and a half. None: all is well."""
    last, now = last_maintained(space), space.clock()
    if last is not None and last - now > LONGEST:  # noted by a wrong clock: nobody knows when it was
        return Overdue(None, read_metadata(space.folder).created, 0)
    since = last or read_metadata(space.folder).created
    if now - since <= LONGEST:
        return None
    return Overdue(last, since, (now - since) // timedelta(days=1))


def catch_up_if_due(space: OpenSpace) -> tuple[StepResult, ...]:
    """Do what was missed, once and by one process; nothing when nothing was, or when it has just been tried."""
    if not is_due(space):
        return ()
    with try_lock(space.folder / _LOCK) as free:
        if not free or missed(space) is None:
            return ()
        with space.store.write() as writer:
            writer.meta.set(_TRIED, format_time(space.clock()))
        return maintain(space)


def is_due(space: OpenSpace) -> bool:
    """Whether `catch_up_if_due` would do something now."""
    return missed(space) is not None and _may_try(space)


def _may_try(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        tried = reader.meta.get(_TRIED)
    return tried is None or not timedelta(0) <= space.clock() - parse_time(tried, _TRIED) < _AGAIN
