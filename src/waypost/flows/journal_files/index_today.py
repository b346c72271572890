"""Today on MEMORY.md at once: each write renews the section of the day. Maintenance renews the rest.

Entries are scored by rules alone, without history: that needs no embedding model and no other file.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from waypost.flows.journal_files.index_file import replace_part
from waypost.flows.journal_files.tally import named_entries
from waypost.flows.open_space import OpenSpace
from waypost.journal.importance.history import JudgedTurn, TopicMentions, in_order, judge_turns
from waypost.journal.layout import INDEX
from waypost.journal.memory_page.content import Day
from waypost.journal.memory_page.days import recent_day
from waypost.journal.memory_page.lines import Phrases, phrases
from waypost.journal.memory_page.sources import split_sources
from waypost.journal.period_pages.frame import split_frame
from waypost.journal.roles import role_of
from waypost.journal.topics.groups import find_topics
from waypost.journal.wording import LANGUAGES, language_at_start
from waypost.model.journal import Entry, ScoredEntry

_MOST_ENTRIES = 400  # of a day; a busier one waits for maintenance


def show_today(space: OpenSpace) -> bool:
    """Renew the section of today. Returns whether the page changed. Must run outside of a transaction.

    Without a page, or if somebody edits it, nothing happens: maintenance makes it.
    """
    text = space.journal.read_or_none(INDEX)
    frame = split_frame(text or "")
    if text is None or frame.part is None or frame.is_edited:
        return False
    lines = frame.part.replace("\r\n", "\n").split("\n")
    words = _words_of_page(lines)
    now = space.journal.local(space.clock())
    path = space.journal.day_path(now.date())
    with space.store.read() as reader:
        entries = [
            replace(named.entry, id=named.id, text=named.entry.held, amendments=())
            for named in named_entries(space, reader, [path])
            if named.entry.held is not None and named.entry.held.strip()
        ]
    if words is None or not entries or len(entries) > _MOST_ENTRIES:
        return False
    day = Day(now.date(), path, tuple(_scored(space, entries)))
    section, sources = split_sources("\n".join(recent_day(day, now, words)), now.date())
    part = "\n".join(_with_section(lines, section.split("\n"), now.date(), words))
    return replace_part(space, text, part, sources)


def _words_of_page(lines: Sequence[str]) -> Phrases | None:
    candidates = map(phrases, LANGUAGES)
    return next((words for words in candidates if f"## {words['history']}" in lines), None)


def _scored(space: OpenSpace, entries: Sequence[Entry]) -> list[ScoredEntry]:
    turns = in_order(
        [
            JudgedTurn(
                entry.id or f"entry {place}",
                entry.text,
                entry.at,
                space.journal.today(entry.at),
                role_of(entry.speaker, entry.kind),
                entry.kind,
                entry.session,
                language_at_start(entry.text) or "en",
            )
            for place, entry in enumerate(entries)
        ]
    )
    topics = TopicMentions(turns, {}, find_topics([], [], set()))
    judged = judge_turns(turns, {turn.ident for turn in turns}, topics, space.clock())
    idents = [entry.id or f"entry {place}" for place, entry in enumerate(entries)]
    return [ScoredEntry(entry, judged[ident].score) for ident, entry in zip(idents, entries, strict=True)]


def _with_section(lines: Sequence[str], section: Sequence[str], today: date, words: Phrases) -> list[str]:
    """The page with today's section first in its history. The names of the days before it follow the calendar."""
    first = lines.index(f"## {words['history']}") + 2
    start = next((at for at, line in enumerate(lines) if line.startswith(f"### {today.isoformat()}")), None)
    end = (
        first
        if start is None
        else next((at for at in range(start + 1, len(lines)) if lines[at].startswith(("## ", "### "))), len(lines))
    )
    start = first if start is None else start
    result = [*lines[:start], *section, *lines[end:]]
    return [_renamed(line, today, words) for line in result]


def _renamed(line: str, today: date, words: Phrases) -> str:
    names = {f" ({words[name]})" for name in ("today", "yesterday")}
    name = next((name for name in names if line.startswith("### ") and line[14:].startswith(name)), None)
    if name is None or line.startswith(f"### {today.isoformat()}"):
        return line
    is_yesterday = line.startswith(f"### {(today - timedelta(days=1)).isoformat()}")
    return line.replace(name, f" ({words['yesterday']})" if is_yesterday else "", 1)
