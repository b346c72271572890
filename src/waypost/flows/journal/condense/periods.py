"""Steps of condensing that concern months and years: made from the entries of their days, never from other summaries."""

from collections.abc import Iterable, Sequence
from datetime import date

from waypost.flows.journal.condense.run import CondenseRun, CondenseStep, FileChanges
from waypost.flows.journal.condense.weeks import holding, lasting
from waypost.flows.journal.log import note
from waypost.journal import layout
from waypost.journal.archive import updated_summary_original
from waypost.journal.layout import Month, Week
from waypost.journal.markdown import JournalPage, parse_page
from waypost.journal.plan_steps import MakeMonth, MakeYear, joined_days
from waypost.journal.summary.frame import split_frame, summary_file

_MONTHS = range(1, 13)


def make_month(run: CondenseRun, step: MakeMonth) -> CondenseStep:
    """The summaries of the weeks go to the archive, and the month's is made."""
    sources = [layout.week_path(week) for week in step.weeks]
    done = _make(run, "month", step.due, step.month, layout.month_path(step.month), sources, step.month.weeks)
    if done.made:
        note(run.space, "monthly_summary_created", file=done.made, count=len(done.files))
    return done


def make_year(run: CondenseRun, step: MakeYear) -> CondenseStep:
    """The summaries of the months go to the archive, and the year's is made."""
    sources = [layout.month_path(month) for month in step.months]
    weeks = [week for number in _MONTHS for week in Month(step.year, number).weeks]
    done = _make(run, "year", step.due, step.year, layout.year_path(step.year), sources, weeks)
    if done.made:
        note(run.space, "yearly_summary_created", file=done.made, count=len(done.files))
    return done


def _make(
    run: CondenseRun,
    name: str,
    due: date,
    period: Month | int,
    path: str,
    sources: Sequence[str],
    weeks: Iterable[Week],
) -> CondenseStep:
    changes, there, size = FileChanges(), [], 0
    for source in sources:
        live = run.read(source)
        if live is None:  # a week of which nothing was left to tell
            continue
        place = layout.archived_path(source)
        original = run.read(place)
        changes.put(place, original, updated_summary_original(original, live, own_lines(original)))
        changes.remove(source, live)
        there.append(source)
        size += len(live.encode("utf-8", "surrogateescape"))
    if not there:
        return CondenseStep(name, due, ())
    scores = lasting(run.scored_alone(holding(run, _pages(run, weeks)), due), {})
    before = run.read(path)
    base = before if before is not None else run.read(layout.archived_path(path)) if name == "month" else None
    changes.put(path, before, summary_file(base, str(period), run.summary(period, scores).text))
    run.write(changes)
    grown = len(changes.written[path].encode("utf-8", "surrogateescape")) - len(
        (before or "").encode("utf-8", "replace")
    )
    return CondenseStep(name, due, tuple(there), path, size - grown)


def _pages(run: CondenseRun, weeks: Iterable[Week]) -> dict[str, JournalPage]:
    """The days of these weeks that have joined them, but for weeks that somebody holds."""
    files = run.folder.scan()
    found = {}
    for week in weeks:
        if layout.week_path(week) in run.closed:
            continue
        for day, place in joined_days(files, week).items():
            text = run.read(place)
            if text is not None:
                found[place] = parse_page(text, day, run.folder.zone)
    return found


def own_lines(text: str | None) -> list[str]:
    """What people wrote into the file of a summary."""
    frame = split_frame(text or "")
    own = frame.before + (frame.part or "" if frame.is_edited else "") + frame.after
    return own.splitlines()
