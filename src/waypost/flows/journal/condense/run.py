"""What one run of condensing knows: which files there are and may be touched, what day it is, and what was done.

Files are read before any work, and written in one short moment afterwards, only if they still say what was read: while
an engine or a language model works, everybody else can write.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any

from waypost.errors import NotFound, StoreBusy, StoreFull, StoreReadOnly, WaypostError
from waypost.flows.journal.condense.scores import EntryScores
from waypost.flows.journal.condense.texts import SummaryText, SummaryWriter, open_writer, summary_of
from waypost.flows.journal.files.sync import ours
from waypost.flows.journal.see_also import see_also
from waypost.flows.journal.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal import layout
from waypost.journal.coverage import first_day_of
from waypost.journal.files import JournalFolder
from waypost.journal.markdown import left_alone
from waypost.journal.markdown_values import in_zone
from waypost.journal.plan_files import File
from waypost.journal.summary.page import Period
from waypost.model.journal import Entry, ScoredEntry, mark_of

CONDENSED_AT = time(4)  # local: when a step is due, and as of when entries are scored
FATAL = (StoreBusy, StoreFull, StoreReadOnly)  # then no other file can be written either
_MARKS = "journal_condensed"
_UNFINISHED = re.compile(r"\..+\.md(?:\.gz)?\.\d+\.[0-9a-f]{8}\.tmp")


class ChangedMeanwhile(Exception):
    """Somebody wrote to a file while its summary was made: it is planned again."""


@dataclass(frozen=True, slots=True)
class CondenseStep:
    """One step that was done, or with `dry_run` would be."""

    step: str  # trim, rescore, join, month, year, compress
    due: date
    files: tuple[str, ...]  # that were shortened, put away or compressed
    made: str | None = None  # the summary
    saved: int = 0  # bytes that the files which are read every day lost, or that compressing saved

    def to_json(self) -> dict[str, Any]:
        return {
            "step": self.step,
            "due": self.due.isoformat(),
            "files": list(self.files),
            "made": self.made,
            "saved": self.saved,
        }


@dataclass(slots=True)
class CondenseRun:
    space: OpenSpace
    today: date  # for the plan: it begins at four in the morning
    report: Callable[[str], None]
    closed: dict[str, str] = field(default_factory=dict)  # files that this run leaves alone, and why
    marks: dict[str, tuple[str, str]] = field(default_factory=dict)  # by path: mark of the words, scored as of
    again: set[str] = field(default_factory=set)  # days whose marks are not believed
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
        """The files as the plan sees them. What is held, in conflict or unreadable is closed, and why is noted."""
        folder, files = self.folder, {}
        for path, stamp in folder.scan().items():
            is_live = layout.stage_of(path) in layout.STAGES
            text = self._looked_at(path) if is_live else None
            files[path] = File(stamp.size, stamp.gzipped, path in self.closed, self._scored_of(path, text))
        return files

    def _looked_at(self, path: str) -> str | None:
        if path in self.closed:
            return None
        try:
            text = self.folder.read(path)
        except NotFound:
            return None
        except WaypostError as error:
            self.closed.setdefault(path, error.what)
            return None
        if (why := left_alone(text)) is not None:
            self.closed.setdefault(path, why)
        return text

    def _scored_of(self, path: str, text: str | None) -> date | None:
        mark, scored_on = self.marks.get(path, ("", ""))
        is_known = text is not None and path not in self.again and mark == mark_of(text)
        return date.fromisoformat(scored_on) if is_known else None

    def read(self, path: str) -> str | None:
        """What a file says; None if there is none."""
        try:
            return self.folder.read(path)
        except NotFound:
            return None

    # -- what entries are worth

    def scored(self, entries: Sequence[Entry], day: date) -> list[ScoredEntry]:
        """As of four in the morning of that day."""
        return self._scores.of(entries, day, self.at(day)) if entries else []

    def scored_alone(self, entries: Sequence[Entry], day: date) -> list[ScoredEntry]:
        """The same for a longer time than the days of a week."""
        return self._scores.alone(entries, self.at(day)) if entries else []

    def look_again(self) -> None:
        """Somebody has changed files."""
        self._scores.forget()

    # -- words

    @property
    def writer(self) -> SummaryWriter:
        """Who writes summaries and the cores of answers: one for all steps, for a model may spend only so much."""
        if self._writer is None:
            self._writer = open_writer(self.space)
        return self._writer

    def summary(self, period: Period, scores: Sequence[ScoredEntry]) -> SummaryText:
        hints = see_also(self.space, [one.entry.id for one in scores if one.entry.id], first_day_of(period))
        written = summary_of(self.space, period, scores, writer=self.writer, see_also=hints)
        self.notices += [notice for notice in written.notices if notice not in self.notices]
        return written

    # -- writing

    def write(self, changes: "FileChanges") -> None:
        """Write what is new, then remove what has moved; all only if every file still says what was read."""
        with ours(self.space, [*changes.read]) as folder:
            for path, expected in changes.read.items():
                if self.read(path) != expected:
                    raise ChangedMeanwhile(path)
            for path, text in changes.written.items():
                if text != changes.read[path] and not folder.replace(path, text, expected=changes.read[path]):
                    raise ChangedMeanwhile(path)
            for path in changes.removed:
                folder.remove(path)

    def sweep(self) -> None:
        """Remove files that somebody who was killed had not finished writing: nobody reads them, but words stand in them.
        Who writes to the journal holds its lock."""
        folder = self.folder
        with folder.locked():
            for place in (folder.root, *(folder.root / name for name in layout.FOLDERS)):
                if place.is_dir() and not place.is_symlink():
                    for left in place.glob(".*.tmp"):
                        if _UNFINISHED.fullmatch(left.name):
                            left.unlink(missing_ok=True)

    # -- what was done before

    def load_marks(self) -> None:
        with self.space.store.read() as reader:
            stored = json.loads(reader.meta.get(journal_key(self.space, _MARKS)) or "{}")
        self.marks = {path: (mark, scored_on) for path, (mark, scored_on) in stored.items()}

    def mark(self, texts: Mapping[str, str], scored_on: date) -> None:
        """These days are trimmed, and scored as of that day."""
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
    """What a step does to files, in this order: the originals into the archive, the result, then the sources go."""

    read: dict[str, str | None] = field(default_factory=dict)  # what each file said; None: it was not there
    written: dict[str, str] = field(default_factory=dict)
    removed: list[str] = field(default_factory=list)

    def put(self, path: str, before: str | None, after: str) -> None:
        self.read[path] = before
        self.written[path] = after

    def remove(self, path: str, before: str) -> None:
        self.read[path] = before
        self.removed.append(path)
