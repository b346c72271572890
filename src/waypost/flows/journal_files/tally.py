"""Entries and figures of the journal's files. Unchanged files are not read again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date
from typing import Any, NamedTuple

from waypost.errors import WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import day_of, stage_of
from waypost.journal.markdown import no_edit_reason, parse_page
from waypost.journal.memory_page.tally import Tally, entry_key, files_by_day, merge_entries, total, with_full_text
from waypost.model.journal import Entry
from waypost.model.time import format_time
from waypost.store.protocol import Reader, Writer

_KNOWN = "journal_tallies"  # by day: stamps of its files and their figures; no text
_CHANGED = "journal_changed_days"  # archived days with changed entries, and when: their pages are made again


def entries_of(space: OpenSpace, path: str) -> tuple[Entry, ...]:
    """The entries of a day file, or () if it does not exist (any more)."""
    text = space.journal.read_or_none(path)
    return () if text is None else parse_page(text, day_of(path), space.journal.zone).entries


def _entries_or_none(space: OpenSpace, path: str) -> tuple[Entry, ...]:
    """The same, and () for a damaged file, which `doctor` reports."""
    try:
        return entries_of(space, path)
    except WaypostError:
        return ()


def day_entries(space: OpenSpace, paths: Sequence[str]) -> tuple[Entry, ...]:
    """All entries of a day in full. Its live file decides which exist; the archive has texts that were shortened."""
    return _of_day({path: _entries_or_none(space, path) for path in paths})


def _of_day(pages: Mapping[str, Sequence[Entry]]) -> tuple[Entry, ...]:
    live = [path for path in pages if stage_of(path) == "daily"]
    archive = [path for path in pages if path not in live]
    if not live or not archive:
        return merge_entries(pages.values())
    full = {entry.id: entry for path in archive for entry in pages[path] if entry.id}
    return merge_entries([with_full_text(entry, full.get(entry.id or "")) for entry in pages[path]] for path in live)


class NamedEntry(NamedTuple):
    """An entry of a day, its file, and its id; for entries written by hand, the id in the index."""

    entry: Entry
    path: str
    id: str | None


def named_entries(space: OpenSpace, reader: Reader, paths: Sequence[str]) -> list[NamedEntry]:
    given = {
        (place_row.path, place_row.place): place_row.memory_id
        for place_row in reader.journal.places(space.journal_id, paths)
    }
    pages = {path: _entries_or_none(space, path) for path in paths}
    where: dict[str, tuple[str, str | None]] = {}
    for path, entries in pages.items():
        for place, entry in enumerate(entries):
            where[entry_key(entry)] = (path, entry.id or given.get((path, place)))
    return [NamedEntry(entry, *where.get(entry_key(entry), (paths[-1], entry.id))) for entry in _of_day(pages)]


def journal_tally(space: OpenSpace) -> Tally:
    """Figures of all entries, each counted once."""
    return total(tallies(space).values())


def tallies(space: OpenSpace) -> dict[date, Tally]:
    files = space.journal.scan()
    key = journal_key(space, _KNOWN)
    with space.store.read() as reader:
        stored = reader.meta.get(key)
    known_rows: dict[str, Any] = json.loads(stored) if stored else {}
    tallies_by_day: dict[date, Tally] = {}
    rows: dict[str, Any] = {}
    changed = False
    for day, paths in files_by_day(files).items():
        stamps = [[path, *files[path]] for path in paths]
        row = known_rows.get(day.isoformat())
        if row is None or row["stamps"] != stamps:
            row = {"stamps": stamps, **Tally.of(day_entries(space, paths), day).to_json()}
            changed = True
        rows[day.isoformat()], tallies_by_day[day] = row, Tally.from_json(row)
    if (changed or len(rows) != len(known_rows)) and space.store.may_write:
        with space.store.write() as writer:
            writer.meta.set(key, json.dumps(rows))
    return tallies_by_day


def held_pages(space: OpenSpace, paths: Iterable[str]) -> list[str]:
    """Days that somebody holds, or that are in conflict."""
    paths_held = []
    for path in paths:
        if stage_of(path) == "daily":
            with suppress(WaypostError):  # removed meanwhile, or damaged
                paths_held += [path] if no_edit_reason(space.journal.read(path)) else []
    return paths_held


def journal_key(space: OpenSpace, name: str) -> str:
    """The key of this journal in `meta`: a space has several journals if its checkouts keep their own."""
    return f"{name}:{space.journal_id}" if space.journal_id else name


def changed_days(space: OpenSpace) -> dict[date, str]:
    """Archived days whose entries were changed since their pages were made, each with the time of the change."""
    with space.store.read() as reader:
        return _changed_days(space, reader)


def note_changed_days(space: OpenSpace, writer: Writer, days: Iterable[date]) -> None:
    now = format_time(space.clock())
    if new := dict.fromkeys(days, now):
        _set_changed_days(space, writer, _changed_days(space, writer) | new)


def forget_changed_days(space: OpenSpace, made: Mapping[date, str]) -> None:
    """Their pages are made. A day that has changed again since stays."""
    with space.store.write() as writer:
        left = {day: at for day, at in _changed_days(space, writer).items() if made.get(day) != at}
        _set_changed_days(space, writer, left)


def _changed_days(space: OpenSpace, reader: Reader) -> dict[date, str]:
    stored = json.loads(reader.meta.get(journal_key(space, _CHANGED)) or "{}")
    return {date.fromisoformat(day): at for day, at in stored.items()}


def _set_changed_days(space: OpenSpace, writer: Writer, days: Mapping[date, str]) -> None:
    writer.meta.set(journal_key(space, _CHANGED), json.dumps({day.isoformat(): at for day, at in days.items()}))
