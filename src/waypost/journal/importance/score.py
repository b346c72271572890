"""What an entry is worth keeping, 0-10, with the reasons (CM-3), and what follows from that (CM-4).

frequency  0-3  conversations in which persons brought up the topic until then (a mention is a conversation on a day):
                one 0; two or three, or more that lie far apart, 1; four within 30 days 2; on four days of a week, or
                in each of four weeks in a row, 3
recency    0-2  the last of them within 7 days 2, within 30 days 1; only where another factor is above 0
explicit   0-2  asked to be kept or called important, or a personal goal with a plan, a number or a date, 2; stated as
                decided, noted on purpose, or asked again in another conversation 1
relevance  0-3  preferences, dislikes, traits and stated goals 3, decisions and strategy 2, personal events 1

A question about the day (weather, TV programme, the time …) is worth 0, and 1 when it comes up again: however often it
is asked, nobody wants its answer tomorrow.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from waypost.journal.importance.utterance import UtteranceReading
from waypost.model.journal import Score

OFTEN, OFTEN_DAYS = 4, 30  # mentions within so many days are several times a month
DAILY = 4  # days of one week
WEEKS = 4  # in a row
_RETENTION = (
    (8, "Keep for good, also in important/preferences.md; never removed."),
    (5, "In the index for 30 days and in summaries; archived after a year."),
    (2, "In the index for 7 days; in summaries only where another topic needs it."),
    (0, "Out of the index after 24 hours; 7 days in the day file; never in summaries."),
)


@dataclass(frozen=True, slots=True)
class TopicMention:
    """A person brought up a topic: in this conversation, on this day."""

    at: datetime
    day: date
    conversation: str
    asks: bool = False


def retention_of(score: int) -> str:
    """What becomes of an entry of this score (CM-4)."""
    return next(words for least, words in _RETENTION if score >= least)


def judge(reading: UtteranceReading, mentions: Sequence[TopicMention], at: datetime) -> Score:
    """The worth at `at` of words that a person said, given all mentions of their topic, this one among them."""
    known = [mention for mention in mentions if mention.at <= at]
    if reading.asking.passing:
        return _passing(known)
    often = frequency_of(known)
    explicit, emphasis = reading.explicit, reading.emphasis
    if not explicit and reading.asking.asks and len({(one.day, one.conversation) for one in known if one.asks}) > 1:
        explicit, emphasis = 1, "the same was asked again"
    others = often + explicit + reading.relevance
    last = max((mention.at for mention in known), default=None)
    recent = _recency(at, last) if others else 0
    reasons = [
        _counted(often, f"{_times(known)} mentioned"),
        _counted(recent, "brought up in the last 7 days" if recent == 2 else "brought up in the last 30 days"),
        _counted(explicit, emphasis),
        _counted(reading.relevance, reading.about),
    ]
    told = [reason for reason in reasons if reason]
    return scored_as(
        often, recent, explicit, reading.relevance, told or ["A passing remark or a general question (0)."]
    )


def scored_as(often: int, recent: int, explicit: int, relevance: int, reasons: Sequence[str]) -> Score:
    total = min(10, often + recent + explicit + relevance)
    return Score(often, recent, explicit, relevance, f"{' '.join(reasons)} Score {total}.", retention_of(total))


def frequency_of(mentions: Sequence[TopicMention]) -> int:
    """0-3, over the whole past: what was once a habit does not become less of one."""
    days = sorted({(one.day, one.conversation) for one in mentions})
    if len(days) < 2:
        return 0
    ordinals = [day.toordinal() for day, _ in days]
    if _within(sorted(set(ordinals)), 7, DAILY) or _weekly(set(ordinals)):
        return 3
    return 2 if _within(ordinals, OFTEN_DAYS, OFTEN) else 1


def _within(ordinals: Sequence[int], days: int, count: int) -> bool:
    """Whether so many of these lie within so many days."""
    return any(last - first < days for first, last in zip(ordinals, ordinals[count - 1 :], strict=False))


def _weekly(ordinals: set[int]) -> bool:
    """Whether there is one in each of some weeks in a row, counted back from any of them."""
    return any(
        all(any(last - 7 * week - day in ordinals for day in range(7)) for week in range(WEEKS)) for last in ordinals
    )


def _recency(at: datetime, last: datetime | None) -> int:
    if last is None:
        return 0
    age = at - last
    return 2 if age <= timedelta(days=7) else 1 if age <= timedelta(days=30) else 0


def _passing(known: Sequence[TopicMention]) -> Score:
    often = min(1, frequency_of(known))
    reason = f"A question about the day, {_times(known).lower()} asked ({often})."
    return scored_as(often, 0, 0, 0, [reason])


def _times(known: Sequence[TopicMention]) -> str:
    count = len({(one.day, one.conversation) for one in known})
    return {0: "Never", 1: "Once", 2: "Twice"}.get(count, f"{count} times")


def _counted(points: int, reason: str) -> str:
    return f"{reason[0].upper()}{reason[1:]} ({points})." if points else ""
