"""Take over what a file says about one memory: new, changed, restored, or gone."""

import hmac
from dataclasses import replace

from waypost.errors import WaypostError
from waypost.facts.identity import tombstone
from waypost.facts.rejection.marks import spoken_mark
from waypost.flows.open_space import OpenSpace, tombstone_key_in
from waypost.flows.versions.current import audit, current_versions, nothing_new
from waypost.flows.versions.masking import without_secrets
from waypost.flows.versions.prepare import make_room, prepare, prepare_version, put
from waypost.journal.layout import day_of, stage_of
from waypost.journal.markdown import parse_page
from waypost.journal.units import JournalUnit, heading_details
from waypost.model.draft import MAX_SHORT, Draft, check_text
from waypost.model.journal import Amendment, Entry
from waypost.model.memory import HEADING, Caller, Version
from waypost.store.protocol import Writer

REMOVED = "remove"  # in the audit: removed from its file by hand
_COMMANDS = ("correct", "retract")  # commands that outrank an older state of a file
_TEXT_ACTIONS = (*_COMMANDS, "edit", "remember", REMOVED)


class EntryAdopter:
    """Takes over entries of files inside a write transaction. `problems` collects what was refused."""

    def __init__(self, space: OpenSpace, writer: Writer, problems: list[str]) -> None:
        self._space, self._writer, self._problems = space, writer, problems
        self._person = Caller("journal", space.settings.person)
        self._key: bytes | None = None

    def take(self, memory_id: str, unit: JournalUnit, path: str) -> str | None:
        """`added`, `changed`, or None if there was nothing to do."""
        entry = unit.entry
        versions = self._writer.memories.versions(memory_id)
        try:
            if not versions:
                return self._add(memory_id, unit, path)
            outcome = self._change(memory_id, unit, versions, path)
        except WaypostError as error:
            self._problems.append(f"{path}: {error.what}")
            return None
        self._mark(memory_id, entry)
        return outcome

    def _add(self, memory_id: str, unit: JournalUnit, path: str) -> str | None:
        draft, masked = without_secrets(self._draft(memory_id, unit))
        if masked:
            self._problems.append(f"{path}: it contains a secret ({masked[0]}); the index has it masked.")
        item = prepare(self._space, draft, self._person, self._tombstone_key())
        kept = {**item.version.details, **self._other_heading_details(unit.entry)}
        item = replace(item, version=replace(item.version, details=kept))
        if self._is_forgotten(memory_id, item.version, by_text=unit.entry.id is None):
            self._problems.append(f"{path}: it contains a forgotten entry again, which is not in the index.")
            return None
        for same in self._writer.memories.with_fingerprint(item.version.fingerprint):
            if same.superseded_at is None and unit.entry.id is None:
                return None  # a copy by hand: same text, same moment
        put(self._writer, item.version, item.passages, nothing_new(self._space, self._writer))
        self._mark(memory_id, unit.entry)
        audit(
            self._space, self._writer, "remember", memory_id, self._person, {"kind": draft.kind, "masked": len(masked)}
        )
        if unit.entry.held is None:
            self._end(memory_id)
        return "added"

    def _change(self, memory_id: str, unit: JournalUnit, versions: list[Version], path: str) -> str | None:
        entry, current = unit.entry, current_versions(self._writer, memory_id)
        if entry.held is None:
            return "changed" if current and self._end(memory_id) else None
        if entry.trimmed is not None and not entry.is_edited and not entry.amendments:
            return None  # its full text is stored
        old = current[-1] if current else versions[-1]
        draft, masked = without_secrets(self._draft(memory_id, unit))
        item = prepare_version(
            draft,
            replace(
                old,
                text=draft.text,
                kind=draft.kind,
                speaker=draft.speaker,
                session=draft.session,
                time=draft.time if old.time is not None and unit.dated else old.time,
                recorded_at=self._space.clock(),
                source=self._person.source,
                actor=self._person.actor,
                superseded_at=None,
                details={**old.details, **self._other_heading_details(entry)},
            ),
            masked,
            self._tombstone_key(),
        )
        said = ("text", "kind", "speaker", "session", "time")
        if current and all(getattr(item.version, name) == getattr(old, name) for name in said):
            return None
        if self._is_outdated(memory_id, item.version, versions):
            self._problems.append(f"{path}: {memory_id} was corrected or retracted since; its older text is ignored.")
            return None
        if self._is_forgotten(memory_id, item.version):
            self._problems.append(f"{path}: it contains forgotten text again, which is not in the index.")
            return None
        now = item.version.recorded_at
        embedded = nothing_new(self._space, self._writer)
        for version in current:
            self._writer.memories.supersede(version.number, now)
        make_room(self._writer, [], item.version.period, now, embedded)
        put(self._writer, item.version, item.passages, embedded)
        audit(self._space, self._writer, "edit", memory_id, self._person, {"masked": len(masked)})
        return "changed"

    def end_missing(self, memory_id: str) -> bool:
        """End a memory that is gone from its file, also in the archive."""
        for journal, place in self._writer.journal.places_of([memory_id]):
            if journal == self._space.journal_id and stage_of(place.path) == "archive/daily":
                try:
                    self._retract_in(place.path, memory_id)
                except WaypostError as error:  # damaged or in conflict: the index is right all the same
                    self._problems.append(f"{place.path}: {error.what}")
        if any(journal != self._space.journal_id for journal, _ in self._writer.journal.places_of([memory_id])):
            return False  # another checkout still has it
        if not self._end(memory_id):
            return False
        audit(self._space, self._writer, REMOVED, memory_id, self._person, {})
        return True

    def _retract_in(self, path: str, memory_id: str) -> None:
        folder = self._space.journal
        before = folder.read(path)
        page = parse_page(before, day_of(path), folder.zone)
        for place, entry in enumerate(page.entries):
            if entry.id == memory_id and entry.held is not None:
                end = Amendment(self._space.clock(), "hand", None)
                page = page.with_entry(place, replace(entry, amendments=(*entry.amendments, end)))
        folder.replace(path, page.text, expected=before)

    def _end(self, memory_id: str) -> bool:
        current = current_versions(self._writer, memory_id)
        for version in current:
            self._writer.memories.supersede(version.number, self._space.clock())
        return bool(current)

    def _draft(self, memory_id: str, unit: JournalUnit) -> Draft:
        entry, details = unit.entry, heading_details(unit.entry.more)
        words = entry.held if entry.held is not None else entry.text
        return Draft(
            check_text(words),
            entry.kind,
            session=_line(entry.session),
            speaker=_line(entry.speaker),
            time=entry.at if unit.dated else None,
            key=_line(details.key),
            tags={name: value for key, said in details.tags.items() if (name := _line(key)) and (value := _line(said))},
            evidence=tuple(line for line_text in details.evidence if (line := _line(line_text))),
            refs=details.refs,
            memory_id=memory_id,
            claims={"source": by} if (by := _line(entry.more.get("by"))) else {},
        )

    def _other_heading_details(self, entry: Entry) -> dict[str, object]:
        rest = heading_details(entry.more).rest
        return {HEADING: dict(rest)} if rest else {}

    def _mark(self, memory_id: str, entry: Entry) -> None:
        """Take over what the heading says apart from the text."""
        state = self._writer.memories.states([memory_id]).get(memory_id)
        if (state.protected if state else False) != entry.protected:
            self._writer.memories.set_state(memory_id, protected=entry.protected)
        if entry.importance is not None and (state is None or state.importance != entry.importance):
            self._writer.memories.set_state(memory_id, importance=float(entry.importance))

    def _is_outdated(self, memory_id: str, version: Version, versions: list[Version]) -> bool:
        """Whether the file contains text again that a command has corrected or retracted."""
        if not any(old.text == version.text and old.superseded_at for old in versions):
            return False
        said = [
            audit_entry.action
            for audit_entry in self._writer.audit.entries(memory_id, 100)
            if audit_entry.action in _TEXT_ACTIONS
        ]
        return bool(said) and said[0] in _COMMANDS

    def _is_forgotten(self, memory_id: str, version: Version, *, by_text: bool = False) -> bool:
        """Whether the entry was forgotten. `by_text`: it has no id, so its text decides."""
        key = self._tombstone_key()
        marks = [tombstone(key, version), tombstone(key, replace(version, time=None)), id_mark(key, memory_id)]
        spoken = spoken_mark(key, version) if by_text else None
        marks += [spoken] if spoken else []
        return bool(self._writer.tombstones.matching(marks))

    def _tombstone_key(self) -> bytes:
        if self._key is None:
            self._key = tombstone_key_in(self._writer)
        return self._key


def _line(value: str | None) -> str | None:
    """A short text that can be stored: a heading written by hand may contain anything."""
    clean = "".join(character for character in value or "" if character.isprintable())[:MAX_SHORT].strip()
    return clean or None


def id_mark(key: bytes, memory_id: str) -> bytes:
    """A tombstone for the id itself: an entry carries it wherever its file is copied."""
    return hmac.digest(key, f"entry\0{memory_id}".encode(), "sha256")
