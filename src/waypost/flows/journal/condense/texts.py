"""The words of summaries and of trimmed answers: by a language model where one is configured, else by rules.

A model is asked in parts that fit its window; what it cannot do as a whole it is asked in halves. Where it fails, is
away, or may spend no more, the rules do it, and a notice says so: a summary is always made (CM-14).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

from waypost.errors import LlmError, LlmLimit, LlmUnavailable
from waypost.flows.open_space import OpenSpace
from waypost.journal.summary.build import summarise
from waypost.journal.summary.items import SummaryItem, items_of
from waypost.journal.summary.model import (
    LANGUAGE_NAMES,
    ModelPoint,
    entry_line,
    is_grounded,
    model_page,
    places_for_model,
    point_line,
    points_from_json,
)
from waypost.journal.summary.page import Period, language_of_items, measure_of, title_of
from waypost.journal.trim.answer import LONGEST_CORE, SHORT_ANSWER
from waypost.journal.trim.trim import PASSING, may_be_trimmed, trim_entry, trimmed_to
from waypost.journal.wording import SummaryWords, plain, words_of
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
_PROMPT_TOKENS = 800  # our words around the entries
_LEAST_PART = 400  # tokens; a smaller part of a period tells nothing
_ONE_ENTRY = 1200  # characters of an entry that are shown
_HALVINGS = 2  # how often a part that could not be summed up is halved
_MERGED_POINTS = 8


@dataclass(frozen=True, slots=True)
class SummaryText:
    text: str
    by: str = BY_RULES  # or the name of the model
    notices: tuple[str, ...] = ()


@dataclass(slots=True)
class SummaryWriter:
    """Who writes in one run: the model as long as it answers. One for all steps of a run, for it has a limit."""

    llm: Llm | None
    window: int = 8192
    notices: list[str] = field(default_factory=list)

    def give_up(self, error: LlmError, what: str) -> None:
        self.notices.append(f"{what} by rules, because the model did not: {error.what}")
        if isinstance(error, (LlmUnavailable, LlmLimit)):  # it will not be better for the next
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
    """The summary of a week, month or year from its original entries, in the language that prevails in them."""
    writer = writer or open_writer(space)
    before = len(writer.notices)
    folder = space.journal
    local = [replace(one, entry=replace(one.entry, at=folder.local(one.entry.at))) for one in entries]
    items = items_of(local)
    words = words_of(language_of_items(items))
    name = writer.llm.name if writer.llm else BY_RULES
    points = _asked(writer, period, items, words)
    notices = tuple(dict.fromkeys(writer.notices[before:]))
    if points:
        return SummaryText(model_page(period, words, items, points, see_also or {}), name, notices)
    vectors = _vectors(space, local, measure_of(period).least)
    return SummaryText(summarise(period, local, vectors, words.language, see_also), BY_RULES, notices)


def trimmed(writer: SummaryWriter, entry: Entry, score: int, role: str, question: str | None = None) -> Entry:
    """As `trim_entry`, with the core of a passing answer in a model's words where it gives some that hold."""
    by_rules = trim_entry(entry, score, role, question)
    wordy = role == "assistant" and score <= PASSING and len(entry.text) > SHORT_ANSWER
    if writer.llm is None or not wordy or not may_be_trimmed(entry, score, role):
        return by_rules
    core = trim_core(writer, entry, question or "")
    return by_rules if core is None else trimmed_to(entry, core)


def trim_core(writer: SummaryWriter, entry: Entry, question: str) -> str | None:
    """The core of an answer in a model's words; None when it gives none that can be used."""
    if writer.llm is None:
        return None
    day = entry.at.date()
    source = f"{day} {day:%d.%m.%Y} {question}\n{entry.text}"
    fields = {"day": day.isoformat(), "question": question or "?", "answer": entry.text}
    fields["language"] = LANGUAGE_NAMES[words_of(language_of(f"{question}\n{entry.text}")).language]
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
    if not isinstance(core, str) or not plain(core):
        raise ValueError('it has no "core"')
    if len(plain(core)) > LONGEST_CORE:
        raise ValueError('the "core" is too long')
    if not is_grounded(plain(core), source):
        raise ValueError('the "core" has a number that the answer does not have')
    return plain(core)


def _asked(
    writer: SummaryWriter, period: Period, items: Sequence[SummaryItem], words: SummaryWords
) -> list[ModelPoint]:
    """The points of the model; none when there is no model, nothing to say, or it failed."""
    places = places_for_model(items, period)
    if writer.llm is None or not places:
        return []
    asking = _Asking(writer.llm, writer.window, title_of(period, words), LANGUAGE_NAMES[words.language], items)
    try:
        return asking.summed_up(places)
    except LlmError as error:
        writer.give_up(error, f"{period} summed up")
        return []


@dataclass(frozen=True, slots=True)
class _Asking:
    llm: Llm
    window: int
    period: str
    language: str
    items: Sequence[SummaryItem]

    def summed_up(self, places: Sequence[int]) -> list[ModelPoint]:
        """The points of all parts, made one summary. Raises the model's error where it cannot be helped."""
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
        """Summaries of parts summed up again, until they fit into one question; as they are where that fails."""
        while True:
            parts = self._parts(points, lambda point: point_line(point, 0))
            try:
                merged = [point for part in parts for point in self._merged_part(part)]
            except LlmError:  # what the parts said is there, and is bounded when it is written
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
        return self._points(prompt, [point.places for point in points])

    def _points(self, prompt: Prompt, sources: Sequence[Sequence[int]]) -> list[ModelPoint]:
        return complete_json(
            self.llm,
            prompt,
            lambda answer: points_from_json(answer, sources, self.items),
            max_tokens=_ANSWER_TOKENS,
        )

    def _parts(self, rows: Sequence[T], line: Callable[[T], str]) -> list[list[T]]:
        """The rows in order, as many together as fit beside the answer."""
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
    """The stored vectors of the entries that count, by their ids; of the engine that reads their languages."""
    wanted = [one.entry for one in entries if one.score.score >= least and one.entry.id]
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
        known = reader.vectors.get(engine.name, list(set(hashes.values())))
    return {ident: known[mark] for ident, mark in hashes.items() if mark in known}
