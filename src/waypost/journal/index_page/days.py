"""The days of the index page: which entries it still tells, and how.

Retention is CM-4's: a worth of 8-10 stays, 5-7 stays 30 days, 2-4 stays 7 days, 0-1 stays 24 hours.
"""

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from waypost.journal.index_page.content import Day, IndexContent, SourcedLine
from waypost.journal.index_page.lines import Phrases, one_line, sourced
from waypost.journal.roles import role_of
from waypost.journal.summary.items import source_of
from waypost.model.journal import Entry, ScoredEntry

PERSISTENT, IMPORTANT, MODERATE = 8, 5, 2  # from which worth on
IMPORTANT_DAYS, MODERATE_DAYS = 30, 7
PASSING = timedelta(hours=24)
LONGEST_ENTRY, LONGEST_ANSWER, LONGEST_TOPIC = 160, 100, 60  # characters
MOST_INSIGHTS, MOST_CONTEXT, MOST_TEMPORARY, MOST_TOPICS = 6, 4, 5, 5  # of a day
MOST_OF_AN_OLDER_DAY = 3
SOURCES_OF_A_WORD = 2  # a word that two entries hold is not gone when one of them is forgotten
_WORD = re.compile(r"\w{3,}")


def stays(entry: Entry, score: int, now: datetime) -> bool:
    """Whether the index still tells of an entry of this worth."""
    age = now - entry.at
    if score >= PERSISTENT:
        return True
    if score >= IMPORTANT:
        return age <= timedelta(days=IMPORTANT_DAYS)
    return age <= (timedelta(days=MODERATE_DAYS) if score >= MODERATE else PASSING)


def told_topic(label: str, entries: Sequence[Entry], longest: int = LONGEST_TOPIC) -> SourcedLine:
    """A topic's label, with entries that hold its words: for each word two where there are two."""
    ids: dict[str, None] = {}
    folded = [(entry, entry.text.casefold()) for entry in entries]
    for word in _WORD.findall(label.casefold()):
        for entry in [entry for entry, text in folded if word in text][:SOURCES_OF_A_WORD]:
            ids[source_of(entry)] = None
    if not ids:
        ids = dict.fromkeys(source_of(entry) for entry in entries[: 2 * SOURCES_OF_A_WORD])
    return SourcedLine(one_line(label, longest), tuple(ids))


def day_sections(sheet: IndexContent, words: Phrases) -> tuple[list[list[str]], list[list[str]]]:
    """The sections of the days of the last week and of older ones, each newest first."""
    recent: list[list[str]] = []
    older: list[list[str]] = []
    today = sheet.now.date()
    for day in sorted(sheet.days, key=lambda one: one.day, reverse=True):
        kept = [item for item in day.items if stays(item.entry, item.score.score, sheet.now)]
        if (today - day.day).days <= MODERATE_DAYS:
            recent.append(_recent_day(day, kept, today, words))
        elif kept:
            lines = _lines(kept, MOST_OF_AN_OLDER_DAY, words, day.path)
            older.append([_day_title(day, "", words), "", *_topic_line(kept, words), *lines, ""])
    return recent, older


def _recent_day(day: Day, kept: Sequence[ScoredEntry], today: date, words: Phrases) -> list[str]:
    names = {today: f" ({words['today']})", today - timedelta(days=1): f" ({words['yesterday']})"}
    section = [_day_title(day, names.get(day.day, ""), words), ""]
    lasting = [item for item in kept if item.score.score >= MODERATE]
    section += _topic_line(lasting, words)
    if day.items:
        highest = max((item.score.score for item in kept), default=0)
        section += [f"- **{words['importance']}:** {words.level(highest)}", ""]
    worthy = [item for item in lasting if item.score.score >= IMPORTANT]
    rest = [item for item in lasting if item.score.score < IMPORTANT]
    passing = [item for item in kept if item.score.score < MODERATE]
    section += _listed(words["insights"], worthy, MOST_INSIGHTS, words, day.path)
    section += _listed(words["context"], rest, MOST_CONTEXT, words, day.path)
    section += _listed(words["temporary"], passing, MOST_TEMPORARY, words, day.path)
    return section


def _day_title(day: Day, name: str, words: Phrases) -> str:
    return f"### {day.day.isoformat()}{name} - [{words['details']}]({day.path})"


def _topic_line(items: Sequence[ScoredEntry], words: Phrases) -> list[str]:
    """The topics of a day, the weightiest first."""
    groups: dict[int, list[ScoredEntry]] = {}
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


def _listed(title: str, items: Sequence[ScoredEntry], most: int, words: Phrases, path: str) -> list[str]:
    lines = _lines(items, most, words, path)
    return [f"**{title}:**", "", *lines, ""] if lines else []


def _lines(items: Sequence[ScoredEntry], most: int, words: Phrases, path: str) -> list[str]:
    """The weightiest entries in the order they were said, each wording once. Of a conversation it is what people said,
    with the answer to what they asked in passing."""
    told = [item for item in items if is_told(item.entry)] or list(items)
    chosen: dict[str, ScoredEntry] = {}
    for item in sorted(told, key=lambda one: (-one.score.score, -one.score.relevance_points, one.entry.at)):
        text = one_line(item.entry.held or "", LONGEST_ENTRY)
        if text and text not in chosen and len(chosen) < most:
            chosen[text] = item
    lines = [
        _with_answer(text, item, items) for text, item in sorted(chosen.items(), key=lambda pair: pair[1].entry.at)
    ]
    if chosen and len(told) > len(chosen):
        lines.append(f"- [{words.filled('more_entries', count=len(told) - len(chosen))}]({path})")
    return lines


def is_told(entry: Entry) -> bool:
    """Whether it stands for itself: an answer stands with what was asked."""
    return entry.kind != "conversation" or entry.protected or role_of(entry.speaker, entry.kind) == "person"


def _with_answer(text: str, item: ScoredEntry, items: Sequence[ScoredEntry]) -> str:
    """The line of an entry; behind a question that is asked and done with, what was answered."""
    entry = item.entry
    line, ids = f"- {text}", [source_of(entry)]
    if text.endswith("?") and item.score.score < MODERATE:
        behind = [other.entry for other in items if other.entry.at >= entry.at and other.entry is not entry]
        after = min(behind, key=lambda other: other.at, default=None)
        if after is not None and after.session == entry.session and not is_told(after):
            line, ids = f"{line} → {one_line(after.held or '', LONGEST_ANSWER)}", [*ids, source_of(after)]
    return sourced(line, ids)
