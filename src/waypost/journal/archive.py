"""The original of a day: what its file ever said, word for word, whatever becomes of the file.

The first copy is the file itself, to the byte. Later only what is new is added to it: entries that came late, and for
an entry whose words somebody changed by hand a dated line below the first ones. What is taken out of the day's file
afterwards stays here.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo

from waypost.journal.heading import read_heading
from waypost.journal.markdown import MARKER, JournalPage, PageBlock, gap_after, newline_of, parse_page, render_entry
from waypost.model.journal import Amendment, Entry

BY_HAND = "hand"  # who corrected it: somebody in an editor, without saying so
HOLD = "hold"  # in the heading of an entry: its full words were brought back, and are not to be trimmed again


def archived(original: str | None, live: str, day: date, zone: tzinfo | None, at: datetime) -> str:
    """The original with all that the live file says beyond it; `at` dates what was changed by hand."""
    if original is None:
        return parse_page(live, day, zone).with_hold(on=False).text
    if original == live:
        return original
    old, new = parse_page(original, day, zone), parse_page(live, day, zone)
    changed: dict[int, Entry] = {}
    added: dict[int, list[Entry]] = defaultdict(list)  # by the place in the original after which they come
    place = -1
    for entry, found in _placed(old.entries, new.entries):
        if found is None:
            added[place].append(entry)
            continue
        place = found
        amended = _amended(old.entries[found], entry, at)
        if amended != old.entries[found]:
            changed[found] = amended
    if lines := _other_lines(new, original):
        added[len(old.entries) - 1].append(Entry("\n".join(lines), _last(new, at), "note"))
    return _inserted(old.with_entries(changed) if changed else old, added)


def originals(original: str, live: JournalPage) -> list[Entry]:
    """The entries of a live page, each with its full words where it was trimmed."""
    full = {entry.id: entry for entry in parse_page(original, live.day, live.zone).entries if entry.id}
    return [
        replace(entry, text=full[entry.id].text, trimmed=None)
        if entry.trimmed and not entry.is_edited and entry.id in full
        else entry
        for entry in live.entries
    ]


def with_importance(page: JournalPage, importance: Mapping[str, int]) -> JournalPage:
    """The page with the worth of these entries, by their ids, in their headings. What has no id keeps its looks."""
    changed = {
        place: replace(entry, importance=importance[entry.id or ""])
        for place, entry in enumerate(page.entries)
        if entry.id is not None and entry.id in importance and entry.importance != importance[entry.id]
    }
    return page.with_entries(changed) if changed else page


def summary_archived(original: str | None, live: str, own: Sequence[str]) -> str:
    """The file of a summary as it goes to the archive: as it is now, and below it those lines of people, `own`, which
    only the one in the archive has."""
    there = {line.strip() for line in live.splitlines()}
    missing = [line for line in own if line.strip() and line.strip() not in there] if original is not None else []
    if not missing:
        return live
    newline = newline_of(live)
    return live + gap_after(live[-4:], newline) + newline.join(missing) + newline


def _placed(old: Sequence[Entry], new: Sequence[Entry]) -> list[tuple[Entry, int | None]]:
    """Each new entry, without its id if another has that, and its place in the original: by its id; by words and time where
    somebody wrote it without one, or copied an entry together with its id; else by time and speaker, as one whose words
    were changed."""
    by_id = {entry.id: place for place, entry in reversed(list(enumerate(old))) if entry.id}
    nameless = [place for place, entry in enumerate(old) if not entry.id or by_id[entry.id] != place]
    taken: set[str] = set()
    found: list[tuple[Entry, int | None]] = []
    for entry in new:
        if entry.id and entry.id not in taken:
            taken.add(entry.id)
            found.append((entry, by_id.get(entry.id)))
        else:
            found.append((replace(entry, id=None), None))
    for key in (_words_and_time, _time_and_speaker):
        left: dict[object, list[int]] = defaultdict(list)
        used = {place for _, place in found}
        for place in nameless:
            if place not in used:
                left[key(old[place])].append(place)
        for at, (entry, known) in enumerate(found):
            if known is None and (places := left.get(key(entry))):
                found[at] = (entry, places.pop(0))
    return found


def _words_and_time(entry: Entry) -> object:
    return entry.text, entry.at


def _time_and_speaker(entry: Entry) -> object:
    return entry.at, entry.speaker


def _amended(old: Entry, new: Entry, at: datetime) -> Entry:
    """The first words, and all that was said about them; who said it and when as the live file has it."""
    mine = [one for one in old.amendments if one not in new.amendments]
    by_hand = [one.text for one in mine if one.by == BY_HAND]
    words = next((text for text in reversed(by_hand) if text is not None), old.text)
    now = words if new.trimmed is not None and not new.is_edited else new.text
    is_told = now == (by_hand[-1] if by_hand else old.text)  # the last one is None where it was taken out, and is back
    said = [] if is_told else [Amendment(at, BY_HAND, now)]
    return replace(
        new,
        text=old.text,
        importance=old.importance,
        trimmed=old.trimmed,
        more={name: value for name, value in {**old.more, **new.more}.items() if name != HOLD},
        amendments=(*mine, *said, *new.amendments),
    )


def _other_lines(live: JournalPage, original: str) -> list[str]:
    """Lines outside of every entry, such as a title that somebody changed, that the original does not have."""
    there = {line.strip() for line in original.splitlines()}
    return [
        line.strip()
        for block in live.blocks
        if block.entry is None
        for line in block.raw.splitlines()
        if line.strip("\ufeff \t") and not line.startswith(MARKER) and not _has_id(line) and line.strip() not in there
    ]


def _has_id(line: str) -> bool:
    """A heading of ours whose words somebody has taken out."""
    heading = read_heading(line)
    return heading is not None and "id" in heading.fields


def _last(page: JournalPage, at: datetime) -> datetime:
    return page.entries[-1].at if page.entries else at


def _inserted(page: JournalPage, added: Mapping[int, Sequence[Entry]]) -> str:
    """The text of the page with these entries, each after the entry at its place. Never before the words at the top that
    have no heading: they would become part of it."""
    newline = newline_of(page.text)
    parts: list[str] = []
    waiting = list(added.get(-1, ()))
    place = -1
    for block in page.blocks:
        if waiting and not _is_head(block):
            _add(parts, waiting, newline)
            waiting = []
        parts.append(block.raw)
        if block.entry is not None:
            place += 1
            waiting += added.get(place, ())
    _add(parts, waiting, newline)
    return "".join(parts)


def _is_head(block: PageBlock) -> bool:
    return not block.raw.startswith("###")


def _add(parts: list[str], entries: Sequence[Entry], newline: str) -> None:
    for entry in entries:
        tail = "".join(parts[-2:])[-4:]
        parts.append(gap_after(tail, newline) + render_entry(entry, newline))
