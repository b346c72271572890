"""How much was said on each day, and where its text is stored, for a calendar."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Any

from waypost.flows.journal_files.changes import sync_if_changed
from waypost.flows.journal_files.tally import tallies
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import stage_of
from waypost.journal.memory_page.tally import files_by_day


@dataclass(frozen=True, slots=True)
class DayCounted:
    day: date
    entries: int
    protected: int
    importance: float  # the mean in the file, or 0
    stage: str  # "daily", or "archive/daily" if only the archive has the text

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"day": self.day.isoformat(), "importance": round(self.importance, 2)}


def calendar(space: OpenSpace) -> tuple[DayCounted, ...]:
    sync_if_changed(space)
    counts, files = tallies(space), files_by_day(space.journal.scan())
    return tuple(
        DayCounted(day, tally.entries, tally.protected, tally.mean_importance, _stage(files.get(day, ())))
        for day, tally in sorted(counts.items())
        if tally.entries
    )


def _stage(paths: "tuple[str, ...] | list[str]") -> str:
    stages = {stage_of(path) for path in paths}
    return "daily" if "daily" in stages else min(stages, default="")
