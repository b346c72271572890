"""The step that turns days into weeks: archive their originals, make the summary, then remove them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from waypost.flows.journal.condense.days import bytes_of, day_of, read_day, worth_of
from waypost.flows.journal.condense.run_state import CondenseRun, CondenseStep, FileChanges
from waypost.flows.journal.condense.scores import name_of
from waypost.flows.journal.see_also import link_related
from waypost.flows.journal_files.log import note, note_scores
from waypost.flows.journal_files.preferences import promote_preferences
from waypost.flows.versions.current import current_versions
from waypost.journal import layout
from waypost.journal.archive import updated_original, with_importance
from waypost.journal.markdown import JournalPage, parse_page
from waypost.journal.period_pages.frame import summary_file
from waypost.journal.plan import JOIN_AFTER
from waypost.journal.plan_steps import MEGABYTE, ExceededLimit, Join, archive_of, joined_days
from waypost.model.journal import Entry, ScoredEntry


def join(run: CondenseRun, step: Join) -> CondenseStep:
    """Make the week's summary again with these days, and move them to the archive."""
    if step.passed:
        _note_size(run, step.passed)
    changes = FileChanges()
    texts = _originals(run, step, changes)
    pages = {place: parse_page(text, day_of(place), run.folder.zone) for place, text in sorted(texts.items())}
    entries = current_entries(run, pages)
    scores = run.scored(entries, step.due)
    joining = {archive_of(path) for path in step.paths}
    then = [
        scored_entry
        for place in sorted(joining)
        for scored_entry in run.scored(
            current_entries(run, {place: pages[place]}), min(day_of(place) + JOIN_AFTER, run.today)
        )
    ]
    worth = worth_of(then)
    for place, page in pages.items():
        changes.written[place] = with_importance(page, worth).text if place in joining else page.text
    made = _add_summary(run, changes, step, lasting(scores, worth))
    run.write(changes)
    promote_preferences(run.space, [*then, *scores])
    note_scores(run.space, then)
    run.unmark(step.paths)
    if made:
        note(run.space, "weekly_summary_created", file=made, count=len(pages))
    gone = sum(bytes_of(changes.read[path] or "") for path in step.paths)
    grown = bytes_of(changes.written[made]) - bytes_of(changes.read[made] or "") if made else 0
    return CondenseStep("join", step.due, step.paths, made, gone - grown)


def _note_size(run: CondenseRun, passed: ExceededLimit) -> None:
    note(
        run.space,
        "size_trigger",
        folder=passed.folder,
        size=round(passed.size / MEGABYTE, 2),
        limit=round(passed.limit / MEGABYTE, 2),
    )


def _originals(run: CondenseRun, step: Join, changes: FileChanges) -> dict[str, str]:
    """The originals of the week's days: of those that joined before, and of those that join now."""
    texts: dict[str, str] = {}
    for path in step.paths:
        live, original, page = read_day(run, path)
        place = archive_of(path)
        changes.read.setdefault(place, original)
        texts[place] = updated_original(texts.get(place, original), live, day_of(path), page.zone, run.at(run.today))
        changes.remove(path, live)
    for place in joined_days(run.folder.scan(), step.week).values():
        if place not in texts and (original := run.read(place)) is not None:
            changes.read[place] = texts[place] = original
    return texts


def lasting(scores: Sequence[ScoredEntry], worth: Mapping[str, int]) -> list[ScoredEntry]:
    """Scores for summaries: the importance when its day joined the week, or more if it has risen since.

    Age takes nothing away: otherwise nothing would be left of a past month.
    """
    lasting_scores = []
    for scored_entry in scores:
        then = worth.get(scored_entry.entry.id or "", scored_entry.entry.importance or 0)
        lost = then - scored_entry.score.score
        points = scored_entry.score.recency_points + max(0, lost)
        lasting_scores.append(
            replace(scored_entry, score=replace(scored_entry.score, recency_points=points))
            if lost > 0
            else scored_entry
        )
    return lasting_scores


def _add_summary(run: CondenseRun, changes: FileChanges, step: Join, scores: Sequence[ScoredEntry]) -> str | None:
    path = layout.week_path(step.week)
    before = run.read(path)
    base = before if before is not None else run.read(layout.archived_path(path))
    if not scores and base is None:
        return None
    link_related(run.space, scores, run.at(step.due))
    written = run.summary(step.week, scores)
    changes.put(path, before, summary_file(base, str(step.week), written.text))
    return path


def current_entries(run: CondenseRun, pages: dict[str, JournalPage]) -> list[Entry]:
    """Entries of these pages that are current, by time: not retracted, removed by hand or forgotten."""
    entries: list[Entry] = []
    seen: set[str] = set()
    with run.space.store.read() as reader:
        for page in pages.values():
            for entry in page.entries:
                name = name_of(entry)
                if entry.held is not None and name not in seen and current_versions(reader, name):
                    seen.add(name)
                    entries.append(entry)
    return sorted(entries, key=lambda entry: (entry.at, entry.id or ""))
