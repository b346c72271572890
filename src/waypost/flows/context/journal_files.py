"""Which files of the journal a question needs: by the times it names, by its topic, or as a language model chooses."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any

from waypost.errors import LlmError
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.search import recall
from waypost.journal.coverage import CoverageIndex, last_day_of
from waypost.journal.layout import INDEX, stage_of
from waypost.llm.answer import complete_json
from waypost.llm.client import open_llm
from waypost.llm.prompt import template
from waypost.model.recall import Hit, View
from waypost.retrieve.times.question_times import DaySpan, days_named
from waypost.text.language import language_of

MOST_DAYS = 8  # hits whose whole day and summary are read
MOST_FOUND = 40  # hits whose conversation is read before the days of the best ones ...
MOST_READ = 200  # ... and all of which it is read, as far as the budget reaches
POSSIBLE = 0.2  # a score below it says that a memory has nothing to do with the question
_MOST_NAMES = 400  # that a language model can choose from, the newest
_MOST_CHOSEN = 10
_INDEX_CHARACTERS = 8000
_ANSWER_TOKENS = 600
_CHOOSABLE = ("daily", "archive/daily", "weekly", "monthly", "yearly")


@dataclass(frozen=True, slots=True)
class ChosenPart:
    """A file to read, or the conversation around one of its entries."""

    path: str
    why: str
    entry: str | None = None  # id


@dataclass(slots=True)
class ChosenFiles:
    """What to read, the most important first, and the memories that led to it."""

    parts: list[ChosenPart] = field(default_factory=list)
    hits: list[Hit] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)

    def add(self, path: str | None, why: str, entry: str | None = None) -> None:
        part = ChosenPart(path or "", why, entry)
        if path is not None and part not in self.parts:
            self.parts.append(part)


def choose_files(
    space: OpenSpace, question: str, view: View, shelf: CoverageIndex, *, now: datetime, today: date, index: str
) -> ChosenFiles:
    """The files to read, besides those that are always read."""
    choice = ChosenFiles()
    spans = [span for span in days_named(question, language_of(question), today) if span.first <= today]
    chosen = _chosen_by_model(space, question, shelf, today, index, choice.notices)
    if chosen is None:
        _add_topic(space, question, view, shelf, now, choice, spans)
    else:
        for path, reason in _named_files(shelf, spans).items():
            choice.add(path, reason)
        for path in chosen:
            choice.add(path, "chosen by the model")
    return choice


def _named_files(shelf: CoverageIndex, spans: Sequence[DaySpan]) -> dict[str, str]:
    """The files of the times that a question names, each with the reason to read it."""
    named: dict[str, str] = {}
    for span in spans:
        reason = f"date: {span.first}" if span.is_one_day else f"date: {span.first} to {span.last}"
        for path in shelf.between(span.first, span.last):
            named.setdefault(path, reason)
    return named


def _add_topic(
    space: OpenSpace,
    question: str,
    view: View,
    shelf: CoverageIndex,
    now: datetime,
    choice: ChosenFiles,
    spans: Sequence[DaySpan],
) -> None:
    """Conversations with matching entries, then the days of the best ones, then the summaries of that time.

    Where the question names a time, matching conversations of that time come first, then all of that time: a named year can
    be longer than the budget.
    """
    answer = recall(space, question, replace(view, collections=("journal",)), k=MOST_READ, now=now)
    choice.notices += answer.notices
    possible = [hit for hit in answer.hits if hit.score >= POSSIBLE]
    choice.hits += possible
    with space.store.read() as reader:
        places = [
            place
            for journal, place in reader.journal.places_of([hit.id for hit in possible])
            if journal == space.journal_id
        ]
    standing = {place.memory_id: place.path for place in sorted(places, key=lambda place: place.path, reverse=True)}
    days = {hit.id: space.journal.today(hit.time or hit.valid_from) for hit in possible}
    paths, named = dict[str, str](), _named_files(shelf, spans)
    for hit in possible:
        day, own = days[hit.id], standing.get(hit.id)
        pages = shelf.day(day)
        path = own if own in pages or not pages else pages[0]
        if path is not None and any(span.first <= day <= span.last for span in spans):
            choice.add(path, named.get(path, "topic"), hit.id)
        elif path is not None:
            paths[hit.id] = path
    for path, reason in named.items():
        choice.add(path, reason)
    first = {hit.id for hit in possible[:MOST_FOUND]}
    for memory_id in filter(first.__contains__, paths):
        choice.add(paths[memory_id], "topic", memory_id)
    best = list(paths)[:MOST_DAYS]
    for memory_id in best:
        choice.add(paths[memory_id], "topic")
    for memory_id in best:
        choice.add(shelf.summary(days[memory_id]), "topic")
    for memory_id, path in paths.items():
        choice.add(path, "topic", memory_id)


def _chosen_by_model(
    space: OpenSpace, question: str, shelf: CoverageIndex, today: date, index: str, notices: list[str]
) -> Sequence[str] | None:
    """Names out of the list; None where no model is configured, or it did not answer."""
    llm = open_llm(space.settings)
    names = sorted(
        (path for path in shelf.paths if stage_of(path) in _CHOOSABLE), key=lambda path: last_day_of(path) or date.min
    )[-_MOST_NAMES:]
    if llm is None or not names:
        return None
    prompt = template("journal_files").fill(
        {
            "today": today.isoformat(),
            "question": question,
            "files": "\n".join(names[::-1]),
            "index": index[:_INDEX_CHARACTERS] or INDEX,
        }
    )
    try:
        return complete_json(llm, prompt, lambda answer: _names_in(answer, frozenset(names)), max_tokens=_ANSWER_TOKENS)
    except LlmError as error:
        notices.append(f"Files were chosen by rules, because the model did not: {error.what}")
        return None


def _names_in(answer: Any, names: frozenset[str]) -> list[str]:
    chosen = answer.get("additional_files") if isinstance(answer, dict) else None
    if not isinstance(chosen, list) or not all(isinstance(name, str) for name in chosen):
        raise ValueError('"additional_files" must be a list of names')
    return [name for name in dict.fromkeys(chosen) if name in names][:_MOST_CHOSEN]
