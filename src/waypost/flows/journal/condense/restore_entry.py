"""Restore the full text of one trimmed entry, and release it again."""

from dataclasses import replace

from waypost.errors import NotFound
from waypost.flows.journal.condense.run_state import CondenseRun, FileChanges
from waypost.journal import layout
from waypost.journal.archive import HOLD, archived
from waypost.journal.markdown import JournalPage
from waypost.journal.plan_files import archive_of


def restore_text(run: CondenseRun, memory_id: str) -> FileChanges:
    path, text, page, place = _live_entry(run, memory_id)
    entry = page.entries[place]
    original = run.read(archive_of(path))
    full = next(
        (candidate for candidate in run.page(original or "", page.day).entries if candidate.id == memory_id), None
    )
    if full is None or entry.trimmed is None:
        raise NotFound(f"The entry {memory_id} has its full words.", "Nothing must be restored.")
    changes = FileChanges()
    if entry.is_edited and original is not None and page.day is not None:  # edits are kept below it
        kept = archived(original, text, page.day, page.zone, run.at(run.today))
        changes.put(archive_of(path), original, kept)
        full = next(candidate for candidate in run.page(kept, page.day).entries if candidate.id == memory_id)
    back = replace(entry, text=full.text, trimmed=None, amendments=full.amendments, more={**entry.more, HOLD: "1"})
    changes.put(path, text, page.with_entry(place, back).text)
    return changes


def release_entry(run: CondenseRun, memory_id: str) -> FileChanges:
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
        places = [placed for journal, placed in reader.places_of([memory_id]) if journal == run.space.journal_id]
    for placed in places:
        text = run.read(placed.path) if layout.stage_of(placed.path) == "daily" else None
        if text is None:
            continue
        page = run.page(text, layout.day_of(placed.path))
        for place, entry in enumerate(page.entries):
            if entry.id == memory_id:
                return placed.path, text, page, place
    days = sorted({str(layout.day_of(placed.path)) for placed in places if layout.day_of(placed.path)})
    if days:
        raise NotFound(
            f"The day of {memory_id} is in the archive, with its full words.",
            f"`waypost journal restore {days[0]}` brings the day back.",
        )
    raise NotFound(f"There is no entry {memory_id} in the journal.", "`waypost journal search` finds entries.")
