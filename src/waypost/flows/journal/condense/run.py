"""Condense the journal's files as they age. A kill at any moment loses nothing.

Every step copies the original to the archive, on disk, before it touches anything. Then it writes the result
atomically, and removes the source. The files show what is left to do, so the next run finishes a stopped one.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from waypost.errors import WaypostError
from waypost.flows.engines.pending_vectors import settle
from waypost.flows.journal.condense.days import compress, rescore, trim
from waypost.flows.journal.condense.periods import make_month, make_year
from waypost.flows.journal.condense.run_state import CONDENSED_AT, FATAL, ChangedMeanwhile, CondenseRun, CondenseStep
from waypost.flows.journal.condense.weeks import join
from waypost.flows.journal.memory_page import refresh_index
from waypost.flows.journal_files.log import last_cleanup, note, note_cleanup
from waypost.flows.journal_files.sync import sync
from waypost.flows.journal_files.tally import changed_days, forget_changed_days
from waypost.flows.open_space import OpenSpace
from waypost.journal import layout
from waypost.journal.plan import due_by_change, due_by_size, due_by_time
from waypost.journal.plan_steps import MEGABYTE, Compress, Join, MakeMonth, MakeYear, Rescore, SizeLimits, Step, Trim
from waypost.model.json_row import json_row
from waypost.system.platform import try_lock

LOCK = "condense.lock"
_MOST_TRIES = 20  # against a process that keeps writing to a file


@dataclass(frozen=True, slots=True)
class Condensed:
    """What a run did or, with `dry_run`, would do. `notices` say what it skipped and why."""

    steps: tuple[CondenseStep, ...] = ()
    notices: tuple[str, ...] = ()
    dry_run: bool = False

    @property
    def saved(self) -> int:
        return sum(step.saved for step in self.steps)

    @property
    def made(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(step.made for step in self.steps if step.made))

    @property
    def archived(self) -> tuple[str, ...]:
        return tuple(path for step in self.steps if step.made for path in step.files)

    def to_json(self) -> dict[str, Any]:
        return json_row(self, saved_bytes=self.saved, made=self.made, archived=self.archived)


def condense(
    space: OpenSpace,
    *,
    force: bool = False,
    dry_run: bool = False,
    report: Callable[[str], None] = lambda _: None,
) -> Condensed:
    """Do every step that is due, in order, also those that earlier runs missed.

    A day is due from 4 a.m.; `force` ignores that, and checks again what was checked today.
    """
    space.journal.need_files()
    with try_lock(space.folder / LOCK) as free:
        if not free:
            return Condensed(
                notices=("Another process is condensing this journal; nothing was done.",), dry_run=dry_run
            )
        sync(space)
        if not space.journal.root.is_dir():  # there are no entries yet
            return Condensed(dry_run=dry_run)
        run = CondenseRun(space, _today(space, force), report)
        run.load_marks()
        if force:
            run.again = set(run.marks)
        if dry_run:
            would = (*_steps(run), *due_by_change(run.survey(), changed_days(space)))
            return Condensed(tuple(map(_would_do, would)), _notices(run), dry_run=True)
        run.sweep()
        _embed(space)
        done = [*_work(run), *_make_again(run)]
        result = Condensed(tuple(done), _notices(run))
        if result.steps or not _was_cleaned(run):  # a second run on the same day changes nothing
            note_cleanup(space, archived=result.archived, created=result.made)
        refresh_index(space)
        return result


def _embed(space: OpenSpace) -> None:
    """Embed pending texts first: topics are found by meaning."""
    with space.store.read() as reader:
        pending = any(reader.vectors.pending().values())
    if pending:
        settle(space)


def _was_cleaned(run: CondenseRun) -> bool:
    """Whether a run was noted today. A time in the future was noted by a wrong clock and is ignored."""
    last = last_cleanup(run.space)
    return last is not None and run.at(run.today) <= last.at <= run.space.clock()


def _today(space: OpenSpace, force: bool) -> date:
    local = space.journal.local(space.clock())
    return local.date() if force else (local - timedelta(hours=CONDENSED_AT.hour)).date()


def _steps(run: CondenseRun) -> tuple[Step, ...]:
    files = run.survey()
    return due_by_time(files, run.today) or due_by_size(files, run.today, _limits(run.space))


def _limits(space: OpenSpace) -> SizeLimits:
    settings = space.settings.journal
    return SizeLimits(
        int(settings.file_limit * MEGABYTE), int(settings.daily_limit * MEGABYTE), int(settings.total_limit * MEGABYTE)
    )


def _work(run: CondenseRun) -> list[CondenseStep]:
    """Plan and work until nothing is due: a step can make another one due, or find its file changed."""
    done: list[CondenseStep] = []
    tries: dict[str, int] = {}
    while steps := _steps(run):
        for step in steps:
            try:
                done_step = _STEPS[type(step)][1](run, step)
            except ChangedMeanwhile as changed:
                path = str(changed)
                run.look_again()
                tries[path] = tries.get(path, 0) + 1
                if tries[path] > _MOST_TRIES:
                    _leave(run, step, f"{path} is written to again and again")
                break
            except FATAL:
                raise
            except WaypostError as error:
                _leave(run, step, error.what)
                break
            if done_step.files or done_step.made:
                done.append(done_step)
                run.report(step_text(done_step))
    return done


def _make_again(run: CondenseRun) -> list[CondenseStep]:
    """Make the pages of days again whose archived entries were retracted or corrected since.

    What fails stays noted for the next run.
    """
    days, done = changed_days(run.space), list[CondenseStep]()
    if not days:
        return done
    run.look_again()
    for step in due_by_change(run.survey(), days):
        try:
            done.append(_STEPS[type(step)][1](run, step))
        except ChangedMeanwhile:
            return done
        except FATAL:
            raise
        except WaypostError as error:
            _leave(run, step, error.what)
            return done
    forget_changed_days(run.space, days)
    return done


def _leave(run: CondenseRun, step: Step, reason: str) -> None:
    """Skip the files of this step in this run, and continue with the others."""
    note(run.space, "summary_failed", files=_sources(step), reason=reason)
    for path in _sources(step):
        run.closed.setdefault(path, reason)


def _sources(step: Step) -> tuple[str, ...]:
    match step:
        case Trim():
            return (step.path,)
        case Rescore() | Join() | Compress():
            return step.paths
        case MakeMonth():
            return tuple(layout.week_path(week) for week in step.weeks) or step.days
        case MakeYear():
            return tuple(layout.month_path(month) for month in step.months)


def _would_do(step: Step) -> CondenseStep:
    made: str | None = None
    match step:
        case Join():
            made = layout.week_path(step.week)
        case MakeMonth():
            made = layout.month_path(step.month)
        case MakeYear():
            made = layout.year_path(step.year)
    return CondenseStep(_STEPS[type(step)][0], step.due, _sources(step), made)


def _notices(run: CondenseRun) -> tuple[str, ...]:
    return (*(f"{path} was left alone: {reason}." for path, reason in run.closed.items()), *run.notices)


def step_text(done: CondenseStep) -> str:
    files = ", ".join(done.files[:3]) + (f" and {len(done.files) - 3} more" if len(done.files) > 3 else "")
    match done.step:
        case "trim" if done.saved > 0:
            return f"{files} trimmed, {done.saved:,} bytes shorter"
        case "trim":
            return f"{files} looked through: nothing to shorten; its original is in the archive"
        case "rescore":
            return f"{files} scored again"
        case "compress":
            return f"{files} compressed, {done.saved:,} bytes smaller"
        case _:
            made = f"{done.made} made" if done.made else ""
            return "; ".join(part for part in (made, f"{files} put into the archive" if files else "") if part)


_STEPS: Mapping[type, tuple[str, Callable[[CondenseRun, Any], CondenseStep]]] = {
    Trim: ("trim", trim),
    Rescore: ("rescore", rescore),
    Join: ("join", join),
    MakeMonth: ("month", make_month),
    MakeYear: ("year", make_year),
    Compress: ("compress", compress),
}
