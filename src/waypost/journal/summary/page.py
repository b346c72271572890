"""The shape of a summary: how much of a period is told, its title, its headings, what must stand in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from waypost.journal.layout import Month, Week
from waypost.journal.summary.items import SummaryItem
from waypost.journal.wording import SummaryWords, main_language

Period = Week | Month | int  # an int is a year
HEADINGS = ("topics", "insights", "events", "recurring", "later", "highlights")
HIGHLIGHT = 5  # the least score of what stands for a month of a year of which nothing else is told


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


def measure_of(period: Period) -> Measure:
    return WEEK if isinstance(period, Week) else MONTH if isinstance(period, Month) else YEAR


def must_stay(item: SummaryItem, measure: Measure) -> bool:
    """Whether its words stand in the summary as they are, however much room they take."""
    if item.is_protected:
        return True
    if not item.is_verbatim or not measure.keeps_all:
        return False
    return item.score >= measure.least or measure is WEEK


def language_of_items(items: Sequence[SummaryItem]) -> str:
    """The language of what counts; of everything where nothing does."""
    return main_language(item.text for item in [one for one in items if one.score >= WEEK.least] or items)


def title_of(period: Period, words: SummaryWords) -> str:
    if isinstance(period, Week):
        return f"{words.say('week', number=period.number)} ({period.first} – {period.last})"
    if isinstance(period, Month):
        return f"{words.month(period.number)} {period.year}"
    return words.say("year", number=period)


def page(period: Period, words: SummaryWords, sections: Mapping[str, Sequence[str]]) -> str:
    """The title, and each heading that has lines."""
    parts = [f"## {title_of(period, words)}"]
    parts += [f"### {words.headings[name]}\n" + "\n".join(sections[name]) for name in HEADINGS if sections.get(name)]
    if len(parts) == 1:
        parts.append(words.say("nothing"))
    return "\n\n".join(parts) + "\n"
