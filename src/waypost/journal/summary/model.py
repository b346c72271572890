"""What a language model is shown of a period, and what is taken from its answer.

Every sentence of a model must name the entries it comes from, and every number in it must stand in them: what does not
is left out. So a sentence can be found again when one of its entries is to be forgotten, and is not made up entirely.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waypost.journal.summary.items import HELPING, SummaryItem
from waypost.journal.summary.lines import Lines, persons_differ
from waypost.journal.summary.page import HEADINGS, HIGHLIGHT, Measure, Period, measure_of, must_stay, page
from waypost.journal.wording import SummaryWords, clip, without_markdown

SECTIONS = HEADINGS[:5]
LANGUAGE_NAMES = {"en": "English", "de": "German", "ru": "Russian"}
LONGEST_POINT = 400
_MOST_POINTS = 200  # of an answer that are looked at
_NUMBER = re.compile(r"\d[\d.,:]*\d")  # one digit alone may be counted by the model


@dataclass(frozen=True, slots=True)
class ModelPoint:
    """A sentence of a model: under which heading, and the places of the items it came from."""

    section: str
    text: str
    places: tuple[int, ...]


def places_for_model(items: Sequence[SummaryItem], period: Period) -> list[int]:
    """The items that a model is shown: what counts, and what supports a topic that counts."""
    measure = measure_of(period)
    worthy = {place for place, item in enumerate(items) if item.score >= measure.least}
    if isinstance(period, int):
        worthy |= _strongest_of_months(items)
    topics = {items[place].topic for place in worthy} - {0}
    helps = {p for p, item in enumerate(items) if item.topic in topics and HELPING <= item.score < measure.least}
    return sorted(worthy | (helps if not isinstance(period, int) else set()))


def _strongest_of_months(items: Sequence[SummaryItem]) -> set[int]:
    best: dict[int, int] = {}
    for place, item in enumerate(items):
        now = best.get(item.day.month)
        if item.score >= HIGHLIGHT and (now is None or item.score > items[now].score):
            best[item.day.month] = place
    return set(best.values())


def entry_line(item: SummaryItem, number: int, longest: int) -> str:
    """One entry as a model reads it."""
    who = item.entry.speaker or item.role
    topic = f", topic: {item.label}" if item.topic and item.label else ""
    text = " ".join(item.text.split())
    return f"[{number}] {item.day} {who} (importance {item.score}{topic}): {clip(text, longest)}"


def point_line(point: ModelPoint, number: int) -> str:
    return f"[{number}] {point.section}: {point.text}"


def points_from_json(answer: Any, sources: Sequence[Sequence[int]], items: Sequence[SummaryItem]) -> list[ModelPoint]:
    """The points of an answer that can be used. `sources` has for each number, from 1, the items behind it.

    Raises `ValueError` for an answer without any.
    """
    if not isinstance(answer, dict):
        raise ValueError("it is no JSON object")  # noqa: TRY004  # what was read is wrong, not how it was called
    found: list[ModelPoint] = []
    for section in SECTIONS:
        rows = answer.get(section, [])
        found += [
            point
            for row in (rows if isinstance(rows, list) else [])[:_MOST_POINTS]
            if (point := _point(section, row, sources, items)) is not None
        ]
    if not found:
        raise ValueError('it has no sentence with a "text" and the numbers it is "from"')
    return list({(point.section, point.text): point for point in found}.values())


def _point(section: str, row: Any, sources: Sequence[Sequence[int]], items: Sequence[SummaryItem]) -> ModelPoint | None:
    if not isinstance(row, dict) or not isinstance(row.get("text"), str) or not isinstance(row.get("from"), list):
        return None
    text = clip(without_markdown(row["text"]), LONGEST_POINT)
    numbers = [number for number in row["from"] if type(number) is int and 0 < number <= len(sources)]
    places = tuple(sorted({place for number in numbers for place in sources[number - 1]}))
    if not text or not places or not is_grounded(text, _words_of(items, places)):
        return None
    return ModelPoint(section, text, places)


def _words_of(items: Sequence[SummaryItem], places: Iterable[int]) -> str:
    return "\n".join(f"{items[place].day} {items[place].day:%d.%m.%Y} {items[place].text}" for place in places)


def is_grounded(text: str, source: str) -> bool:
    """Whether every number of a text, parts of a date each for itself, stands in its source."""
    known = {part.lstrip("0") for number in _NUMBER.findall(source) for part in (number, *re.split("[.,:]", number))}
    known |= {part.lstrip("0") for part in re.findall(r"\d+", source)}
    return all(
        part.lstrip("0") in known for number in _NUMBER.findall(text) for part in re.split("[.,:]", number) if part
    )


def model_page(
    period: Period,
    words: SummaryWords,
    items: Sequence[SummaryItem],
    points: Sequence[ModelPoint],
    see_also: Mapping[str, Sequence[str]],
) -> str:
    """The summary of a model, with what must stay word for word from the originals."""
    measure = measure_of(period)
    lines = Lines(words, persons_differ(items), see_also)
    kept = [place for place, item in enumerate(items) if must_stay(item, measure)]
    sections: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for point in within(points, measure, set(kept)):
        days = sorted({items[place].day for place in point.places})
        ids = [one for place in point.places for one in items[place].ids]
        sections[point.section].append(lines.point("", point.text, [days[0], days[-1]] if days[1:] else days, ids))
    sections["insights"] += [lines.of(items[place], items[place].text) for place in kept]
    return page(period, words, sections)


def within(points: Sequence[ModelPoint], measure: Measure, kept: set[int]) -> list[ModelPoint]:
    """As many as a summary may have under each heading; none that only repeats what stays word for word."""
    counts: dict[str, int] = {}
    room = measure.room
    chosen = []
    for point in points:
        most = measure.topics if point.section in {"topics", "recurring"} else measure.points
        if counts.get(point.section, 0) >= most or (point.section == "insights" and kept.issuperset(point.places)):
            continue
        room -= len(point.text.encode("utf-8", "surrogatepass")) + 100
        if room < 0:
            break
        counts[point.section] = counts.get(point.section, 0) + 1
        chosen.append(point)
    return chosen
