"""What of a period is told under which heading: what must stay first, then what speaks for the rest, within its room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from waypost.journal.summary.gist import Gists, gists_of, unlike
from waypost.journal.summary.items import DECISION, HELPING, SummaryItem, answers_to
from waypost.journal.summary.lines import Lines, label_of, persons_differ
from waypost.journal.summary.page import HIGHLIGHT, Measure, Period, measure_of, must_stay
from waypost.journal.summary.topics import TopicWords, namers, names
from waypost.journal.wording import SummaryWords

if TYPE_CHECKING:
    from waypost.journal.summary.text_rank import Matrix

_LEAST_ROOM = 1_500  # bytes that are left for the rest, however much must stay
_CHOSEN_FROM = 400  # of what counts in a period, the strongest: a year can have thousands


@dataclass(frozen=True, slots=True)
class _Told:
    """An item in a line, and the answer below it."""

    place: int
    text: str
    answer: int | None = None


@dataclass(slots=True)
class SummarySections:
    """Puts the items of one period under its headings."""

    period: Period
    items: list[SummaryItem]
    words: SummaryWords
    vectors: Mapping[str, Matrix]
    see_also: Mapping[str, Sequence[str]]
    measure: Measure = field(init=False)
    lines: Lines = field(init=False)
    gists: Gists = field(init=False)
    answers: dict[int, int] = field(init=False)  # by place of the question
    questions: dict[int, int] = field(init=False)  # by place of the answer
    worthy: list[int] = field(init=False)
    room: int = field(init=False)
    told: set[int] = field(default_factory=set)  # places of items that stand in a line

    def __post_init__(self) -> None:
        self.measure = measure_of(self.period)
        self.lines = Lines(self.words, persons_differ(self.items), self.see_also)
        self.answers = answers_to(self.items)
        strongest = sorted(range(len(self.items)), key=lambda place: (-self.items[place].score, place))
        self.worthy = sorted([p for p in strongest if self.items[p].score >= self.measure.least][:_CHOSEN_FROM])
        kept = [place for place, item in enumerate(self.items) if must_stay(item, self.measure)]
        shown = {*self.worthy, *kept, *(self._highlight_places() if isinstance(self.period, int) else ())}
        self.questions = {answer: place for place, answer in self.answers.items()}
        shown |= {beside[place] for beside in (self.answers, self.questions) for place in shown if place in beside}
        self.gists = gists_of(self.items, sorted(shown), self.answers, self.words)
        self.room = self.measure.room

    def sections(self) -> dict[str, list[str]]:
        lines = self._kept()
        topics = self._topics()
        sections = {"topics": self._main_topics(topics), "recurring": self._recurring(topics)}
        self.room = max(_LEAST_ROOM, self.room - sum(_bytes(line) for part in sections.values() for line in part))
        lines += self._further()
        for name in ("insights", "events", "later"):
            sections[name] = self._grouped([one for one in lines if self._section(one.place) == name], topics)
        if isinstance(self.period, int):
            sections["highlights"] = self._highlights()
        return sections

    def _kept(self) -> list[_Told]:
        """What must stay, however much it is; with its answers, those to the strongest first, as far as there is room."""
        kept = [place for place, item in enumerate(self.items) if must_stay(item, self.measure)]
        self.told.update(kept)
        lines = {place: _Told(place, self.items[place].text) for place in kept}
        self.room = max(_LEAST_ROOM, self.room - sum(map(self._size, lines.values())))
        for place in sorted(kept, key=lambda place: (-self.items[place].score, place)):
            told = self._with_answer(place, self.items[place].text)
            more = self._size(told) - self._size(lines[place])
            if told.answer is not None and self.room - more >= _LEAST_ROOM:
                self.room -= more
                self.told.add(told.answer)
                lines[place] = told
        return list(lines.values())

    def _section(self, place: int) -> str:
        item = self.items[place]
        if item.role != "person":
            return "insights" if item.is_verbatim else "later"
        if item.is_verbatim or item.relevance >= DECISION:
            return "insights"
        return "events" if item.relevance == 1 else "later"

    def _grouped(self, lines: Sequence[_Told], topics: Sequence[int]) -> list[str]:
        """By topic, the weightiest first, what has none last; several of one topic below its name, by time."""
        rank = {topic: number for number, topic in enumerate(topics)}
        shown = {told.place: self._shown_topic(told) for told in lines}
        order = sorted(lines, key=lambda one: (rank.get(shown[one.place], len(rank)), one.place))
        found: list[str] = []
        for topic, group in groupby(order, key=lambda one: shown[one.place]):
            same = list(group)
            label = label_of(self.items[same[0].place].label) if topic else ""
            if label and len(same) > 1:
                ids = namers([self.items[told.place] for told in same], label.split())
                found.append(self.lines.point(f"**{label}** ", "", (), ids))
                found += [self._rendered(told, indent="  ") for told in same]
            else:
                found += [self._rendered(told, label=label) for told in same]
        return found

    def _shown_topic(self, told: _Told) -> int:
        """The topic, if its name says something about the words: a name that does not fit misleads more than none."""
        item = self.items[told.place]
        answer = "" if told.answer is None else self.items[told.answer].text
        return item.topic if names(item.label, f"{item.text}\n{answer}") else 0

    def _topics(self) -> list[int]:
        """The topics of what counts, the weightiest first."""
        weights: dict[int, int] = {}
        first: dict[int, int] = {}
        for place in self.worthy:
            item = self.items[place]
            if item.topic and item.label:
                weights[item.topic] = weights.get(item.topic, 0) + item.score
                first.setdefault(item.topic, place)
        return sorted(weights, key=lambda topic: (-weights[topic], first[topic]))

    def _of_topic(self, topic: int) -> list[SummaryItem]:
        return [item for item in self.items if item.topic == topic and item.score >= HELPING]

    def _main_topics(self, topics: Sequence[int]) -> list[str]:
        """Each with the words that its entries use most, and the days from the first to the last."""
        lines = []
        spoken = TopicWords([item for item in self.items if item.score >= HELPING] if topics else [])
        for topic in topics[: self.measure.topics]:
            own = self._of_topic(topic)
            label = label_of(own[0].label)
            found = spoken.of(own, label)
            days = sorted({item.day for item in own})
            ids = namers(own, [*label.split(), *found])
            lead = f"**{label}:** " if found else f"**{label}** "
            lines.append(self.lines.point(lead, ", ".join(found), [days[0], days[-1]] if days[1:] else days, ids))
        return lines

    def _recurring(self, topics: Sequence[int]) -> list[str]:
        """The topics that came up on several days: how often, from when to when."""
        lines: list[str] = []
        answering = {id(self.items[place]) for place in self.questions}
        for topic in topics:
            own = self._of_topic(topic)
            days = sorted({item.day for item in own})
            if len(days) < self.measure.days or len(lines) == self.measure.topics:
                continue
            count = sum(len(item.ids) for item in own)
            text = self.words.say("often", count=count, days=len(days), first=days[0], last=days[-1])
            asked = sum(item.is_question and id(item) not in answering for item in own)
            text += f"; {self.words.say('asked', count=asked)}" if asked > 1 else ""
            label = label_of(own[0].label)
            lines.append(self.lines.point(f"**{label}:** ", text, (), namers(own, label.split())))
        return lines

    def _further(self) -> list[_Told]:
        """What else counts, best first, as far as there is room; nothing that was said already."""
        counts: dict[str, int] = {}
        lines: list[_Told] = []
        wanted = [place for place in self.worthy if place not in self.told and self.gists.texts[place]]
        chosen = unlike(self.items, wanted, self.gists, sorted(self.told), self.vectors, 4 * self.measure.points)
        for place in map(self._asked_by, chosen):
            section = self._section(place)
            if place in self.told or counts.get(section, 0) >= self.measure.points:
                continue
            text = self.items[place].text if self.items[place].is_verbatim else self.gists.texts[place]
            told = self._with_answer(place, text)
            is_open = told.answer is None and text.endswith("?")  # a question without its answer says nothing
            if not is_open and self._size(told) <= self.room:
                self.room -= self._size(told)
                self.told.update(one for one in (place, told.answer) if one is not None)
                lines.append(told)
                counts[section] = counts.get(section, 0) + 1
        return lines

    def _asked_by(self, place: int) -> int:
        """The question that an answer belongs to, if it can be told with it."""
        asked = self.questions.get(place)
        free = asked is not None and asked not in self.told and self.items[asked].score >= HELPING
        return asked if asked is not None and free and self.gists.texts[asked] else place

    def _highlight_places(self) -> list[int]:
        """The strongest item of each month."""
        best: dict[int, int] = {}
        for place, item in enumerate(self.items):
            now = best.get(item.day.month)
            if item.score >= HIGHLIGHT and (now is None or item.score > self.items[now].score):
                best[item.day.month] = place
        return [best[month] for month in sorted(best)]

    def _highlights(self) -> list[str]:
        """The strongest of each month of which no other line tells."""
        months = {self.items[place].day.month for place in self.told}
        lines = []
        for place in self._highlight_places():
            item = self.items[place]
            if item.day.month not in months:
                text = item.text if item.is_verbatim else self.gists.texts[place] or item.text
                lines.append(self.lines.of(item, text, label=self.words.month(item.day.month)))
        return lines

    def _with_answer(self, place: int, text: str) -> _Told:
        at = self.answers.get(place)
        if at is None or at in self.told or self.items[at].is_verbatim:
            return _Told(place, text)
        answer = self.gists.texts.get(at, "")
        return _Told(place, text, at if answer and not answer.endswith("?") else None)

    def _rendered(self, told: _Told, *, label: str = "", indent: str = "") -> str:
        line = self.lines.of(self.items[told.place], told.text, label=label, indent=indent)
        if told.answer is None:
            return line
        answer = self.lines.of(
            self.items[told.answer], self.gists.texts[told.answer], indent=f"{indent}  ", shows_day=False
        )
        return f"{line}\n{answer}"

    def _size(self, told: _Told) -> int:
        label = label_of(self.items[told.place].label)
        return _bytes(self._rendered(told, label=label))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
