"""Rows of Memory Bridge through the gateway, a batch at a time, and what became of each."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from waypost.compat.coding_brain.places import CheckoutFiles, packed, places_for
from waypost.compat.memory_bridge.facts import BridgeFact
from waypost.compat.memory_bridge.survey import BridgeSurvey
from waypost.compat.memory_bridge.verify import checksum
from waypost.errors import WaypostError
from waypost.facts.classify import domain_of, kind_of, level_of
from waypost.facts.domains import Layout
from waypost.flows.move.imports import Note, write
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.prepare import locate_drafts
from waypost.model.draft import Draft
from waypost.model.memory import IMPORT, Caller, Version
from waypost.model.receipt import Receipt, Status
from waypost.model.reference import CodeReference
from waypost.store.protocol import Reader
from waypost.text.secrets.masking import mask

_MOST_NOTES_KEPT = 5_000


class Here(NamedTuple):
    """What a row of the source is here."""

    memory_id: str
    level: int | None
    is_past: bool


@dataclass(slots=True)
class BridgeRows:
    """What became of the rows so far."""

    statuses: dict[str, int] = field(
        default_factory=lambda: {"added": 0, "merged": 0, "duplicate": 0, "refused": 0, "skipped": 0}
    )
    memories: dict[str, Here] = field(default_factory=dict)  # by id in the source
    own: dict[str, bool] = field(default_factory=dict)  # ids of what this import added; whether it has a parent
    words: int = 0  # a sum over what was added: `checksum` of each
    references: int = 0
    unplaced: int = 0
    masked: int = 0
    past: int = 0
    parents: int = 0
    sorted: Counter[str] = field(default_factory=Counter)
    notes: list[Note] = field(default_factory=list)
    untold: int = 0

    def note(self, note: Note) -> None:
        if len(self.notes) < _MOST_NOTES_KEPT:
            self.notes.append(note)
        else:
            self.untold += 1

    def told(self, most: int) -> list[Note]:
        more = max(0, len(self.notes) - most) + self.untold
        return [*self.notes[:most], *([Note(0, None, f"and {more:,} more")] if more else [])]


@dataclass(frozen=True, slots=True)
class Sorter:
    """Gives facts the place that they came without."""

    places: CheckoutFiles | None
    layout: Layout
    domains: tuple[str, ...]
    now: datetime

    @classmethod
    def of(cls, space: OpenSpace, known: BridgeSurvey) -> "Sorter":
        places = places_for(space, known.paths)
        return cls(places, Layout.of(places.files if places else ()), tuple(known.domains), space.clock())

    def draft(self, fact: BridgeFact, parent: Here | None) -> Draft:
        """Raises WaypostError for what no memory can hold."""
        refs, lost = self._placed(fact)
        given = dict(fact.given)
        text = given["text"]
        given["kind"] = given["kind"] or kind_of(text)
        if given["level"] is None:
            lines = any(ref.line_range for ref in refs)
            told = level_of(text, points_at_lines=lines, points_at_file=bool(refs))
            given["level"] = max(told, parent.level or 0) if parent else told
        if not given.get("domain") and given["level"] > 0:
            given["domain"] = self._domain(text, refs) or None
        if not given.get("module") and given["level"] > 1 and refs:
            given["module"] = self.layout.module(refs[0].file_path) or None
        given["tags"] = {**given["tags"], **dict(packed(lost))}
        under = parent is not None and (parent.level is None or given["level"] >= parent.level)
        if parent is not None and not under:
            given["tags"]["parent_id"] = fact.parent[:200]
            fact.notes.append(f"level {given['level']} cannot stand under level {parent.level}: parent kept as a tag")
        given["parent"] = parent.memory_id if parent and under else None
        draft = Draft.of({**given, "refs": [ref.to_json() for ref in refs]})
        return replace(
            draft,
            expires_at=fact.expires_at,
            stale_reason=fact.stale_reason,
            archived_at=self.now if fact.is_archived else None,
        )

    def _placed(self, fact: BridgeFact) -> tuple[list[CodeReference], list[str]]:
        refs: list[CodeReference] = []
        lost = list(fact.refs.lost)
        for ref in fact.refs.found:
            here = ref.file_path if self.places is None else self.places.find(ref.file_path)
            if here:
                refs.append(replace(ref, file_path=here))
            else:
                lost.append(str(ref))
        for one in lost:
            fact.notes.append(f"reference {one[:200]} kept as a tag: no such file here, or several")
        return list(dict.fromkeys(refs)), lost

    def _domain(self, text: str, refs: Sequence[CodeReference]) -> str:
        """Only where it is certain: all references lie in one, or one that the source knows is named."""
        of_refs = {self.layout.domain(ref.file_path) for ref in refs}
        return of_refs.pop() if len(of_refs) == 1 else domain_of(text, self.domains)


def take(
    space: OpenSpace, facts: Sequence[BridgeFact], sorter: Sorter, caller: Caller, import_id: str, taken: BridgeRows
) -> None:
    """Write a batch of rows and note what became of each."""
    ready: list[tuple[BridgeFact, Draft]] = []
    with space.store.read() as reader:
        for fact in facts:
            draft = _checked(space, fact, sorter, taken)
            if draft is None:
                continue
            draft, known = _known(reader, draft)
            if known is None:
                ready.append((fact, draft))
            else:
                status: Status = "added" if known.details.get(IMPORT) == import_id else "duplicate"
                _note(reader, taken, fact, draft, Receipt(known.memory_id, status, draft.key))
    receipts = write(space, [draft for _, draft in ready], caller, import_id) if ready else iter(())
    done = list(zip(ready, receipts, strict=True))
    with space.store.read() as reader:
        for (fact, draft), receipt in done:
            _note(reader, taken, fact, draft, receipt)


def _checked(space: OpenSpace, fact: BridgeFact, sorter: Sorter, taken: BridgeRows) -> Draft | None:
    if not fact.given:
        taken.statuses["skipped" if fact.is_empty else "refused"] += 1
        _tell(taken, fact, "skipped: it has no text" if fact.is_empty else f"refused: {'; '.join(fact.notes)}")
        return None
    try:
        return locate_drafts(space, [sorter.draft(fact, taken.memories.get(fact.parent))])[0]
    except WaypostError as error:
        taken.statuses["refused"] += 1
        _tell(taken, fact, f"refused: {error.what}")
        return None


def _known(reader: Reader, draft: Draft) -> tuple[Draft, Version | None]:
    """What is here under the draft's key, if it came with the same words. Another database may have used the same id:
    then the key tells them apart."""
    if draft.key is None:
        return draft, None
    text = mask(draft.text).text
    for key in (draft.key, f"{draft.key}~{hashlib.sha256(text.encode()).hexdigest()[:8]}"):
        held = reader.memories.with_key(mask(key).text)
        if held is None:
            return replace(draft, key=key), None
        if text in (held.text, reader.memories.versions(held.memory_id)[0].text):
            return draft, held
    return replace(draft, key=None), None


def _note(reader: Reader, taken: BridgeRows, fact: BridgeFact, draft: Draft, receipt: Receipt) -> None:
    taken.statuses[receipt.status] += 1
    taken.masked += len(receipt.masked)
    if receipt.status == "refused" or receipt.id is None:
        _tell(taken, fact, f"refused: {receipt.reason}")
        return
    is_new = receipt.status == "added"
    known = taken.memories.get(fact.source_id)
    if fact.source_id and (known is None or known.is_past):  # of several rows with one id, the current one is meant
        level = draft.level if is_new else reader.memories.versions(receipt.id)[-1].level
        taken.memories[fact.source_id] = Here(receipt.id, level, fact.is_past)
    if receipt.status == "duplicate":  # nothing of it was stored, so nothing of it was left out
        return
    for what in (*fact.notes, *receipt.notices):
        _tell(taken, fact, what)
    taken.references += len(draft.refs)
    taken.unplaced += len(fact.refs.found) + len(fact.refs.lost) - len(draft.refs)
    if is_new:
        taken.own[receipt.id] = draft.parent is not None
        taken.words = (taken.words + checksum(receipt.id, mask(draft.text).text)) % (1 << 256)
        taken.past += fact.is_past
        taken.parents += draft.parent is not None
        if fact.given["level"] is None:
            taken.sorted[f"L{draft.level}"] += 1


def _tell(taken: BridgeRows, fact: BridgeFact, what: str) -> None:
    taken.note(Note(fact.number, f"{fact.noun}{fact.source_id[:100]}".strip() or None, what))
