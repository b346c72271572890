"""What a language model gets of a period, and what Waypost takes from its answer.

Every sentence must name its source entries, and they must support it (`support.py`). Other sentences are dropped. So a
sentence can be found again when one of its entries is forgotten, and is not made up.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waypost.journal.period_pages.items import ENDS, HELPING, LONGEST_VERBATIM, SummaryItem
from waypost.journal.period_pages.lines import Lines, persons_differ
from waypost.journal.period_pages.page import (
    HEADINGS,
    YEAR,
    Measure,
    Period,
    indices_worth_a_line,
    measure_of,
    must_stay,
    render_page,
    strongest_of_months,
)
from waypost.journal.period_pages.support import is_supported
from waypost.journal.statements.openings import without_opening
from waypost.journal.statements.recognise import statements_of
from waypost.journal.wording import SummaryWords, clip, language_at_start, without_markdown
from waypost.text.stems import fold

SECTIONS = HEADINGS[:5]
LANGUAGE_NAMES = {"en": "English", "de": "German", "ru": "Russian"}
LONGEST_POINT = 400
_LEAST_SAME = 12  # characters of a sentence that is recognised within another
_WORD = re.compile(r"\w+")
_MOST_POINTS = 200  # examined of one answer


@dataclass(frozen=True, slots=True)
class ModelPoint:
    """A model's sentence: its heading, and the indices of its source items."""

    section: str
    text: str
    indices: tuple[int, ...]


def indices_for_model(items: Sequence[SummaryItem], period: Period) -> list[int]:
    """The items that the model gets: important ones, and those that support an important topic."""
    important = set(indices_worth_a_line(items, period))
    if isinstance(period, int):
        important |= set(strongest_of_months(items))
    topics = {items[index].topic for index in important} - {0}
    supporting = {index for index, item in enumerate(items) if item.topic in topics and item.score >= HELPING}
    return sorted(important if isinstance(period, int) else important | supporting)


def entry_line(item: SummaryItem, number: int, longest: int) -> str:
    """One entry as the model reads it."""
    who = item.entry.speaker or item.role
    topic = f", topic: {item.label}" if item.topic and item.label else ""
    text = " ".join(item.text.split())
    return f"[{number}] {item.day} {who} (importance {item.score}{topic}): {clip(text, longest)}"


def point_line(point: ModelPoint, number: int) -> str:
    return f"[{number}] {point.section}: {point.text}"


def points_from_json(answer: Any, sources: Sequence[Sequence[int]], items: Sequence[SummaryItem]) -> list[ModelPoint]:
    """The usable points of an answer. `sources` has, for each number from 1, the items behind it.

    Raises `ValueError` without a usable point.
    """
    if not isinstance(answer, dict):
        raise ValueError("it is not a JSON object")  # noqa: TRY004  # the answer is wrong, not the call
    points: list[ModelPoint] = []
    for section in SECTIONS:
        rows = answer.get(section, [])
        usable = (
            _point(section, row, sources, items) for row in (rows if isinstance(rows, list) else [])[:_MOST_POINTS]
        )
        points += [point for point in usable if point is not None]
    if not points:
        raise ValueError('it has no sentence with a "text" and the numbers it is "from"')
    return list({(point.section, point.text): point for point in points}.values())


def _point(section: str, row: Any, sources: Sequence[Sequence[int]], items: Sequence[SummaryItem]) -> ModelPoint | None:
    if not isinstance(row, dict) or not isinstance(row.get("text"), str) or not isinstance(row.get("from"), list):
        return None
    text = clip(without_markdown(row["text"]), LONGEST_POINT)
    numbers = [number for number in row["from"] if type(number) is int and 0 < number <= len(sources)]
    indices = tuple(sorted({index for number in numbers for index in sources[number - 1]}))
    sources_used = [items[index] for index in indices]
    source = "\n\n".join(_source_text(item) for item in sources_used)
    if section not in _NAMED:
        text = "" if sources_used and all(map(_states_nothing, sources_used)) else _stated(text)
    is_usable = bool(text and indices) and not text.endswith("?")
    return ModelPoint(section, text, indices) if is_usable and is_supported(text, source) else None


_NAMED = ("topics", "recurring")  # sections whose points can be a name


def _states_nothing(item: SummaryItem) -> bool:
    """Whether a person only asked, requested or greeted with it."""
    is_read = item.role == "person" and len(item.text) <= LONGEST_VERBATIM
    return is_read and not (item.informs or item.is_remark)


def _stated(text: str) -> str:
    """The text without questions, requests, greetings and the like. Empty if it has nothing else."""
    stated = statements_of(text, language_at_start(text) or "en")
    lasting = [statement for statement in stated if statement.kind != "remark"] or stated
    kept = [without_opening(statement.sentence) for statement in lasting]
    closed = [sentence if sentence[-1:] in ENDS else f"{sentence}." for sentence in kept[:-1]]
    return " ".join([*closed, *kept[-1:]])


def _source_text(item: SummaryItem) -> str:
    """All that the model was given of an entry."""
    return f"{item.day} {item.day:%d.%m.%Y} {item.entry.speaker or ''} {item.label}\n\n{item.text}"


def model_page(
    period: Period,
    words: SummaryWords,
    items: Sequence[SummaryItem],
    points: Sequence[ModelPoint],
    see_also: Mapping[str, Sequence[str]],
) -> str:
    """The summary by a model, with the texts that must stay word for word."""
    measure = measure_of(period)
    lines = Lines(words, persons_differ(items), see_also)
    verbatim = [index for index, item in enumerate(items) if must_stay(item, measure)]
    sections: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for point in limit_points(points, items, measure, set(verbatim)):
        days = sorted({items[index].day for index in point.indices})
        ids = [entry_id for index in point.indices for entry_id in items[index].ids]
        sections[point.section].append(lines.point("", point.text, [days[0], days[-1]] if days[1:] else days, ids))
    sections["insights"] += [lines.of(items[index], items[index].kept) for index in verbatim]
    return render_page(period, words, sections)


def limit_points(
    points: Sequence[ModelPoint], items: Sequence[SummaryItem], measure: Measure, verbatim: set[int]
) -> list[ModelPoint]:
    """The points with the weightiest sources, as many as a summary may have under each heading, in their order.

    Points that repeat verbatim texts or each other, under whatever heading, are left out.
    """
    most = {"topics": measure.topics, "recurring": measure.topics, "events": measure.events}
    counts: dict[str, int] = {}
    bytes_left = measure.room
    selected: set[int] = set()
    selected_texts = [_plain(items[index].kept) for index in verbatim]
    weights = [max(items[index].weight for index in point.indices) for point in points]
    for number in sorted(range(len(points)), key=lambda number: (-weights[number], number)):
        point = points[number]
        size = len(point.text.encode("utf-8", "surrogatepass")) + 100
        plain = _plain(point.text)
        in_full = point.section == "insights" and verbatim.issuperset(point.indices)
        repeats = in_full or (point.section not in _NAMED and any(_is_same(plain, other) for other in selected_texts))
        if repeats or size > bytes_left or counts.get(point.section, 0) >= most.get(point.section, measure.points):
            continue
        bytes_left -= size
        counts[point.section] = counts.get(point.section, 0) + 1
        selected.add(number)
        selected_texts += [plain] if point.section not in _NAMED else []
    kept = [points[number] for number in sorted(selected)]
    return sorted(kept, key=lambda point: point.indices[0]) if measure is YEAR else kept


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(fold(without_opening(text))))


def _is_same(text: str, other: str) -> bool:
    """Whether one contains the other: only a greeting may differ."""
    short, long = sorted((text, other), key=len)
    return text == other or (len(short) >= _LEAST_SAME and f" {short} " in f" {long} ")
