"""From the journal's files to the index: what people wrote, changed, moved and removed by hand, noticed by itself.

Files that have not changed since they were read or written last are not opened. All that a changed file says is compared
with what is known to stand in it: new entries pass the gateway as an import of their person; changed ones become a new
version; what is gone from every file is not held any more, and its history stays.

An editor that saves what it had loaded earlier drops what was written meanwhile. Such entries, the last ones of a file and
written within minutes of a save that changed something else too, are put back.
"""

import json
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from waypost.errors import NotFound, WaypostError
from waypost.flows.journal.files.adopt import Adopting
from waypost.flows.journal.files.changes import IN_TREES, is_current, known_files
from waypost.flows.journal.files.editor_conflicts import is_fought_over, note_fight, time_of, was_overwritten
from waypost.flows.journal.files.units import JournalUnit, derived_id, entry_of, units_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import JournalFolder
from waypost.journal.layout import stage_of
from waypost.journal.markdown import render_entry
from waypost.model.journal import Entry, mark_of
from waypost.model.memory import State
from waypost.store.journal import KnownFile, PlacedEntry
from waypost.store.protocol import Writer

_SETTLES = 0.005  # seconds after which a file that is just being saved says something else
_MOST_LOOKS = 10
_ALIKE = 0.5  # of the words of a note, for it to be the same note changed
_MOST_CHANGED = 200  # notes of a file that are compared to find out which was changed into which
_FILES_AT_ONCE = 200
_OURS = "journal_ours"  # files that Waypost is about to change, in the table `meta`


@dataclass(slots=True)
class Synced:
    """What was found in the files."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    restored: int = 0
    problems: list[str] = field(default_factory=list)


def sync(space: OpenSpace) -> Synced:
    """Bring the index up to what the files say, where whoever asks may write into it."""
    if not space.store.may_write:
        return Synced()
    from waypost.flows.journal.files.first_files import move_into_files

    move_into_files(space)
    folder, done = space.journal, Synced()
    while not is_current(space):
        with folder.locked(), space.store.write() as writer:
            if not sync_in(space, writer, done, limit=_FILES_AT_ONCE):
                break
    return done


def sync_in(
    space: OpenSpace,
    writer: Writer,
    done: Synced | None = None,
    *,
    limit: int | None = None,
    only: Sequence[str] | None = None,
) -> bool:
    """The same inside a transaction, while the journal is locked; at most `limit` files at once. Whether there was
    anything to do. `only` these files are about to be written to."""
    folder, done = space.journal, done if done is not None else Synced()
    known = writer.journal.files(space.journal_id)
    if only is None:
        stamps = known_files(folder.scan())
    else:
        known = {path: known[path] for path in only if path in known}
        stamps = known_files({path: stamp for path in only if (stamp := folder.stamp(path)) is not None})
    if known == stamps:
        return False
    changed = [path for path in stamps if known.get(path) != stamps[path]]
    gone = [path for path in known if path not in stamps]
    if space.journal_id and not writer.meta.get(IN_TREES):
        writer.meta.set(IN_TREES, "1")
    last = limit is None or len(changed) <= limit
    _Sync(space, writer, folder, done, writing=only is not None).run(
        changed[:limit], gone if last else [], settled=not last
    )
    return True


@contextmanager
def ours(space: OpenSpace, paths: Iterable[str]) -> Iterator[JournalFolder]:
    """Change these files as Waypost: what they say afterwards is no hand's work, whether or not this process lives to
    say so."""
    folder, named = space.journal, sorted(set(paths))
    with folder.locked():
        with space.store.write() as writer:
            sync_in(space, writer)  # what a person did before
            writer.meta.set(_OURS + space.journal_id, json.dumps({path: [] for path in named}))
        yield _Announcing(space, folder)
        recorded(space, named)


class _Announcing(JournalFolder):
    """Notes what a file is going to say before it is written: by that it is known for ours should this process be killed,
    and not for ours if a person changes it afterwards."""

    def __init__(self, space: OpenSpace, folder: JournalFolder) -> None:
        super().__init__(folder.root, folder.lock, folder.settings, folder.wait_seconds)
        self._space = space

    def replace(self, path: str, text: str, *, expected: str | None) -> bool:
        key = _OURS + self._space.journal_id
        with self._space.store.write() as writer:
            marks: dict[str, list[str]] = json.loads(writer.meta.get(key) or "{}")
            marks.setdefault(path, []).append(mark_of(text))
            writer.meta.set(key, json.dumps(marks))
        return super().replace(path, text, expected=expected)


def recorded(space: OpenSpace, paths: Iterable[str]) -> None:
    """These files were written by Waypost: what stands in them is what is known."""
    with space.journal.locked(), space.store.write() as writer:
        record_in(space, writer, paths)
        writer.meta.set(_OURS + space.journal_id, "")


def record_in(space: OpenSpace, writer: Writer, paths: Iterable[str]) -> None:
    _Sync(space, writer, space.journal, Synced()).record(paths)


@dataclass(slots=True)
class _Found:
    """What one file says now, each unit with the memory it is."""

    known: KnownFile | None
    units: list[tuple[str, JournalUnit]] = field(default_factory=list)


class _Sync:
    """`writing`: somebody is about to add an entry, and has found the files changed."""

    def __init__(
        self, space: OpenSpace, writer: Writer, folder: JournalFolder, done: Synced, *, writing: bool = False
    ) -> None:
        self._space, self._writer, self._folder, self._done = space, writer, folder, done
        self._writing = writing
        self._journal = space.journal_id
        self._adopting = Adopting(space, writer, done.problems)

    def record(self, paths: Iterable[str]) -> None:
        """Take what these files say as known, without asking what has changed."""
        named = list(paths)
        before = self._places(named)
        for path in named:
            found = self._read(path, before.get(path, []))
            if found is None or found.known is None:
                self._writer.journal.drop_file(self._journal, path)
                continue
            self._keep(path, found, before.get(path, []))
            for memory_id, unit in found.units:
                if not self._writer.memories.versions(memory_id):  # brought along by an import of people's files
                    self._take(memory_id, unit, path)

    def run(self, changed: Sequence[str], gone: Sequence[str], *, settled: bool) -> None:
        owned = self._owned()
        if owned:  # whoever was at it was killed
            self.record([path for path in owned if path in changed or path in gone])
            changed = [path for path in changed if path not in owned]
            gone = [path for path in gone if path not in owned]
        self._writer.meta.set(_OURS + self._journal, "")
        before = self._places([*changed, *gone])
        found = self._read_all(changed, before, wait=not settled)
        lost = self._lost(before, found, gone)
        for path, one in found.items():
            old = {place.memory_id: place for place in before.get(path, ())}
            for memory_id, unit in one.units:
                known = old.get(memory_id)
                if known is None or known.digest != unit.digest:
                    self._take(memory_id, unit, path)
            self._keep(path, one, before.get(path, []))
        for path in changed:
            if path not in found:
                self._leave(path)
        for path in gone:
            self._writer.journal.drop_file(self._journal, path)
        for path, places in lost.items():
            self._part_with(path, places, before[path], found.get(path))

    def _owned(self) -> list[str]:
        """The files that a killed process of ours has written or removed, and that nobody has changed since."""
        marks: dict[str, list[str]] = json.loads(self._writer.meta.get(_OURS + self._journal) or "{}")
        return [path for path, written in marks.items() if self._says_one_of(path, written)]

    def _says_one_of(self, path: str, written: Sequence[str]) -> bool:
        try:
            return mark_of(self._folder.read(path)) in written
        except NotFound:
            return True
        except WaypostError:  # damaged
            return False

    def _leave(self, path: str) -> None:
        """It cannot be read: what is known to stand in it stays known, until it changes again."""
        stamp = self._folder.stamp(path)
        if stamp is not None:
            look = KnownFile(stamp.size, stamp.mtime, stamp.gzipped)
            self._writer.journal.extend_file(self._journal, path, look, [])

    def _take(self, memory_id: str, unit: JournalUnit, path: str) -> None:
        outcome = self._adopting.take(memory_id, unit, path)
        self._done.added += outcome == "added"
        self._done.changed += outcome == "changed"

    def _places(self, paths: Sequence[str]) -> dict[str, list[PlacedEntry]]:
        found: dict[str, list[PlacedEntry]] = {}
        for place in self._writer.journal.places(self._journal, paths):
            found.setdefault(place.path, []).append(place)
        return found

    # -- reading

    def _read_all(self, paths: Sequence[str], before: dict[str, list[PlacedEntry]], *, wait: bool) -> dict[str, _Found]:
        """What these files say. One that has lost entries may be just being saved: it is looked at again until it stays as
        it is."""
        found: dict[str, _Found] = {}
        for path in paths:
            if before.get(path):
                self._folder.wait_for_save(path)
            one = self._read(path, before.get(path, []))
            for _ in range(_MOST_LOOKS if wait else 0):
                if one is not None and {place.memory_id for place in before.get(path, ())} <= {i for i, _ in one.units}:
                    break
                time.sleep(_SETTLES)
                again = self._read(path, before.get(path, []))
                if again is None or (one is not None and again.known == one.known):
                    one = again
                    break
                one = again
            if one is not None and one.known is not None:
                found[path] = one
        return found

    def _read(self, path: str, before: Sequence[PlacedEntry]) -> _Found | None:
        """None: it cannot be read, and is left as it is known."""
        stamp = self._folder.stamp(path)
        if stamp is None:
            return _Found(None)
        try:
            text = self._folder.read(path)
            units = units_of(self._folder, path, text)
        except WaypostError as error:
            self._done.problems.append(error.what)
            return None
        return _Found(KnownFile(stamp.size, stamp.mtime, stamp.gzipped), self._named(path, units, before))

    def _named(
        self, path: str, units: Sequence[JournalUnit], before: Sequence[PlacedEntry]
    ) -> list[tuple[str, JournalUnit]]:
        """Which memory each unit is: by its id; by its words here or elsewhere; as a note that was changed; else a new one."""
        units = _once(units)
        names: list[str | None] = []
        taken: set[str] = set()
        for unit in units:
            own = unit.entry.id
            names.append(own if own is not None and own not in taken else None)
            taken.update([own] if own is not None else [])
        here = [place for place in before if place.memory_id not in taken]
        nameless = [unit.digest for unit, name in zip(units, names, strict=True) if name is None]
        elsewhere = self._writer.journal.places_like(self._journal, nameless) if nameless else []
        alike: dict[bytes, deque[str]] = {}
        for place in (*here, *elsewhere):
            alike.setdefault(place.digest, deque()).append(place.memory_id)
        for at, unit in enumerate(units):
            if names[at] is None:
                same = next((one for one in alike.get(unit.digest, ()) if one not in taken), None)
                if same is not None:
                    names[at] = same
                    taken.add(same)
                    alike[unit.digest].remove(same)
        left = [place for place in here if place.memory_id not in taken and place.by_hand][:_MOST_CHANGED]
        copies: dict[bytes, int] = {}
        for at, unit in enumerate(units):
            if names[at] is None:
                names[at] = self._changed_note(unit, left) or self._new_name(unit, path, taken, copies)
                taken.add(names[at] or "")
        return [(name or "", unit) for name, unit in zip(names, units, strict=True)]

    def _changed_note(self, unit: JournalUnit, left: list[PlacedEntry]) -> str | None:
        """The note without an id that this one was before somebody changed it."""
        for place in left:
            versions = self._writer.memories.versions(place.memory_id)
            if versions and SequenceMatcher(None, versions[-1].text[:2000], unit.entry.text[:2000]).ratio() > _ALIKE:
                left.remove(place)
                return place.memory_id
        return None

    def _new_name(self, unit: JournalUnit, path: str, taken: set[str], copies: dict[bytes, int]) -> str:
        """`copies` counts how often the same words were named before."""
        copy = copies.get(unit.digest, 0)
        while (name := derived_id(unit, path, copy)) in taken:
            copy += 1
        copies[unit.digest] = copy + 1
        return name

    def _keep(self, path: str, found: _Found, before: Sequence[PlacedEntry]) -> None:
        """From now on this is what is known to stand in the file. An entry stands there since the file was written in which
        it was seen first."""
        if found.known is None:
            return
        old = {place.memory_id: place for place in before}
        now = time_of(found.known.mtime)
        places = [
            PlacedEntry(
                path,
                memory_id,
                at,
                unit.digest,
                old[memory_id].since if memory_id in old else now,
                old[memory_id].by_hand if memory_id in old else unit.entry.id is None,
            )
            for at, (memory_id, unit) in enumerate(found.units)
        ]
        self._writer.journal.put_file(self._journal, path, found.known, places)

    # -- what is not there any more

    def _lost(
        self, before: dict[str, list[PlacedEntry]], found: dict[str, _Found], gone: Sequence[str]
    ) -> dict[str, list[PlacedEntry]]:
        """What stood in these files and does not any more: in no file, or taken out of a day's own page by hand."""
        there = {memory_id for one in found.values() for memory_id, _ in one.units}
        missing = [
            place
            for path, places in before.items()
            for place in places
            if (path in found or path in gone) and place.memory_id not in there
        ]
        elsewhere = {
            place.memory_id
            for journal, place in self._writer.journal.places_of({place.memory_id for place in missing})
            if journal == self._journal and place.path not in before
        }
        lost: dict[str, list[PlacedEntry]] = {}
        for place in missing:
            taken_out = place.path in found and stage_of(place.path) == "daily"
            if taken_out or place.memory_id not in elsewhere:
                lost.setdefault(place.path, []).append(place)
        return lost

    def _part_with(
        self, path: str, places: list[PlacedEntry], before: Sequence[PlacedEntry], found: _Found | None
    ) -> None:
        written = [place for place in places if not place.by_hand]
        if found is not None and written and self._was_overwritten(path, written, before, found):
            self._put_back(path, written, found)
            places = [place for place in places if place.by_hand]
        for place in places:
            self._done.removed += self._adopting.part_with(place.memory_id)

    def _was_overwritten(
        self, path: str, lost: Sequence[PlacedEntry], before: Sequence[PlacedEntry], found: _Found
    ) -> bool:
        if found.known is None:
            return False
        fought = is_fought_over(self._writer, self._journal, path, found.known.mtime)
        there = {memory_id: unit.digest for memory_id, unit in found.units}
        return was_overwritten(lost, before, there, time_of(found.known.mtime), fought=fought, writing=self._writing)

    def _put_back(self, path: str, places: list[PlacedEntry], found: _Found) -> None:
        entries = [entry for place in places if (entry := self._entry(place.memory_id)) is not None]
        self._folder.append(path, "".join(render_entry(entry) for entry in entries))
        self._done.restored += len(entries)
        if found.known is not None:
            note_fight(self._writer, self._journal, path, found.known.mtime)
        before = [*self._writer.journal.places(self._journal, [path]), *places]
        again = self._read(path, before)
        if again is not None:
            self._keep(path, again, before)

    def _entry(self, memory_id: str) -> Entry | None:
        versions = self._writer.memories.versions(memory_id)
        state = self._writer.memories.states([memory_id]).get(memory_id, State())
        return entry_of(self._folder, versions, state) if versions else None


def _once(units: Sequence[JournalUnit]) -> list[JournalUnit]:
    """Without copies of an entry, id and all, further down in the file."""
    seen: set[tuple[str, bytes]] = set()
    kept = []
    for unit in units:
        mark = (unit.entry.id or "", unit.digest)
        if unit.entry.id is None or mark not in seen:
            kept.append(unit)
        seen.add(mark)
    return kept
