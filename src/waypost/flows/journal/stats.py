"""Figures about a journal, for `journal stats`."""

from collections.abc import Mapping
from typing import Any

from waypost.flows.journal.memory_page_content import frequent_topics
from waypost.flows.journal_files.index_file import index_backups
from waypost.flows.journal_files.log import last_cleanup, metrics, next_cleanup
from waypost.flows.journal_files.sync import sync
from waypost.flows.journal_files.tally import held_pages, journal_tally
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import stage_of
from waypost.model.time import format_time
from waypost.store.journal import FileStamp

MOST_SPEAKERS = 50


def stats(space: OpenSpace, overdue: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Counts, sizes, topics, times, importance and maintenance. Keys are part of the contract."""
    sync(space)
    files = space.journal.scan()
    tally = journal_tally(space)
    last = last_cleanup(space)
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
        "stages": _stages(files, space.journal.disk_sizes()),
        "topics": [{"topic": topic.text, "share": round(share, 4)} for topic, share in frequent_topics(space)],
        "importance": {str(score): tally.scores[score] for score in range(11)},
        "hours": {f"{hour:02}": tally.hours[hour] for hour in range(24) if tally.hours[hour]},
        "busiest": list(tally.busiest) if tally.busiest else None,
        "last_cleanup": format_time(last.at) if last else None,
        "next_cleanup": format_time(next_cleanup(space, space.clock())),
        "overdue": overdue,
        "held": held_pages(space, files),
        "backups": [backup.day.isoformat() for backup in index_backups(space)],
        "metrics": metrics(space),
    }


def _stages(files: Mapping[str, FileStamp], sizes: Mapping[str, int]) -> dict[str, dict[str, int]]:
    stages: dict[str, dict[str, int]] = {}
    for path, stamp in files.items():
        stage = stages.setdefault(stage_of(path) or "pages", {"files": 0, "bytes": 0, "compressed": 0})
        stage["files"] += 1
        stage["bytes"] += sizes.get(path, 0)
        stage["compressed"] += stamp.gzipped
    return stages
