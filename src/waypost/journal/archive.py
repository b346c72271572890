"""The archived original of a day: everything its file ever contained, word for word.

The first copy equals the file, byte for byte. Later only additions are made: entries that came late, and a dated
correction below an entry whose text was edited by hand. Text that is later removed from the day's file stays here.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from operator import attrgetter

from waypost.journal.heading import read_heading
from waypost.journal.markdown import MARKER, JournalPage, gap_after, newline_of, parse_page, render_entry
from waypost.model.journal import Amendment, Entry

BY_HAND = "hand"  # author of a correction made in an editor
HOLD = "hold"  # in an entry's heading: its full text was restored and must not be trimmed again


def updated_original(original: str | None, live: str, day: date, zone: tzinfo | None, at: datetime) -> str:
    """The original plus everything new in the live file. `at` dates the changes made by hand."""
    if original is None:
        return parse_page(live, day, zone).with_hold(on=False).text
    if original == live:
        return original
    old, new = parse_page(original, day, zone), parse_page(live, day, zone)
    changed: dict[int, Entry] = {}
    additions: dict[int, list[Entry]] = defaultdict(list)  # by the index of the original entry that they follow
    previous = -1
    for entry, index in _matches(old.entries, new.entries):
        if index is None:
            additions[previous].append(entry)
            continue
        previous = index
        merged = _merged_entry(old.entries[index], entry, at)
        if merged != old.entries[index]:
            changed[index] = merged
    if lines := _other_lines(new, original):
        last_time = new.entries[-1].at if new.entries else at
        additions[len(old.entries) - 1].append(Entry("\n".join(lines), last_time, "note"))
    return _text_with_entries(old.with_entries(changed) if changed else old, additions)


def full_entries(original: str, live: JournalPage) -> list[Entry]:
    """The entries of a live page, with the full text of those that were trimmed."""
    full = {entry.id: entry for entry in parse_page(original, live.day, live.zone).entries if entry.id}
    return [
        replace(entry, text=full[entry.id].text, trimmed=None)
        if entry.trimmed and not entry.is_edited and entry.id in full
        else entry
        for entry in live.entries
    ]


def with_importance(page: JournalPage, importance: Mapping[str, int]) -> JournalPage:
    """The page with these importance values (by entry id) in its headings. Entries without an id stay as they are."""
    changed = {
        index: replace(entry, importance=importance[entry.id or ""])
        for index, entry in enumerate(page.entries)
        if entry.id is not None and entry.id in importance and entry.importance != importance[entry.id]
    }
    return page.with_entries(changed) if changed else page


def updated_summary_original(original: str | None, live: str, own_lines: Sequence[str]) -> str:
    """The archived form of a summary: the live file, plus the `own_lines` of people that only the archived file has."""
    existing = {line.strip() for line in live.splitlines()}
    missing = [line for line in own_lines if line.strip() and line.strip() not in existing]
    if original is None or not missing:
        return live
    newline = newline_of(live)
    return live + gap_after(live[-4:], newline) + newline.join(missing) + newline


def _matches(old: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[Entry, int | None]]:
    """Each new entry with the index of its original, or None. An id used twice counts only for the first entry.

    Entries match by id. Those written without an id, or copied with one, match by text and time. Those whose text
    changed match by time and speaker.
    """
    by_id = {entry.id: index for index, entry in reversed(list(enumerate(old))) if entry.id}
    without_id = [index for index, entry in enumerate(old) if not entry.id or by_id[entry.id] != index]
    used_ids: set[str] = set()
    matches: list[tuple[Entry, int | None]] = []
    for entry in new:
        if entry.id and entry.id not in used_ids:
            used_ids.add(entry.id)
            matches.append((entry, by_id.get(entry.id)))
        else:
            matches.append((replace(entry, id=None), None))
    for key in (attrgetter("text", "at"), attrgetter("at", "speaker")):
        unmatched: dict[object, list[int]] = defaultdict(list)
        matched = {index for _, index in matches}
        for index in without_id:
            if index not in matched:
                unmatched[key(old[index])].append(index)
        for position, (entry, original_index) in enumerate(matches):
            if original_index is None and (indices := unmatched.get(key(entry))):
                matches[position] = (entry, indices.pop(0))
    return matches


def _merged_entry(old: Entry, new: Entry, at: datetime) -> Entry:
    """The first text with all amendments. Speaker and time come from the live file."""
    archived_only = [amendment for amendment in old.amendments if amendment not in new.amendments]
    by_hand = [amendment.text for amendment in archived_only if amendment.by == BY_HAND]
    text = next((text for text in reversed(by_hand) if text is not None), old.text)
    live_text = text if new.trimmed is not None and not new.is_edited else new.text
    is_recorded = live_text == (by_hand[-1] if by_hand else old.text)  # None stands for a removed entry
    correction = [] if is_recorded else [Amendment(at, BY_HAND, live_text)]
    return replace(
        new,
        text=old.text,
        importance=old.importance,
        trimmed=old.trimmed,
        more={name: value for name, value in {**old.more, **new.more}.items() if name != HOLD},
        amendments=(*archived_only, *correction, *new.amendments),
    )


def _other_lines(live: JournalPage, original: str) -> list[str]:
    """Lines outside entries that the original lacks, such as a changed title."""
    existing = {line.strip() for line in original.splitlines()}
    lines = [line for block in live.blocks if block.entry is None for line in block.raw.splitlines()]
    lines = [line for line in lines if line.strip("\ufeff \t") and line.strip() not in existing]
    return [line.strip() for line in lines if not line.startswith(MARKER) and not _is_emptied_heading(line)]


def _is_emptied_heading(line: str) -> bool:
    """Whether the line is one of Waypost's headings whose text was removed."""
    heading = read_heading(line)
    return heading is not None and "id" in heading.fields


def _text_with_entries(page: JournalPage, additions: Mapping[int, Sequence[Entry]]) -> str:
    """The page's text with these entries, each after the entry at its index.

    They never come before text at the top that has no heading, as that text would become part of them.
    """
    newline = newline_of(page.text)
    parts: list[str] = []
    pending = list(additions.get(-1, ()))
    index = -1
    for block in page.blocks:
        if pending and block.raw.startswith("###"):
            _add(parts, pending, newline)
            pending = []
        parts.append(block.raw)
        if block.entry is not None:
            index += 1
            pending += additions.get(index, ())
    _add(parts, pending, newline)
    return "".join(parts)


def _add(parts: list[str], entries: Sequence[Entry], newline: str) -> None:
    for entry in entries:
        tail = "".join(parts[-2:])[-4:]
        parts.append(gap_after(tail, newline) + render_entry(entry, newline))
