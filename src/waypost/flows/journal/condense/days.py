"""Steps of condensing for single files: trim and score days, compress originals."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

from waypost.errors import WaypostError
from waypost.flows.journal.condense.run_state import ChangedMeanwhile, CondenseRun, CondenseStep, FileChanges
from waypost.flows.journal.condense.texts import SummaryWriter, trim_with_model
from waypost.flows.journal_files.log import note, note_scores
from waypost.flows.journal_files.preferences import promote_preferences
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.journal import layout
from waypost.journal.archive import HOLD, full_entries, updated_original, with_importance
from waypost.journal.files import JournalFolder
from waypost.journal.markdown import JournalPage, parse_page
from waypost.journal.plan_steps import Compress, Rescore, Trim, archive_of
from waypost.journal.roles import role_of
from waypost.model.journal import Entry, ScoredEntry


def trim(run: CondenseRun, step: Trim) -> CondenseStep:
    live, original, page = read_day(run, step.path)
    copied = updated_original(original, live, step.day, run.folder.zone, run.at(run.today))
    scores = run.scored(full_entries(copied, page), step.due)
    after = _trim_page(page, scores, run.writer, with_worth=step.due == run.today).text
    changes = FileChanges()
    changes.put(archive_of(step.path), original, copied)
    changes.put(step.path, live, after)
    run.write(changes)
    promote_preferences(run.space, scores)
    note_scores(run.space, scores)
    saved = bytes_of(live) - bytes_of(after)
    if saved > 0:
        note(run.space, "soft_trim_applied", file=step.path, bytes=saved)
    run.mark({step.path: after}, step.due)
    return CondenseStep("trim", step.due, (step.path,) if (after, copied) != (live, original) else (), saved=saved)


def rescore(run: CondenseRun, step: Rescore) -> CondenseStep:
    pages = {path: read_day(run, path) for path in step.paths}
    entries = {
        path: full_entries(original, page) if original else list(page.entries)
        for path, (_, original, page) in pages.items()
    }
    scores = run.scored([entry for of_day in entries.values() for entry in of_day], step.due)
    worth = worth_of(scores)
    changes = FileChanges()
    for path, (live, _, page) in pages.items():
        changes.put(path, live, with_importance(page, worth).text)
    run.write(changes)
    promote_preferences(run.space, scores)
    note_scores(
        run.space,
        [scored_entry for scored_entry in scores if scored_entry.score.score != scored_entry.entry.importance],
    )
    run.mark(changes.written, step.due)
    return CondenseStep(
        "rescore", step.due, tuple(path for path, text in changes.written.items() if text != pages[path][0])
    )


def compress(run: CondenseRun, step: Compress) -> CondenseStep:
    with changes_by_waypost(run.space, step.paths) as folder:
        paths = [path for path in step.paths if _is_readable(run, path)]
        if not paths:
            return CondenseStep("compress", step.due, ())
        bundle = layout.bundle_of(paths[0])
        before = _size_of(folder, bundle)
        folder.compress(paths)
        after = _size_of(folder, bundle)
    note(run.space, "archive_compressed", file=bundle, old_size=before, new_size=after)
    return CondenseStep("compress", step.due, tuple(paths), saved=before - after)


def _size_of(folder: JournalFolder, bundle: str | None) -> int:
    """Bytes on disk of the files that belong to this bundle, also of those that are not in it yet."""
    return sum(size for path, size in folder.disk_sizes().items() if layout.bundle_of(path) == bundle)


def _is_readable(run: CondenseRun, path: str) -> bool:
    """A file that can't be read stops only itself, not its month."""
    try:
        text = run.read(path)
    except WaypostError as error:
        run.closed.setdefault(path, error.what)
        return False
    if text is None:
        raise ChangedMeanwhile(path)
    return True


def read_day(run: CondenseRun, path: str) -> tuple[str, str | None, JournalPage]:
    """The live file, its archived original if there is one, and the live page."""
    live = run.read(path)
    if live is None:
        raise ChangedMeanwhile(path)
    page = parse_page(live, day_of(path), run.folder.zone)
    if page.hold or page.is_conflicted:
        raise ChangedMeanwhile(path)
    return live, run.read(archive_of(path)), page


def _trim_page(
    page: JournalPage, scores: Sequence[ScoredEntry], writer: SummaryWriter, *, with_worth: bool
) -> JournalPage:
    """Trim entries with an id; entries written by hand stay as they are.

    The question of an answer is what a person said last in the same session. Importance is not written for past days:
    this run scores them again.
    """
    changed: dict[int, Entry] = {}
    questions: dict[str | None, str] = {}
    for place, (entry, scored_entry) in enumerate(zip(page.entries, scores, strict=True)):
        role = role_of(entry.speaker, entry.kind)
        if role == "person":
            questions[entry.session] = entry.text
        if entry.id is None:
            continue
        score = scored_entry.score.score
        now = entry if HOLD in entry.more else trim_with_model(writer, entry, score, role, questions.get(entry.session))
        now = replace(now, importance=score if with_worth else entry.importance)
        if now != entry:
            changed[place] = now
    return page.with_entries(changed) if changed else page


def worth_of(scores: Iterable[ScoredEntry]) -> dict[str, int]:
    return {scored_entry.entry.id: scored_entry.score.score for scored_entry in scores if scored_entry.entry.id}


def day_of(path: str) -> date:
    day = layout.day_of(path)
    if day is None:
        raise ValueError(path)  # the plan contains only day files
    return day


def bytes_of(text: str) -> int:
    return len(text.encode("utf-8", "surrogateescape"))
