"""From the index to the journal's files: what a command changes, its file shows too.

Files are written inside the transaction, before the commit. After a kill in between, the files are right, and the index
follows them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import date

from waypost.flows.journal_files.editor_conflicts import note_conflict, time_of
from waypost.flows.journal_files.reconcile import record_in
from waypost.flows.journal_files.tally import note_changed_days
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets, render_bullet
from waypost.journal.layout import ARCHIVE, day_of, stage_of
from waypost.journal.markdown import new_page, newline_of, parse_page, render_entry
from waypost.journal.units import PAGES, entry_of, unit_of
from waypost.model.journal import Amendment, Entry
from waypost.model.kinds import KINDS
from waypost.model.memory import State, Version
from waypost.store.journal import PlacedEntry
from waypost.store.protocol import Reader, Writer


@contextmanager
def journal_writer(space: OpenSpace, *, filed: bool = True) -> Iterator[Writer]:
    """A write transaction, with the journal locked around it if its files may be written."""
    if not filed:
        with space.store.write() as writer:
            yield writer
        return
    with space.journal.locked(), space.store.write() as writer:
        yield writer


def is_filed(version: Version) -> bool:
    return KINDS[version.kind].is_journal


def day_files(space: OpenSpace, reader: Reader, versions: Sequence[Version]) -> list[str]:
    """The day files for new entries. In a repository, all live files: another branch may be checked out."""
    folder = space.journal
    paths = {folder.day_path(folder.today(version.time or version.valid_from)) for version in versions}
    if versions and space.journal_id != space.own_journal_id:
        paths |= {*reader.journal.files(space.journal_id, archive=False), *folder.scan(archive=False)}
    return sorted(paths)


def write_through(space: OpenSpace, writer: Writer, memory_ids: Iterable[str]) -> None:
    """Write the current state of these memories to their files."""
    ids = list(dict.fromkeys(memory_ids))
    places: dict[str, list[PlacedEntry]] = {}
    for journal, place in writer.journal.places_of(ids):
        if journal == space.journal_id:
            places.setdefault(place.memory_id, []).append(place)
    states = writer.memories.states(ids)
    fresh: list[Entry] = []
    paths: dict[str, list[Entry]] = {}
    changed_days = set[date | None]()
    for memory_id in ids:
        versions = writer.memories.versions(memory_id)
        if not versions or not is_filed(versions[-1]):
            continue
        entry = entry_of(space.journal, versions, states.get(memory_id, State()))
        for place in places.get(memory_id, ()):
            paths.setdefault(place.path, []).append(entry)
            changed_days.add(day_of(place.path) if place.path.startswith(f"{ARCHIVE}/") else None)
        if memory_id not in places:
            fresh.append(entry)
    for path, entries in paths.items():
        names = {placed.digest: placed.memory_id for placed in writer.journal.places(space.journal_id, [path])}
        _change(space, path, entries, names)
    record_in(space, writer, paths)
    note_changed_days(space, writer, {day for day in changed_days if day is not None})
    _append(space, writer, fresh)


def _append(space: OpenSpace, writer: Writer, entries: Sequence[Entry]) -> None:
    days: dict[str, list[Entry]] = {}
    folder = space.journal
    for entry in entries:
        days.setdefault(folder.day_path(entry.at.date()), []).append(entry)
    known_files = writer.journal.files(space.journal_id) if days else {}
    for path, members in days.items():
        if path in known_files:
            folder.wait_for_save(path)
        before = folder.stamp(path)
        is_new = path not in known_files and (before is None or not before.size)
        title = new_page(members[0].at.date()) if is_new else ""
        added = folder.append(path, title + "".join(render_entry(entry) for entry in members))
        after = folder.stamp(path)
        if after is None:
            continue  # an editor has just moved it away: the next sync notices
        as_written = known_files.get(path) == before and after.size == (before.size if before else 0) + added
        if not as_written:  # an editor has saved it in between
            note_conflict(writer, space.journal_id, path, after.mtime)
        first = len(writer.journal.places(space.journal_id, [path]))
        since = time_of(after.mtime)
        writer.journal.extend_file(
            space.journal_id,
            path,
            after if as_written else None,
            [
                PlacedEntry(path, entry.id or "", first + at, unit_of(entry).digest, since)
                for at, entry in enumerate(members)
            ],
        )


def _change(space: OpenSpace, path: str, entries: Sequence[Entry], names: Mapping[bytes, str]) -> None:
    folder = space.journal
    while True:
        before = folder.read(path)
        if stage_of(path) in PAGES:
            after = _page_with_entries(space, path, before, entries, names)
        else:
            after = _bullets_with_entries(before, entries)
        if after == before or folder.replace(path, after, expected=before):
            return


def _page_with_entries(
    space: OpenSpace, path: str, text: str, entries: Sequence[Entry], names: Mapping[bytes, str]
) -> str:
    """Entries written by hand are found by `names`, and get their id in the file."""
    page = parse_page(text, day_of(path), space.journal.zone)
    wanted = {entry.id: entry for entry in entries}
    changed: dict[int, Entry] = {}
    for place, entry in enumerate(page.entries):
        name = entry.id or names.get(unit_of(entry).digest)
        now = wanted.get(name) if name is not None else None
        if now is not None and (amended := _amended(entry, now)) != entry:
            changed[place] = replace(amended, id=name)
    return page.with_entries(changed).text if changed else text


def _amended(there: Entry, now: Entry) -> Entry:
    amendments = there.amendments
    if there.held != now.held and now.amendments:
        amendments = (*amendments, now.amendments[-1])
    elif there.held != now.held and now.held is not None and there.trimmed is None:
        amendments = (*amendments, Amendment(now.at, "waypost", now.held))
    return replace(there, amendments=amendments, protected=now.protected)


def _bullets_with_entries(text: str, entries: Sequence[Entry]) -> str:
    """The page with these bullets changed, or removed if they do not hold any more."""
    wanted = {entry.id: entry for entry in entries}
    newline = newline_of(text)
    for bullet in reversed(parse_bullets(text)):
        entry = wanted.get(bullet.id) if bullet.id is not None else None
        if entry is not None and entry.held != bullet.text:
            said = "" if entry.held is None else render_bullet(entry.held, bullet.id, bullet.mark or "-", newline)
            text = text[: bullet.start] + said + text[bullet.end :]
    return text
