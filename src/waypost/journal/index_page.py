"""The generated part of MEMORY.md: what is known of a person, what was said when, numbers, and how upkeep stands.

Made from values alone: the same sheet gives the same page. Retention is CM-4's: a worth of 8-10 stays, 5-7 stays 30 days,
2-4 stays 7 days, 0-1 stays 24 hours.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from waypost.journal.index_lines import Phrases, one_line, phrases, sourced
from waypost.journal.layout import PREFERENCES, Month, Week
from waypost.journal.roles import role_of
from waypost.journal.summary_items import source_of
from waypost.model.journal import Entry, Scored

PERSISTENT, IMPORTANT, MODERATE = 8, 5, 2  # from which worth on
IMPORTANT_DAYS, MODERATE_DAYS = 30, 7
PASSING = timedelta(hours=24)
LONGEST_ENTRY, LONGEST_ANSWER, LONGEST_TOPIC = 160, 100, 60  # characters
MOST_LINES = 300
MOST_PREFERENCES, MOST_PROJECTS = 30, 10
MOST_INSIGHTS, MOST_CONTEXT, MOST_TEMPORARY, MOST_TOPICS = 6, 4, 5, 5  # of a day
MOST_WEEKS, MOST_MONTHS, MOST_YEARS = 6, 14, 30
FEWEST_LINES_OF_A_DAY = 5
SOURCES_OF_A_WORD = 2  # a word that two entries hold is not gone when one of them is forgotten
_LESS_IS_LESS = 1024
_WORD = re.compile(r"\w{3,}")


@dataclass(frozen=True, slots=True)
class Told:
    """A line with the entries that it comes from."""

    text: str
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Project:
    """What somebody keeps coming back to."""

    label: str
    since: date
    last: date
    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Day:
    day: date
    path: str  # of the file that exists
    items: tuple[Scored, ...]


@dataclass(frozen=True, slots=True)
class Period:
    """A week, month or year with its summary."""

    span: Week | Month | int
    path: str
    lines: tuple[Told, ...] = ()  # what it was about


@dataclass(frozen=True, slots=True)
class Figures:
    conversations: int = 0
    mean_length: float = 0.0
    busiest: tuple[int, int] | None = None
    topics: tuple[tuple[Told, float], ...] = ()  # with their shares
    sizes: tuple[tuple[str, int, int], ...] = ()  # stage, bytes, files


@dataclass(frozen=True, slots=True)
class Upkeep:
    last: datetime | None
    next: datetime
    removed: int = 0
    archived: int = 0
    created: int = 0


@dataclass(frozen=True, slots=True)
class Sheet:
    """All that the page is made of. Times are local."""

    language: str
    now: datetime
    upkeep: Upkeep
    created: date | None = None
    preferences: tuple[Told, ...] = ()
    has_preferences: bool = False  # the file exists
    projects: tuple[Project, ...] = ()
    days: tuple[Day, ...] = ()
    periods: tuple[Period, ...] = ()  # of all sorts
    figures: Figures = field(default_factory=Figures)


def opening(language: str) -> str:
    """The upper part of a page that does not exist yet."""
    words = phrases(language)
    return f"# {words['title']}\n\n{words['yours']}\n"


def generated(sheet: Sheet) -> str:
    """The lower part, of at most `MOST_LINES` lines: when there is more, the oldest days and summaries are left out."""
    words = phrases(sheet.language)
    head = [*_dates(sheet, words), *_personal(sheet, words), f"## {words['history']}", ""]
    foot = [*_statistics(sheet.figures, words), *_upkeep(sheet.upkeep, words)]
    room = MOST_LINES - len(head) - len(foot)
    sections = [*_days(sheet, words), *_periods(sheet, words)]
    return "\n".join([*head, *_fitting(sections, room), *foot]).rstrip("\n")


def without_time(part: str) -> str:
    """The page but for when it was made: by this one can tell whether it changed."""
    starts = tuple(f"- {phrases(language)['updated']}: " for language in ("en", "de", "ru"))
    return "\n".join(line for line in part.split("\n") if not line.startswith(starts))


def stays(entry: Entry, score: int, now: datetime) -> bool:
    """Whether the index still tells of an entry of this worth."""
    age = now - entry.at
    if score >= PERSISTENT:
        return True
    if score >= IMPORTANT:
        return age <= timedelta(days=IMPORTANT_DAYS)
    return age <= (timedelta(days=MODERATE_DAYS) if score >= MODERATE else PASSING)


def told_topic(label: str, entries: Sequence[Entry], longest: int = LONGEST_TOPIC) -> Told:
    """A topic's label, with entries that hold its words: for each word two where there are two."""
    ids: dict[str, None] = {}
    folded = [(entry, entry.text.casefold()) for entry in entries]
    for word in _WORD.findall(label.casefold()):
        for entry in [entry for entry, text in folded if word in text][:SOURCES_OF_A_WORD]:
            ids[source_of(entry)] = None
    if not ids:
        ids = dict.fromkeys(source_of(entry) for entry in entries[: 2 * SOURCES_OF_A_WORD])
    return Told(one_line(label, longest), tuple(ids))


def size_words(size: int) -> str:
    if size < _LESS_IS_LESS:
        return f"{size} B"
    if size < _LESS_IS_LESS**2:
        return f"{size / _LESS_IS_LESS:.1f} KB"
    return f"{size / _LESS_IS_LESS**2:.2f} MB"


# -- the parts of the page


def _dates(sheet: Sheet, words: Phrases) -> Iterator[str]:
    if sheet.created is not None:
        yield f"- {words['created']}: {sheet.created.isoformat()}"
    yield f"- {words['updated']}: {_minute(sheet.now)}"
    yield f"- {words['cleaned']}: {_minute(sheet.upkeep.last) if sheet.upkeep.last else words['never']}"
    yield ""


def _personal(sheet: Sheet, words: Phrases) -> Iterator[str]:
    if not sheet.preferences and not sheet.projects and not sheet.has_preferences:
        return
    yield from (f"## {words['personal']}", "")
    if sheet.preferences or sheet.has_preferences:
        yield from (f"### {words['preferences']}", "")
        yield from (_bullet(told) for told in sheet.preferences[:MOST_PREFERENCES])
        if sheet.has_preferences:
            yield f"- [{words['all_preferences']}]({PREFERENCES})"
        yield ""
    if sheet.projects:
        yield from (f"### {words['projects']}", "")
        for project in sheet.projects[:MOST_PROJECTS]:
            when = words.filled("project", since=project.since.isoformat(), last=project.last.isoformat())
            yield sourced(f"- **{_bold(project.label)}**: {when}", project.ids)
        yield ""


def _days(sheet: Sheet, words: Phrases) -> Iterator[list[str]]:
    today = sheet.now.date()
    for day in sorted(sheet.days, key=lambda one: one.day, reverse=True):
        kept = tuple(item for item in day.items if stays(item.entry, item.score.score, sheet.now))
        if not kept and (today - day.day).days > MODERATE_DAYS:
            continue
        names = {today: f" ({words['today']})", today - timedelta(days=1): f" ({words['yesterday']})"}
        section = [f"### {day.day.isoformat()}{names.get(day.day, '')} - [{words['details']}]({day.path})", ""]
        lasting = [item for item in kept if item.score.score >= MODERATE]
        section += _topic_line(lasting, words)
        if day.items:
            highest = max((item.score.score for item in kept), default=0)
            section += [f"- **{words['importance']}:** {words.level(highest)}", ""]
        worthy = [item for item in kept if item.score.score >= IMPORTANT]
        rest = [item for item in lasting if item.score.score < IMPORTANT]
        passing = [item for item in kept if item.score.score < MODERATE]
        section += _listed(words["insights"], worthy, MOST_INSIGHTS, words, day.path)
        section += _listed(words["context"], rest, MOST_CONTEXT, words, day.path)
        section += _listed(words["temporary"], passing, MOST_TEMPORARY, words, day.path)
        yield section


def _topic_line(items: Sequence[Scored], words: Phrases) -> list[str]:
    """The topics of a day, the weightiest first."""
    groups: dict[int, list[Scored]] = {}
    for item in items:
        if item.topic and item.label:
            groups.setdefault(item.topic, []).append(item)
    order = sorted(
        groups.values(), key=lambda group: (-max(one.score.score for one in group), -len(group), group[0].entry.at)
    )
    told = [told_topic(group[0].label, [one.entry for one in group]) for group in order[:MOST_TOPICS]]
    if not told:
        return []
    names = "; ".join(dict.fromkeys(one.text for one in told))
    return [sourced(f"- **{words['topics']}:** {names}", (one for each in told for one in each.ids))]


def _listed(title: str, items: Sequence[Scored], most: int, words: Phrases, path: str) -> list[str]:
    """Entries under a title: the weightiest, in the order they were said, each wording once. Of a conversation it is what
    people said, with the answer to what they asked."""
    told = [item for item in items if is_told(item.entry)] or list(items)
    chosen: dict[str, Scored] = {}
    for item in sorted(told, key=lambda one: (-one.score.score, one.entry.at)):
        text = one_line(item.entry.held or "", LONGEST_ENTRY)
        if text and text not in chosen and len(chosen) < most:
            chosen[text] = item
    if not chosen:
        return []
    lines = [
        _with_answer(text, item, items) for text, item in sorted(chosen.items(), key=lambda pair: pair[1].entry.at)
    ]
    if len(told) > len(chosen):
        lines.append(f"- [{words.filled('more_entries', count=len(told) - len(chosen))}]({path})")
    return [f"**{title}:**", "", *lines, ""]


def is_told(entry: Entry) -> bool:
    """Whether it stands for itself: an answer stands with what was asked."""
    return entry.kind != "conversation" or entry.protected or role_of(entry.speaker, entry.kind) == "person"


def _with_answer(text: str, item: Scored, items: Sequence[Scored]) -> str:
    """The line of an entry; behind a question that is asked and done with, what was answered."""
    entry = item.entry
    line, ids = f"- {text}", [source_of(entry)]
    if text.endswith("?") and item.score.score < MODERATE:
        behind = [other.entry for other in items if other.entry.at >= entry.at and other.entry is not entry]
        after = min(behind, key=lambda other: other.at, default=None)
        if after is not None and after.session == entry.session and not is_told(after):
            line, ids = f"{line} → {one_line(after.held or '', LONGEST_ANSWER)}", [*ids, source_of(after)]
    return sourced(line, ids)


def _periods(sheet: Sheet, words: Phrases) -> Iterator[list[str]]:
    for kind, most in ((Week, MOST_WEEKS), (Month, MOST_MONTHS), (int, MOST_YEARS)):
        of_kind = [period for period in sheet.periods if isinstance(period.span, kind)]
        of_kind.sort(key=lambda period: str(period.span), reverse=True)
        for period in of_kind[:most]:
            title = _title(period.span, words, sheet.now.year)
            yield [f"### {title} - [{words['summary']}]({period.path})", "", *map(_bullet, period.lines), ""]


def _title(span: Week | Month | int, words: Phrases, this_year: int) -> str:
    if isinstance(span, Week):
        name = "week" if span.year == this_year else "week_year"
        return words.filled(
            name, number=span.number, year=span.year, first=span.first.isoformat(), last=span.last.isoformat()
        )
    return f"{words.month(span.number)} {span.year}" if isinstance(span, Month) else str(span)


def _statistics(figures: Figures, words: Phrases) -> Iterator[str]:
    yield from (f"## {words['statistics']}", "")
    yield f"- **{words['conversations']}:** {figures.conversations}"
    if figures.topics:
        shares = "; ".join(f"{_bold(told.text)} ({share:.0%})" for told, share in figures.topics)
        yield sourced(
            f"- **{words['frequent_topics']}:** {shares}", (one for told, _ in figures.topics for one in told.ids)
        )
    if figures.conversations:
        length = words.filled("messages", count=f"{figures.mean_length:.1f}".removesuffix(".0"))
        yield f"- **{words['mean_length']}:** {length}"
    if figures.busiest is not None:
        yield f"- **{words['busiest']}:** {figures.busiest[0]:02}:00-{figures.busiest[1]:02}:00"
    if figures.sizes:
        yield f"- **{words['sizes']}:**"
        for stage, size, count in figures.sizes:
            yield f"  - {words[f'size_{stage}']}: {words.filled('size_files', size=size_words(size), count=count)}"
    yield ""


def _upkeep(upkeep: Upkeep, words: Phrases) -> Iterator[str]:
    yield from (f"## {words['upkeep']}", "")
    yield f"- **{words['cleaned']}:** {_minute(upkeep.last) if upkeep.last else words['never']}"
    yield f"- **{words['next_cleanup']}:** {_minute(upkeep.next)}"
    for name, count in (("removed", upkeep.removed), ("archived", upkeep.archived), ("made", upkeep.created)):
        yield f"- **{words[name]}:** {count or words['none']}"


# -- lines


def _fitting(sections: Iterable[list[str]], room: int) -> Iterator[str]:
    """Whole sections while there is room; of what does not fit, its title at least, until that does not fit either."""
    for section in sections:
        if len(section) <= room:
            part = section
        elif room >= FEWEST_LINES_OF_A_DAY:
            part = [*section[:3], ""] if section[2].strip() else [*section[:1], ""]
        else:
            return
        room -= len(part)
        yield from part


def _bullet(told: Told) -> str:
    return sourced(f"- {told.text}", told.ids)


def _bold(text: str) -> str:
    """Fit to stand between the stars of bold print."""
    return text.replace("*", "").strip() or "?"


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"
