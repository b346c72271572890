"""The generated part of MEMORY.md: facts about the person, what was said when, figures, and the state of condensing.

It depends on its values alone: the same content gives the same page.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby

from waypost.journal.layout import PREFERENCES, Month, Week
from waypost.journal.memory_page.content import CondenseState, IndexContent, JournalFigures, PersonLine, SourcedLine
from waypost.journal.memory_page.days import day_sections
from waypost.journal.memory_page.lines import Phrases, phrases, with_sources

MOST_LINES = 300
MOST_PREFERENCES, MOST_MILESTONES, MOST_PROJECTS, MOST_ONGOING = 30, 12, 10, 8
MOST_WEEKS, MOST_MONTHS, MOST_YEARS = 6, 14, 30


def page_top(language: str) -> str:
    """The upper part of a new page."""
    words = phrases(language)
    return f"# {words['title']}\n\n<!-- waypost: {words['yours']} -->\n"


def generated_part(sheet: IndexContent) -> str:
    """The lower part, in at most `MOST_LINES` lines.

    If there is more, last week's days come before the summaries, and these before older days, newest first.
    """
    words = phrases(sheet.language)
    head = [*_dates(sheet, words), *_personal(sheet, words), *_ongoing(sheet, words), f"## {words['history']}", ""]
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


def _personal(sheet: IndexContent, words: Phrases) -> Iterator[str]:
    if not (sheet.person or sheet.preferences or sheet.milestones or sheet.projects or sheet.has_preferences):
        return
    yield from (f"## {words['personal']}", "")
    yield from _person(sheet.person, words)
    if sheet.preferences or sheet.has_preferences:
        yield from (f"### {words['preferences']}", "")
        yield from (_bullet(preference) for preference in sheet.preferences[:MOST_PREFERENCES])
        if sheet.has_preferences:
            yield f"- [{words['all_preferences']}]({PREFERENCES})"
        yield ""
    if sheet.milestones:
        yield from (f"### {words['milestones']}", "")
        yield from (_person_line("- ", line, words) for line in sheet.milestones[:MOST_MILESTONES])
        yield ""
    if sheet.projects:
        yield from (f"### {words['projects']}", "")
        for project in sheet.projects[:MOST_PROJECTS]:
            when = words.fill("project", since=project.since, last=project.last)
            yield with_sources(f"- **{_bold(project.label)}**: {when}", project.ids)
        yield ""


def _person(lines: Sequence[PersonLine], words: Phrases) -> Iterator[str]:
    """One line for each fact; several of one sort are listed below its name."""
    for slot, group in groupby(lines, key=lambda line: line.slot):
        of_slot = list(group)
        if len(of_slot) == 1:
            yield _person_line(f"- **{words[f'person_{slot}']}:** ", of_slot[0], words)
            continue
        yield f"- **{words[f'person_{slot}']}:**"
        yield from (_person_line("  - ", line, words) for line in of_slot)
    if lines:
        yield ""


def _person_line(lead: str, line: PersonLine, words: Phrases) -> str:
    ids = list(line.line.ids)
    text = f"{lead}{_dated(line)}"
    if line.latest is not None:
        ids += line.latest.line.ids
        text = f"{text.rstrip()} {words['latest']}: {_dated(line.latest)}"
    return with_sources(text, ids)


def _dated(line: PersonLine) -> str:
    if line.day is None:
        return line.line.text
    day = f"[{line.day.isoformat()}]({line.path})" if line.path else line.day.isoformat()
    return f"{line.line.text} ({day})"


def _ongoing(sheet: IndexContent, words: Phrases) -> Iterator[str]:
    if sheet.ongoing:
        yield from (f"## {words['ongoing']}", "")
        yield from (_person_line("- ", line, words) for line in sheet.ongoing[:MOST_ONGOING])
        yield ""


def _periods(sheet: IndexContent, words: Phrases) -> Iterator[list[str]]:
    for kind, most in ((Week, MOST_WEEKS), (Month, MOST_MONTHS), (int, MOST_YEARS)):
        of_kind = [period for period in sheet.periods if isinstance(period.span, kind)]
        of_kind.sort(key=lambda period: str(period.span), reverse=True)
        for period in of_kind[:most]:
            title = _title(period.span, words, sheet.now.year)
            yield [f"### {title} - [{words['summary']}]({period.path})", "", *map(_bullet, period.lines), ""]


def _title(span: Week | Month | int, words: Phrases, this_year: int) -> str:
    if isinstance(span, Week):
        name = "week" if span.year == this_year else "week_year"
        return words.fill(name, number=span.number, year=span.year, first=span.first, last=span.last)
    return f"{words.month(span.number)} {span.year}" if isinstance(span, Month) else str(span)


def _statistics(figures: JournalFigures, words: Phrases) -> Iterator[str]:
    yield from (f"## {words['statistics']}", "")
    yield f"- **{words['conversations']}:** {figures.conversations}"
    if figures.topics:
        shares = "; ".join(f"{_bold(topic.text)} ({share:.0%})" for topic, share in figures.topics)
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


def _bullet(line: SourcedLine) -> str:
    return with_sources(f"- {line.text}", line.ids)


def _bold(text: str) -> str:
    return text.replace("*", "").strip() or "?"


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
