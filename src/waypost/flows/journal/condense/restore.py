"""Undo condensing from the originals: a day, week, month or year, one entry, or the index page.

Restored files are held, so that the next run skips them. `release` ends that, and the next run gives the same files as
before. Originals stay in the archive, and nothing in a live file is lost.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from waypost.errors import InvalidInput, NotFound, StoreBusy
from waypost.flows.journal.condense.periods import own_lines
from waypost.flows.journal.condense.run import LOCK
from waypost.flows.journal.condense.run_state import ChangedMeanwhile, CondenseRun, FileChanges
from waypost.flows.journal_files.index_file import index_backups, restore_index
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.sync import sync
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.current import audit
from waypost.journal import layout
from waypost.journal.archive import HOLD, updated_original, updated_summary_original
from waypost.journal.layout import Month, Week
from waypost.journal.markdown import JournalPage
from waypost.journal.period_pages.frame import split_frame
from waypost.journal.plan_steps import archive_of, joined_days
from waypost.model.ids import check_id
from waypost.model.memory import Caller
from waypost.system.platform import try_lock

_INDEX = re.compile(r"index(?:\s+(\d{4})-?(\d\d)-?(\d\d))?")
_MOST_TRIES = 20


@dataclass(frozen=True, slots=True)
class Restored:
    """The files that were restored or released, and those that were removed."""

    what: str
    files: tuple[str, ...]
    removed: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {"what": self.what, "files": list(self.files), "removed": list(self.removed)}


def restore(space: OpenSpace, what: str, caller: Caller) -> Restored:
    """Restore a day (2026-01-30), week (2026-W05), month (2026-01) or year (2026).

    Or the full text of an entry (its id), or the index page (`index`, or `index 20260130` for the copy of that day).
    """
    what = what.strip()
    index = _INDEX.fullmatch(what)
    if index:
        restore_index(space, _backup_day(space, index))
        done = Restored(what, (layout.INDEX,))
    else:
        with _exclusive_run(space) as run:
            done = _apply_change(run, what, _restore_change(what))
    _record(space, "restore", done, caller)
    return done


def release(space: OpenSpace, what: str, caller: Caller) -> Restored:
    """Let condensing continue with what was restored: a day, week, month, year or entry."""
    what = what.strip()
    with _exclusive_run(space) as run:
        done = _apply_change(run, what, _release_change(what))
    _record(space, "release", done, caller)
    return done


@contextmanager
def _exclusive_run(space: OpenSpace) -> Iterator[CondenseRun]:
    with try_lock(space.folder / LOCK) as free:
        if not free:
            raise StoreBusy("The journal is being condensed.", "Try again in a moment.")
        sync(space)
        yield CondenseRun(space, space.journal.today(space.clock()), lambda _: None)


Change = Callable[[CondenseRun], FileChanges]


def _apply_change(run: CondenseRun, what: str, change: Change) -> Restored:
    for _ in range(_MOST_TRIES):
        changes = change(run)
        try:
            run.write(changes)
        except ChangedMeanwhile:
            continue
        live = [path for path in changes.written if not path.startswith(f"{layout.ARCHIVE}/")]
        return Restored(what, tuple(live), tuple(changes.removed))
    raise StoreBusy(f"The files of {what} are written to again and again.", "Close the editor, and try again.")


def _record(space: OpenSpace, action: str, done: Restored, caller: Caller) -> None:
    memory_id = done.what if _period(done.what) is None and not done.what.startswith("index") else None
    with space.store.write() as writer:
        audit(space, writer, action, memory_id, caller, {"what": done.what, "files": list(done.files)[:100]})
    note(space, "restored", action=action, what=done.what, files=done.files, removed=done.removed)


# -- what to change


def _period(what: str) -> "date | Week | Month | int | None":
    return layout.day_of(what) or layout.week_of(what) or layout.month_of(what) or layout.year_of(what)


def _restore_change(what: str) -> Change:
    match _period(what):
        case date() as day:
            return lambda run: _restore_days(run, [day], what)
        case Week() as week:
            return lambda run: _restore_week(run, week, what)
        case Month() as month:
            return lambda run: _restore_summaries(
                run, [layout.week_path(week) for week in month.weeks], layout.month_path(month), what
            )
        case int() as year:
            return lambda run: _restore_summaries(
                run, [layout.month_path(Month(year, number)) for number in range(1, 13)], layout.year_path(year), what
            )
    memory_id = _id_of(what)
    return lambda run: restore_text(run, memory_id)


def _release_change(what: str) -> Change:
    match _period(what):
        case date() as day:
            return lambda run: _release_files(run, _live_days(run, [day]), what)
        case Week() as week:
            return lambda run: _release_files(run, [layout.week_path(week), *_live_days(run, _days_of(week))], what)
        case Month() as month:
            return lambda run: _release_files(
                run, [layout.month_path(month), *(layout.week_path(week) for week in month.weeks)], what
            )
        case int() as year:
            months = [layout.month_path(Month(year, number)) for number in range(1, 13)]
            return lambda run: _release_files(run, [layout.year_path(year), *months], what)
    memory_id = _id_of(what)
    return lambda run: release_entry(run, memory_id)


def _id_of(what: str) -> str:
    try:
        return check_id(what)
    except InvalidInput as error:
        raise InvalidInput(
            f"{what[:40]!r} is neither a time nor an id.",
            "Name a day (2026-01-30), a week (2026-W05), a month (2026-01), a year (2026), an entry's id, or `index`.",
        ) from error


# -- days


def _days_of(week: Week) -> list[date]:
    return [date.fromordinal(week.first.toordinal() + number) for number in range(7)]


def _live_days(run: CondenseRun, days: Sequence[date]) -> list[str]:
    return [path for path in run.folder.scan() if layout.stage_of(path) == "daily" and layout.day_of(path) in days]


def _restore_days(run: CondenseRun, days: Sequence[date], what: str) -> FileChanges:
    changes = FileChanges()
    for day in days:
        place = layout.archived_path(layout.day_path(day))
        original = run.read(place)
        if original is None:
            continue
        full = original
        path = layout.day_path(day)
        for live in _live_days(run, [day]):
            text = run.read(live)
            if text is not None:
                full = updated_original(
                    full, run.page(text, day).with_hold(on=False).text, day, run.folder.zone, run.at(run.today)
                )
                changes.read[live] = text
                changes.removed += [live] if live != path else []
        changes.put(place, original, full)
        changes.put(path, changes.read.get(path), run.page(full, day).with_hold(on=True).text)
    if not changes.written:
        raise NotFound(f"The archive has nothing of {what}.", "`waypost journal timeline` shows which days there are.")
    return changes


def _restore_week(run: CondenseRun, week: Week, what: str) -> FileChanges:
    changes = _restore_days(run, list(joined_days(run.folder.scan(), week)) or _days_of(week), what)
    _remove_summary(run, changes, layout.week_path(week))
    return changes


# -- summaries


def _restore_summaries(run: CondenseRun, parts: Sequence[str], whole: str, what: str) -> FileChanges:
    """Restore the files that a summary was made from, and remove it."""
    changes = FileChanges()
    for path in parts:
        original = run.read(layout.archived_path(path))
        if original is None:
            continue
        live = run.read(path)
        text = original if live is None else updated_summary_original(original, live, own_lines(original))
        changes.put(path, live, run.page(text, None).with_hold(on=True).text)
    if not changes.written:
        raise NotFound(f"The archive has no summaries of {what}.", "`waypost journal stats` shows what there is.")
    _remove_summary(run, changes, whole)
    return changes


def _remove_summary(run: CondenseRun, changes: FileChanges, path: str) -> None:
    """Remove a summary. What people wrote into it stays: in the archive, or for a year in place."""
    text = run.read(path)
    if text is None:
        return
    if not [line for line in own_lines(text) if line.strip() and not line.startswith("# ")]:
        changes.remove(path, text)
    elif layout.stage_of(path) == "yearly":
        frame = split_frame(text)
        kept = text if frame.is_edited else frame.before.rstrip() + "\n" + frame.after
        changes.put(path, text, kept)
    else:
        place = layout.archived_path(path)
        original = run.read(place)
        changes.put(place, original, updated_summary_original(original, text, own_lines(original)))
        changes.remove(path, text)


def _release_files(run: CondenseRun, paths: Sequence[str], what: str) -> FileChanges:
    changes = FileChanges()
    for path in paths:
        text = run.read(path)
        if text is None:
            continue
        page = run.page(text, layout.day_of(path))
        if page.hold and not page.is_conflicted:
            changes.put(path, text, page.with_hold(on=False).text)
    if not changes.written:
        raise NotFound(f"Nothing of {what} is held.", "`waypost journal restore` brings something back, and holds it.")
    return changes


# -- one entry


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
        kept = updated_original(original, text, page.day, page.zone, run.at(run.today))
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
        places = [
            placed for journal, placed in reader.journal.places_of([memory_id]) if journal == run.space.journal_id
        ]
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


# -- the index page


def _backup_day(space: OpenSpace, index: "re.Match[str]") -> date:
    if index[1]:
        try:
            return date(int(index[1]), int(index[2]), int(index[3]))
        except ValueError as error:
            raise InvalidInput(f"There is no such day: {index[0]}.", "Name one such as `index 20260130`.") from error
    backups = index_backups(space)
    if not backups:
        raise NotFound("There is no copy of the index page yet.", "One is made on every day on which it changes.")
    return backups[0].day
