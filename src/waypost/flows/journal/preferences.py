"""important/preferences.md: what matters most is put there once, and never taken away or changed by us (CM-4)."""

import json
from collections.abc import Iterable, Sequence

from waypost.errors import NotFound, StoreError
from waypost.flows.journal.files.sync import ours
from waypost.flows.journal.files.units import entry_of
from waypost.flows.journal.log import note
from waypost.flows.journal.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets, with_bullet
from waypost.journal.files import JournalFolder
from waypost.journal.index_page.days import PERSISTENT, is_told
from waypost.journal.index_page.lines import one_line, phrases
from waypost.journal.layout import PREFERENCES
from waypost.journal.roles import role_of
from waypost.journal.wording import prevailing
from waypost.model.journal import Entry, Score, ScoredEntry, mark_of
from waypost.model.memory import State, Version
from waypost.text.normal import fingerprint_text

MOST_REMEMBERED = 20_000  # ids that were put there once
LONGEST_SAID, LONGEST_ANSWER = 2000, 300  # characters of a person's words, and of others'; the entry has them all
_PROMOTED = "journal_promoted"  # marks of their ids
_MOST_TRIES = 20
MOST_EXPLICIT, MOST_RELEVANT = 2, 3  # points


def promote_preferences(space: OpenSpace, scored: Sequence[ScoredEntry]) -> list[str]:
    """Put entries of kind preference, those worth 8 or more, and what people say of themselves and want remembered into
    preferences.md; the ids of what was put there.

    Each once: what a person has taken out of the file does not come back, nor does what stands there in the same words.
    To be called outside of a transaction.
    """
    worthy = [item.entry for item in scored if item.entry.id and _is_worthy(item)]
    if not worthy:
        return []
    known = promoted(space)
    fresh = [entry for entry in worthy if mark_of(entry.id or "") not in known]
    if not fresh:
        return []
    added: list[str] = []
    with ours(space, [PREFERENCES]) as folder:
        for _ in range(_MOST_TRIES):
            before = _read(folder)
            after, added = _with_bullets(before, fresh)
            if not added or folder.replace(PREFERENCES, after, expected=before):
                break
        else:
            raise StoreError(f"{PREFERENCES} is replaced again and again.", "Close the editor, and try again.")
    _remember(space, [entry.id or "" for entry in fresh])
    for memory_id in added:
        note(space, "preference_promoted", id=memory_id, file=PREFERENCES)
    return added


def forget_promoted(space: OpenSpace, ids: Iterable[str]) -> None:
    """These may be put there again."""
    gone = {mark_of(one) for one in ids}
    with space.store.write() as writer:
        key = journal_key(space, _PROMOTED)
        marks = json.loads(writer.meta.get(key) or "[]")
        writer.meta.set(key, json.dumps([mark for mark in marks if mark not in gone]))


def _is_worthy(item: ScoredEntry) -> bool:
    """An answer is worth what it answers; that is put there, and leads to it."""
    entry = item.entry
    if entry.held is None or not entry.held.strip():
        return False
    if entry.kind == "preference":
        return True
    # What somebody says of themselves, and asks to have remembered, would otherwise be gone with its recency.
    is_own_wish = item.score.explicit_points == MOST_EXPLICIT and item.score.relevance_points == MOST_RELEVANT
    return (item.score.score >= PERSISTENT or is_own_wish) and is_told(entry)


def promote_at_once(space: OpenSpace, versions: Sequence[Version]) -> None:
    """Preferences that were just written; upkeep would find them too."""
    score = Score(0, 0, 0, MOST_RELEVANT, "written as a preference", "")
    entries = [entry_of(space.journal, [version], State()) for version in versions]
    promote_preferences(space, [ScoredEntry(entry, score) for entry in entries])


def _with_bullets(text: str | None, entries: Sequence[Entry]) -> tuple[str, list[str]]:
    words = phrases(prevailing(entry.text for entry in entries))
    page = text if text is not None and text.strip() else f"# {words['preferences']}\n"
    bullets = parse_bullets(page)
    there = {bullet.id for bullet in bullets} | {fingerprint_text(bullet.text) for bullet in bullets}
    added = []
    for entry in entries:
        said = _said(entry)
        if entry.id is None or entry.id in there or fingerprint_text(said) in there:
            continue
        page = with_bullet(page, said, entry.id, None)
        there |= {entry.id, fingerprint_text(said)}
        added.append(entry.id)
    return page, added


def _said(entry: Entry) -> str:
    held = (entry.held or "").strip()
    if role_of(entry.speaker, entry.kind) == "person":
        return held if len(held) <= LONGEST_SAID else one_line(held, LONGEST_SAID)
    return one_line(held, LONGEST_ANSWER)


def promoted(space: OpenSpace) -> set[str]:
    """Marks of the ids that were ever put there."""
    with space.store.read() as reader:
        return set(json.loads(reader.meta.get(journal_key(space, _PROMOTED)) or "[]"))


def _remember(space: OpenSpace, ids: Iterable[str]) -> None:
    with space.store.write() as writer:
        key = journal_key(space, _PROMOTED)
        marks = dict.fromkeys([*json.loads(writer.meta.get(key) or "[]"), *(mark_of(one) for one in ids)])
        writer.meta.set(key, json.dumps(list(marks)[-MOST_REMEMBERED:]))


def _read(folder: JournalFolder) -> str | None:
    try:
        return folder.read(PREFERENCES)
    except NotFound:
        return None
