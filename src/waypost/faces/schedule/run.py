"""What the schedule of all memories starts: upkeep of each, whatever became of the one before."""

from dataclasses import dataclass
from typing import Any

from waypost.config import Settings
from waypost.errors import WaypostError
from waypost.faces.schedule.places import ScheduledMemory, places
from waypost.memory import Memory
from waypost.memory.catalog import open_by_id
from waypost.model.memory import Caller

_SCHEDULE = Caller("extractor", "schedule")


@dataclass(frozen=True, slots=True)
class MaintainedMemory:
    """What became of one memory's upkeep."""

    place: ScheduledMemory
    done: int = 0
    failure: str = ""

    @property
    def failed(self) -> bool:
        return bool(self.failure)

    @property
    def line(self) -> str:
        what = self.failure or (f"skipped: {self.place.gone}" if self.place.gone else f"{self.done} things done")
        return f"{self.place.name} ({self.place.space}): {what}"

    def to_json(self) -> dict[str, Any]:
        return {
            "space": self.place.space,
            "name": self.place.name,
            "done": self.done,
            "skipped": self.place.gone,
            "error": self.failure,
        }


def run_all(settings: Settings) -> tuple[MaintainedMemory, ...]:
    return tuple(_look(place, settings) for place in places(settings))


def _opened(place: ScheduledMemory, settings: Settings) -> Memory:
    if place.root is None and place.person is None:
        return open_by_id(settings, _SCHEDULE, place.space)
    return Memory.open(place.root or ".", caller=_SCHEDULE, person=place.person, settings=settings)


def _look(place: ScheduledMemory, settings: Settings) -> MaintainedMemory:
    if place.gone:
        return MaintainedMemory(place)
    try:
        with _opened(place, settings) as memory:
            return MaintainedMemory(place, sum(step.done for step in memory.admin.maintain()))
    except WaypostError as error:
        return MaintainedMemory(place, failure=error.what)
