"""What happened to the journal, as lines of JSON for people who look after it, and its metrics.

The log tells of files, ids, numbers and reasons; the words of entries never stand in it, so that forgetting has
nothing to do here. Names of events and metrics that seed 002 gives are used as they are.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput
from waypost.flows.journal.tally import counted, journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import ARCHIVE, DNA, INDEX, PREFERENCES, day_of, stage_of
from waypost.model.journal import ScoredEntry
from waypost.model.time import format_time, parse_time
from waypost.space.platform import PRIVATE_FILE, try_lock

EVENTS = frozenset(
    {
        "soft_trim_applied",
        "weekly_summary_created",
        "importance_score",
        "size_trigger",
        "archive_compressed",
        "context_loaded",
        "monthly_summary_created",
        "yearly_summary_created",
        "summary_failed",
        "archived",
        "cleanup",
        "index_refreshed",
        "index_restored",
        "preference_promoted",
        "curated",
        "pruned",
        "restored",
        "imported",
        "migrated",
        "protected",
        "forgotten",
        "linked",
        "media_kept",
    }
)
LOG = "journal.log"
LARGEST = 1024 * 1024  # bytes; then it becomes journal.log.1
KEPT = 3  # older logs
CLEANED_AT = time(4, 0)  # when upkeep is due each day (CM-10), local
CHARACTERS_PER_TOKEN = 4  # as the seed counts
RECENT_DAYS = 3  # whose files every context loads
_LONGEST_VALUE = 200  # characters of a name or reason
_MOST_ITEMS = 100  # of a list of names
_CLEANUP = "journal_cleanup"
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What the last upkeep of the journal did, and how many there were."""

    at: datetime
    runs: int = 0
    removed: int = 0  # temporary facts that left the index
    archived: tuple[str, ...] = ()  # files whose originals were put away
    created: tuple[str, ...] = ()  # summaries that were made


# -- events


def note(space: OpenSpace, event: str, **fields: Any) -> None:
    """Add one event. Values are numbers, names of files, ids and reasons; never the words of an entry."""
    note_all(space, event, [fields])


def note_all(space: OpenSpace, event: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Add an event for each row, in one write."""
    if event not in EVENTS:
        raise InvalidInput(
            f"There is no event {event[:40]!r} in the journal's log.", f"Events: {', '.join(sorted(EVENTS))}."
        )
    at = format_time(space.clock())
    lines = [json.dumps({"time": at, "event": event, **_plain(row)}, ensure_ascii=False) + "\n" for row in rows]
    if not lines:
        return
    path = space.folder / LOG
    # What is told about the work must never stop the work.
    with contextlib.suppress(OSError):
        _rotate(path)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags, PRIVATE_FILE)
        try:
            os.write(handle, "".join(lines).encode("utf-8", "replace"))
        finally:
            os.close(handle)


def note_scores(space: OpenSpace, items: Iterable[ScoredEntry]) -> None:
    """Every decision about what entries are worth (CM-3). The reasons are its points: written out they may quote."""
    note_all(
        space,
        "importance_score",
        (
            {
                "id": item.entry.id,
                "score": item.score.score,
                "reasoning": f"frequency {item.score.frequency_points}, recency {item.score.recency_points}, "
                f"explicit {item.score.explicit_points}, relevance {item.score.relevance_points}",
            }
            for item in items
            if item.entry.id
        ),
    )


def events(space: OpenSpace, limit: int = 100, event: str | None = None) -> list[dict[str, Any]]:
    """The last events, newest first; of one sort if told. A damaged line is passed over."""
    found: list[dict[str, Any]] = []
    for path in _logs(space.folder / LOG):
        try:
            content = path.read_text("utf-8", "replace")
        except OSError:
            continue
        for line in reversed(content.split("\n")):
            row = _row(line)
            if row is not None and event in (None, row.get("event")):
                found.append(row)
                if len(found) >= limit:
                    return found
    return found


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _value(value) for name, value in row.items() if name not in ("time", "event")}


def _value(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, list | tuple | set | frozenset):
        return [_value(item) for item in list(value)[:_MOST_ITEMS]]
    return " ".join(str(value)[: 4 * _LONGEST_VALUE].split())[:_LONGEST_VALUE]


def _row(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line) if line else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


def _logs(path: Path) -> list[Path]:
    return [path, *(path.with_name(f"{path.name}.{number}") for number in range(1, KEPT + 1))]


def _rotate(path: Path) -> None:
    """Give a full log another name. Whoever has it open still writes to the end of it: nothing is lost."""
    if not path.exists() or path.stat().st_size < LARGEST:
        return
    with try_lock(path.with_name(f".{path.name}.lock")) as free:
        if free and path.exists() and path.stat().st_size >= LARGEST:
            older = _logs(path)
            for source, target in zip(reversed(older[:-1]), reversed(older[1:]), strict=True):
                if source.exists():
                    os.replace(source, target)


# -- upkeep


def cleaned(
    space: OpenSpace, *, removed: int = 0, archived: Iterable[str] = (), created: Iterable[str] = ()
) -> Cleanup:
    """Remember that upkeep of the journal was done now, and what it did."""
    with space.store.write() as writer:
        before = _cleanup(writer.meta.get(journal_key(space, _CLEANUP)))
        done = Cleanup(space.clock(), (before.runs if before else 0) + 1, removed, tuple(archived), tuple(created))
        stored = asdict(replace(done, archived=done.archived[:_MOST_ITEMS], created=done.created[:_MOST_ITEMS]))
        writer.meta.set(journal_key(space, _CLEANUP), json.dumps({**stored, "at": format_time(done.at)}))
    note(space, "cleanup", runs=done.runs, removed=removed, archived=len(done.archived), created=len(done.created))
    return done


def last_cleanup(space: OpenSpace) -> Cleanup | None:
    with space.store.read() as reader:
        return _cleanup(reader.meta.get(journal_key(space, _CLEANUP)))


def next_cleanup(space: OpenSpace, after: datetime) -> datetime:
    """The first time after that at which upkeep is due, local."""
    local = space.journal.local(after)
    due = datetime.combine(local.date(), CLEANED_AT, local.tzinfo)
    return due if due > local else datetime.combine(local.date() + timedelta(days=1), CLEANED_AT, local.tzinfo)


def _cleanup(stored: str | None) -> Cleanup | None:
    if not stored:
        return None
    row = json.loads(stored)
    at = parse_time(row["at"])
    return Cleanup(at, row["runs"], row["removed"], tuple(row["archived"]), tuple(row["created"]))


# -- metrics


def metrics(space: OpenSpace) -> dict[str, int | float]:
    """How the journal is doing, by the seed's names.

    `tokens_saved_vs_v1`: what loading every word ever said would take more than the standard context does.
    """
    files = space.journal.scan()
    total = counted(space)
    made = {
        path.removeprefix(f"{ARCHIVE}/") for path in files if stage_of(path).removeprefix(f"{ARCHIVE}/") in _SUMMARIES
    }
    last = last_cleanup(space)
    saved = total.characters // CHARACTERS_PER_TOKEN - _standard_tokens(space)
    return {
        "total_size_mb": round(sum(stamp.size for stamp in files.values()) / _MEGABYTE, 3),
        **{f"{stage}_files_count": sum(stage_of(path) == stage for path in files) for stage in _COUNTED},
        "archive_files_count": sum(path.startswith(f"{ARCHIVE}/") for path in files),
        "compressed_files_count": sum(stamp.gzipped for stamp in files.values()),
        "avg_importance_score": round(total.mean_importance, 2),
        "cleanup_runs": last.runs if last else 0,
        "summaries_created": len(made),
        "tokens_saved_vs_v1": max(0, saved),
    }


_SUMMARIES = ("weekly", "monthly", "yearly")
_COUNTED = ("daily", "weekly", "monthly")


def _standard_tokens(space: OpenSpace) -> int:
    """About how many tokens every context begins with: the index, preferences and the last days."""
    today = space.journal.today(space.clock())
    recent = {today - timedelta(days=back) for back in range(RECENT_DAYS)}
    files = space.journal.scan(archive=False)
    standard = [path for path in files if path in (DNA, INDEX, PREFERENCES) or _is_day(path, recent)]
    return sum(files[path].size for path in standard) // CHARACTERS_PER_TOKEN


def _is_day(path: str, days: set[date]) -> bool:
    return stage_of(path) == "daily" and day_of(path) in days
