"""The generated part of MEMORY.md: facts about the person, what was said when, figures, and the state of condensing.

It depends on its values alone: the same content gives the same page.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from waypost.journal.layout import Month, Week
from waypost.journal.memory_page.content import CondenseState, IndexContent, JournalFigures
from waypost.journal.memory_page.days import day_sections
from waypost.journal.memory_page.lines import Phrases, bold, bullet, phrases, with_sources
from waypost.journal.memory_page.person_section import ongoing_section, personal_section

MOST_LINES = 300
MOST_WEEKS, MOST_MONTHS, MOST_YEARS = 20, 14, 30  # weeks become months after about 90 days, with no gap between them


def page_top(language: str) -> str:
    """The upper part of a new page."""
    words = phrases(language)
    return f"# {words['title']}\n\n<!-- waypost: {words['yours']} -->\n"


def generated_part(sheet: IndexContent) -> str:
    """The lower part, in at most `MOST_LINES` lines.

    If there is more, last week's days come before the summaries, and these before older days, newest first.
    """
    words = phrases(sheet.language)
    head = [
        *_dates(sheet, words),
        *personal_section(sheet, words),
        *ongoing_section(sheet, words),
        f"## {words['history']}",
        "",
    ]
    foot = [*_statistics(sheet.figures, words), *_condensing(sheet.condensing, words)]
    lines_left = MOST_LINES - len(head) - len(foot)
    summaries = list(_periods(sheet, words))
    for_summaries = min(sum(map(len, summaries)), lines_left // 3)
    recent, older = day_sections(sheet, words)
    days = list(_fit(recent, lines_left - for_summaries, titles=True))
    periods = list(_fit(summaries, lines_left - len(days), titles=True))
    past = list(_fit(older, lines_left - len(days) - len(periods), titles=False))
    return "\n".join([*head, *days, *past, *periods, *foot]).rstrip("\n")


def without_time(part: str) -> str:
    """The page without its creation time, to see whether it changed."""
    starts = tuple(f"- {phrases(language)['updated']}: " for language in ("en", "de", "ru"))
    return "\n".join(line for line in part.split("\n") if not line.startswith(starts))


def format_size(size: int) -> str:
    kilobytes = size / 1024
    return f"{size} B" if kilobytes < 1 else f"{kilobytes:.1f} KB" if kilobytes < 1024 else f"{kilobytes / 1024:.2f} MB"


# -- the parts of the page


def _dates(sheet: IndexContent, words: Phrases) -> Iterator[str]:
    if sheet.created is not None:
        yield f"- {words['created']}: {sheet.created.isoformat()}"
    yield f"- {words['updated']}: {_minute(sheet.now)}"
    yield f"- {words['cleaned']}: {_minute(sheet.condensing.last) if sheet.condensing.last else words['never']}"
    yield ""


def _periods(sheet: IndexContent, words: Phrases) -> Iterator[list[str]]:
    for kind, most in ((Week, MOST_WEEKS), (Month, MOST_MONTHS), (int, MOST_YEARS)):
        of_kind = [period for period in sheet.periods if isinstance(period.span, kind)]
        of_kind = [period for period in of_kind if period.lines or kind is not Week]  # nothing happened that week
        of_kind.sort(key=lambda period: str(period.span), reverse=True)
        for period in of_kind[:most]:
            title = _title(period.span, words, sheet.now.year)
            yield [f"### {title} - [{words['summary']}]({period.path})", "", *map(bullet, period.lines), ""]


def _title(span: Week | Month | int, words: Phrases, this_year: int) -> str:
    if isinstance(span, Week):
        name = "week" if span.year == this_year else "week_year"
        return words.fill(name, number=span.number, year=span.year, first=span.first, last=span.last)
    return f"{words.month(span.number)} {span.year}" if isinstance(span, Month) else str(span)


def _statistics(figures: JournalFigures, words: Phrases) -> Iterator[str]:
    yield from (f"## {words['statistics']}", "")
    yield f"- **{words['conversations']}:** {figures.conversations}"
    if figures.topics:
        shares = "; ".join(f"{bold(topic.text)} ({share:.0%})" for topic, share in figures.topics)
        ids = (id for topic, _ in figures.topics for id in topic.ids)
        yield with_sources(f"- **{words['frequent_topics']}:** {shares}", ids)
    if figures.conversations:
        length = words.fill("messages", count=f"{figures.mean_length:.1f}".removesuffix(".0"))
        yield f"- **{words['mean_length']}:** {length}"
    if figures.busiest is not None:
        yield f"- **{words['busiest']}:** {figures.busiest[0]:02}:00-{figures.busiest[1]:02}:00"
    if figures.sizes:
        yield f"- **{words['sizes']}:**"
        for stage, size, count in figures.sizes:
            size_text = words.fill("size_file" if count == 1 else "size_files", size=format_size(size), count=count)
            yield f"  - {words[f'size_{stage}']}: {size_text}"
    yield ""


def _condensing(state: CondenseState, words: Phrases) -> Iterator[str]:
    yield from (f"## {words['upkeep']}", "")
    yield f"- **{words['cleaned']}:** {_minute(state.last) if state.last else words['never']}"
    yield f"- **{words['next_cleanup']}:** {_minute(state.next)}"
    for name, count in (("removed", state.removed), ("archived", state.archived), ("made", state.created)):
        yield f"- **{words[name]}:** {count or words['none']}"


# -- lines


def _fit(sections: Sequence[list[str]], lines_left: int, *, titles: bool) -> Iterator[str]:
    """Whole sections while there is room, then only titles with links. With `titles`, room is kept for all titles."""
    for index, section in enumerate(sections):
        reserved = len(_title_only(section)) * (len(sections) - index - 1) if titles else 0
        part = section if len(section) + reserved <= lines_left else _title_only(section)
        if len(part) > lines_left:
            return
        lines_left -= len(part)
        yield from part


def _title_only(section: list[str]) -> list[str]:
    return [section[0], ""]


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
