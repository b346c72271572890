"""Gathers what the index page tells: the last thirty days with their worth, summaries, preferences, numbers, upkeep."""

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta

from waypost.errors import WaypostError
from waypost.flows.journal.importance import scored
from waypost.flows.journal.log import last_cleanup, next_cleanup
from waypost.flows.journal.preferences import promoted
from waypost.flows.journal.tally import counted, named_entries
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import Bullet, parse_bullets
from waypost.journal.files import FileStamp
from waypost.journal.index_page.content import (
    CondenseState,
    Day,
    IndexContent,
    JournalFigures,
    Period,
    RecurringTopic,
    SourcedLine,
)
from waypost.journal.index_page.days import (
    IMPORTANT,
    IMPORTANT_DAYS,
    LONGEST_ENTRY,
    LONGEST_TOPIC,
    MODERATE,
    PASSING,
    is_told,
    stays,
    told_topic,
)
from waypost.journal.index_page.lines import one_line, sources_of, unsourced
from waypost.journal.index_page.page import MOST_PREFERENCES
from waypost.journal.index_page.tally import days_of
from waypost.journal.layout import ARCHIVE, DNA, INDEX, PREFERENCES, STAGES, month_of, stage_of, week_of, year_of
from waypost.journal.summary.frame import split_frame
from waypost.journal.summary.items import source_of
from waypost.journal.wording import plain, prevailing
from waypost.model.journal import Entry, ScoredEntry, mark_of

MOST_LINES_OF_A_SUMMARY = 4
MOST_FREQUENT = 3
MOST_STATED = 10
PERSONAL = 3  # points of relevance: preferences and personal goals
PROJECT_MENTIONS, PROJECT_DAYS, PROJECT_RELEVANCE = 3, 2, 2  # from which on a topic is something somebody works at


def sheet_of(space: OpenSpace) -> IndexContent:
    """What the page is to say now."""
    now = space.journal.local(space.clock())
    files = space.journal.scan()
    days = _recent(space, files)
    said = _said(space, days)
    bullets = _preferences(space)
    older = _first_said(space, bullets, said.values())
    recent = [entry for entries in said.values() for entry in entries]
    judged = scored(space, [*older, *recent], space.clock())
    of_days = judged[len(older) :]
    tally = counted(space)
    return IndexContent(
        language=prevailing(entry.text for entry in recent or older),
        now=now,
        upkeep=_upkeep(space, of_days),
        created=tally.first,
        preferences=(*_told_preferences(bullets), *_stated(of_days, promoted(space), now)),
        has_preferences=PREFERENCES in files,
        projects=tuple(_projects(judged)),
        days=tuple(_days(days, said, of_days)),
        periods=tuple(_periods(space, files)),
        figures=JournalFigures(
            len(tally.sessions), tally.mean_length, tally.busiest, tuple(_frequent(of_days)), tuple(_sizes(files))
        ),
    )


def frequent_topics(space: OpenSpace) -> list[tuple[SourcedLine, float]]:
    """What the last thirty days were about most, with the share of the entries that were."""
    said = _said(space, _recent(space, space.journal.scan()))
    recent = [entry for entries in said.values() for entry in entries]
    return list(_frequent(scored(space, recent, space.clock()))) if recent else []


# -- days


def _recent(space: OpenSpace, files: Iterable[str]) -> dict[date, tuple[str, ...]]:
    today = space.journal.today(space.clock())
    first = today - timedelta(days=IMPORTANT_DAYS)
    return {day: paths for day, paths in days_of(files).items() if first <= day <= today}


def _said(space: OpenSpace, days: Mapping[date, Sequence[str]]) -> dict[date, list[Entry]]:
    return {day: _held(space, paths) for day, paths in days.items()}


def _held(space: OpenSpace, paths: Sequence[str]) -> list[Entry]:
    """What was said on a day and still holds, in the words that hold."""
    with space.store.read() as reader:
        named = named_entries(space, reader, paths)
    return [
        replace(entry, id=memory_id, text=entry.held, amendments=())
        for entry, _, memory_id in named
        if entry.held is not None and entry.held.strip()
    ]


def _days(
    days: Mapping[date, Sequence[str]], said: Mapping[date, Sequence[Entry]], judged: Sequence[ScoredEntry]
) -> Iterator[Day]:
    place = 0
    for day, paths in days.items():
        items = judged[place : place + len(said[day])]
        place += len(items)
        yield Day(day, paths[-1], tuple(items))


# -- what is known of a person


def _preferences(space: OpenSpace) -> tuple[Bullet, ...]:
    try:
        return parse_bullets(space.journal.read(PREFERENCES))
    except WaypostError:
        return ()


def _told_preferences(bullets: Sequence[Bullet]) -> Iterator[SourcedLine]:
    """What people wrote themselves first, then what was put there last; in the order of the file."""
    order = sorted(range(len(bullets)), key=lambda place: (bullets[place].id is not None, -place))
    for place in sorted(order[:MOST_PREFERENCES]):
        bullet = bullets[place]
        yield SourcedLine(one_line(bullet.text, LONGEST_ENTRY), (bullet.id,) if bullet.id else ())


def _stated(judged: Sequence[ScoredEntry], known: Container[str], now: datetime) -> Iterator[SourcedLine]:
    """What people said of themselves lately that was not put among their preferences, newest first."""
    said: dict[str, SourcedLine] = {}
    for item in sorted(judged, key=lambda one: one.entry.at, reverse=True):
        entry, score = item.entry, item.score
        if (
            score.relevance_points == PERSONAL
            and score.score >= IMPORTANT
            and mark_of(entry.id or "") not in known
            and is_told(entry)
        ):
            told = SourcedLine(one_line(entry.text, LONGEST_ENTRY), (source_of(entry),))
            if stays(entry, score.score, now) and len(said) < MOST_STATED:
                said.setdefault(told.text.casefold(), told)
    return iter(said.values())


def _first_said(space: OpenSpace, bullets: Sequence[Bullet], recent: Iterable[Sequence[Entry]]) -> list[Entry]:
    """What became a preference longer ago: it tells since when a topic is one."""
    known = {entry.id for entries in recent for entry in entries}
    found = []
    with space.store.read() as reader:
        for bullet in bullets:
            versions = reader.memories.versions(bullet.id) if bullet.id and bullet.id not in known else []
            if versions and versions[0].time is not None:
                at = space.journal.local(versions[0].time)
                found.append(Entry(bullet.text, at, versions[-1].kind, versions[-1].speaker, bullet.id))
    return found


def _projects(judged: Sequence[ScoredEntry]) -> Iterator[RecurringTopic]:
    """Topics that came up again and again and matter to somebody, the latest first."""
    found = []
    for group in _topics(judged).values():
        days = {item.entry.at.date() for item in group}
        matters = any(item.score.relevance_points >= PROJECT_RELEVANCE for item in group)
        worth = max(item.score.score for item in group)
        if len(group) >= PROJECT_MENTIONS and len(days) >= PROJECT_DAYS and matters and worth >= IMPORTANT:
            told = told_topic(group[0].label, [item.entry for item in group])
            found.append(RecurringTopic(told.text, min(days), max(days), told.ids))
    return iter(sorted(found, key=lambda project: (-project.last.toordinal(), project.since, project.label)))


def _topics(judged: Sequence[ScoredEntry]) -> dict[int, list[ScoredEntry]]:
    groups: dict[int, list[ScoredEntry]] = {}
    for item in judged:
        if item.topic and item.label:
            groups.setdefault(item.topic, []).append(item)
    return groups


# -- summaries


def _periods(space: OpenSpace, files: Mapping[str, FileStamp]) -> Iterator[Period]:
    read = {"weekly": week_of, "monthly": month_of, "yearly": year_of}
    for path in files:
        span = read[stage_of(path)](path) if stage_of(path) in read else None
        if span is not None:
            try:
                text = space.journal.read(path)
            except WaypostError:  # it went meanwhile, or is damaged
                continue
            yield Period(span, path, tuple(_summary_lines(text)))


def _summary_lines(text: str) -> Iterator[SourcedLine]:
    """The first points of a summary: what it is about."""
    frame = split_frame(text)
    lines = [line for line in (frame.part or text).split("\n") if line.startswith("- ")]
    for line in lines[:MOST_LINES_OF_A_SUMMARY]:
        told = one_line(plain(unsourced(line.rstrip("\r"))), LONGEST_ENTRY)
        if told:
            yield SourcedLine(told, sources_of(line))


# -- numbers


def _frequent(judged: Sequence[ScoredEntry]) -> Iterator[tuple[SourcedLine, float]]:
    groups = [group for group in _topics(judged).values() if max(item.score.score for item in group) >= MODERATE]
    groups.sort(key=lambda group: (-len(group), group[0].label))
    for group in groups[:MOST_FREQUENT]:
        told = told_topic(group[0].label, [item.entry for item in group], LONGEST_TOPIC)
        yield told, len(group) / len(judged)


def _sizes(files: Mapping[str, FileStamp]) -> Iterator[tuple[str, int, int]]:
    """Of each stage and of all; without the page itself, whose size would change with what it says about it."""
    counted_files = {path: stamp.size for path, stamp in files.items() if path not in (INDEX, DNA)}
    for stage in (*STAGES, "important", ARCHIVE):
        inside = [size for path, size in counted_files.items() if path.startswith(f"{stage}/")]
        if inside:
            yield stage, sum(inside), len(inside)
    if counted_files:
        yield "total", sum(counted_files.values()), len(counted_files)


def _upkeep(space: OpenSpace, judged: Sequence[ScoredEntry]) -> CondenseState:
    """How the last upkeep stands; the passing facts that left the page within the day before it are counted as removed."""
    last, local = last_cleanup(space), space.journal.local
    following = next_cleanup(space, space.clock())
    if last is None:
        return CondenseState(None, following)
    gone = [item for item in judged if item.score.score < MODERATE and PASSING < last.at - item.entry.at <= 2 * PASSING]
    return CondenseState(local(last.at), following, len(gone), len(last.archived), len(last.created))
