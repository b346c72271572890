"""From the journal's files to the index: entries that people wrote, changed, moved and removed by hand.

Unchanged files are not opened. A changed file is compared with what is known of it. New entries pass the gateway as an
import of their person, changed ones become new versions, and removed ones end; their history stays.

An editor that saves an older state drops what was written meanwhile. Such entries are restored: the last ones of a
file, written within minutes of a save that changed something else too.
"""

import json
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from waypost.errors import WaypostError
from waypost.flows.journal_files.adopt import EntryAdopter
from waypost.flows.journal_files.editor_conflicts import has_conflict, note_conflict, time_of, was_overwritten
from waypost.flows.journal_files.known_files import IN_TREES
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import JournalFolder
from waypost.journal.layout import stage_of
from waypost.journal.markdown import render_entry
from waypost.journal.units import JournalUnit, derived_id, entry_of, units_of
from waypost.model.journal import Entry, mark_of
from waypost.model.memory import State
from waypost.store.journal import FileStamp, PlacedEntry
from waypost.store.protocol import Writer

_SETTLES = 0.005  # seconds after which a file that is being saved has changed
_MOST_LOOKS = 10
_ALIKE = 0.5  # similarity from which a note is the same note, edited
_MOST_CHANGED = 200  # notes of a file that are compared to find edited ones
_OWN_FILES = "journal_ours"  # in the table `meta`: files that Waypost is about to change


@dataclass(slots=True)
class Synced:
    added: int = 0
    changed: int = 0
    removed: int = 0
    restored: int = 0
    problems: list[str] = field(default_factory=list)


def sync_in(
    space: OpenSpace,
    writer: Writer,
    done: Synced | None = None,
    *,
    limit: int | None = None,
    only: Sequence[str] | None = None,
) -> bool:
    """Sync inside a transaction, while the journal is locked, at most `limit` files.

    Returns whether there was anything to do. `only`: files that are about to be written.
    """
    folder, done = space.journal, done if done is not None else Synced()
    stored = writer.journal.files(space.journal_id)
    if only is None:
        stamps = folder.scan()
    else:
        stored = {path: stored[path] for path in only if path in stored}
        stamps = {path: stamp for path in only if (stamp := folder.stamp(path)) is not None}
    if stored == stamps:
        return False
    changed = [path for path in stamps if stored.get(path) != stamps[path]]
    gone = [path for path in stored if path not in stamps]
    if space.journal_id and not writer.meta.get(IN_TREES):
        writer.meta.set(IN_TREES, "1")
    last = limit is None or len(changed) <= limit
    _Sync(space, writer, folder, done, writing=only is not None).run(
        changed[:limit], gone if last else [], settled=not last
    )
    return True


@contextmanager
def changes_by_waypost(space: OpenSpace, paths: Iterable[str]) -> Iterator[JournalFolder]:
    """Change these files as Waypost: the result does not count as an edit by hand, even after a kill."""
    folder, named = space.journal, sorted(set(paths))
    with folder.locked():
        with space.store.write() as writer:
            sync_in(space, writer)  # earlier edits by people
            writer.meta.set(_OWN_FILES + space.journal_id, json.dumps({path: [] for path in named}))
        yield _AnnouncingFolder(space, folder)
        record_written(space, named)


class _AnnouncingFolder(JournalFolder):
    """Stores a mark of a file's new content before writing it.

    After a kill, the mark shows that Waypost wrote the file, unless a person has changed it since.
    """

    def __init__(self, space: OpenSpace, folder: JournalFolder) -> None:
        super().__init__(folder.root, folder.lock, folder.settings, folder.wait_seconds, bundles=folder.bundles)
        self._space = space

    def replace(self, path: str, text: str, *, expected: str | None) -> bool:
        key = _OWN_FILES + self._space.journal_id
        with self._space.store.write() as writer:
            marks: dict[str, list[str]] = json.loads(writer.meta.get(key) or "{}")
            marks.setdefault(path, []).append(mark_of(text))
            writer.meta.set(key, json.dumps(marks))
        return super().replace(path, text, expected=expected)


def record_written(space: OpenSpace, paths: Iterable[str]) -> None:
    """Record the content of files that Waypost wrote."""
    with space.journal.locked(), space.store.write() as writer:
        record_in(space, writer, paths)
        writer.meta.set(_OWN_FILES + space.journal_id, "")


def record_in(space: OpenSpace, writer: Writer, paths: Iterable[str]) -> None:
    _Sync(space, writer, space.journal, Synced()).record(paths)


@dataclass(slots=True)
class _FileContent:
    """The content of one file: each unit with its memory id."""

    file: FileStamp | None
    units: list[tuple[str, JournalUnit]] = field(default_factory=list)


class _Sync:
    """`writing`: a process is about to add an entry, and has found the files changed."""

    def __init__(
        self, space: OpenSpace, writer: Writer, folder: JournalFolder, done: Synced, *, writing: bool = False
    ) -> None:
        self._space, self._writer, self._folder, self._done = space, writer, folder, done
        self._writing = writing
        self._journal = space.journal_id
        self._adopter = EntryAdopter(space, writer, done.problems)

    def record(self, paths: Iterable[str]) -> None:
        """Record the content of these files, without comparing it."""
        named = list(paths)
        before = self._places(named)
        for path in named:
            content = self._read(path, before.get(path, []))
            if content is None or content.file is None:
                self._writer.journal.drop_file(self._journal, path)
                continue
            self._record_places(path, content, before.get(path, []))
            for memory_id, unit in content.units:
                if not self._writer.memories.versions(memory_id):  # from an import of people's files
                    self._take(memory_id, unit, path)

    def run(self, changed: Sequence[str], gone: Sequence[str], *, settled: bool) -> None:
        own = self._own_unfinished()
        if own:  # the process that wrote them was killed
            self.record([path for path in own if path in changed or path in gone])
            changed = [path for path in changed if path not in own]
            gone = [path for path in gone if path not in own]
        self._writer.meta.set(_OWN_FILES + self._journal, "")
        before = self._places([*changed, *gone])
        contents = self._read_all(changed, before, wait=not settled)
        lost = self._missing_entries(before, contents, gone)
        for path, content in contents.items():
            old = {place.memory_id: place for place in before.get(path, ())}
            for memory_id, unit in content.units:
                place_before = old.get(memory_id)
                if place_before is None or place_before.digest != unit.digest:
                    self._take(memory_id, unit, path)
            self._record_places(path, content, before.get(path, []))
        for path in changed:
            if path not in contents:
                self._keep_known(path)
        for path in gone:
            self._writer.journal.drop_file(self._journal, path)
        for path, places in lost.items():
            self._handle_missing(path, places, before[path], contents.get(path))

    def _own_unfinished(self) -> list[str]:
        """Files that a killed process of Waypost wrote or removed, and that nobody has changed since."""
        marks: dict[str, list[str]] = json.loads(self._writer.meta.get(_OWN_FILES + self._journal) or "{}")
        return [path for path, written in marks.items() if self._has_mark(path, written)]

    def _has_mark(self, path: str, written: Sequence[str]) -> bool:
        try:
            text = self._folder.read_or_none(path)
            return text is None or mark_of(text) in written
        except WaypostError:  # damaged
            return False

    def _keep_known(self, path: str) -> None:
        """The file cannot be read: keep what is known of it until it changes again."""
        stamp = self._folder.stamp(path)
        if stamp is not None:
            self._writer.journal.extend_file(self._journal, path, stamp, [])

    def _take(self, memory_id: str, unit: JournalUnit, path: str) -> None:
        outcome = self._adopter.take(memory_id, unit, path)
        self._done.added += outcome == "added"
        self._done.changed += outcome == "changed"

    def _places(self, paths: Sequence[str]) -> dict[str, list[PlacedEntry]]:
        places: dict[str, list[PlacedEntry]] = {}
        for place in self._writer.journal.places(self._journal, paths):
            places.setdefault(place.path, []).append(place)
        return places

    # -- reading

    def _read_all(
        self, paths: Sequence[str], before: dict[str, list[PlacedEntry]], *, wait: bool
    ) -> dict[str, _FileContent]:
        """The content of these files.

        A file that lost entries may be in the middle of a save: read it until it is stable.
        """
        contents: dict[str, _FileContent] = {}
        for path in paths:
            if before.get(path):
                self._folder.wait_for_save(path)
            content = self._read(path, before.get(path, []))
            for _ in range(_MOST_LOOKS if wait else 0):
                if content is not None and {place.memory_id for place in before.get(path, ())} <= {
                    i for i, _ in content.units
                }:
                    break
                time.sleep(_SETTLES)
                again = self._read(path, before.get(path, []))
                if again is None or (content is not None and again.file == content.file):
                    content = again
                    break
                content = again
            if content is not None and content.file is not None:
                contents[path] = content
        return contents

    def _read(self, path: str, before: Sequence[PlacedEntry]) -> _FileContent | None:
        stamp = self._folder.stamp(path)
        if stamp is None:
            return _FileContent(None)
        try:
            text = self._folder.read(path)
            units = units_of(self._folder, path, text)
        except WaypostError as error:
            self._done.problems.append(error.what)
            return None
        return _FileContent(stamp, self._with_ids(path, units, before))

    def _with_ids(
        self, path: str, units: Sequence[JournalUnit], before: Sequence[PlacedEntry]
    ) -> list[tuple[str, JournalUnit]]:
        """The id of each unit: its own; by the same text here or in other files; as an edited note; else a new one."""
        units = _once(units)
        names: list[str | None] = []
        taken: set[str] = set()
        for unit in units:
            own = unit.entry.id
            names.append(own if own is not None and own not in taken else None)
            taken.update([own] if own is not None else [])
        here = [place for place in before if place.memory_id not in taken]
        nameless = [unit.digest for unit, name in zip(units, names, strict=True) if name is None]
        in_other_files = self._writer.journal.places_like(self._journal, nameless) if nameless else []
        alike: dict[bytes, deque[str]] = {}
        for place in (*here, *in_other_files):
            alike.setdefault(place.digest, deque()).append(place.memory_id)
        for at, unit in enumerate(units):
            if names[at] is None:
                same = next((memory_id for memory_id in alike.get(unit.digest, ()) if memory_id not in taken), None)
                if same is not None:
                    names[at] = same
                    taken.add(same)
                    alike[unit.digest].remove(same)
        left = [place for place in here if place.memory_id not in taken and place.by_hand][:_MOST_CHANGED]
        copies: dict[bytes, int] = {}
        for at, unit in enumerate(units):
            if names[at] is None:
                names[at] = self._changed_note(unit, left) or self._new_id(unit, path, taken, copies)
                taken.add(names[at] or "")
        return [(name or "", unit) for name, unit in zip(names, units, strict=True)]

    def _changed_note(self, unit: JournalUnit, left: list[PlacedEntry]) -> str | None:
        """The note without an id that was edited into this one."""
        for place in left:
            versions = self._writer.memories.versions(place.memory_id)
            if versions and SequenceMatcher(None, versions[-1].text[:2000], unit.entry.text[:2000]).ratio() > _ALIKE:
                left.remove(place)
                return place.memory_id
        return None

    def _new_id(self, unit: JournalUnit, path: str, taken: set[str], copies: dict[bytes, int]) -> str:
        """`copies` counts how often the same text was given an id before."""
        copy = copies.get(unit.digest, 0)
        while (name := derived_id(unit, path, copy)) in taken:
            copy += 1
        copies[unit.digest] = copy + 1
        return name

    def _record_places(self, path: str, content: _FileContent, before: Sequence[PlacedEntry]) -> None:
        """Record the entries of the file. An entry keeps the time when it was first seen there."""
        if content.file is None:
            return
        old = {place.memory_id: place for place in before}
        now = time_of(content.file.mtime)
        places = [
            PlacedEntry(
                path,
                memory_id,
                at,
                unit.digest,
                old[memory_id].since if memory_id in old else now,
                old[memory_id].by_hand if memory_id in old else unit.entry.id is None,
            )
            for at, (memory_id, unit) in enumerate(content.units)
        ]
        self._writer.journal.put_file(self._journal, path, content.file, places)

    # -- what is not there any more

    def _missing_entries(
        self, before: dict[str, list[PlacedEntry]], contents: dict[str, _FileContent], gone: Sequence[str]
    ) -> dict[str, list[PlacedEntry]]:
        """Entries that are gone from these files: in no other file, or removed from a day's own page by hand."""
        there = {memory_id for content in contents.values() for memory_id, _ in content.units}
        missing = [
            place
            for path, places in before.items()
            for place in places
            if (path in contents or path in gone) and place.memory_id not in there
        ]
        in_other_files = {
            place.memory_id
            for journal, place in self._writer.journal.places_of({place.memory_id for place in missing})
            if journal == self._journal and place.path not in before
        }
        lost: dict[str, list[PlacedEntry]] = {}
        for place in missing:
            taken_out = place.path in contents and stage_of(place.path) == "daily"
            if taken_out or place.memory_id not in in_other_files:
                lost.setdefault(place.path, []).append(place)
        return lost

    def _handle_missing(
        self, path: str, places: list[PlacedEntry], before: Sequence[PlacedEntry], content: _FileContent | None
    ) -> None:
        # Forgotten or refused entries have no version: nothing could be put back.
        written = [place for place in places if not place.by_hand and self._writer.memories.versions(place.memory_id)]
        if content is not None and written and self._was_overwritten(path, written, before, content):
            self._put_back(path, written, content)
            places = [place for place in places if place not in written]
        for place in places:
            self._done.removed += self._adopter.end_missing(place.memory_id)

    def _was_overwritten(
        self, path: str, lost: Sequence[PlacedEntry], before: Sequence[PlacedEntry], content: _FileContent
    ) -> bool:
        if content.file is None:
            return False
        in_conflict = has_conflict(self._writer, self._journal, path, content.file.mtime)
        there = {memory_id: unit.digest for memory_id, unit in content.units}
        return was_overwritten(
            lost, before, there, time_of(content.file.mtime), in_conflict=in_conflict, writing=self._writing
        )

    def _put_back(self, path: str, places: list[PlacedEntry], content: _FileContent) -> None:
        entries = [entry for place in places if (entry := self._entry(place.memory_id)) is not None]
        self._folder.append(path, "".join(render_entry(entry) for entry in entries))
        self._done.restored += len(entries)
        if content.file is not None:
            note_conflict(self._writer, self._journal, path, content.file.mtime)
        before = [*self._writer.journal.places(self._journal, [path]), *places]
        again = self._read(path, before)
        if again is not None:
            self._record_places(path, again, before)

    def _entry(self, memory_id: str) -> Entry | None:
        versions = self._writer.memories.versions(memory_id)
        state = self._writer.memories.states([memory_id]).get(memory_id, State())
        return entry_of(self._folder, versions, state) if versions else None


def _once(units: Sequence[JournalUnit]) -> list[JournalUnit]:
    """Without copies of an entry with its id further down in the file."""
    seen: set[tuple[str, bytes]] = set()
    kept = []
    for unit in units:
        mark = (unit.entry.id or "", unit.digest)
        if unit.entry.id is None or mark not in seen:
            kept.append(unit)
        seen.add(mark)
    return kept
