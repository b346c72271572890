"""The form of a summary: its size, title and headings, and what it must contain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from waypost.journal.layout import Month, Week
from waypost.journal.period_pages.items import SummaryItem, holding_items, mark_overtaken, summary_items
from waypost.journal.statements.recognise import asks_about_wording
from waypost.journal.wording import SummaryWords, main_language
from waypost.model.journal import ScoredEntry

Period = Week | Month | int  # an int is a year
HEADINGS = ("topics", "insights", "events", "recurring", "later", "highlights")
_LEAST_OF_A_YEAR = 2.7  # weight
_LEAST_OF_A_QUIET_YEAR = 1.5
_FEW_OF_A_YEAR = 18  # lines
HIGHLIGHT = 5  # least score of an item that represents a month in a year's summary


@dataclass(frozen=True, slots=True)
class Measure:
    """How much of a period is summarised."""

    least: int  # score of included items
    room: int  # bytes for items that need not stay word for word
    topics: int
    mentions: int  # by people, from which a topic is named
    points: int  # under each of the other headings
    events: int  # under the heading for events
    statements: int  # under all of them
    days: int  # on which a topic must come up to count as recurring
    keeps_all: bool = True  # keep all verbatim items, or only protected ones


WEEK = Measure(least=5, room=6_000, topics=5, mentions=2, points=10, events=12, statements=24, days=2)
MONTH = Measure(least=7, room=8_000, topics=6, mentions=3, points=8, events=8, statements=8, days=4)
YEAR = Measure(least=8, room=14_000, topics=8, mentions=4, points=8, events=24, statements=30, days=12, keeps_all=False)


def measure_of(period: Period) -> Measure:
    return WEEK if isinstance(period, Week) else MONTH if isinstance(period, Month) else YEAR


def items_of(period: Period, entries: Sequence[ScoredEntry]) -> list[SummaryItem]:
    """The items of a period. Pages of months and years look back: they leave out what no longer holds at their end."""
    items = summary_items(entries)
    if isinstance(period, int):
        items = holding_items(items, last_day_of(period))
    return items if isinstance(period, Week) else mark_overtaken(items)


def indices_worth_a_line(items: Sequence[SummaryItem], period: Period) -> list[int]:
    """What states something, and what is important for another reason, the strongest first. A score never empties a page.

    A year's page is for what is still news at its end; a quiet year has room for more. Output of tools is in the archive.
    """
    strongest = sorted(range(len(items)), key=lambda index: (-items[index].weight, index))
    stated = [index for index in strongest if items[index].informs and items[index].role != "tool"]
    if isinstance(period, int):
        room = min(_FEW_OF_A_YEAR, len(stated) // 2)
        stated = [
            index
            for number, index in enumerate(stated)
            if items[index].is_marked
            or items[index].weight >= (_LEAST_OF_A_QUIET_YEAR if number < room else _LEAST_OF_A_YEAR)
        ]
    least = measure_of(period).least
    other = {index for index in strongest if not items[index].informs and items[index].score >= least}
    worthy = {*stated, *(index for index in other if items[index].role != "tool")}
    return [index for index in strongest if index in worthy]


def must_stay(item: SummaryItem, measure: Measure) -> bool:
    """Whether the item's text stays unchanged in the summary, at any length."""
    if item.is_protected:
        return True
    if not item.is_verbatim or not measure.keeps_all:
        return False
    return item.score >= measure.least or measure is WEEK


def strongest_of_months(items: Sequence[SummaryItem]) -> list[int]:
    """Index of the strongest item of each month, by month. An assistant's words represent no month."""
    best: dict[int, int] = {}
    for index, item in enumerate(items):
        now = best.get(item.day.month)
        is_strong = item.score >= HIGHLIGHT or item.informs
        if is_strong and item.role != "assistant" and (now is None or item.weight > items[now].weight):
            best[item.day.month] = index
    return [best[month] for month in sorted(best)]


def language_of_items(items: Sequence[SummaryItem], otherwise: str = "") -> str:
    """The language of the important items, or of all if none is important; `otherwise` if they have little text.

    What people say counts first, but not texts that they only ask about: these can be in any language.
    """
    own = [item for item in items if item.role == "person" and not asks_about_wording(item.text)]
    important = [item for item in own if item.score >= WEEK.least]
    return main_language((item.text for item in important or own or items), otherwise)


def last_day_of(period: Period) -> date:
    return date(period, 12, 31) if isinstance(period, int) else period.last


def title_of(period: Period, words: SummaryWords) -> str:
    if isinstance(period, Week):
        return f"{words.say('week', number=period.number)} ({period.first} – {period.last})"
    if isinstance(period, Month):
        return f"{words.month(period.number)} {period.year}"
    return words.say("year", number=period)


def render_page(period: Period, words: SummaryWords, sections: Mapping[str, Sequence[str]]) -> str:
    """The title, and each heading that has lines."""
    parts = [f"## {title_of(period, words)}"]
    parts += [f"### {words.headings[name]}\n" + "\n".join(sections[name]) for name in HEADINGS if sections.get(name)]
    if len(parts) == 1:
        parts.append(words.say("nothing"))
    return "\n\n".join(parts) + "\n"
