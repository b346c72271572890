"""The days of the index page: which entries it still lists, and how.

Entries of importance 8-10 stay, 5-7 stay 30 days, 2-4 stay 7 days, 0-1 stay 24 hours.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta

from waypost.journal.importance.reason import reason_of
from waypost.journal.importance.word_lists import sentences_of
from waypost.journal.memory_page.content import Day, IndexContent, SourcedLine
from waypost.journal.memory_page.lines import CUT, Phrases, one_line, whole_sentences, with_sources
from waypost.journal.period_pages.items import source_of
from waypost.journal.roles import role_of
from waypost.journal.statements.corrections import corrects
from waypost.journal.wording import language_at_start
from waypost.model.journal import Entry, ScoredEntry

PERSISTENT, IMPORTANT, MODERATE = 8, 5, 2  # least score of each level
IMPORTANT_DAYS, MODERATE_DAYS = 30, 7
PASSING = timedelta(hours=24)
LONGEST_ENTRY, LONGEST_ANSWER, LONGEST_TOPIC = 160, 100, 60  # characters
MOST_INSIGHTS, MOST_CONTEXT, MOST_TEMPORARY, MOST_TOPICS = 6, 4, 5, 5  # per day
MOST_OF_AN_OLDER_DAY = 3
SOURCES_OF_A_WORD = 2  # a word found in two entries stays when one of them is forgotten
_WORD = re.compile(r"\w{3,}")


def stays(entry: Entry, score: int, now: datetime) -> bool:
    """Whether the index still lists an entry with this score."""
    age = now - entry.at
    if score >= PERSISTENT:
        return True
    if score >= IMPORTANT:
        return age <= timedelta(days=IMPORTANT_DAYS)
    return age <= (timedelta(days=MODERATE_DAYS) if score >= MODERATE else PASSING)


def topic_with_sources(label: str, entries: Sequence[Entry], longest: int = LONGEST_TOPIC) -> SourcedLine:
    """A topic's label with entries that contain its words: two per word if possible."""
    ids: dict[str, None] = {}
    folded = [(entry, entry.text.casefold()) for entry in entries]
    for word in _WORD.findall(label.casefold()):
        for entry in [entry for entry, text in folded if word in text][:SOURCES_OF_A_WORD]:
            ids[source_of(entry)] = None
    if not ids:
        ids = dict.fromkeys(source_of(entry) for entry in entries[: 2 * SOURCES_OF_A_WORD])
    return SourcedLine(one_line(label, longest), tuple(ids))


def day_sections(sheet: IndexContent, words: Phrases) -> tuple[list[list[str]], list[list[str]]]:
    """The sections of last week's days and of older days, newest first."""
    recent: list[list[str]] = []
    older: list[list[str]] = []
    today = sheet.now.date()
    for day in sorted(sheet.days, key=lambda day: day.day, reverse=True):
        retained = [item for item in day.items if stays(item.entry, item.score.score, sheet.now)]
        age = (today - day.day).days
        if age <= 1 or (retained and age <= MODERATE_DAYS):
            recent.append(recent_day(day, sheet.now, words))
        elif retained:
            lines = _lines(retained, MOST_OF_AN_OLDER_DAY, words, day.path)
            older.append([_day_title(day, "", words), "", *_topic_line(retained, words), *lines, ""])
    return recent, older


def recent_day(day: Day, now: datetime, words: Phrases) -> list[str]:
    """The section of a day of the last week."""
    today = now.date()
    retained = [item for item in day.items if stays(item.entry, item.score.score, now)]
    names = {today: f" ({words['today']})", today - timedelta(days=1): f" ({words['yesterday']})"}
    section = [_day_title(day, names.get(day.day, ""), words), ""]
    lasting = [item for item in retained if item.score.score >= MODERATE]
    section += _topic_line(lasting, words)
    if day.items:
        section += [_importance_line(retained, words), ""]
    important = [item for item in lasting if item.score.score >= IMPORTANT]
    moderate = [item for item in lasting if item.score.score < IMPORTANT]
    passing = [item for item in retained if item.score.score < MODERATE]
    section += _titled_list(words["insights"], important, MOST_INSIGHTS, words, day.path)
    section += _titled_list(words["context"], moderate, MOST_CONTEXT, words, day.path)
    section += _titled_list(words["temporary"], passing, MOST_TEMPORARY, words, day.path)
    return section


def _importance_line(retained: Sequence[ScoredEntry], words: Phrases) -> str:
    """The level of the most important entry, and why."""
    spoken = [item for item in retained if stands_alone(item.entry)] or list(retained)
    if not spoken:
        return f"- **{words['importance']}:** {words.level(0)}"
    best = max(spoken, key=lambda item: item.score.score)
    text = best.entry.held or ""
    role = role_of(best.entry.speaker, best.entry.kind)
    reason = reason_of(best.score, text, language_at_start(text) or "en", role, words.language, form="after_level")
    return f"- **{words['importance']}:** {words.level(best.score.score)}, {reason}"


def _day_title(day: Day, name: str, words: Phrases) -> str:
    return f"### {day.day.isoformat()}{name} - [{words['details']}]({day.path})"


def _topic_line(items: Sequence[ScoredEntry], words: Phrases) -> list[str]:
    groups: dict[int, list[ScoredEntry]] = {}
    for item in items:
        if item.topic and item.label:
            groups.setdefault(item.topic, []).append(item)
    order = sorted(
        groups.values(), key=lambda group: (-max(item.score.score for item in group), -len(group), group[0].entry.at)
    )
    topics = [topic_with_sources(group[0].label, [item.entry for item in group]) for group in order[:MOST_TOPICS]]
    if not topics:
        return []
    names = "; ".join(dict.fromkeys(topic.text for topic in topics))
    return [with_sources(f"- **{words['topics']}:** {names}", (id for topic in topics for id in topic.ids))]


def _titled_list(title: str, items: Sequence[ScoredEntry], most: int, words: Phrases, path: str) -> list[str]:
    lines = _lines(items, most, words, path)
    return [f"**{title}:**", "", *lines, ""] if lines else []


def _lines(items: Sequence[ScoredEntry], most: int, words: Phrases, path: str) -> list[str]:
    """The most important entries in time order, each wording once.

    A conversation is represented by what people said, with the answers to passing questions.
    """
    statements = [item for item in items if stands_alone(item.entry)] or list(items)
    selected: dict[str, ScoredEntry] = {}
    for item in sorted(statements, key=lambda item: (-item.score.score, -item.score.relevance_points, item.entry.at)):
        text = _line_of(item.entry)
        if text and text not in selected and len(selected) < most:
            selected[text] = item
    in_order = sorted(selected.items(), key=lambda pair: pair[1].entry.at)
    lines = [_with_answer(text, item, items) for text, item in in_order]
    if selected and len(statements) > len(selected):
        lines.append(f"- [{words.fill('more_entries', count=len(statements) - len(selected))}]({path})")
    return lines


def _line_of(entry: Entry) -> str:
    """The beginning of an entry; if a correction would be cut off, whole sentences with it or without what it corrects."""
    whole = entry.held or ""
    line = one_line(whole, LONGEST_ENTRY)
    is_cut = line.endswith(CUT) and any(
        corrects(part.written) for part in sentences_of(whole[LONGEST_ENTRY // 2 :], language_at_start(whole) or "en")
    )
    return whole_sentences(whole, LONGEST_ENTRY) if is_cut else line


def stands_alone(entry: Entry) -> bool:
    """Whether an entry is listed by itself. An answer is listed with its question."""
    return entry.kind != "conversation" or entry.protected or role_of(entry.speaker, entry.kind) == "person"


def _with_answer(text: str, item: ScoredEntry, items: Sequence[ScoredEntry]) -> str:
    """The line of an entry. A passing question is followed by its answer."""
    entry = item.entry
    line, ids = f"- {text}", [source_of(entry)]
    if text.endswith("?") and item.score.score < MODERATE:
        later = [other.entry for other in items if other.entry.at >= entry.at and other.entry is not entry]
        answer = min(later, key=lambda other: other.at, default=None)
        if answer is not None and answer.session == entry.session and not stands_alone(answer):
            line, ids = f"{line} → {one_line(answer.held or '', LONGEST_ANSWER)}", [*ids, source_of(answer)]
    return with_sources(line, ids)
