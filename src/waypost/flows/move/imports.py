"""What every import from another tool has in common: its id, what it says it did, and how it is taken back.

An import is noted before its first memory is written, and so are the ids that its memories will have. Should the process
be killed, what it added can still be undone, and what was corrected since belongs to whoever corrected it.
"""

import contextlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import groupby, islice
from pathlib import Path
from typing import Any, TypeVar

from waypost.errors import NotFound
from waypost.flows.journal.files.erase import take_out
from waypost.flows.journal.files.write import journal_writer
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.prepare import IMPORT, Prepared, prepare
from waypost.flows.write.reinstate import end, put_again
from waypost.flows.write.remember import remember
from waypost.model.audit import AuditEntry
from waypost.model.draft import Draft
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment, format_time, parse_time
from waypost.space.platform import write_failure
from waypost.store.protocol import Edge, Filter, Reader, Writer

CAUSAL = ("causes", "justifies", "leads_to", "blocks")
CONTAINS = "contains"
SEE_ALSO = "see_also"
_LINKS = (CONTAINS, SEE_ALSO, *CAUSAL)
_IMPORTS = "imports"  # in the table `meta`: what was imported when, the latest last
_BATCHES = "import_batches"  # how many lists of ids an import has written down, by its id
_MOST_IMPORTS = 1000
_PAGE = 500
_END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Note:
    """What the importer should know about one memory of the file."""

    memory: int  # its place in the file, from 1; 0 is the file itself
    key: str | None  # the id that it had
    what: str

    def __str__(self) -> str:
        which = f" ({self.key})" if self.key else ""
        return f"memory {self.memory}{which}: {self.what}" if self.memory else self.what


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
    restored: tuple[str, ...] = ()  # into which it was merged, and that say again what they said before

    def to_json(self) -> dict[str, Any]:
        return {
            "import": self.id,
            "retracted": list(self.retracted),
            "left": list(self.left),
            "restored": list(self.restored),
        }


# -- through the gateway


def write(space: OpenSpace, drafts: Sequence[Draft], caller: Caller, import_id: str) -> Iterator[Receipt]:
    """As every import; but what only an undo took back may come again, and what points at code already is not pinned
    anew: that would pass for having looked at the code as it is now."""
    drafts = [replace(draft, memory_id=space.new_id(), import_id=import_id) for draft in drafts]
    key = space.tombstone_key()
    with space.store.write() as writer:
        undone = {parse_time(one["undone_at"]) for one in read_imports(writer) if one.get("undone_at")}
        _note_ids(writer, import_id, [draft.memory_id or "" for draft in drafts])
    with space.store.read() as reader:
        last = reader.last_number()
        marked = [
            _known_before(reader, draft, prepare(space, draft, caller, key), undone)
            if undone or draft.refs  # else there is nothing to be known
            else (False, draft)
            for draft in drafts
        ]
    merged = []
    for again, group in groupby(marked, lambda pair: pair[0]):
        for receipt in remember(space, [draft for _, draft in group], caller, direct=again):
            if receipt.status == "merged" and receipt.id:
                merged.append(receipt.id)
            yield receipt
    if merged:
        _note_merged(space, import_id, merged, last)


def _known_before(reader: Reader, draft: Draft, item: Prepared, undone: set[datetime]) -> tuple[bool, Draft]:
    """Whether these words went with an undo, and the draft, without places if they have theirs."""
    same = reader.find_fingerprint(item.version.fingerprint)
    ended = [version.superseded_at for version in same if version.superseded_at]
    held = any(version.refs for version in same if version.superseded_at is None)
    return bool(ended) and max(ended) in undone, replace(draft, refs=()) if held else draft


# -- what was imported


def read_imports(reader: Reader) -> list[dict[str, Any]]:
    found = json.loads(reader.meta(_IMPORTS) or "[]")
    return found if isinstance(found, list) else []


def _keep(writer: Writer, imports: list[dict[str, Any]]) -> None:
    writer.set_meta(_IMPORTS, json.dumps(imports[-_MOST_IMPORTS:]))


def register(space: OpenSpace, import_id: str, origin: str, path: Path) -> None:
    """Before the first memory is written: should this process be killed, what it added can still be undone."""
    entry = {"id": import_id, "from": origin, "path": str(path.absolute()), "at": format_time(space.clock())}
    with space.store.write() as writer:
        _keep(writer, [*read_imports(writer), entry])


def unregister(space: OpenSpace, import_id: str) -> None:
    with space.store.write() as writer:
        _keep(writer, [one for one in read_imports(writer) if one["id"] != import_id])


def unfinished(space: OpenSpace, origin: str, path: Path) -> str | None:
    """The id of an import of this file that was begun and neither finished nor undone."""
    place = str(path.absolute())
    with space.store.read() as reader:
        found = [one for one in read_imports(reader) if (one["from"], one["path"]) == (origin, place)]
    return found[-1]["id"] if found and not {"done_at", "undone_at"} & set(found[-1]) else None


def finish(space: OpenSpace, import_id: str) -> None:
    """All of it is here."""
    with space.store.write() as writer:
        imports = read_imports(writer)
        for entry in imports:
            if entry["id"] == import_id:
                entry["done_at"] = format_time(space.clock())
        _keep(writer, imports)


def add_links(space: OpenSpace, links: Sequence[Edge], caller: Caller, import_id: str, own: Collection[str]) -> int:
    """Link memories as the import says; `own` are those that it added. Returns how many of the links are new. Those
    that touch memories of others are noted, to be undone with it."""
    new: list[Edge] = []
    with space.store.write() as writer:
        known = {(one.kind, one.from_id, one.to_id) for one in writer.edges_of({e.from_id for e in links}, _LINKS)}
        for link in links:
            if (link.kind, link.from_id, link.to_id) not in known:
                known.add((link.kind, link.from_id, link.to_id))
                writer.add_edge(replace(link, made_at=space.clock()))
                new.append(link)
        if new:
            details = {"import": import_id, "links": len(new)}
            writer.add_audit(AuditEntry(space.clock(), "link", None, caller.source, caller.actor, details))
        theirs = [[one.kind, one.from_id, one.to_id] for one in new if one.from_id not in own or one.to_id not in own]
        if theirs:
            imports = read_imports(writer)
            for entry in imports:
                if entry["id"] == import_id:
                    entry["links"] = [*entry.get("links", []), *theirs]
            _keep(writer, imports)
    return len(new)


def _note_ids(writer: Writer, import_id: str, memory_ids: Sequence[str]) -> None:
    number = int(writer.meta(f"{_BATCHES}:{import_id}") or 0)
    writer.set_meta(f"{_BATCHES}:{import_id}:{number}", json.dumps(memory_ids))
    writer.set_meta(f"{_BATCHES}:{import_id}", str(number + 1))


def _note_merged(space: OpenSpace, import_id: str, memory_ids: Sequence[str], last: int) -> None:
    """What an import added, and then said more of, nobody else has changed. Of what was there before (up to the version
    numbered `last`) the version that it changed is noted, and the one that it made."""
    with space.store.write() as writer:
        known, changed = _merged(writer, import_id), _changed(writer, import_id)
        for memory_id in dict.fromkeys(memory_ids):
            versions = writer.versions(memory_id)
            if versions and versions[0].details.get(IMPORT) == import_id:
                known[memory_id] = versions[-1].number
            elif before := [version.number for version in versions if version.number <= last]:
                first = changed[memory_id][0] if memory_id in changed else before[-1]
                changed[memory_id] = [first, versions[-1].number]
        writer.set_meta(f"{_BATCHES}:{import_id}:merged", json.dumps(known))
        writer.set_meta(f"{_BATCHES}:{import_id}:changed", json.dumps(changed))


def _changed(reader: Reader, import_id: str) -> dict[str, list[int]]:
    """Of each memory into which the import was merged: the version before, and the one that it made last."""
    found: dict[str, list[int]] = json.loads(reader.meta(f"{_BATCHES}:{import_id}:changed") or "{}")
    return found


def _restore_changed(space: OpenSpace, writer: Writer, import_id: str, caller: Caller, now: datetime) -> list[str]:
    """Into what the import was merged says again what it said before, unless somebody has changed it since."""
    restored = []
    for memory_id, (before, after) in _changed(writer, import_id).items():
        versions = writer.versions(memory_id)
        held = [version for version in versions if version.superseded_at is None]
        old = next((version for version in versions if version.number == before), None)
        if old is None or [version.number for version in held] != [after]:
            continue
        writer.supersede(after, now)
        put_again(space, writer, old, now)
        details = {"import": import_id}
        writer.add_audit(AuditEntry(now, "restore", memory_id, caller.source, caller.actor, details))
        restored.append(memory_id)
    writer.set_meta(f"{_BATCHES}:{import_id}:changed", "{}")
    return restored


def _merged(reader: Reader, import_id: str) -> dict[str, int]:
    """The version that the import itself made last of a memory."""
    found: dict[str, int] = json.loads(reader.meta(f"{_BATCHES}:{import_id}:merged") or "{}")
    return found


def noted_ids(reader: Reader, import_id: str) -> Iterator[str]:
    """Every id that a memory of this import has, or would have had: some were known, or were refused."""
    for number in range(int(reader.meta(f"{_BATCHES}:{import_id}") or 0)):
        yield from json.loads(reader.meta(f"{_BATCHES}:{import_id}:{number}") or "[]")


# -- taking it back


def undo_import(space: OpenSpace, which: str | Path | None, caller: Caller, *, origin: str | None = None) -> Undone:
    """Retract what an import added and nobody changed since: the one with this id, the latest of this file, or the
    latest (from `origin`, if told). History keeps it. What it found here before stays, and says again what it said if
    the import was merged into it; its copy of the source goes."""
    key = space.tombstone_key()
    with journal_writer(space) as writer:
        imports, now = read_imports(writer), space.clock()
        entry = _chosen(imports, which, origin)
        retracted: dict[str, str | None] = {}  # with the parent that the import gave it
        left, own, more = [], _added_by(writer, entry["id"], space), _merged(writer, entry["id"])
        for memory_id in own:
            versions = writer.versions(memory_id)
            held = [version for version in versions if version.superseded_at is None]
            first = next((one for one in versions if one.number == more.get(memory_id)), versions[0])
            if any(_differs(version, first) for version in held):
                left.append(memory_id)
                continue
            if not held:
                continue
            end(space, writer, held, caller, key, now)
            details = {"bounded": False, "import": entry["id"]}
            writer.add_audit(AuditEntry(now, "retract", memory_id, caller.source, caller.actor, details))
            retracted[memory_id] = first.parent
        restored = _restore_changed(space, writer, entry["id"], caller, now)
        take_out(space, writer, retracted)
        _unlink(writer, retracted, set(own), [Edge(*link) for link in entry.pop("links", [])])
        entry.setdefault("undone_at", format_time(now))
        _keep(writer, imports)
    drop_backups(space, entry["id"])
    return Undone(entry["id"], tuple(retracted), tuple(left), tuple(restored))


def _chosen(imports: list[dict[str, Any]], which: str | Path | None, origin: str | None) -> dict[str, Any]:
    found = [one for one in imports if origin is None or one["from"] == origin]
    if which is not None:
        place = str(Path(which).absolute())
        found = [one for one in found if one["id"] == str(which).strip().lower() or one["path"] == place]
    if not found:
        what = "No such import added anything here" if which is None else f"{str(which)[:200]!r} added nothing here"
        raise NotFound(f"{what}.", "Give the id that the import printed, or its file.")
    return found[-1]


def _added_by(reader: Reader, import_id: str, space: OpenSpace) -> list[str]:
    noted = list(noted_ids(reader, import_id))
    if noted:
        return [one for one in noted if any(v.details.get(IMPORT) == import_id for v in reader.versions(one)[:1])]
    # One of the time before ids were noted.
    view, after = View(Moment(_END_OF_TIME), KEPT_COLLECTIONS, space.identity.checkout_id, archived=True), 0
    found: dict[str, None] = {}
    while page := reader.listing(view, Filter(), after=after, limit=_PAGE):
        found |= {version.memory_id: None for version in page if version.details.get(IMPORT) == import_id}
        after = page[-1].number
    return list(found)


def _differs(now: Version, first: Version) -> bool:
    """Whether somebody changed what it says or where it stands; where its references lead now is neither."""
    mine, theirs = (
        (one.text, one.kind, one.period, one.level, one.domain, one.module, one.parent) for one in (now, first)
    )
    return mine != theirs


def _unlink(writer: Writer, retracted: Mapping[str, str | None], own: Collection[str], links: Sequence[Edge]) -> None:
    """Remove the links that the import made: between memories that it added, to the parents that it gave them, and those
    that it noted. What somebody else has linked to one of them stays, as it does when a memory is retracted."""
    gone = {(link.kind, link.from_id, link.to_id) for link in links}
    gone |= {(CONTAINS, parent, child) for child, parent in retracted.items() if parent}
    for page in batches(retracted, _PAGE):
        found = writer.edges_of(page, _LINKS)
        gone |= {(one.kind, one.from_id, one.to_id) for one in found if one.from_id in own and one.to_id in own}
    for page in batches(sorted({from_id for _, from_id, _ in gone}), _PAGE):
        there = writer.edges_of(page, _LINKS)
        starts = set(page)
        kept = [one for one in there if one.from_id in starts and (one.kind, one.from_id, one.to_id) not in gone]
        writer.replace_relations(page, _LINKS, kept)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """The items, so many at a time."""
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


# -- copies of what was read


def backups(space: OpenSpace) -> Path:
    """Where the copies lie that imports made of their sources."""
    return space.folder / "imports"


def drop_backups(space: OpenSpace, import_id: str | None = None) -> int:
    """Remove the copy that this import made of its source, or all such copies: they hold words that must be forgotten,
    and nobody can tell which. Returns how many there were."""
    folder, count = backups(space), 0
    pattern = "*" if import_id is None else f"{import_id}.db"
    for path in sorted(folder.glob(pattern)) if folder.is_dir() else ():
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise write_failure(error, path) from error
        count += path.name.endswith(".db")
    with contextlib.suppress(OSError):  # another import may just be using it
        folder.rmdir()
    return count
