"""Entries and numbers of the journal's files, without reading again what has not changed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple
from datetime import date
from typing import Any, NamedTuple

from waypost.errors import NotFound, WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.journal.index_page.tally import Tally, days_of, joined, key_of, total, with_words_of
from waypost.journal.layout import day_of, stage_of
from waypost.journal.markdown import left_alone, parse_page
from waypost.model.journal import Entry
from waypost.store.protocol import Reader

_KNOWN = "journal_tallies"  # by day: the stamps of its files and what they held; no words


def entries_of(space: OpenSpace, path: str) -> tuple[Entry, ...]:
    """The entries of a file of days; none where there is no such file (any more)."""
    try:
        text = space.journal.read(path)
    except NotFound:
        return ()
    return parse_page(text, day_of(path), space.journal.zone).entries


def _readable(space: OpenSpace, path: str) -> tuple[Entry, ...]:
    """The same; none of a file that is damaged, which `doctor` tells."""
    try:
        return entries_of(space, path)
    except WaypostError:
        return ()


def day_entries(space: OpenSpace, paths: Sequence[str]) -> tuple[Entry, ...]:
    """All that was said on a day, in full, out of the files that hold words of it. While the day has a file of its own, that
    one says what there is; words that were shortened in it are taken from the archive."""
    return _of_day({path: _readable(space, path) for path in paths})


def _of_day(pages: Mapping[str, Sequence[Entry]]) -> tuple[Entry, ...]:
    live = [path for path in pages if stage_of(path) == "daily"]
    archive = [path for path in pages if path not in live]
    if not live or not archive:
        return joined(pages.values())
    full = {entry.id: entry for path in archive for entry in pages[path] if entry.id}
    return joined([with_words_of(entry, full.get(entry.id or "")) for entry in pages[path]] for path in live)


class NamedEntry(NamedTuple):
    """An entry of a day, the file it stands in, and its id: of what was written by hand, the one that the index gave it."""

    entry: Entry
    path: str
    id: str | None


def named_entries(space: OpenSpace, reader: Reader, paths: Sequence[str]) -> list[NamedEntry]:
    """As `day_entries`."""
    given = {(one.path, one.place): one.memory_id for one in reader.journal.places(space.journal_id, paths)}
    pages = {path: _readable(space, path) for path in paths}
    where: dict[str, tuple[str, str | None]] = {}
    for path, entries in pages.items():
        for place, entry in enumerate(entries):
            where[key_of(entry)] = (path, entry.id or given.get((path, place)))
    return [NamedEntry(entry, *where.get(key_of(entry), (paths[-1], entry.id))) for entry in _of_day(pages)]


def counted(space: OpenSpace) -> Tally:
    """All that was ever said, each entry once."""
    return total(tallies(space).values())


def tallies(space: OpenSpace) -> dict[date, Tally]:
    """The numbers of every day. Only files that changed are read."""
    files = space.journal.scan()
    key = journal_key(space, _KNOWN)
    with space.store.read() as reader:
        stored = reader.meta.get(key)
    known: dict[str, Any] = json.loads(stored) if stored else {}
    found: dict[date, Tally] = {}
    rows: dict[str, Any] = {}
    changed = False
    for day, paths in days_of(files).items():
        stamps = [[path, *astuple(files[path])] for path in paths]
        row = known.get(day.isoformat())
        if row is None or row["stamps"] != stamps:
            row = {"stamps": stamps, **Tally.of(day_entries(space, paths), day).to_json()}
            changed = True
        rows[day.isoformat()], found[day] = row, Tally.from_json(row)
    if (changed or len(rows) != len(known)) and space.store.may_write:
        with space.store.write() as writer:
            writer.meta.set(key, json.dumps(rows))
    return found


def held_pages(space: OpenSpace, paths: Iterable[str]) -> list[str]:
    """The days that somebody wants left as they are, or that are in conflict."""
    held = []
    for path in paths:
        if stage_of(path) == "daily":
            with suppress(WaypostError):  # it went meanwhile, or is damaged
                held += [path] if left_alone(space.journal.read(path)) else []
    return held


def journal_key(space: OpenSpace, name: str) -> str:
    """The name under which something is noted for this journal: a space whose checkouts keep theirs has several."""
    return f"{name}:{space.journal_id}" if space.journal_id else name
