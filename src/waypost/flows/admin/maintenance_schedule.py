"""When maintenance ran last, whether it is overdue, and catching up with it."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from waypost.flows.admin.maintenance import STEPS, StepResult, applies, maintain
from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_minute, format_time, parse_time
from waypost.space.metadata import read_metadata
from waypost.system.platform import try_lock

LONGEST = timedelta(hours=36)  # a day, and half a day for a machine that is switched on late
_AGAIN = timedelta(hours=6)  # after a failure, so that not every process tries again
_TRIED = "catch_up_tried"
_LOCK = "maintain.lock"


@dataclass(frozen=True, slots=True)
class Overdue:
    last: datetime | None  # None: never
    days: int  # whole days missed

    @property
    def message(self) -> str:
        when = f"the last one was at {format_minute(self.last)}" if self.last else "it has never run"
        return f"Maintenance is overdue by {self.days} day{'' if self.days == 1 else 's'}: {when}."

    def to_json(self) -> dict[str, Any]:
        return {"last": format_time(self.last) if self.last else None, "days": self.days}


def last_maintained(space: OpenSpace) -> datetime | None:
    """When maintenance last ran to its end, or None. A run that was stopped does not count."""
    done = [step for step in STEPS if not step.needs_tree and not step.every and applies(space, step)]
    keys = [f"maintained:{step.name}:" for step in done]
    with space.store.read() as reader:
        stored = {key: reader.meta.get(key) for key in keys}
    times = [parse_time(value, key) for key, value in stored.items() if value is not None]
    return min(times) if len(times) == len(keys) else None


def overdue_maintenance(space: OpenSpace) -> Overdue | None:
    """How long maintenance is overdue, or None if it ran in the last day and a half."""
    last, now = last_maintained(space), space.clock()
    since = last or read_metadata(space.folder).created
    if since - now > LONGEST:  # noted by a wrong clock: nobody knows when it was
        return Overdue(None, 0)
    if now - since <= LONGEST:
        return None
    return Overdue(last, (now - since) // timedelta(days=1))


def catch_up_if_due(space: OpenSpace) -> tuple[StepResult, ...]:
    """Run overdue maintenance, in one process. Does nothing shortly after another attempt."""
    if not is_due(space):
        return ()
    with try_lock(space.folder / _LOCK) as free:
        if not free or overdue_maintenance(space) is None:
            return ()
        with space.store.write() as writer:
            writer.meta.set(_TRIED, format_time(space.clock()))
        return maintain(space)


def is_due(space: OpenSpace) -> bool:
    return overdue_maintenance(space) is not None and _may_try(space)


def _may_try(space: OpenSpace) -> bool:
    with space.store.read() as reader:
        tried = reader.meta.get(_TRIED)
    return tried is None or not timedelta(0) <= space.clock() - parse_time(tried, _TRIED) < _AGAIN
