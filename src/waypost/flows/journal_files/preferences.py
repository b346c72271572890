"""important/preferences.md: what matters most is added once, and never changed or removed by Waypost."""

import json
from collections.abc import Iterable, Sequence
from datetime import date

from waypost.errors import StoreError
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets, with_bullet
from waypost.journal.layout import PREFERENCES
from waypost.journal.memory_page.days import PERSISTENT, stands_alone
from waypost.journal.memory_page.lines import Phrases, in_all_languages, one_line, phrases
from waypost.journal.roles import role_of
from waypost.journal.statements.profile import needs_in, personal_facts
from waypost.journal.statements.recognise import is_event, main_statement
from waypost.journal.units import entry_of
from waypost.journal.wording import language_at_start, main_language
from waypost.model.journal import Entry, Score, ScoredEntry, mark_of
from waypost.model.memory import State, Version
from waypost.text.normal import fingerprint_text

MOST_REMEMBERED = 20_000  # promoted ids that are remembered
LONGEST_SAID, LONGEST_ANSWER = 2000, 300  # characters of a person's text, and of others'
_PROMOTED = "journal_promoted"  # marks of promoted ids
_MOST_TRIES = 20
MOST_EXPLICIT, MOST_RELEVANT = 2, 3  # points
_LASTING = ("preference", "goal", "fact", "promise")  # what stays in mind; what happened is in the history


def promote_preferences(space: OpenSpace, scored: Sequence[ScoredEntry]) -> list[str]:
    """Add important entries to preferences.md. Returns the ids of those that were added.

    Adds tastes and needs, what people want remembered about themselves, and entries with an importance of 8 or more. What
    happened stands under a heading of its own. Each is added once: what a person removes does not return, nor does a
    copy of a text. Must run outside of a transaction.
    """
    worthy = [item.entry for item in scored if item.entry.id and _is_worthy(item)]
    if not worthy:
        return []
    promoted_marks = promoted_ids(space)
    fresh = [entry for entry in worthy if mark_of(entry.id or "") not in promoted_marks]
    if not fresh:
        return []
    added: list[str] = []
    with changes_by_waypost(space, [PREFERENCES]) as folder:
        for _ in range(_MOST_TRIES):
            before = folder.read_or_none(PREFERENCES)
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
    """Allow these to be added again."""
    gone = {mark_of(memory_id) for memory_id in ids}
    with space.store.write() as writer:
        key = journal_key(space, _PROMOTED)
        marks = json.loads(writer.meta.get(key) or "[]")
        writer.meta.set(key, json.dumps([mark for mark in marks if mark not in gone]))


def _is_worthy(item: ScoredEntry) -> bool:
    """An answer is as important as its question, which is added instead."""
    entry = item.entry
    if entry.held is None or not entry.held.strip():
        return False
    if entry.kind == "preference":
        return True
    if not stands_alone(entry):
        return False
    language = language_at_start(entry.held) or "en"
    # What people say of themselves and want remembered would otherwise lose its importance with age.
    is_own_wish = (
        item.score.explicit_points == MOST_EXPLICIT
        and item.score.relevance_points == MOST_RELEVANT
        and not is_event(entry.held, language)
    )
    return is_own_wish or item.score.score >= PERSISTENT or bool(needs_in(entry.held, language))


def _is_lasting(entry: Entry) -> bool:
    """Whether a text mainly says what its speaker is, likes, needs, plans or promised, and not what happened."""
    text = entry.held or ""
    language = language_at_start(text) or "en"
    if entry.kind == "preference" or needs_in(text, language):
        return True
    statement = main_statement(text, language)
    if statement is None or not statement.is_own or statement.kind not in _LASTING:
        return False
    is_goal = any(fact.slot == "goal" for fact in personal_facts(text, language, "", date.min))
    return statement.kind != "goal" or is_goal


def promote_at_once(space: OpenSpace, versions: Sequence[Version]) -> None:
    """Promote new preferences now. Maintenance would find them too."""
    score = Score(0, 0, 0, MOST_RELEVANT, "written as a preference", "")
    entries = [entry_of(space.journal, [version], State()) for version in versions]
    promote_preferences(space, [ScoredEntry(entry, score) for entry in entries])


def _with_bullets(text: str | None, entries: Sequence[Entry]) -> tuple[str, list[str]]:
    words = phrases(main_language(entry.text for entry in entries))
    page = text if text is not None and text.strip() else f"# {words['preferences']}\n"
    bullets = parse_bullets(page)
    there = {bullet.id for bullet in bullets} | {fingerprint_text(bullet.text) for bullet in bullets}
    added = []
    for entry in entries:
        text_now = _bullet_text(entry)
        if entry.id is None or entry.id in there or fingerprint_text(text_now) in there:
            continue
        page = with_bullet(page, text_now, entry.id, _heading(page, entry, words))
        there |= {entry.id, fingerprint_text(text_now)}
        added.append(entry.id)
    return page, added


def _heading(page: str, entry: Entry, words: Phrases) -> str | None:
    """Where an entry belongs. Preferences stand at the end of the page, or above the heading for what happened."""
    ours = [bullet.heading for bullet in parse_bullets(page) if bullet.heading in in_all_languages("also_important")]
    if not _is_lasting(entry):
        return ours[0] if ours else words["also_important"]
    first = next((bullet.heading for bullet in parse_bullets(page) if bullet.heading not in ours), None)
    return (first or words["preferences"]) if ours else None


def _bullet_text(entry: Entry) -> str:
    text = (entry.held or "").strip()
    if role_of(entry.speaker, entry.kind) == "person":
        return text if len(text) <= LONGEST_SAID else one_line(text, LONGEST_SAID)
    return one_line(text, LONGEST_ANSWER)


def promoted_ids(space: OpenSpace) -> set[str]:
    """Marks of all ids that were ever added."""
    with space.store.read() as reader:
        return set(json.loads(reader.meta.get(journal_key(space, _PROMOTED)) or "[]"))


def _remember(space: OpenSpace, ids: Iterable[str]) -> None:
    with space.store.write() as writer:
        key = journal_key(space, _PROMOTED)
        marks = dict.fromkeys([*json.loads(writer.meta.get(key) or "[]"), *(mark_of(memory_id) for memory_id in ids)])
        writer.meta.set(key, json.dumps(list(marks)[-MOST_REMEMBERED:]))
