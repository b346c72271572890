"""Coming from Coding Brain: memories whose references stand in tags, read from a file, and taken back if need be.

Every memory passes the gateway. An import has an id that stands with what it added, so that exactly this can be undone;
what was corrected since belongs to whoever corrected it.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from waypost.errors import NotFound
from waypost.flows.open_space import OpenSpace
from waypost.flows.prepare import IMPORT, Prepared, prepare
from waypost.flows.remember import remember
from waypost.flows.tag_drafts import read_items
from waypost.flows.tag_format import TaggedMemory
from waypost.model.draft import Draft
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment, format_time, parse_time
from waypost.store.protocol import AuditEntry, Filter, Reader, Writer
from waypost.text.secrets import mask

CODE_TAGS = "code-tags"
_IMPORTS = "imports"  # in the table `meta`: what was imported when, the latest last
_MOST_IMPORTS = 1000
_MOST_NOTES = 20  # about one memory
_PAGE = 500
_END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Note:
    """What the importer should know about one memory of the file."""

    memory: int  # its place in the file, from 1
    key: str | None  # the id that it had
    what: str

    def __str__(self) -> str:
        return f"memory {self.memory}{f' ({self.key})' if self.key else ''}: {self.what}"


@dataclass(frozen=True, slots=True)
class Imported:
    id: str | None  # to undo it by; None when nothing was added
    statuses: dict[str, int]  # how many were added, merged, duplicate, refused
    references: int  # that point into this tree now
    unplaced: int  # that are kept as a tag, since their file is not here
    masked: int
    notes: tuple[Note, ...]

    def to_json(self) -> dict[str, Any]:
        return {
            "import": self.id,
            **self.statuses,
            "references": self.references,
            "unplaced": self.unplaced,
            "masked": self.masked,
            "notes": [{"memory": note.memory, "key": note.key, "what": note.what} for note in self.notes],
        }


@dataclass(frozen=True, slots=True)
class Undone:
    id: str
    retracted: tuple[str, ...]
    left: tuple[str, ...]  # changed since, and therefore not touched

    def to_json(self) -> dict[str, Any]:
        return {"import": self.id, "retracted": list(self.retracted), "left": list(self.left)}


def import_tags(space: OpenSpace, path: Path, caller: Caller) -> Imported:
    """Read a file of memories with their references in tags. Nothing that is here is overwritten."""
    import_id = space.new_id()
    items = read_items(space, path, import_id)
    ready = [(item, item.draft) for item in items if item.draft is not None]
    _register(space, import_id, path)
    statuses = {"added": 0, "merged": 0, "duplicate": 0, "refused": len(items) - len(ready)}
    references = unplaced = masked = 0
    for (item, draft), receipt in zip(ready, _write(space, [d for _, d in ready], caller), strict=True):
        statuses[receipt.status] += 1
        masked += len(receipt.masked)
        if receipt.status in ("added", "merged"):
            references += len(draft.refs)
            unplaced += len(item.lost)
            item.memory.notes += receipt.notices
        else:  # nothing of it was stored, so nothing of it was left out
            item.memory.notes = _why_not(space, draft, receipt)
    if not statuses["added"]:
        _unregister(space, import_id)
    notes = tuple(note for item in items for note in _notes(item.memory))
    return Imported(import_id if statuses["added"] else None, statuses, references, unplaced, masked, notes)


def _why_not(space: OpenSpace, draft: Draft, receipt: Receipt) -> list[str]:
    if receipt.status == "refused":
        return [f"refused: {receipt.reason}"]
    with space.store.read() as reader:
        known = reader.version(receipt.id or "", Moment(space.clock()))
    there = {ref.file_path for ref in known.refs} if known else set()
    missing = [str(ref) for ref in draft.refs if ref.file_path not in there]
    if known is None or not missing:
        return []
    more = f" and {len(missing) - 3} more" if len(missing) > 3 else ""
    places = f"{', '.join(missing[:3])}{more}"
    return [f"{known.memory_id} says this already, and does not point at {places}: `waypost relink` can change that"]


def _notes(memory: TaggedMemory) -> Iterator[Note]:
    """What is told quotes the file, and secrets stand in files."""
    key = memory.given.get("key") and mask(memory.given["key"]).text
    for what in memory.notes[:_MOST_NOTES]:
        yield Note(memory.number, key, mask(what).text)
    if len(memory.notes) > _MOST_NOTES:
        yield Note(memory.number, key, f"and {len(memory.notes) - _MOST_NOTES} more")


# -- through the gateway


def _write(space: OpenSpace, drafts: Sequence[Draft], caller: Caller) -> Iterator[Receipt]:
    """As every import; but what only an undo took back may come again, and what points at code already is not pinned
    anew: that would pass for having looked at the code as it is now."""
    key = space.tombstone_key()
    with space.store.read() as reader:
        undone = {parse_time(one["undone_at"]) for one in _imports(reader) if one.get("undone_at")}
        marked = [_known_before(reader, draft, prepare(space, draft, caller, key), undone) for draft in drafts]
    groups = [(again, [draft for _, draft in group]) for again, group in groupby(marked, lambda pair: pair[0])]
    return (receipt for again, group in groups for receipt in remember(space, group, caller, direct=again))


def _known_before(reader: Reader, draft: Draft, item: Prepared, undone: set[datetime]) -> tuple[bool, Draft]:
    """Whether these words went with an undo, and the draft, without places if they have theirs."""
    same = reader.find_fingerprint(item.version.fingerprint)
    ended = [version.superseded_at for version in same if version.superseded_at]
    held = any(version.refs for version in same if version.superseded_at is None)
    return bool(ended) and max(ended) in undone, replace(draft, refs=()) if held else draft


# -- what was imported


def _imports(reader: Reader) -> list[dict[str, Any]]:
    found = json.loads(reader.meta(_IMPORTS) or "[]")
    return found if isinstance(found, list) else []


def _keep(writer: Writer, imports: list[dict[str, Any]]) -> None:
    writer.set_meta(_IMPORTS, json.dumps(imports[-_MOST_IMPORTS:]))


def _register(space: OpenSpace, import_id: str, path: Path) -> None:
    """Before the first memory is written: should this process be killed, what it added can still be undone."""
    entry = {"id": import_id, "from": CODE_TAGS, "path": str(path.absolute()), "at": format_time(space.clock())}
    with space.store.write() as writer:
        _keep(writer, [*_imports(writer), entry])


def _unregister(space: OpenSpace, import_id: str) -> None:
    with space.store.write() as writer:
        _keep(writer, [one for one in _imports(writer) if one["id"] != import_id])


def undo_import(space: OpenSpace, which: str | Path | None, caller: Caller) -> Undone:
    """Retract what an import added and nobody changed since: the one with this id, the latest of this file, or the
    latest. History keeps it. What it found here before, or merged into, stays."""
    with space.store.write() as writer:
        imports, now = _imports(writer), space.clock()
        entry = _chosen(imports, which)
        retracted, left = [], []
        for memory_id in _added_by(writer, entry["id"], space):
            versions = writer.versions(memory_id)
            held = [version for version in versions if version.superseded_at is None]
            if any(_differs(version, versions[0]) for version in held):
                left.append(memory_id)
                continue
            for version in held:
                writer.supersede(version.number, now)
            details = {"bounded": False, "import": entry["id"]}
            writer.add_audit(AuditEntry(now, "retract", memory_id, caller.source, caller.actor, details))
            retracted.append(memory_id)
        entry.setdefault("undone_at", format_time(now))
        _keep(writer, imports)
    return Undone(entry["id"], tuple(retracted), tuple(left))


def _chosen(imports: list[dict[str, Any]], which: str | Path | None) -> dict[str, Any]:
    found = [one for one in imports if one["from"] == CODE_TAGS]
    if which is not None:
        place = str(Path(which).absolute())
        found = [one for one in found if one["id"] == str(which).strip().lower() or one["path"] == place]
    if not found:
        what = "No such import added anything here" if which is None else f"{str(which)[:200]!r} added nothing here"
        raise NotFound(f"{what}.", "Give the id that the import printed, or its file.")
    return found[-1]


def _added_by(reader: Reader, import_id: str, space: OpenSpace) -> list[str]:
    view, after = View(Moment(_END_OF_TIME), KEPT_COLLECTIONS, space.identity.checkout_id, archived=True), 0
    found: dict[str, None] = {}
    while page := reader.listing(view, Filter(), after=after, limit=_PAGE):
        found |= {version.memory_id: None for version in page if version.details.get(IMPORT) == import_id}
        after = page[-1].number
    return list(found)


def _differs(now: Version, first: Version) -> bool:
    """Whether somebody changed what it says; where its references lead now is not what it says."""
    return (now.text, now.kind, now.period) != (first.text, first.kind, first.period)
