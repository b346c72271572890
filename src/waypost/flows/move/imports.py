"""What all imports from other tools share: an id, a report, and undo.

An import stores its id and the ids of its memories before it writes the first one. So it can be undone after a kill.
Memories changed since are left alone.
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
from waypost.flows.journal_files.erase_from_files import remove_entries
from waypost.flows.journal_files.write import journal_writer
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.prepare import Prepared, prepare
from waypost.flows.write.reinstate import end_versions, store_again
from waypost.flows.write.remember import remember
from waypost.model.draft import Draft
from waypost.model.json_row import json_row
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import IMPORT, AuditEntry, Caller, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment, format_time, parse_time
from waypost.store.protocol import Edge, Filter, Reader, Writer
from waypost.system.platform import write_failure

CAUSAL = ("causes", "justifies", "leads_to", "blocks")
CONTAINS = "contains"
SEE_ALSO = "see_also"
_LINKS = (CONTAINS, SEE_ALSO, *CAUSAL)
_IMPORTS = "imports"  # in the table `meta`: all imports, newest last
_BATCHES = "import_batches"  # how many lists of ids an import has stored, by its id
_MOST_IMPORTS = 1000
_PAGE = 500
_END_OF_TIME = datetime(9999, 1, 1, tzinfo=UTC)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Note:
    memory: int  # its number in the file, from 1; 0 is the file itself
    key: str | None  # its id in the file
    what: str

    def __str__(self) -> str:
        which = f" ({self.key})" if self.key else ""
        return f"memory {self.memory}{which}: {self.what}" if self.memory else self.what


@dataclass(frozen=True, slots=True)
class Imported:
    id: str | None  # to undo it by; None when nothing was added
    statuses: dict[str, int]  # how many were added, merged, duplicate, refused
    references: int  # pointing into this repository
    unplaced: int  # kept as a tag, because their file is not here
    masked: int
    notes: tuple[Note, ...]

    def to_json(self) -> dict[str, Any]:
        return {"import": self.id, **self.statuses, **json_row(self, "id", "statuses")}


@dataclass(frozen=True, slots=True)
class Undone:
    id: str
    retracted: tuple[str, ...]
    left: tuple[str, ...]  # changed since, and not touched
    restored: tuple[str, ...] = ()  # memories it was merged into, now as before

    def to_json(self) -> dict[str, Any]:
        return {"import": self.id, **json_row(self, "id")}


# -- through the gateway


def write(space: OpenSpace, drafts: Sequence[Draft], caller: Caller, import_id: str) -> Iterator[Receipt]:
    """Write drafts like every import, but allow what only an undo had ended.

    A memory that points at code already is not pinned again: nobody has looked at the current code.
    """
    drafts = [replace(draft, memory_id=space.new_id(), import_id=import_id) for draft in drafts]
    key = space.tombstone_key()
    with space.store.write() as writer:
        undone = {parse_time(entry["undone_at"]) for entry in read_imports(writer) if entry.get("undone_at")}
        _note_ids(writer, import_id, [draft.memory_id or "" for draft in drafts])
    with space.store.read() as reader:
        last = reader.memories.last_number()
        marked = [
            _undone_before(reader, draft, prepare(space, draft, caller, key), undone)
            if undone or draft.refs  # else nothing must be checked
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


def _undone_before(reader: Reader, draft: Draft, item: Prepared, undone: set[datetime]) -> tuple[bool, Draft]:
    """Whether an undo ended this text, and the draft, without references if the stored memory has its own."""
    same = reader.memories.with_fingerprint(item.version.fingerprint)
    ended = [version.superseded_at for version in same if version.superseded_at]
    has_refs = any(version.refs for version in same if version.superseded_at is None)
    return bool(ended) and max(ended) in undone, replace(draft, refs=()) if has_refs else draft


# -- what was imported


def read_imports(reader: Reader) -> list[dict[str, Any]]:
    stored = json.loads(reader.meta.get(_IMPORTS) or "[]")
    return stored if isinstance(stored, list) else []


def _save(writer: Writer, imports: list[dict[str, Any]]) -> None:
    writer.meta.set(_IMPORTS, json.dumps(imports[-_MOST_IMPORTS:]))


def register(space: OpenSpace, import_id: str, origin: str, path: Path) -> None:
    """Store an import before its first memory is written, so that it can be undone after a kill."""
    entry = {"id": import_id, "from": origin, "path": str(path.absolute()), "at": format_time(space.clock())}
    with space.store.write() as writer:
        _save(writer, [*read_imports(writer), entry])


def unregister(space: OpenSpace, import_id: str) -> None:
    with space.store.write() as writer:
        _save(writer, [entry for entry in read_imports(writer) if entry["id"] != import_id])


def unfinished(space: OpenSpace, origin: str, path: Path) -> str | None:
    """The id of an import of this file that was neither finished nor undone, or None."""
    place = str(path.absolute())
    with space.store.read() as reader:
        entries = [entry for entry in read_imports(reader) if (entry["from"], entry["path"]) == (origin, place)]
    return entries[-1]["id"] if entries and not {"done_at", "undone_at"} & set(entries[-1]) else None


def finish(space: OpenSpace, import_id: str) -> None:
    with space.store.write() as writer:
        imports = read_imports(writer)
        for entry in imports:
            if entry["id"] == import_id:
                entry["done_at"] = format_time(space.clock())
        _save(writer, imports)


def add_links(space: OpenSpace, links: Sequence[Edge], caller: Caller, import_id: str, own: Collection[str]) -> int:
    """Link memories as the import says. `own` are those that it added. Returns the number of new links.

    Links to other memories are stored, so that undo can remove them.
    """
    new: list[Edge] = []
    with space.store.write() as writer:
        existing = {
            (edge.kind, edge.from_id, edge.to_id) for edge in writer.edges.of_kinds({e.from_id for e in links}, _LINKS)
        }
        for link in links:
            if (link.kind, link.from_id, link.to_id) not in existing:
                existing.add((link.kind, link.from_id, link.to_id))
                writer.edges.add(replace(link, made_at=space.clock()))
                new.append(link)
        if new:
            details = {"import": import_id, "links": len(new)}
            writer.audit.add(AuditEntry(space.clock(), "link", None, caller.source, caller.actor, details))
        theirs = [
            [edge.kind, edge.from_id, edge.to_id] for edge in new if edge.from_id not in own or edge.to_id not in own
        ]
        if theirs:
            imports = read_imports(writer)
            for entry in imports:
                if entry["id"] == import_id:
                    entry["links"] = [*entry.get("links", []), *theirs]
            _save(writer, imports)
    return len(new)


def _note_ids(writer: Writer, import_id: str, memory_ids: Sequence[str]) -> None:
    number = int(writer.meta.get(f"{_BATCHES}:{import_id}") or 0)
    writer.meta.set(f"{_BATCHES}:{import_id}:{number}", json.dumps(memory_ids))
    writer.meta.set(f"{_BATCHES}:{import_id}", str(number + 1))


def _note_merged(space: OpenSpace, import_id: str, memory_ids: Sequence[str], last: int) -> None:
    """Store which versions the import merged into.

    For memories that existed before (up to version `last`): the version before, and the one that the import made.
    """
    with space.store.write() as writer:
        merged, changed = (_noted_versions(writer, import_id, what) for what in ("merged", "changed"))
        for memory_id in dict.fromkeys(memory_ids):
            versions = writer.memories.versions(memory_id)
            if versions and versions[0].details.get(IMPORT) == import_id:
                merged[memory_id] = versions[-1].number
            elif before := [version.number for version in versions if version.number <= last]:
                first = changed[memory_id][0] if memory_id in changed else before[-1]
                changed[memory_id] = [first, versions[-1].number]
        writer.meta.set(f"{_BATCHES}:{import_id}:merged", json.dumps(merged))
        writer.meta.set(f"{_BATCHES}:{import_id}:changed", json.dumps(changed))


def _noted_versions(reader: Reader, import_id: str, what: str) -> dict[str, Any]:
    """By memory id. `merged`: the last version that the import made of its own memories. `changed`: for each memory that
    it was merged into, the version before and the last one it made.
    """
    versions: dict[str, Any] = json.loads(reader.meta.get(f"{_BATCHES}:{import_id}:{what}") or "{}")
    return versions


def _restore_changed(space: OpenSpace, writer: Writer, import_id: str, caller: Caller, now: datetime) -> list[str]:
    """Restore memories that the import was merged into, unless they changed since."""
    restored = []
    for memory_id, (before, after) in _noted_versions(writer, import_id, "changed").items():
        versions = writer.memories.versions(memory_id)
        current = [version for version in versions if version.superseded_at is None]
        old = next((version for version in versions if version.number == before), None)
        if old is None or [version.number for version in current] != [after]:
            continue
        writer.memories.supersede(after, now)
        store_again(space, writer, old, now)
        details = {"import": import_id}
        writer.audit.add(AuditEntry(now, "restore", memory_id, caller.source, caller.actor, details))
        restored.append(memory_id)
    writer.meta.set(f"{_BATCHES}:{import_id}:changed", "{}")
    return restored


def noted_ids(reader: Reader, import_id: str) -> Iterator[str]:
    """Ids of all memories of this import, also of those that were duplicates or refused."""
    for number in range(int(reader.meta.get(f"{_BATCHES}:{import_id}") or 0)):
        yield from json.loads(reader.meta.get(f"{_BATCHES}:{import_id}:{number}") or "[]")


# -- undo


def undo_import(space: OpenSpace, which: str | Path | None, caller: Caller, *, origin: str | None = None) -> Undone:
    """Undo an import: by id, the latest of a file, or the latest (of `origin`).

    Retracts memories that nobody changed since; history keeps them. Memories it was merged into are restored. Its copy
    of the source is removed.
    """
    key = space.tombstone_key()
    with journal_writer(space) as writer:
        imports, now = read_imports(writer), space.clock()
        entry = _select(imports, which, origin)
        retracted: dict[str, str | None] = {}  # with its parent from the import
        left, own, more = [], _added_by(writer, entry["id"], space), _noted_versions(writer, entry["id"], "merged")
        for memory_id in own:
            versions = writer.memories.versions(memory_id)
            current = [version for version in versions if version.superseded_at is None]
            first = next((version for version in versions if version.number == more.get(memory_id)), versions[0])
            if any(_differs(version, first) for version in current):
                left.append(memory_id)
                continue
            if not current:
                continue
            end_versions(space, writer, current, caller, key, now)
            details = {"bounded": False, "import": entry["id"]}
            writer.audit.add(AuditEntry(now, "retract", memory_id, caller.source, caller.actor, details))
            retracted[memory_id] = first.parent
        restored = _restore_changed(space, writer, entry["id"], caller, now)
        remove_entries(space, writer, retracted)
        _unlink(writer, retracted, set(own), [Edge(*link) for link in entry.pop("links", [])])
        entry.setdefault("undone_at", format_time(now))
        _save(writer, imports)
    drop_backups(space, entry["id"])
    return Undone(entry["id"], tuple(retracted), tuple(left), tuple(restored))


def _select(imports: list[dict[str, Any]], which: str | Path | None, origin: str | None) -> dict[str, Any]:
    matching = [entry for entry in imports if origin is None or entry["from"] == origin]
    if which is not None:
        place = str(Path(which).absolute())
        matching = [entry for entry in matching if entry["id"] == str(which).strip().lower() or entry["path"] == place]
    if not matching:
        what = "No such import added anything here" if which is None else f"{str(which)[:200]!r} added nothing here"
        raise NotFound(f"{what}.", "Give the id that the import printed, or its file.")
    return matching[-1]


def _added_by(reader: Reader, import_id: str, space: OpenSpace) -> list[str]:
    noted = list(noted_ids(reader, import_id))
    if noted:
        return [
            memory_id
            for memory_id in noted
            if any(v.details.get(IMPORT) == import_id for v in reader.memories.versions(memory_id)[:1])
        ]
    # Older imports did not store their ids.
    view, after = View(Moment(_END_OF_TIME), KEPT_COLLECTIONS, space.identity.checkout_id, archived=True), 0
    ids: dict[str, None] = {}
    while page := reader.memories.listing(view, Filter(), after=after, limit=_PAGE):
        ids |= {version.memory_id: None for version in page if version.details.get(IMPORT) == import_id}
        after = page[-1].number
    return list(ids)


def _differs(now: Version, first: Version) -> bool:
    """Whether its content or place was changed. References may differ."""
    mine, theirs = (
        (version.text, version.kind, version.period, version.level, version.domain, version.module, version.parent)
        for version in (now, first)
    )
    return mine != theirs


def _unlink(writer: Writer, retracted: Mapping[str, str | None], own: Collection[str], links: Sequence[Edge]) -> None:
    """Remove the links of the import: between its memories, to their parents, and stored ones.

    Links by others stay, as they do when a memory is retracted.
    """
    gone = {(link.kind, link.from_id, link.to_id) for link in links}
    gone |= {(CONTAINS, parent, child) for child, parent in retracted.items() if parent}
    for page in batches(retracted, _PAGE):
        edges = writer.edges.of_kinds(page, _LINKS)
        gone |= {(edge.kind, edge.from_id, edge.to_id) for edge in edges if edge.from_id in own and edge.to_id in own}
    for page in batches(sorted({from_id for _, from_id, _ in gone}), _PAGE):
        there = writer.edges.of_kinds(page, _LINKS)
        starts = set(page)
        kept = [edge for edge in there if edge.from_id in starts and (edge.kind, edge.from_id, edge.to_id) not in gone]
        writer.edges.replace(page, _LINKS, kept)


def batches(items: Iterable[T], size: int) -> Iterator[list[T]]:
    left = iter(items)
    while batch := list(islice(left, size)):
        yield batch


# -- copies of what was read


def backups(space: OpenSpace) -> Path:
    return space.folder / "imports"


def drop_backups(space: OpenSpace, import_id: str | None = None) -> int:
    """Remove the copy of this import's source, or all copies: single texts cannot be removed from them.

    Returns how many there were.
    """
    folder, count = backups(space), 0
    pattern = "*" if import_id is None else f"{import_id}.db"
    for path in sorted(folder.glob(pattern)) if folder.is_dir() else ():
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise write_failure(error, path) from error
        count += path.name.endswith(".db")
    with contextlib.suppress(OSError):  # another import may use it
        folder.rmdir()
    return count
