"""The state of one condensing run: files, the day, and what was done.

Files are read before the work and written shortly afterwards, if they are still the same. So others can write while an
engine or a language model works.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from datetime import date, datetime, time
from typing import Any

from waypost.errors import StoreBusy, StoreFull, WaypostError
from waypost.flows.journal.condense.scores import EntryScores
from waypost.flows.journal.condense.texts import SummaryText, SummaryWriter, open_writer, summary_of
from waypost.flows.journal.see_also import see_also
from waypost.flows.journal_files.index_file import BACKUPS
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal import layout
from waypost.journal.coverage import first_day_of
from waypost.journal.files import JournalFolder
from waypost.journal.markdown import JournalPage, no_edit_reason, parse_page
from waypost.journal.markdown_values import in_zone
from waypost.journal.period_pages.page import Period
from waypost.journal.plan_steps import File
from waypost.model.journal import Entry, ScoredEntry, mark_of

CONDENSED_AT = time(4)  # local time: when steps are due, and as of when entries are scored
FATAL = (StoreBusy, StoreFull)  # no other file could be written either
_MARKS = "journal_condensed"
_UNFINISHED = re.compile(r"\..+\.(?:md(?:\.backup\.\d{8})?(?:\.gz)?|tar\.bz2|sources)\.\d+\.[0-9a-f]{8}\.tmp")


class ChangedMeanwhile(Exception):
    """A file was changed while its summary was made: plan again."""


@dataclass(frozen=True, slots=True)
class CondenseStep:
    step: str  # trim, rescore, join, month, year, compress
    due: date
    files: tuple[str, ...]  # shortened, archived or compressed
    made: str | None = None  # the summary
    saved: int = 0  # bytes removed from live files, or saved by compression

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"due": self.due.isoformat(), "files": list(self.files)}


@dataclass(slots=True)
class CondenseRun:
    space: OpenSpace
    today: date  # for the plan: begins at 4 a.m.
    report: Callable[[str], None]
    closed: dict[str, str] = field(default_factory=dict)  # files that this run skips, and why
    marks: dict[str, tuple[str, str]] = field(default_factory=dict)  # by path: mark of the text, day of scoring
    again: set[str] = field(default_factory=set)  # days whose marks are ignored
    notices: list[str] = field(default_factory=list)
    _writer: SummaryWriter | None = None
    _scores: EntryScores = field(init=False)

    def __post_init__(self) -> None:
        self._scores = EntryScores(self.space, self.notices, lambda: self.writer.llm)

    @property
    def folder(self) -> JournalFolder:
        return self.space.journal

    def at(self, day: date) -> datetime:
        return in_zone(day, CONDENSED_AT, self.folder.zone)

    # -- reading

    def survey(self) -> dict[str, File]:
        """The files for the plan. Held, conflicting and unreadable ones are closed, with the reason."""
        folder, files = self.folder, {}
        sizes = folder.disk_sizes()
        for path, stamp in folder.scan().items():
            is_live = layout.stage_of(path) in layout.STAGES
            text = self._read_open(path) if is_live else None
            is_packed = folder.is_packed(stamp)
            files[path] = File(sizes.get(path, stamp.size), is_packed, path in self.closed, self._scored_of(path, text))
        return files

    def _read_open(self, path: str) -> str | None:
        if path in self.closed:
            return None
        try:
            text = self.read(path)
        except WaypostError as error:
            self.closed.setdefault(path, error.what)
            return None
        if text is not None and (why := no_edit_reason(text)) is not None:
            self.closed.setdefault(path, why)
        return text

    def _scored_of(self, path: str, text: str | None) -> date | None:
        mark, scored_on = self.marks.get(path, ("", ""))
        is_known = text is not None and path not in self.again and mark == mark_of(text)
        return date.fromisoformat(scored_on) if is_known else None

    def read(self, path: str) -> str | None:
        """The content of a file, or None if it does not exist."""
        return self.folder.read_or_none(path)

    def page(self, text: str, day: date | None) -> JournalPage:
        return parse_page(text, day, self.folder.zone)

    # -- what entries are worth

    def scored(self, entries: Sequence[Entry], day: date) -> list[ScoredEntry]:
        """Importance as of 4 a.m. of that day."""
        return self._scores.of(entries, day, self.at(day)) if entries else []

    def scored_alone(self, entries: Sequence[Entry], day: date) -> list[ScoredEntry]:
        return self._scores.alone(entries, self.at(day)) if entries else []

    def look_again(self) -> None:
        """Drop cached scores after files have changed."""
        self._scores.forget()

    # -- words

    @property
    def writer(self) -> SummaryWriter:
        """Writes summaries and trimmed answers. One for all steps, because a model has a limit."""
        if self._writer is None:
            self._writer = open_writer(self.space)
        return self._writer

    def summary(self, period: Period, scores: Sequence[ScoredEntry]) -> SummaryText:
        hints = see_also(
            self.space,
            [scored_entry.entry.id for scored_entry in scores if scored_entry.entry.id],
            first_day_of(period),
        )
        written = summary_of(self.space, period, scores, writer=self.writer, see_also=hints)
        self.notices += [notice for notice in written.notices if notice not in self.notices]
        return written

    # -- writing

    def write(self, changes: "FileChanges") -> None:
        """Write what is new, then remove what has moved; only if every file is still the same."""
        with changes_by_waypost(self.space, [*changes.read]) as folder:
            for path, expected in changes.read.items():
                if self.read(path) != expected:
                    raise ChangedMeanwhile(path)
            for path, text in changes.written.items():
                if text != changes.read[path] and not folder.replace(path, text, expected=changes.read[path]):
                    raise ChangedMeanwhile(path)
            for path in changes.removed:
                folder.remove(path)

    def sweep(self) -> None:
        """Remove unfinished files of killed processes. Writers hold the journal's lock."""
        folder = self.folder
        with folder.locked():
            for place in (folder.root, *(folder.root / name for name in (*layout.FOLDERS, layout.ARCHIVE, BACKUPS))):
                if place.is_dir() and not place.is_symlink():
                    for left in place.glob(".*.tmp"):
                        if _UNFINISHED.fullmatch(left.name):
                            with suppress(OSError):  # in a read-only folder: nobody reads it
                                left.unlink(missing_ok=True)

    # -- what was done before

    def load_marks(self) -> None:
        with self.space.store.read() as reader:
            stored = json.loads(reader.meta.get(journal_key(self.space, _MARKS)) or "{}")
        self.marks = {path: (mark, scored_on) for path, (mark, scored_on) in stored.items()}

    def mark(self, texts: Mapping[str, str], scored_on: date) -> None:
        """Store that these days are trimmed, and scored as of that day."""
        self.again -= set(texts)
        self.marks |= {path: (mark_of(text), scored_on.isoformat()) for path, text in texts.items()}
        self._save_marks()

    def unmark(self, paths: Iterable[str]) -> None:
        if any(self.marks.pop(path, None) for path in paths):
            self._save_marks()

    def _save_marks(self) -> None:
        with self.space.store.write() as writer:
            writer.meta.set(journal_key(self.space, _MARKS), json.dumps(self.marks))


@dataclass(slots=True)
class FileChanges:
    """Changes of a step, in this order: archive the originals, write the result, remove the sources."""

    read: dict[str, str | None] = field(default_factory=dict)  # the content of each file; None: it did not exist
    written: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)

    def put(self, path: str, before: str | None, after: str) -> None:
        self.read[path] = before
        self.written[path] = after

    def remove(self, path: str, before: str) -> None:
        self.read[path] = before
        self.removed.append(path)
