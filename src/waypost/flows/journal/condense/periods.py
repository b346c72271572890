"""Steps of condensing for months and years: made from the entries of their days, never from other summaries."""

from collections.abc import Sequence
from datetime import date

from waypost.flows.journal.condense.days import bytes_of
from waypost.flows.journal.condense.run_state import CondenseRun, CondenseStep, FileChanges
from waypost.flows.journal.condense.weeks import current_entries, lasting
from waypost.flows.journal_files.log import note
from waypost.journal import layout
from waypost.journal.archive import updated_summary_original
from waypost.journal.layout import Month, Week
from waypost.journal.markdown import JournalPage, parse_page
from waypost.journal.period_pages.frame import split_frame, summary_file
from waypost.journal.plan_steps import MakeMonth, MakeYear, joined_days


def make_month(run: CondenseRun, step: MakeMonth) -> CondenseStep:
    sources = [layout.week_path(week) for week in step.weeks]
    return _make(run, "month", step.due, step.month, layout.month_path(step.month), sources)


def make_year(run: CondenseRun, step: MakeYear) -> CondenseStep:
    sources = [layout.month_path(month) for month in step.months]
    return _make(run, "year", step.due, step.year, layout.year_path(step.year), sources)


def _make(
    run: CondenseRun,
    name: str,
    due: date,
    period: Month | int,
    path: str,
    sources: Sequence[str],
) -> CondenseStep:
    changes, there, size = FileChanges(), list[str](), 0
    for source in sources:
        live = run.read(source)
        if live is None:  # a week without entries
            continue
        place = layout.archived_path(source)
        original = run.read(place)
        changes.put(place, original, updated_summary_original(original, live, own_lines(original)))
        changes.remove(source, live)
        there.append(source)
        size += bytes_of(live)
    if sources and not there:
        return CondenseStep(name, due, ())
    scores = lasting(run.scored_alone(current_entries(run, _pages(run, period)), due), {})
    before = run.read(path)
    base = before if before is not None else run.read(layout.archived_path(path)) if name == "month" else None
    if sources and not scores and base is None:  # all its entries are of the month before or after
        run.write(changes)
        return CondenseStep(name, due, tuple(there), None, size)
    changes.put(path, before, summary_file(base, str(period), run.summary(period, scores).text))
    run.write(changes)
    grown = bytes_of(changes.written[path]) - bytes_of(before or "")
    note(run.space, f"{name}ly_summary_created", file=path, count=len(there))
    return CondenseStep(name, due, tuple(there), path, size - grown)


def _pages(run: CondenseRun, period: Month | int) -> dict[str, JournalPage]:
    """The archived days of this month or year, without weeks that somebody holds."""
    first = date(period, 1, 1) if isinstance(period, int) else period.first
    last = date(period, 12, 31) if isinstance(period, int) else period.last
    files = run.folder.scan()
    pages = {}
    for monday in range(Week.of(first).first.toordinal(), last.toordinal() + 1, 7):
        week = Week.of(date.fromordinal(monday))
        if layout.week_path(week) in run.closed:
            continue
        for day, place in joined_days(files, week).items():
            text = run.read(place) if first <= day <= last else None
            if text is not None:
                pages[place] = parse_page(text, day, run.folder.zone)
    return pages


def own_lines(text: str | None) -> list[str]:
    """What people wrote into a summary's file."""
    frame = split_frame(text or "")
    own = frame.before + (frame.part or "" if frame.is_edited else "") + frame.after
    return own.splitlines()
