"""Summaries of weeks, months and years without a language model: what was said, in the words in which it was said.

Made from the original entries, never from other summaries. Markdown under five headings in the language of the entries;
a heading without lines is left out. The same entries give the same bytes, in whatever order they come.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from waypost.journal.layout import Month, Week
from waypost.journal.summary_gist import Gists, gists_of, unlike
from waypost.journal.summary_items import DECISION, HELPING, Item, answers_to, items_of
from waypost.journal.summary_lines import Lines, label_of, persons_differ
from waypost.journal.summary_topics import key_words
from waypost.journal.wording import Words, prevailing, words_of
from waypost.model.journal import Scored

if TYPE_CHECKING:
    from waypost.journal.rank import Matrix

Vectors = Mapping[str, "Matrix"]
SeeAlso = Mapping[str, Sequence[str]]
Period = Week | Month | int  # an int is a year
HEADINGS = ("topics", "insights", "events", "recurring", "later", "highlights")


@dataclass(frozen=True, slots=True)
class Measure:
    """How much of a period is told."""

    least: int  # score of what is told at all
    room: int  # bytes for what need not stay word for word
    topics: int
    points: int  # under each of the other headings
    days: int  # on which a topic must have come up to be recurring
    keeps_all: bool = True  # whether all that is to stay word for word is told, or only what is protected


WEEK = Measure(least=5, room=6_000, topics=5, points=8, days=2)
MONTH = Measure(least=7, room=8_000, topics=6, points=10, days=4)
YEAR = Measure(least=8, room=10_000, topics=8, points=12, days=12, keeps_all=False)
_LEAST_ROOM = 1_500  # that is left for the rest, however much must stay
_HIGHLIGHT = 5  # the least score of what stands for a month of which nothing else is told


def summarise_week(
    week: Week,
    entries: Sequence[Scored],
    vectors: Vectors,
    language: str | None = None,
    see_also: SeeAlso | None = None,
) -> str:
    return summarise(week, entries, vectors, language, see_also)


def summarise_month(
    month: Month,
    entries: Sequence[Scored],
    vectors: Vectors,
    language: str | None = None,
    see_also: SeeAlso | None = None,
) -> str:
    return summarise(month, entries, vectors, language, see_also)


def summarise_year(
    year: int, entries: Sequence[Scored], vectors: Vectors, language: str | None = None, see_also: SeeAlso | None = None
) -> str:
    return summarise(year, entries, vectors, language, see_also)


def summarise(
    period: Period,
    entries: Sequence[Scored],
    vectors: Vectors,
    language: str | None = None,
    see_also: SeeAlso | None = None,
) -> str:
    """The summary of a week, month or year from its entries with their worth; `vectors` are by entry id."""
    items = items_of(entries)
    words = words_of(language or language_of_items(items))
    told = _Telling(period, items, words, vectors, see_also or {})
    return page(period, words, told.sections())


def page(period: Period, words: Words, sections: Mapping[str, Sequence[str]]) -> str:
    """The title, and each heading that has lines."""
    parts = [f"## {title_of(period, words)}"]
    parts += [f"### {words.headings[name]}\n" + "\n".join(sections[name]) for name in HEADINGS if sections.get(name)]
    if len(parts) == 1:
        parts.append(words.say("nothing"))
    return "\n\n".join(parts) + "\n"


def title_of(period: Period, words: Words) -> str:
    if isinstance(period, Week):
        return f"{words.say('week', number=period.number)} ({period.first} – {period.last})"
    if isinstance(period, Month):
        return f"{words.month(period.number)} {period.year}"
    return words.say("year", number=period)


def measure_of(period: Period) -> Measure:
    return WEEK if isinstance(period, Week) else MONTH if isinstance(period, Month) else YEAR


def language_of_items(items: Iterable[Item]) -> str:
    """The language of what counts; of everything where nothing does."""
    all_items = list(items)
    return prevailing(item.text for item in [one for one in all_items if one.score >= WEEK.least] or all_items)


def must_stay(item: Item, measure: Measure) -> bool:
    """Whether its words stand in the summary as they are, however much room they take."""
    if item.is_protected:
        return True
    if not item.is_verbatim or not measure.keeps_all:
        return False
    return item.score >= measure.least or measure is WEEK


@dataclass(slots=True)
class _Telling:
    """Puts the items of one period under its headings."""

    period: Period
    items: list[Item]
    words: Words
    vectors: Vectors
    see_also: SeeAlso
    measure: Measure = field(init=False)
    lines: Lines = field(init=False)
    gists: Gists = field(init=False)
    answers: dict[int, int] = field(init=False)  # by place of the question
    room: int = field(init=False)
    told: set[int] = field(default_factory=set)  # places of items that stand in a line

    def __post_init__(self) -> None:
        self.measure = measure_of(self.period)
        self.lines = Lines(self.words, persons_differ(self.items), self.see_also)
        self.gists = gists_of(self.items, self.words)
        self.answers = answers_to(self.items)
        self.room = self.measure.room

    def sections(self) -> dict[str, list[str]]:
        kept = [place for place, item in enumerate(self.items) if must_stay(item, self.measure)]
        must = {place: self._line(place, self.items[place].text, label=True) for place in kept}
        self.told.update(kept)
        self.room = max(_LEAST_ROOM, self.room - sum(map(_bytes, must.values())))
        worthy = [place for place, item in enumerate(self.items) if item.score >= self.measure.least]
        topics = self._topics(worthy)
        sections = {"topics": self._main_topics(topics), "recurring": self._recurring(topics)}
        further = self._further([place for place in worthy if place not in self.told])
        for name in ("insights", "events", "later"):
            both = {place: line for place, line in {**must, **further}.items() if self._section(place) == name}
            sections[name] = [both[place] for place in self._in_order(both, topics)]
        if isinstance(self.period, int):
            sections["highlights"] = self._highlights()
        return sections

    def _section(self, place: int) -> str:
        item = self.items[place]
        if item.role != "person":
            return "insights" if item.is_verbatim else "later"
        if item.is_verbatim or item.relevance >= DECISION:
            return "insights"
        return "events" if item.relevance == 1 else "later"

    def _in_order(self, places: Iterable[int], topics: Sequence[int]) -> list[int]:
        """By topic, the weightiest first, what has none last; within a topic by time."""
        rank = {topic: number for number, topic in enumerate(topics)}
        return sorted(places, key=lambda place: (rank.get(self.items[place].topic, len(rank)), place))

    def _topics(self, worthy: Sequence[int]) -> list[int]:
        weights: dict[int, int] = {}
        for place in worthy:
            item = self.items[place]
            if item.topic and item.label:
                weights[item.topic] = weights.get(item.topic, 0) + item.score
        first = {self.items[place].topic: place for place in reversed(worthy)}
        return sorted(weights, key=lambda topic: (-weights[topic], first[topic]))

    def _of_topic(self, topic: int) -> list[int]:
        return [place for place, item in enumerate(self.items) if item.topic == topic and item.score >= HELPING]

    def _main_topics(self, topics: Sequence[int]) -> list[str]:
        """Each with the words that its entries use most, and the days from the first to the last."""
        lines = []
        for topic in topics[: self.measure.topics]:
            own = [self.items[place] for place in self._of_topic(topic)]
            others = [item for item in self.items if item.topic != topic and item.score >= HELPING]
            label = label_of(own[0].label)
            said = ", ".join(key_words(own, others, label))
            days = sorted({item.day for item in own})
            ids = [one for item in own for one in item.ids]
            lead = f"**{label}:** " if said else f"**{label}**"
            lines.append(self.lines.point(lead, said, [days[0], days[-1]] if days[1:] else days, ids))
        return lines

    def _recurring(self, topics: Sequence[int]) -> list[str]:
        lines: list[str] = []
        for topic in topics:
            found = [self.items[place] for place in self._of_topic(topic)]
            days = sorted({item.day for item in found})
            if len(days) < self.measure.days or len(lines) == self.measure.topics:
                continue
            count = sum(len(item.ids) for item in found)
            text = self.words.say("often", count=count, days=len(days), first=days[0], last=days[-1])
            asked = sum(item.is_question for item in found)
            text += f"; {self.words.say('asked', count=asked)}" if asked > 1 else ""
            lead = f"**{label_of(found[0].label)}:** "
            lines.append(self.lines.point(lead, text, (), [one for item in found for one in item.ids]))
        return lines

    def _further(self, places: Sequence[int]) -> dict[int, str]:
        """What else counts, best first, as far as there is room; nothing that was said already."""
        counts: dict[str, int] = {}
        lines: dict[int, str] = {}
        said = sorted(self.told)
        wanted = [place for place in places if self.gists.texts[place]]
        for place in unlike(self.items, wanted, self.gists, said, self.vectors, 4 * self.measure.points):
            section = self._section(place)
            if place in self.told or counts.get(section, 0) >= self.measure.points:
                continue
            text = self.items[place].text if self.items[place].is_verbatim else self.gists.texts[place]
            line = self._line(place, text, label=True)
            if self._take(line):
                lines[place] = line
                self.told.add(place)
                counts[section] = counts.get(section, 0) + 1
        return lines

    def _highlights(self) -> list[str]:
        """The strongest of each month of which no other line tells."""
        months = {self.items[place].day.month for place in self.told}
        lines = []
        for month in range(1, 13):
            own = [p for p, item in enumerate(self.items) if item.day.month == month and item.score >= _HIGHLIGHT]
            if month in months or not own:
                continue
            place = max(own, key=lambda place: (self.items[place].score, self.gists.worths[place], -place))
            item = self.items[place]
            text = item.text if item.is_verbatim else self.gists.texts[place]
            lines.append(self.lines.of(item, text, label=self.words.month(month)))
        return lines

    def _line(self, place: int, text: str, *, label: bool) -> str:
        """A line, and below it the answer where it is a question that has one."""
        item = self.items[place]
        line = self.lines.of(item, text, label=label_of(item.label) if label and item.topic else "")
        at = self.answers.get(place)
        if at is None or at in self.told or self.items[at].is_verbatim or not self.gists.texts[at]:
            return line
        self.told.add(at)
        return f"{line}\n{self.lines.of(self.items[at], self.gists.texts[at], indent='  ')}"

    def _take(self, line: str) -> bool:
        if _bytes(line) > self.room:
            return False
        self.room -= _bytes(line)
        return True


def _bytes(line: str) -> int:
    return len(line.encode("utf-8", "surrogatepass"))
