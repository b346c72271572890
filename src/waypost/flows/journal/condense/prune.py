"""Prune: move old conversations that nobody reads to the archive, where they stay searchable."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from waypost.errors import StoreError, WaypostError
from waypost.flows.journal.importance import scored
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.sync import sync
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.access import take_accesses
from waypost.journal.archive import updated_original
from waypost.journal.files import JournalFolder
from waypost.journal.layout import archived_path, day_of, day_path, stage_of
from waypost.journal.markdown import JournalPage, parse_page
from waypost.journal.memory_page.days import PERSISTENT
from waypost.model.journal import Entry
from waypost.model.json_row import json_row
from waypost.model.memory import State

NEVER_BEFORE = timedelta(days=7)  # nothing of the last week leaves its file
_MOST_TRIES = 20


@dataclass(frozen=True, slots=True)
class Pruned:
    entries: tuple[str, ...]  # ids
    files: tuple[str, ...]  # they were in
    kept: int  # old enough, but read recently, protected, or important
    dry_run: bool = False

    def to_json(self) -> dict[str, Any]:
        return json_row(self, entries=len(self.entries), ids=self.entries)


@dataclass(frozen=True, slots=True)
class _Rule:
    """When a conversation is old and unused. 0 days turn a condition off; without any, nothing is pruned."""

    now: datetime
    after: timedelta
    unused: timedelta

    def is_old(self, entry: Entry) -> bool:
        age = self.now - entry.at
        return age > NEVER_BEFORE and (not self.after or age > self.after) and bool(self.after or self.unused)

    def is_unused(self, entry: Entry, state: State) -> bool:
        """Entries that were never read count from when they were said."""
        return not self.unused or self.now - (state.accessed_at or entry.at) > self.unused


def prune(
    space: OpenSpace, *, after_days: int | None = None, unused_days: int | None = None, dry_run: bool = False
) -> Pruned:
    """Archive conversations older than `after_days` that were not read for `unused_days`; 0 turns a condition off.

    Defaults come from the settings. Preferences, protected and important entries stay, and so do files that are held or
    in conflict. Must run outside of a transaction.
    """
    space.journal.need_files()
    take_accesses(space)
    sync(space)
    given = space.settings.journal
    rule = _Rule(
        space.clock(),
        timedelta(days=given.prune_after_days if after_days is None else after_days),
        timedelta(days=given.prune_unused_days if unused_days is None else unused_days),
    )
    chosen, kept = _choose(space, rule)
    if dry_run:
        return Pruned(tuple(entry_id for ids in chosen.values() for entry_id in ids), tuple(chosen), kept, dry_run=True)
    gone: list[str] = []
    files: list[str] = []
    for path, ids in chosen.items():
        moved = _archive_entries(space, path, frozenset(ids))
        gone += moved
        files += [path] if moved else []
        if moved:
            note(space, "pruned", file=path, entries=len(moved), archive=_archive_of(path))
    return Pruned(tuple(gone), tuple(files), kept)


def _choose(space: OpenSpace, rule: _Rule) -> tuple[dict[str, list[str]], int]:
    old: dict[str, list[Entry]] = {}
    for path in space.journal.scan():
        page = _page(space.journal, path) if stage_of(path) == "daily" and day_of(path) else None
        if page is not None and not page.hold and not page.is_conflicted:
            entries = [entry for entry in page.entries if entry.kind == "conversation" and entry.id]
            old[path] = [entry for entry in entries if rule.is_old(entry)]
    every = [entry for entries in old.values() for entry in entries]
    if not every:
        return {}, 0
    with space.store.read() as reader:
        states = reader.memories.states([entry.id or "" for entry in every])
    worth = {item.entry.id: item.score.score for item in scored(space, every, rule.now)}
    chosen: dict[str, list[str]] = {}
    for path, entries in old.items():
        for entry in entries:
            state = states.get(entry.id or "", State())
            keeps = entry.protected or state.protected
            keeps = keeps or max(entry.importance or 0, worth.get(entry.id, 0)) >= PERSISTENT
            if not keeps and rule.is_unused(entry, state):
                chosen.setdefault(path, []).append(entry.id or "")
    return chosen, len(every) - sum(map(len, chosen.values()))


def _archive_entries(space: OpenSpace, path: str, ids: frozenset[str]) -> list[str]:
    """Copy the day to the archive, and only then remove the entries from its file."""
    archive = _archive_of(path)
    with changes_by_waypost(space, [path, archive]) as folder:
        for _ in range(_MOST_TRIES):
            page = _page(folder, path)
            if page is None or page.hold or page.is_conflicted:
                return []
            places = [place for place, entry in enumerate(page.entries) if entry.id in ids]
            if not _is_archived(space, folder, page, archive):
                continue
            left = page.without(places)
            if not left.entries and not _has_words(left):
                if folder.read(path) == page.text:
                    folder.remove(path)
                    return [page.entries[place].id or "" for place in places]
            elif folder.replace(path, left.text, expected=page.text):
                return [page.entries[place].id or "" for place in places]
    raise StoreError(f"{path} is replaced again and again.", "Close the editor that holds it, and try again.")


def _is_archived(space: OpenSpace, folder: JournalFolder, page: JournalPage, archive: str) -> bool:
    original = folder.read_or_none(archive)
    assert page.day is not None
    wanted = updated_original(original, page.text, page.day, folder.zone, space.clock())
    return wanted == original or folder.replace(archive, wanted, expected=original)


def _archive_of(path: str) -> str:
    day = day_of(path)
    return archived_path(day_path(day) if day else path)


def _page(folder: JournalFolder, path: str) -> JournalPage | None:
    try:
        return parse_page(folder.read(path), day_of(path), folder.zone)
    except WaypostError:  # removed meanwhile, or damaged: `doctor` reports it
        return None


def _has_words(page: JournalPage) -> bool:
    lines = [line.strip() for block in page.blocks for line in block.raw.splitlines()]
    return any(line and not line.startswith("# ") for line in lines)
