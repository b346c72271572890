"""Bringing back the full words of one entry that was trimmed, and letting it go again."""

from dataclasses import replace
from datetime import date

from waypost.errors import NotFound
from waypost.flows.journal.condense.run import CondenseRun, FileChanges
from waypost.journal import layout
from waypost.journal.archive import HOLD, archived
from waypost.journal.markdown import JournalPage, parse_page
from waypost.journal.plan_files import archive_of


def words_back(run: CondenseRun, memory_id: str) -> FileChanges:
    path, text, page, place = _live_entry(run, memory_id)
    entry = page.entries[place]
    original = run.read(archive_of(path))
    full = next((one for one in _page(run, original or "", page.day).entries if one.id == memory_id), None)
    if full is None or entry.trimmed is None:
        raise NotFound(f"The entry {memory_id} has its full words.", "Nothing is to be brought back.")
    changes = FileChanges()
    if entry.is_edited and original is not None and page.day is not None:  # what somebody made of it is kept below it
        kept = archived(original, text, page.day, page.zone, run.at(run.today))
        changes.put(archive_of(path), original, kept)
        full = next(one for one in _page(run, kept, page.day).entries if one.id == memory_id)
    back = replace(entry, text=full.text, trimmed=None, amendments=full.amendments, more={**entry.more, HOLD: "1"})
    changes.put(path, text, page.with_entry(place, back).text)
    return changes


def entry_let_go(run: CondenseRun, memory_id: str) -> FileChanges:
    path, text, page, place = _live_entry(run, memory_id)
    entry = page.entries[place]
    if HOLD not in entry.more:
        raise NotFound(
            f"The entry {memory_id} is not held.", "`waypost journal restore` brings words back, and holds them."
        )
    changes = FileChanges()
    more = {name: value for name, value in entry.more.items() if name != HOLD}
    changes.put(path, text, page.with_entry(place, replace(entry, more=more)).text)
    return changes


def _live_entry(run: CondenseRun, memory_id: str) -> tuple[str, str, JournalPage, int]:
    with run.space.store.read() as reader:
        places = [one for journal, one in reader.journal.places_of([memory_id]) if journal == run.space.journal_id]
    for one in places:
        text = run.read(one.path) if layout.stage_of(one.path) == "daily" else None
        if text is None:
            continue
        page = _page(run, text, layout.day_of(one.path))
        for place, entry in enumerate(page.entries):
            if entry.id == memory_id:
                return one.path, text, page, place
    days = sorted({str(layout.day_of(one.path)) for one in places if layout.day_of(one.path)})
    if days:
        raise NotFound(
            f"The day of {memory_id} is in the archive, with its full words.",
            f"`waypost journal restore {days[0]}` brings the day back.",
        )
    raise NotFound(f"There is no entry {memory_id} in the journal.", "`waypost journal search` finds entries.")


def _page(run: CondenseRun, text: str, day: date | None) -> JournalPage:
    return parse_page(text, day, run.folder.zone)
