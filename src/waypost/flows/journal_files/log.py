"""A log of what happened to the journal, as lines of JSON, and its metrics.

The log contains files, ids, numbers and reasons, never the text of entries. So forgetting needs no cleanup here.
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
from waypost.flows.journal_files.tally import journal_key, journal_tally
from waypost.flows.open_space import OpenSpace
from waypost.journal.importance.reason import reason_of
from waypost.journal.layout import ARCHIVE, DNA, INDEX, PREFERENCES, day_of, stage_of
from waypost.journal.roles import role_of
from waypost.journal.wording import language_at_start
from waypost.model.journal import ScoredEntry
from waypost.model.time import format_time, parse_time
from waypost.system.platform import PRIVATE_FILE, try_lock

EVENTS = frozenset((
    "soft_trim_applied", "weekly_summary_created", "importance_score", "size_trigger", "archive_compressed",
    "context_loaded", "monthly_summary_created", "yearly_summary_created", "summary_failed", "cleanup",
    "index_refreshed", "index_restored", "preference_promoted", "curated", "pruned", "restored", "imported",
    "protected", "forgotten", "linked", "media_kept",
))  # fmt: skip
LOG = "journal.log"
LARGEST = 1024 * 1024  # bytes; a larger log becomes journal.log.1
KEPT = 3  # older logs
CLEANED_AT = time(4, 0)  # local: when maintenance is due each day
CHARACTERS_PER_TOKEN = 4
RECENT_DAYS = 3  # in every context
_LONGEST_VALUE = 200  # characters of a name or reason
_MOST_ITEMS = 100  # of a list of names
_CLEANUP = "journal_cleanup"
_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Cleanup:
    """The last maintenance of the journal, and how many there were."""

    at: datetime
    runs: int = 0
    removed: int = 0  # temporary facts removed from the index
    archived: tuple[str, ...] = ()  # files whose originals were archived
    created: tuple[str, ...] = ()  # new summaries


# -- events


def note(space: OpenSpace, event: str, **fields: Any) -> None:
    """Log one event. Values are numbers, file names, ids and reasons; never the text of an entry."""
    note_all(space, event, [fields])


def note_all(space: OpenSpace, event: str, rows: Iterable[Mapping[str, Any]]) -> None:
    if event not in EVENTS:
        raise InvalidInput(
            f"There is no event {event[:40]!r} in the journal's log.", f"Events: {', '.join(sorted(EVENTS))}."
        )
    at = format_time(space.clock())
    lines = [json.dumps({"time": at, "event": event, **_log_fields(row)}, ensure_ascii=False) + "\n" for row in rows]
    if not lines:
        return
    path = space.folder / LOG
    # Logging must never stop the work.
    with contextlib.suppress(OSError):
        _rotate(path)
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(path, flags, PRIVATE_FILE)
        try:
            os.write(handle, "".join(lines).encode("utf-8", "replace"))
        finally:
            os.close(handle)


def note_scores(space: OpenSpace, items: Iterable[ScoredEntry]) -> None:
    """Log the importance of entries. Only points are logged: reasons may quote."""
    note_all(
        space,
        "importance_score",
        (
            {
                "id": item.entry.id,
                "score": item.score.score,
                "reasoning": f"frequency {item.score.frequency_points}, recency {item.score.recency_points}, "
                f"explicit {item.score.explicit_points}, relevance {item.score.relevance_points}",
                "reason": _reason(item),
            }
            for item in items
            if item.entry.id
        ),
    )


def _reason(item: ScoredEntry) -> str:
    """One sentence that quotes nothing."""
    text = item.entry.held or ""
    role = role_of(item.entry.speaker, item.entry.kind)
    return reason_of(item.score, text, language_at_start(text) or "en", role)


def events(space: OpenSpace, limit: int = 100, event: str | None = None) -> list[dict[str, Any]]:
    """The last events, newest first, optionally of one type. Damaged lines are skipped."""
    rows: list[dict[str, Any]] = []
    for path in _logs(space.folder / LOG):
        try:
            content = path.read_text("utf-8", "replace")
        except OSError:
            continue
        for line in reversed(content.split("\n")):
            row = _row(line)
            if row is not None and event in (None, row.get("event")):
                rows.append(row)
                if len(rows) >= limit:
                    return rows
    return rows


def _log_fields(row: Mapping[str, Any]) -> dict[str, Any]:
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
    """Rename a full log. A process that has it open continues to write to it: nothing is lost."""
    if not path.exists() or path.stat().st_size < LARGEST:
        return
    with try_lock(path.with_name(f".{path.name}.lock")) as free:
        if free and path.exists() and path.stat().st_size >= LARGEST:
            older = _logs(path)
            for source, target in zip(reversed(older[:-1]), reversed(older[1:]), strict=True):
                if source.exists():
                    os.replace(source, target)


# -- maintenance


def note_cleanup(
    space: OpenSpace, *, removed: int = 0, archived: Iterable[str] = (), created: Iterable[str] = ()
) -> Cleanup:
    """Store that maintenance of the journal ran now, and what it did."""
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
    """The next time that maintenance is due, local."""
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
    """Metrics of the journal. Names are part of the contract.

    `tokens_saved_vs_v1`: how many more tokens every entry in full would take than the standard context.
    """
    files = space.journal.scan()
    total = journal_tally(space)
    made = {
        path.removeprefix(f"{ARCHIVE}/") for path in files if stage_of(path).removeprefix(f"{ARCHIVE}/") in _SUMMARIES
    }
    last = last_cleanup(space)
    saved = total.characters // CHARACTERS_PER_TOKEN - _standard_tokens(space)
    return {
        "total_size_mb": round(sum(space.journal.disk_sizes().values()) / _MEGABYTE, 3),
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
    """About how many tokens every context starts with: the index, preferences and the last days."""
    today = space.journal.today(space.clock())
    recent = {today - timedelta(days=back) for back in range(RECENT_DAYS)}
    files = space.journal.scan(archive=False)
    standard = [path for path in files if path in (DNA, INDEX, PREFERENCES) or _is_day(path, recent)]
    return sum(files[path].size for path in standard) // CHARACTERS_PER_TOKEN


def _is_day(path: str, days: set[date]) -> bool:
    return stage_of(path) == "daily" and day_of(path) in days
