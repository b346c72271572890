"""Texts of summaries and trimmed answers: by a language model if one is configured, else by rules.

A model gets parts that fit its window; a part that fails is halved. If it fails, is unavailable or reaches its limit,
rules write the summary, and a notice is added.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from waypost.errors import LlmError, LlmLimit, LlmUnavailable
from waypost.flows.journal_files.language import journal_language
from waypost.flows.open_space import OpenSpace
from waypost.journal.period_pages.build import summarise
from waypost.journal.period_pages.items import SummaryItem, without_samples
from waypost.journal.period_pages.model import (
    LANGUAGE_NAMES,
    ModelPoint,
    entry_line,
    indices_for_model,
    model_page,
    point_line,
    points_from_json,
)
from waypost.journal.period_pages.page import Period, items_of, language_of_items, measure_of, title_of
from waypost.journal.period_pages.support import is_supported
from waypost.journal.trim.answer import LONGEST_CORE, SHORT_ANSWER
from waypost.journal.trim.entry import PASSING, may_be_trimmed, trim_entry, with_shorter_text
from waypost.journal.wording import SummaryWords, summary_words, without_markdown
from waypost.llm.answer import complete_json
from waypost.llm.client import open_llm
from waypost.llm.prompt import count_tokens, template
from waypost.llm.protocol import Llm, Prompt
from waypost.model.journal import Entry, ScoredEntry
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.text.language import is_surely_foreign, language_of

if TYPE_CHECKING:
    from waypost.store.protocol import Vector

T = TypeVar("T")
BY_RULES = "rules"
_ANSWER_TOKENS = 1500
_CORE_TOKENS = 120
_PROMPT_TOKENS = 800  # of the prompt around the entries
_LEAST_PART = 400  # tokens; a smaller part of a period is not worth a request
_ONE_ENTRY = 1200  # characters of an entry that are sent
_HALVINGS = 2  # how often a failed part is halved
_MERGED_POINTS = 8


@dataclass(frozen=True, slots=True)
class SummaryText:
    text: str
    by: str = BY_RULES  # or the name of the model
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class SummaryWriter:
    """The model, as long as it answers. One for all steps of a run, because it has a limit."""

    llm: Llm | None
    window: int = 8192
    notices: list[str] = field(default_factory=list)

    def give_up(self, error: LlmError, what: str) -> None:
        self.notices.append(f"{what} by rules, because the model did not: {error.what}")
        if isinstance(error, (LlmUnavailable, LlmLimit)):  # the next one would fail too
            self.llm = None


def open_writer(space: OpenSpace) -> SummaryWriter:
    settings = space.settings.llm
    try:
        return SummaryWriter(open_llm(space.settings), settings.context_window if settings else 8192)
    except LlmError as error:  # a key is missing
        writer = SummaryWriter(None)
        writer.give_up(error, "Summed up")
        return writer


def summary_of(
    space: OpenSpace,
    period: Period,
    entries: Sequence[ScoredEntry],
    *,
    writer: SummaryWriter | None = None,
    see_also: Mapping[str, Sequence[str]] | None = None,
) -> SummaryText:
    """The summary of a week, month or year from its original entries, in their main language.

    A quiet time gets the language that people used before.
    """
    writer = writer or open_writer(space)
    before = len(writer.notices)
    folder = space.journal
    local = [
        replace(scored_entry, entry=replace(scored_entry.entry, at=folder.local(scored_entry.entry.at)))
        for scored_entry in entries
    ]
    items = items_of(period, local)
    last = max((scored_entry.entry.at for scored_entry in entries), default=space.clock())
    words = summary_words(language_of_items(items, journal_language(space, last)))
    items = without_samples(items, words.language)
    name = writer.llm.name if writer.llm else BY_RULES
    points = _model_points(writer, period, items, words)
    notices = tuple(dict.fromkeys(writer.notices[before:]))
    if points:
        return SummaryText(model_page(period, words, items, points, see_also or {}), name, notices)
    vectors = _vectors(space, local, measure_of(period).least)
    return SummaryText(summarise(period, local, vectors, words.language, see_also), BY_RULES, notices)


def trim_with_model(writer: SummaryWriter, entry: Entry, score: int, role: str, question: str | None = None) -> Entry:
    """Like `trim_entry`, but with a model's core of a passing answer, if that is usable."""
    by_rules = trim_entry(entry, score, role, question)
    wordy = role == "assistant" and score <= PASSING and len(entry.text) > SHORT_ANSWER
    if writer.llm is None or not wordy or not may_be_trimmed(entry, score, role):
        return by_rules
    core = trim_core(writer, entry, question or "")
    return by_rules if core is None else with_shorter_text(entry, core)


def trim_core(writer: SummaryWriter, entry: Entry, question: str) -> str | None:
    """The core of an answer in a model's words, or None if it gives nothing usable."""
    if writer.llm is None:
        return None
    day = entry.at.date()
    source = f"{day} {day:%d.%m.%Y} {question}\n\n{entry.text}"
    fields = {"day": day.isoformat(), "question": question or "?", "answer": entry.text}
    fields["language"] = LANGUAGE_NAMES[summary_words(language_of(f"{question}\n{entry.text}")).language]
    try:
        return complete_json(
            writer.llm,
            template("journal_core").fill(fields),
            lambda answer: _core_from_json(answer, source),
            max_tokens=_CORE_TOKENS,
        )
    except LlmError as error:
        writer.give_up(error, "Trimmed")
        return None


def _core_from_json(answer: Any, source: str) -> str:
    core = answer.get("core") if isinstance(answer, dict) else None
    if not isinstance(core, str) or not without_markdown(core):
        raise ValueError('it has no "core"')
    if len(without_markdown(core)) > LONGEST_CORE:
        raise ValueError('the "core" is too long')
    if not is_supported(without_markdown(core), source):
        raise ValueError('the "core" says what the answer does not')
    return without_markdown(core)


def _model_points(
    writer: SummaryWriter, period: Period, items: Sequence[SummaryItem], words: SummaryWords
) -> list[ModelPoint]:
    """The points of the model; empty without a model, without content, or if it failed."""
    places = indices_for_model(items, period)
    if writer.llm is None or not places:
        return []
    request = _ModelRequest(writer.llm, writer.window, title_of(period, words), LANGUAGE_NAMES[words.language], items)
    try:
        return request.summed_up(places)
    except LlmError as error:
        writer.give_up(error, f"{period} summed up")
        return []


@dataclass(frozen=True, slots=True)
class _ModelRequest:
    llm: Llm
    window: int
    period: str
    language: str
    items: Sequence[SummaryItem]

    def summed_up(self, places: Sequence[int]) -> list[ModelPoint]:
        """The points of all parts as one summary. Raises the model's error."""
        parts = self._parts(places, lambda place: entry_line(self.items[place], 0, _ONE_ENTRY))
        points = [point for part in parts for point in self._of_part(part, _HALVINGS)]
        return points if len(parts) == 1 else self._merged(points)

    def _of_part(self, part: Sequence[int], halvings: int) -> list[ModelPoint]:
        lines = [entry_line(self.items[place], number, _ONE_ENTRY) for number, place in enumerate(part, 1)]
        prompt = template("journal_summary").fill(
            {"period": self.period, "language": self.language, "entries": "\n".join(lines)}
        )
        try:
            return self._points(prompt, [(place,) for place in part])
        except LlmLimit:
            raise
        except LlmError:
            if halvings == 0 or len(part) < 2:
                raise
            middle = len(part) // 2
            return self._of_part(part[:middle], halvings - 1) + self._of_part(part[middle:], halvings - 1)

    def _merged(self, points: list[ModelPoint]) -> list[ModelPoint]:
        """Merge summaries of parts until they fit into one request; if that fails, return them as they are."""
        while True:
            parts = self._parts(points, lambda point: point_line(point, 0))
            try:
                merged = [point for part in parts for point in self._merged_part(part)]
            except LlmError:  # the points of the parts are used; writing limits them
                return points
            if len(parts) == 1 or len(merged) >= len(points):
                return merged
            points = merged

    def _merged_part(self, points: Sequence[ModelPoint]) -> list[ModelPoint]:
        lines = [point_line(point, number) for number, point in enumerate(points, 1)]
        prompt = template("journal_merge").fill(
            {
                "period": self.period,
                "language": self.language,
                "most": str(_MERGED_POINTS),
                "points": "\n".join(lines),
            }
        )
        return self._points(prompt, [point.indices for point in points])

    def _points(self, prompt: Prompt, sources: Sequence[Sequence[int]]) -> list[ModelPoint]:
        return complete_json(
            self.llm,
            prompt,
            lambda answer: points_from_json(answer, sources, self.items),
            max_tokens=_ANSWER_TOKENS,
        )

    def _parts(self, rows: Sequence[T], line: Callable[[T], str]) -> list[list[T]]:
        """The rows in order, in parts that fit beside the answer."""
        room = max(_LEAST_PART, self.window - min(_ANSWER_TOKENS, self.window // 2) - _PROMPT_TOKENS)
        parts: list[list[T]] = []
        left = 0
        for row in rows:
            size = count_tokens(line(row)) + 4
            if not parts or size > left:
                parts.append([])
                left = room
            parts[-1].append(row)
            left -= size
        return parts


def _vectors(space: OpenSpace, entries: Sequence[ScoredEntry], least: int) -> dict[str, Vector]:
    """Stored vectors of the important entries by id, of the engine for their languages."""
    wanted = [
        scored_entry.entry for scored_entry in entries if scored_entry.score.score >= least and scored_entry.entry.id
    ]
    hashes: dict[str, bytes] = {}
    with space.store.read() as reader:
        engines = space.engines.active(reader)
        foreign = any(is_surely_foreign(entry.text, language_of(entry.text)) for entry in wanted)
        engine = engines[-1] if foreign else engines[0]
        for entry in wanted:
            version = reader.memories.version(entry.id or "", Moment(space.clock()))
            passages = passages_of(version) if version is not None and version.text == entry.held else []
            if len(passages) == 1 and entry.id:
                hashes[entry.id] = passages[0].content_hash
        stored = reader.vectors.get(engine.name, list(set(hashes.values())))
    return {ident: stored[mark] for ident, mark in hashes.items() if mark in stored}
