"""What a file says about one memory, taken into the index: new, changed, back again, or not held any more."""

from dataclasses import replace

from waypost.errors import WaypostError
from waypost.facts.identity import tombstone
from waypost.flows.journal.files.erasure_marks import id_mark
from waypost.flows.journal.files.units import JournalUnit, told_by
from waypost.flows.open_space import OpenSpace, tombstone_key_in
from waypost.flows.recall.versions import audit, held_versions, nothing_new
from waypost.flows.write.masking import without_secrets
from waypost.flows.write.prepare import HEADING, finish, make_room, prepare, put
from waypost.journal.layout import day_of, stage_of
from waypost.journal.markdown import parse_page
from waypost.model.draft import MAX_SHORT, Draft, check_text
from waypost.model.journal import Amendment, Entry
from waypost.model.memory import Caller, Version
from waypost.store.protocol import Writer

REMOVED = "remove"  # in the audit: gone from its file by somebody's hand
_SAID_SINCE = ("correct", "retract")  # commands whose word stands above an older state of a file
_ABOUT_WORDS = (*_SAID_SINCE, "edit", "remember", REMOVED)


class Adopting:
    """Takes units in, inside a write transaction. What cannot be taken is told in `problems`."""

    def __init__(self, space: OpenSpace, writer: Writer, problems: list[str]) -> None:
        self._space, self._writer, self._problems = space, writer, problems
        self._hand = Caller("journal", space.settings.person)
        self._key: bytes | None = None

    def take(self, memory_id: str, unit: JournalUnit, path: str) -> str | None:
        """`added` or `changed`, or None where there was nothing to do."""
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
            self._problems.append(f"{path}: a secret stands there ({masked[0]}); the index has it masked.")
        item = prepare(self._space, draft, self._hand, self._tombstone_key())
        kept = {**item.version.details, **self._kept(unit.entry)}
        item = replace(item, version=replace(item.version, details=kept))
        if self._is_forgotten(memory_id, item.version):
            self._problems.append(f"{path}: an entry that was forgotten stands there again; it is not in the index.")
            return None
        for same in self._writer.memories.with_fingerprint(item.version.fingerprint):
            if same.superseded_at is None and unit.entry.id is None:
                return None  # the same words of the same moment, copied by hand
        put(self._writer, item.version, item.passages, nothing_new(self._space, self._writer))
        self._mark(memory_id, unit.entry)
        audit(self._space, self._writer, "remember", memory_id, self._hand, {"kind": draft.kind, "masked": len(masked)})
        if unit.entry.held is None:
            self._end(memory_id)
        return "added"

    def _change(self, memory_id: str, unit: JournalUnit, versions: list[Version], path: str) -> str | None:
        entry, held = unit.entry, held_versions(self._writer, memory_id)
        if entry.held is None:
            return "changed" if held and self._end(memory_id) else None
        if entry.trimmed is not None and not entry.is_edited and not entry.amendments:
            return None  # its full words are known
        old = held[-1] if held else versions[-1]
        draft, masked = without_secrets(self._draft(memory_id, unit))
        item = finish(
            draft,
            replace(
                old,
                text=draft.text,
                kind=draft.kind,
                speaker=draft.speaker,
                session=draft.session,
                time=draft.time if old.time is not None and unit.dated else old.time,
                recorded_at=self._space.clock(),
                source=self._hand.source,
                actor=self._hand.actor,
                superseded_at=None,
                details={**old.details, **self._kept(entry)},
            ),
            masked,
            self._tombstone_key(),
        )
        said = ("text", "kind", "speaker", "session", "time")
        if held and all(getattr(item.version, name) == getattr(old, name) for name in said):
            return None
        if self._is_of_old(memory_id, item.version, versions):
            self._problems.append(
                f"{path}: {memory_id} was corrected or retracted since; its older words are not taken."
            )
            return None
        if self._is_forgotten(memory_id, item.version):
            self._problems.append(f"{path}: words that were forgotten stand there again; they are not in the index.")
            return None
        now = item.version.recorded_at
        embedded = nothing_new(self._space, self._writer)
        for version in held:
            self._writer.memories.supersede(version.number, now)
        make_room(self._writer, [], item.version.period, now, embedded)
        put(self._writer, item.version, item.passages, embedded)
        audit(self._space, self._writer, "edit", memory_id, self._hand, {"masked": len(masked)})
        return "changed"

    def part_with(self, memory_id: str) -> bool:
        """It is gone from its file: nobody holds it any more, and what the archive has of it says so."""
        for journal, place in self._writer.journal.places_of([memory_id]):
            if journal == self._space.journal_id and stage_of(place.path) == "archive/daily":
                try:
                    self._retract_in(place.path, memory_id)
                except WaypostError as error:  # damaged, or in conflict: the index knows, and nothing else waits for it
                    self._problems.append(f"{place.path}: {error.what}")
        if any(journal != self._space.journal_id for journal, _ in self._writer.journal.places_of([memory_id])):
            return False  # the tree of another checkout still has it
        if not self._end(memory_id):
            return False
        audit(self._space, self._writer, REMOVED, memory_id, self._hand, {})
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
        held = held_versions(self._writer, memory_id)
        for version in held:
            self._writer.memories.supersede(version.number, self._space.clock())
        return bool(held)

    def _draft(self, memory_id: str, unit: JournalUnit) -> Draft:
        entry, told = unit.entry, told_by(unit.entry.more)
        words = entry.held if entry.held is not None else entry.text
        return Draft(
            check_text(words),
            entry.kind,
            session=_line(entry.session),
            speaker=_line(entry.speaker),
            time=entry.at if unit.dated else None,
            key=_line(told.key),
            tags={name: value for key, said in told.tags.items() if (name := _line(key)) and (value := _line(said))},
            evidence=tuple(line for one in told.evidence if (line := _line(one))),
            refs=told.refs,
            memory_id=memory_id,
            claims={"source": by} if (by := _line(entry.more.get("by"))) else {},
        )

    def _kept(self, entry: Entry) -> dict[str, object]:
        rest = told_by(entry.more).rest
        return {HEADING: dict(rest)} if rest else {}

    def _mark(self, memory_id: str, entry: Entry) -> None:
        """What the heading says of it that is no part of its words."""
        state = self._writer.memories.states([memory_id]).get(memory_id)
        if (state.protected if state else False) != entry.protected:
            self._writer.memories.set_state(memory_id, protected=entry.protected)
        if entry.importance is not None and (state is None or state.importance != entry.importance):
            self._writer.memories.set_state(memory_id, importance=float(entry.importance))

    def _is_of_old(self, memory_id: str, version: Version, versions: list[Version]) -> bool:
        """Whether the file says again what was corrected or retracted by a command."""
        if not any(old.text == version.text and old.superseded_at for old in versions):
            return False
        said = [one.action for one in self._writer.audit.entries(memory_id, 100) if one.action in _ABOUT_WORDS]
        return bool(said) and said[0] in _SAID_SINCE

    def _is_forgotten(self, memory_id: str, version: Version) -> bool:
        key = self._tombstone_key()
        marks = [tombstone(key, version), tombstone(key, replace(version, time=None)), id_mark(key, memory_id)]
        return bool(self._writer.tombstones.matching(marks))

    def _tombstone_key(self) -> bytes:
        if self._key is None:
            self._key = tombstone_key_in(self._writer)
        return self._key


def _line(value: str | None) -> str | None:
    """A short text as it can be stored: a hand may have written anything into a heading."""
    clean = "".join(one for one in value or "" if one.isprintable())[:MAX_SHORT].strip()
    return clean or None
