"""The input of a summary: entries in order, without repetitions, and which of them must stay word for word."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date

from waypost.journal.importance.utterance import question_kind
from waypost.journal.importance.word_lists import language_of_lists, sentences_of
from waypost.journal.roles import role_of
from waypost.journal.statements.matters import DatedSentence, is_milestone, is_past, is_turning_point, outdated
from waypost.journal.statements.news import is_outcome, is_setback, news_of
from waypost.journal.statements.openings import without_opening
from waypost.journal.statements.recognise import (
    JOY,
    Area,
    SpokenStatement,
    StatementKind,
    asks_about_wording,
    statements_of,
)
from waypost.journal.topics.similarity import topic_terms
from waypost.journal.wording import language_at_start
from waypost.model.journal import Entry, ScoredEntry, mark_of
from waypost.text.normal import fingerprint_text

ENDS = '.!?…:;"”»«“)'
_AREA_WEIGHT: dict[Area, float] = {"family": 0.5, "personal": 0.5, "work": 0.3, "money": 0.3, "travel": 0.3}
_SHOUTED = re.compile(r"\b[A-ZÄÖÜА-ЯЁ]{4,}\W+(?:[A-ZÄÖÜА-ЯЁ]{2,}\W+){0,2}[A-ZÄÖÜА-ЯЁ]{4,}\b")
_HAPPENED = ("event", "result", "progress", "remark")  # retold in short; other kinds are kept word for word
HELPING = 2  # least score of an entry that may support a topic
DECISION, MARKED = 2, 2  # points for relevance, and for being called important
TURNING = 2.0  # of a turning point
_OF_SCORE = 0.4  # how much importance counts beside what happened
_OVERTAKEN = 3.0  # less for an attempt that succeeded later
_WORDS_OF_A_DETAIL = 6  # of a request: "Order new shoes. Size 6, wide."
_RARE = 4  # items; a word in more of them names no matter
_LEAST_TERM = 4  # letters
WHOLE = 280  # characters; a shorter text stays whole
LONGEST_VERBATIM = 1200  # characters; a longer text is a document, of which key sentences are kept


@dataclass(frozen=True, slots=True)
class SummaryItem:
    """An entry in a summary. `ids` includes entries with the same text."""

    entry: Entry
    text: str
    role: str
    score: int
    relevance: int
    topic: int
    label: str
    ids: tuple[str, ...]
    is_verbatim: bool  # its text is kept unchanged
    is_protected: bool
    is_marked: bool = False  # protected, a noted preference, or called important
    statements: tuple[SpokenStatement, ...] = ()  # what a person's text states
    is_overtaken: bool = False  # it failed, and a later item on the same matter succeeded

    @property
    def main(self) -> SpokenStatement | None:
        """The statement that matters most."""
        return max(self.statements, key=lambda statement: statement.rank, default=None)

    @property
    def kind(self) -> StatementKind | None:
        return self.main.kind if self.main else None

    @property
    def informs(self) -> bool:
        """Whether it states something that belongs on a page, however low its score."""
        return self.kind not in (None, "remark")

    @property
    def is_remark(self) -> bool:
        """Whether it may represent a time without news: a remark about something real."""
        return self.kind == "remark" and all(statement.is_real for statement in self.statements)

    @property
    def statement_text(self) -> str:
        """What it states, in its own words, without questions and greetings. A longer text also loses its remarks."""
        kept = [statement for statement in self.statements if statement.is_real]
        if sum(len(statement.sentence) for statement in kept) > WHOLE:
            kept = [statement for statement in kept if statement.kind != "remark"]
        lasting = [without_opening(statement.sentence) for statement in kept]
        return " ".join(sentence if sentence[-1:] in ENDS else f"{sentence}." for sentence in lasting)

    @property
    def kept(self) -> str:
        """The text that stays word for word: all of what is marked, else without greetings and questions."""
        if self.is_protected or "\n" in self.text:
            return self.text
        return without_opening(self.text) if self.is_marked or not self.informs else self.statement_text

    @property
    def weight(self) -> float:
        """By what items are ordered: importance, whether it changes a life, how much news it is, and its emphasis."""
        if self.main is None:
            return _OF_SCORE * self.score
        is_lasting = any(is_milestone(statement.sentence, self.language) for statement in self.statements)
        milestone = 1.5 if is_lasting else 0.0
        milestone += TURNING if self.is_turning_point else 0.0
        emphasis = 1.0 if self.is_announced else 0.5 if "!" in self.text else 0.0
        own = max(
            (_AREA_WEIGHT.get(statement.area or "personal", 0.0) for statement in self.statements if statement.area),
            default=0.0,
        )
        less = 1.0 if self.kind == "fact" or not self.main.is_own else 0.0
        less += _OVERTAKEN if self.is_overtaken else 0.0
        return _OF_SCORE * self.score + milestone + self.news + emphasis + own - less

    @property
    def news(self) -> float:
        """How much news its best sentence is; below 0 if it has none and one is a plan or daily."""
        worths = [
            news_of(statement.sentence, self.language) for statement in self.statements if _is_first_hand(statement)
        ]
        return max(worths) if max(worths, default=0.0) > 0 else min(worths, default=0.0)

    @property
    def settles(self) -> bool:
        """Whether it says how something came out."""
        return any(
            is_outcome(statement.sentence, self.language) for statement in self.statements if _is_first_hand(statement)
        )

    @property
    def language(self) -> str:
        return language_of_lists(self.text, language_at_start(self.text))

    @property
    def real_text(self) -> str:
        """All that a person states with it, with remarks."""
        return " ".join(statement.sentence for statement in self.statements if statement.is_real)

    @property
    def is_turning_point(self) -> bool:
        """A birth, a wedding, a death, a new home, a contract: what every page must have."""
        milestones = (statement.sentence for statement in self.statements if statement.is_milestone)
        return any(is_turning_point(sentence, self.language) for sentence in milestones)

    @property
    def is_announced(self) -> bool:
        """Whether somebody proclaims it: "BOUGHT THE TRUCK!!!" """
        return self.informs and bool(JOY.search(self.text) or _SHOUTED.search(self.text))

    @property
    def day(self) -> date:
        return self.entry.at.date()

    @property
    def is_question(self) -> bool:
        return self.role == "person" and self.text.rstrip(' )"“”»').endswith("?")


def summary_items(entries: Sequence[ScoredEntry]) -> list[SummaryItem]:
    """The valid entries, oldest first, in whatever order they are given. Repeated texts appear once."""
    items: dict[tuple[str, str, bool], SummaryItem] = {}
    for scored in sorted(entries, key=_order):
        item = _summary_item(scored)
        if item is None:
            continue
        key = (item.role, fingerprint_text(item.text) or item.text, item.is_protected)
        first = items.get(key)
        items[key] = item if first is None else _merge(first, item)
    return list(items.values())


def holding_items(items: Sequence[SummaryItem], until: date) -> list[SummaryItem]:
    """The items without the sentences that no longer hold on the day `until`. One without a sentence left states nothing.

    Protected texts stay as they are.
    """
    places = [
        (index, statement)
        for index, item in enumerate(items)
        if not item.is_protected
        for statement in item.statements
        if statement.kind != "remark" and not (statement.is_milestone and statement.area == "health")
    ]
    gone = outdated([_dated(items[index], statement) for index, statement in places], until)
    dropped: dict[int, list[SpokenStatement]] = {}
    for place in gone:
        index, statement = places[place]
        dropped.setdefault(index, []).append(statement)
    return [_without(item, dropped[index]) if index in dropped else item for index, item in enumerate(items)]


def mark_overtaken(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """The items without what was only tried or expected, if a later item on the same matter has the outcome.

    Failures that a later success overtakes are marked.
    """
    terms = [
        {term for term in topic_terms(item.real_text, item.language) if len(term) >= _LEAST_TERM}
        if item.role == "person"
        else set[str]()
        for item in items
    ]
    counts = Counter(term for of_item in terms for term in of_item)
    rare = [{term for term in of_item if counts[term] <= _RARE} for of_item in terms]
    settled: set[str] = set()
    marked: list[SummaryItem] = []
    for item, own in zip(reversed(items), reversed(rare), strict=True):
        failed = item.informs and is_setback(item.real_text, item.language)
        is_overtaken = item.informs and not item.is_verbatim and not settled.isdisjoint(own)
        if is_overtaken and item.news < 0 and not any(statement.is_milestone for statement in item.statements):
            marked.append(replace(item, statements=(), score=0))
        else:
            marked.append(replace(item, is_overtaken=True) if is_overtaken and failed else item)
        if item.informs and item.settles and not failed:
            settled |= own
    return marked[::-1]


def _is_first_hand(statement: SpokenStatement) -> bool:
    return statement.is_real and statement.is_own


def without_samples(items: Sequence[SummaryItem], language: str) -> list[SummaryItem]:
    """The items without texts in another language than the page's that somebody only asks about, and their answers."""
    kept: list[SummaryItem] = []
    sampled: str | None = ""
    for item in items:
        is_sample = item.role == "person" and not item.is_protected and asks_about_wording(item.text)
        is_sample = is_sample and language_at_start(item.text) not in ("", language)
        if item.role == "person":
            sampled = item.entry.session if is_sample else ""
        if is_sample or (item.role == "assistant" and sampled and item.entry.session == sampled):
            kept.append(replace(item, statements=(), score=0, is_verbatim=False))
        else:
            kept.append(item)
    return kept


def is_past_at(item: SummaryItem, day: date) -> bool:
    """Whether all it states only looked forward to a time before that day."""
    stated = [statement for statement in item.statements if statement.kind != "remark"]
    return bool(stated) and all(is_past(_dated(item, statement), day) for statement in stated)


def _dated(item: SummaryItem, statement: SpokenStatement) -> DatedSentence:
    return DatedSentence(statement.sentence, item.language, item.day)


def _without(item: SummaryItem, dropped: Sequence[SpokenStatement]) -> SummaryItem:
    """The rest of an item, if it is an event of its own: what stood beside a plan misleads without it."""
    left = tuple(statement for statement in item.statements if statement not in dropped)
    rest = replace(item, statements=left, is_verbatim=False, is_marked=False)
    stays = rest.informs and (rest.settles or any(statement.is_milestone for statement in left))
    return replace(rest, text=rest.statement_text) if stays else replace(rest, statements=(), score=0)


def _order(scored: ScoredEntry) -> tuple[float, str, str, str]:
    entry = scored.entry
    return entry.at.timestamp(), entry.id or "", entry.speaker or "", entry.text


def _summary_item(scored: ScoredEntry) -> SummaryItem | None:
    entry, score = scored.entry, scored.score
    text = (entry.held or "").strip()
    if not text:
        return None
    role = role_of(entry.speaker, entry.kind)
    is_marked = score.relevance_points >= DECISION or score.explicit_points >= MARKED
    statements = _statements(text) if role == "person" else ()
    main = max(statements, key=lambda statement: statement.rank, default=None)
    happened = main is not None and (main.kind in _HAPPENED or not main.is_speakers)
    own_words = role == "person" and is_marked and not happened and len(text) <= LONGEST_VERBATIM
    return SummaryItem(
        entry,
        text,
        role,
        score.score,
        score.relevance_points,
        scored.topic,
        scored.label,
        (source_of(entry),),
        is_verbatim=entry.protected or entry.kind == "preference" or (own_words and score.score >= HELPING),
        is_protected=entry.protected,
        is_marked=entry.protected or entry.kind == "preference" or (own_words and score.explicit_points >= MARKED),
        statements=statements,
    )


def _statements(text: str) -> tuple[SpokenStatement, ...]:
    if len(text) > LONGEST_VERBATIM:
        return ()
    language = language_of_lists(text, language_at_start(text))
    statements = statements_of(text, language)
    return tuple(statement for statement in statements if not _explains_a_question(statement, text, language))


def _explains_a_question(statement: SpokenStatement, text: str, language: str) -> bool:
    """Whether it only says why or what somebody asks: "What goes with rice? The curry is nearly ready." """
    is_plain = statement.kind in ("event", "remark") and statement.area is None and not statement.is_milestone
    before = text[: max(0, text.find(statement.sentence))]
    is_short = len(statement.sentence.split()) <= _WORDS_OF_A_DETAIL
    has_question = "?" in before and any("?" in part.text and part.asks for part in sentences_of(before, language))
    return is_plain and (has_question or (is_short and question_kind(before, language).asks))


def _merge(first: SummaryItem, repeated: SummaryItem) -> SummaryItem:
    return replace(
        first,
        score=max(first.score, repeated.score),
        relevance=max(first.relevance, repeated.relevance),
        topic=first.topic or repeated.topic,
        label=first.label or repeated.label,
        ids=tuple(dict.fromkeys(first.ids + repeated.ids)),
        is_verbatim=first.is_verbatim or repeated.is_verbatim,
    )


def source_of(entry: Entry) -> str:
    """How a line names its source entry: by id, else by a mark of its text."""
    entry_id = entry.id or "-"
    is_plain = all(char.isalnum() or char in "_.:-" for char in entry_id)
    return entry_id if is_plain and "--" not in entry_id and entry_id[-1] != "-" else f"text:{mark_of(entry.text)}"


def answer_indices(items: Sequence[SummaryItem]) -> dict[int, int]:
    """For the index of each statement by a person, that of the answer that followed, if important enough.

    An assistant answers everything said to it, another person only questions.
    """
    answers: dict[int, int] = {}
    for index, item in enumerate(items):
        if item.role != "person":
            continue
        for next_index in range(index + 1, min(index + 6, len(items))):
            following = items[next_index]
            if following.entry.session != item.entry.session or following.role == "tool":
                continue
            replies = following.entry.speaker != item.entry.speaker and following.day == item.day
            if replies and following.score >= HELPING and (following.role == "assistant" or item.is_question):
                answers[index] = next_index
            break
    return answers
