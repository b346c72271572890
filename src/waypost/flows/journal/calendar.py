"""How much was said on each day, and in which stage its words stand: for a calendar."""

from dataclasses import dataclass
from datetime import date
from typing import Any

from waypost.flows.journal.files.changes import look
from waypost.flows.journal.tally import tallies
from waypost.flows.open_space import OpenSpace
from waypost.journal.index_page.tally import files_by_day
from waypost.journal.layout import stage_of


@dataclass(frozen=True, slots=True)
class DayCounted:
    day: date
    entries: int
    protected: int
    importance: float  # the mean of what the file says; 0 where it says nothing
    stage: str  # "daily", or "archive/daily" where only the archive has the words

    def to_json(self) -> dict[str, Any]:
        return {
            "day": self.day.isoformat(),
            "entries": self.entries,
            "protected": self.protected,
            "importance": round(self.importance, 2),
            "stage": self.stage,
        }


def calendar(space: OpenSpace) -> tuple[DayCounted, ...]:
    """Every day on which something was said, oldest first."""
    look(space)
    counts, files = tallies(space), files_by_day(space.journal.scan())
    return tuple(
        DayCounted(day, tally.entries, tally.protected, tally.mean_importance, _stage(files.get(day, ())))
        for day, tally in sorted(counts.items())
        if tally.entries
    )


def _stage(paths: "tuple[str, ...] | list[str]") -> str:
    stages = {stage_of(path) for path in paths}
    return "daily" if "daily" in stages else min(stages, default="")
