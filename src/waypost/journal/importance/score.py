"""The importance of an entry, 0-10, with reasons, and the retention that follows from it.

frequency  0-3  conversations in which people brought up the topic so far (one mention per conversation and day):
                one 0; two or three, or more that are far apart, 1; four within 30 days 2; on four days of a week, or
                in each of four weeks in a row, 3
recency    0-2  the last mention within 7 days 2, within 30 days 1; only if another factor is above 0.
explicit   0-2  a request to remember, "important", or a personal goal with plan, number or date, 2; stated as
                decided, noted on purpose, or asked again in another conversation 1.
relevance  0-3  preferences, dislikes, traits and stated goals 3, decisions and strategy 2, personal events 1

A question about the day (weather, TV programme, the time …) scores 0, or 1 if it comes up again. However often it is
asked, nobody needs its answer tomorrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from waypost.journal.importance.utterance import UtteranceReading
from waypost.model.journal import Score

OFTEN, OFTEN_DAYS = 4, 30  # mentions and days: several times a month
DAILY = 4  # days of one week
WEEKS = 4  # in a row
MOST_OF_A_QUESTION = 4  # a question states nothing: its score stays below that of what is important
OWN_QUESTION_POINTS = 1
_RETENTION = (
    (8, "Keep for good, also in important/preferences.md; never removed."),
    (5, "In the index for 30 days and in summaries; archived after a year."),
    (2, "In the index for 7 days; in summaries only where another topic needs it."),
    (0, "Out of the index after 24 hours; 7 days in the day file; never in summaries."),
)


@dataclass(frozen=True, slots=True)
class TopicMention:
    """A person brought up a topic in this conversation, on this day."""

    at: datetime
    day: date
    conversation: str
    asks: bool = False
    matters: bool = False  # it states something about a person's life or work


def retention_of(score: int) -> str:
    """What happens to an entry with this score."""
    return next(rule for least, rule in _RETENTION if score >= least)


def judge(reading: UtteranceReading, mentions: Sequence[TopicMention], at: datetime) -> Score:
    """The score at `at` of a person's text, given all mentions of its topic, including this one."""
    past = [mention for mention in mentions if mention.at <= at]
    if reading.question.passing:
        return _passing_score(past)
    matters = reading.relevance > 0 or any(mention.matters for mention in past)
    frequency = frequency_of(past) if matters else 0
    explicit, emphasis = reading.explicit, reading.emphasis
    askings = {(mention.day, mention.conversation) for mention in past if mention.asks}
    if not explicit and reading.question.asks and len(askings) > 1:
        explicit, emphasis = 1, "the same was asked again"
    others = frequency + explicit + reading.relevance
    last = max((mention.at for mention in past), default=None)
    recency = _recency(at, last) if others and (matters or not reading.question.asks) else 0
    states_nothing = reading.relevance == 0 or (reading.question.asks and reading.relevance <= OWN_QUESTION_POINTS)
    if states_nothing and reading.explicit == 0:  # the subject may matter, but not this text
        frequency = min(frequency, max(0, MOST_OF_A_QUESTION - recency - explicit - reading.relevance))
    reasons = [
        _reason(frequency, f"{_count_phrase(past)} mentioned"),
        _reason(recency, "brought up in the last 7 days" if recency == 2 else "brought up in the last 30 days"),
        _reason(explicit, emphasis),
        _reason(reading.relevance, reading.about),
    ]
    texts = [reason for reason in reasons if reason] or ["A passing remark or a general question (0)."]
    return make_score(frequency, recency, explicit, reading.relevance, texts)


def make_score(frequency: int, recency: int, explicit: int, relevance: int, reasons: Sequence[str]) -> Score:
    total = min(10, frequency + recency + explicit + relevance)
    return Score(frequency, recency, explicit, relevance, f"{' '.join(reasons)} Score {total}.", retention_of(total))


def frequency_of(mentions: Sequence[TopicMention]) -> int:
    """0-3, over the whole past: a former habit still counts."""
    days = sorted({(mention.day, mention.conversation) for mention in mentions})
    if len(days) < 2:
        return 0
    ordinals = [day.toordinal() for day, _ in days]
    if _within(sorted(set(ordinals)), 7, DAILY) or _weekly(set(ordinals)):
        return 3
    return 2 if _within(ordinals, OFTEN_DAYS, OFTEN) else 1


def _within(ordinals: Sequence[int], days: int, count: int) -> bool:
    """Whether at least `count` of the days lie within `days` days."""
    return any(last - first < days for first, last in zip(ordinals, ordinals[count - 1 :], strict=False))


def _weekly(ordinals: set[int]) -> bool:
    """Whether there is a mention in each of some weeks in a row, counted back from any mention."""
    return any(
        all(any(last - 7 * week - day in ordinals for day in range(7)) for week in range(WEEKS)) for last in ordinals
    )


def _recency(at: datetime, last: datetime | None) -> int:
    if last is None:
        return 0
    age = at - last
    return 2 if age <= timedelta(days=7) else 1 if age <= timedelta(days=30) else 0


def _passing_score(mentions: Sequence[TopicMention]) -> Score:
    frequency = min(1, frequency_of(mentions))
    reason = f"A question about the day, {_count_phrase(mentions).lower()} asked ({frequency})."
    return make_score(frequency, 0, 0, 0, [reason])


def _count_phrase(mentions: Sequence[TopicMention]) -> str:
    count = len({(mention.day, mention.conversation) for mention in mentions})
    return {0: "Never", 1: "Once", 2: "Twice"}.get(count, f"{count} times")


def _reason(points: int, reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]} ({points})." if points else ""
