"""Summaries of weeks, months and years without a language model, in the words of the entries.

They are made from the original entries, never from other summaries. The page is Markdown under five headings in the
language of the entries; empty headings are left out. The same entries in any order give the same bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING

from waypost.journal.layout import Week
from waypost.journal.period_pages.gist import Gists, gists_of, select_distinct
from waypost.journal.period_pages.items import (
    DECISION,
    HELPING,
    SummaryItem,
    answer_indices,
    is_past_at,
    without_samples,
)
from waypost.journal.period_pages.lines import Lines, label_of, persons_differ
from waypost.journal.period_pages.page import (
    Measure,
    Period,
    indices_worth_a_line,
    items_of,
    language_of_items,
    last_day_of,
    measure_of,
    must_stay,
    render_page,
    strongest_of_months,
)
from waypost.journal.period_pages.topic_names import can_be_counted, label_fits, mentions, source_ids
from waypost.journal.wording import SummaryWords, summary_words
from waypost.model.journal import ScoredEntry

if TYPE_CHECKING:
    from waypost.journal.period_pages.text_rank import Matrix

Vectors = Mapping[str, "Matrix"]
SeeAlso = Mapping[str, Sequence[str]]
_FEWEST_EVENTS = 3  # that make a topic without a question
_DAYS_OF_A_HABIT = 3  # fewer days are worth a line only with questions
_LEAST_ROOM = 1_500  # bytes for the rest, however much must stay
_MOST_CANDIDATES = 400  # the strongest items of a period: a year can have thousands


def summarise(
    period: Period,
    entries: Sequence[ScoredEntry],
    vectors: Vectors,
    language: str | None = None,
    see_also: SeeAlso | None = None,
) -> str:
    """The summary of a week, month or year from its scored entries.

    `vectors` and `see_also` (labels, or paths of the journal) are keyed by entry id. Both may be empty.
    """
    items = items_of(period, entries)
    words = summary_words(language or language_of_items(items))
    items = without_samples(items, words.language)
    return render_page(period, words, SummarySections(period, items, words, vectors, see_also or {}).sections())


@dataclass(frozen=True, slots=True)
class _Line:
    """An item in a line, and the answer below it."""

    index: int
    text: str
    answer: int | None = None


@dataclass(slots=True)
class SummarySections:
    """Puts the items of one period under its headings: first those that must stay, then the best of the rest."""

    period: Period
    items: list[SummaryItem]
    words: SummaryWords
    vectors: Vectors
    see_also: SeeAlso
    measure: Measure = field(init=False)
    lines: Lines = field(init=False)
    gists: Gists = field(init=False)
    answers: dict[int, int] = field(init=False)  # by index of the question
    questions: dict[int, int] = field(init=False)  # by index of the answer
    worthy: list[int] = field(init=False)
    topics: list[int] = field(init=False)  # that came up more than once, the weightiest first
    room: int = field(init=False)
    used: set[int] = field(default_factory=set)  # indices of items that already have a line

    def __post_init__(self) -> None:
        self.measure = measure_of(self.period)
        self.lines = Lines(self.words, persons_differ(self.items), self.see_also)
        self.answers = answer_indices(self.items)
        worthy = indices_worth_a_line(self.items, self.period)
        worthy = worthy or [index for index, item in enumerate(self.items) if item.is_remark]
        self.worthy = sorted(worthy[:_MOST_CANDIDATES])
        verbatim = [index for index, item in enumerate(self.items) if must_stay(item, self.measure)]
        needed = {*self.worthy, *verbatim, *(strongest_of_months(self.items) if isinstance(self.period, int) else ())}
        self.questions = {answer: index for index, answer in self.answers.items()}
        needed |= {beside[index] for beside in (self.answers, self.questions) for index in needed if index in beside}
        self.gists = gists_of(self.items, sorted(needed), self.answers, self.words)
        self.topics = [topic for topic in self._topics() if self._of_topic(topic)]
        self.room = self.measure.room

    def sections(self) -> dict[str, list[str]]:
        lines = self._verbatim_lines()
        topics = self.topics
        sections = {"topics": self._main_topics(topics), "recurring": self._recurring_topics(topics)}
        self.room = max(_LEAST_ROOM, self.room - sum(_bytes(line) for part in sections.values() for line in part))
        lines += self._other_lines()
        for name in ("insights", "events", "later"):
            of_section = [line for line in lines if self._section(line.index) == name]
            sections[name] = self._group_by_topic(of_section, topics)
        if isinstance(self.period, int):
            sections["highlights"] = self._highlights()
        return sections

    def _verbatim_lines(self) -> list[_Line]:
        """Items that must stay, and their answers while there is room, the strongest first."""
        verbatim = [index for index, item in enumerate(self.items) if must_stay(item, self.measure)]
        self.used.update(verbatim)
        lines = {index: _Line(index, self.items[index].kept) for index in verbatim}
        self.room = max(_LEAST_ROOM, self.room - sum(map(self._size, lines.values())))
        for index in sorted(verbatim, key=lambda index: (-self.items[index].score, index)):
            line = self._with_answer(index, self.items[index].kept)
            more = self._size(line) - self._size(lines[index])
            if line.answer is not None and self.room - more >= _LEAST_ROOM:
                self.room -= more
                self.used.add(line.answer)
                lines[index] = line
        return list(lines.values())

    def _section(self, index: int) -> str:
        item = self.items[index]
        section = self._section_of(item)
        is_kept = isinstance(self.period, Week) or item.kind != "promise" or item.is_protected
        is_late = section == "later" and (not is_kept or is_past_at(item, last_day_of(self.period)))
        return "events" if is_late else section  # nothing to keep in mind

    @staticmethod
    def _section_of(item: SummaryItem) -> str:
        if item.role != "person" or item.is_protected:
            return "insights" if item.is_verbatim else "later"
        is_own = item.main is None or item.main.is_speakers
        if item.is_marked or item.kind == "preference" or (item.kind in ("decision", "goal") and is_own):
            return "insights"
        if item.kind == "result" and item.main is not None and item.main.area == "work":
            return "insights"
        if item.kind in ("fact", "promise"):
            return "later"
        if item.kind is not None or item.relevance == 1:
            return "events"
        return "insights" if item.relevance >= DECISION else "later"

    def _group_by_topic(self, lines: Sequence[_Line], topics: Sequence[int]) -> list[str]:
        """Several lines of a topic below its name, the weightiest topic first; then the others by day.

        A topic's name before a single line says nothing that the line does not say.
        """
        rank = {topic: number for number, topic in enumerate(topics)}
        topic_of = {line.index: self._shown_topic(line) for line in lines}
        counts = Counter(topic_of.values())
        named = {index: topic if topic and counts[topic] > 1 else 0 for index, topic in topic_of.items()}
        order = sorted(lines, key=lambda line: (rank.get(named[line.index], len(rank)), line.index))
        result: list[str] = []
        for topic, group in groupby(order, key=lambda line: named[line.index]):
            of_topic = list(group)
            if topic:
                label = label_of(self.items[of_topic[0].index].label)
                ids = source_ids([self.items[line.index] for line in of_topic], label.split())
                result.append(self.lines.point(f"**{label}** ", "", (), ids))
            result += [self._render(line, indent="  " if topic else "") for line in of_topic]
        return result

    def _shown_topic(self, line: _Line) -> int:
        """The topic, if its name fits the text: a wrong name misleads more than none."""
        item = self.items[line.index]
        answer = "" if line.answer is None else self.items[line.answer].text
        is_shown = item.topic in self.topics and bool(item.label) and label_fits(item.label, f"{item.text}\n{answer}")
        return item.topic if is_shown else 0

    def _topics(self) -> list[int]:
        weights: dict[int, int] = {}
        first: dict[int, int] = {}
        mentions = Counter(item.topic for item in self.items if item.label and item.role == "person")
        for index in self.worthy:
            item = self.items[index]
            if item.label and mentions[item.topic] >= self.measure.mentions and item.topic:
                weights[item.topic] = weights.get(item.topic, 0) + item.score
                first.setdefault(item.topic, index)
        return sorted(weights, key=lambda topic: (-weights[topic], first[topic]))

    def _of_topic(self, topic: int) -> list[SummaryItem]:
        """What people said with its name, over the whole time. Empty if it can not be counted under this name.

        Two events need no name above them: their lines say as much.
        """
        label = next(item.label for item in self.items if item.topic == topic and item.label)
        members = mentions(topic, label, self.items)
        if len(members) < _FEWEST_EVENTS and not any(item.is_question for item in members):
            return []
        return members if len(members) >= self.measure.mentions and can_be_counted(label, members) else []

    def _label(self, topic: int) -> str:
        return label_of(next(item.label for item in self.items if item.topic == topic and item.label))

    def _main_topics(self, topics: Sequence[int]) -> list[str]:
        """Each topic with how often it came up, and its first and last day."""
        lines = []
        for topic in topics[: self.measure.topics]:
            members = self._of_topic(topic)
            if not members:
                continue
            label = self._label(topic)
            days = sorted({item.day for item in members})
            count = self.words.say("times", count=sum(len(item.ids) for item in members))
            ids = source_ids(members, label.split())
            lines.append(self.lines.point(f"**{label}:** ", count, [days[0], days[-1]] if days[1:] else days, ids))
        return lines

    def _recurring_topics(self, topics: Sequence[int]) -> list[str]:
        """The topics that came up on several days: how often, and from when to when."""
        lines: list[str] = []
        answer_items = {id(self.items[index]) for index in self.questions}
        for topic in topics:
            members = self._of_topic(topic)
            days = sorted({item.day for item in members})
            if len(days) < self.measure.days or len(lines) == self.measure.topics:
                continue
            count = sum(len(item.ids) for item in members)
            text = self.words.say("often", count=count, days=len(days), first=days[0], last=days[-1])
            question_count = sum(item.is_question and id(item) not in answer_items for item in members)
            if question_count <= 1 and len(days) < _DAYS_OF_A_HABIT:
                continue  # the main topics say as much
            text += f"; {self.words.say('asked', count=question_count)}" if question_count > 1 else ""
            label = self._label(topic)
            lines.append(self.lines.point(f"**{label}:** ", text, (), source_ids(members, label.split())))
        return lines

    def _other_lines(self) -> list[_Line]:
        """Other important items, best first, while there is room, without repetitions.

        What people said comes before what assistants answered: long answers must not displace an event of the same week.
        """
        counts: dict[str, int] = {}
        lines: list[_Line] = []
        left = max(0, self.measure.statements - sum(self.items[index].informs for index in self.used))
        candidates = [index for index in self.worthy if index not in self.used and self.gists.texts[index]]
        examined = 4 * (self.measure.points + self.measure.events)
        selected = select_distinct(self.items, candidates, self.gists, sorted(self.used), self.vectors, examined)
        in_order = list(dict.fromkeys(map(self._question_of, selected)))
        for index in sorted(in_order, key=lambda index: not self.items[index].informs):
            section = self._section(index)
            most = self.measure.events if section == "events" else self.measure.points
            is_half = index in self.questions and self.items[index].role == "assistant"  # its question is not shown
            if is_half or index in self.used or counts.get(section, 0) >= most:
                continue
            if self.items[index].informs and left == 0:
                continue
            text = self.items[index].kept if self.items[index].is_marked else self.gists.texts[index]
            line = _Line(index, text) if self.items[index].informs else self._with_answer(index, text)
            is_open = (
                line.answer is None and text.endswith("?") and not self.items[index].informs
            )  # a question without its answer says nothing
            if not is_open and self._size(line) <= self.room:
                self.room -= self._size(line)
                self.used.update(index for index in (index, line.answer) if index is not None)
                lines.append(line)
                counts[section] = counts.get(section, 0) + 1
                left -= self.items[index].informs
        return lines

    def _question_of(self, index: int) -> int:
        """The question that an answer belongs to, if it can be listed with it."""
        question = self.questions.get(index)
        is_free = question is not None and question not in self.used and self.items[question].score >= HELPING
        return question if question is not None and is_free and self.gists.texts[question] else index

    def _highlights(self) -> list[str]:
        months = {self.items[index].day.month for index in self.used}
        lines = []
        for index in strongest_of_months(self.items):
            item = self.items[index]
            if item.day.month not in months:
                text = item.kept if item.is_verbatim else self.gists.texts[index] or item.text
                lines.append(self.lines.of(item, text, label=self.words.month(item.day.month)))
        return lines

    def _with_answer(self, index: int, text: str) -> _Line:
        answer_index = self.answers.get(index)
        if answer_index is None or answer_index in self.used or self.items[answer_index].is_verbatim:
            return _Line(index, text)
        answer = self.gists.texts.get(answer_index, "")
        return _Line(index, text, answer_index if answer and not answer.endswith("?") else None)

    def _render(self, item_line: _Line, *, indent: str = "") -> str:
        line = self.lines.of(self.items[item_line.index], item_line.text, indent=indent)
        if item_line.answer is None:
            return line
        item, text = self.items[item_line.answer], self.gists.texts[item_line.answer]
        answer = self.lines.of(item, text, indent=f"{indent}  ", shows_day=False)
        return f"{line}\n{answer}"

    def _size(self, line: _Line) -> int:
        return _bytes(self._render(line, indent="  "))


def _bytes(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))
