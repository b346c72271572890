"""Numbers about a journal, for `journal stats` (CM-12)."""

from collections.abc import Mapping
from typing import Any

from waypost.flows.admin.overdue import missed
from waypost.flows.journal.files.sync import sync
from waypost.flows.journal.index_content import frequent_topics
from waypost.flows.journal.index_page import index_backups
from waypost.flows.journal.log import last_cleanup, metrics, next_cleanup
from waypost.flows.journal.tally import counted, held_pages
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import FileStamp
from waypost.journal.layout import stage_of
from waypost.model.time import format_time

MOST_SPEAKERS = 50


def stats(space: OpenSpace) -> dict[str, Any]:
    """What there is, how large, about what, when, worth what, and how upkeep stands. Keys are part of the contract."""
    sync(space)
    files = space.journal.scan()
    tally = counted(space)
    last, overdue = last_cleanup(space), missed(space)
    with space.store.read() as reader:
        speakers = reader.memories.speakers(MOST_SPEAKERS)
    return {
        "path": str(space.journal.root),
        "entries": tally.entries,
        "kinds": dict(sorted(tally.kinds.items())),
        "conversations": len(tally.sessions),
        "mean_length": round(tally.mean_length, 2),
        "speakers": speakers,
        "protected": tally.protected,
        "first_day": tally.first.isoformat() if tally.first else None,
        "last_day": tally.last.isoformat() if tally.last else None,
        "stages": _stages(files),
        "topics": [{"topic": told.text, "share": round(share, 4)} for told, share in frequent_topics(space)],
        "importance": {str(score): tally.scores[score] for score in range(11)},
        "hours": {f"{hour:02}": tally.hours[hour] for hour in range(24) if tally.hours[hour]},
        "busiest": list(tally.busiest) if tally.busiest else None,
        "last_cleanup": format_time(last.at) if last else None,
        "next_cleanup": format_time(next_cleanup(space, space.clock())),
        "overdue": overdue.to_json() if overdue else None,
        "held": held_pages(space, files),
        "backups": [backup.day.isoformat() for backup in index_backups(space)],
        "metrics": metrics(space),
    }


def _stages(files: Mapping[str, FileStamp]) -> dict[str, dict[str, int]]:
    stages: dict[str, dict[str, int]] = {}
    for path, stamp in files.items():
        stage = stages.setdefault(stage_of(path) or "pages", {"files": 0, "bytes": 0, "compressed": 0})
        stage["files"] += 1
        stage["bytes"] += stamp.size
        stage["compressed"] += stamp.gzipped
    return stages
