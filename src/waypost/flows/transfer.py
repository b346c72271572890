"""Export and import. An export is JSON, one object a memory; an import passes the gateway like any other write."""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from waypost.errors import InvalidInput, StoreError, WaypostError
from waypost.flows.open_space import OpenSpace
from waypost.flows.prepare import IMPORT
from waypost.flows.references import linked
from waypost.flows.remember import remember
from waypost.model.draft import Draft
from waypost.model.ids import check_id
from waypost.model.kinds import COLLECTIONS, KEPT_COLLECTIONS, KINDS
from waypost.model.labels import LABELS, labels_of
from waypost.model.memory import Caller, State, Version
from waypost.model.recall import View
from waypost.model.receipt import Receipt
from waypost.model.time import Moment, format_time, parse_time
from waypost.retrieve.passages import INDEX_DETAILS, passages_of
from waypost.space.platform import make_private_directory, place_file, sync_directory
from waypost.store.protocol import AuditEntry, Edge, Filter, Reader

FORMATS = ("jsonl", "json")
_PAGE = 500
MAX_LINE_BYTES = 16 * 1024 * 1024
_ABANDONED_SECONDS = 86_400.0
LINKS = ("causes", "justifies", "leads_to", "blocks", "see_also", "derived_from")
_MOST_LINKS = 10_000
_DOCUMENT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"waypost_export"')  # also printed over several lines
_NAME = re.compile(r"\d{8}T\d{6}Z(-\d+)?\.jsonl?")


@dataclass(frozen=True, slots=True)
class Export:
    path: Path
    memories: int
    size: int
    made_at: datetime


def memory_row(version: Version, state: State) -> dict[str, Any]:
    """A memory as `show`, `list` and `export` give it."""
    row: dict[str, Any] = {
        "id": version.memory_id,
        "text": version.text,
        "kind": version.kind,
        "collection": version.collection,
        "key": version.key,
        "level": version.level,
        **labels_of(version.details),
        "domain": version.domain or None,
        "module": version.module or None,
        "parent": version.parent,
        "session": version.session,
        "speaker": version.speaker,
        "time": _maybe(version.time),
        "source": version.source,
        "actor": version.actor,
        "name": version.name,
        "evidence": list(version.evidence),
        "tags": dict(version.tags),
        "code_refs": [ref.to_json() for ref in version.refs],
        "valid_from": format_time(version.valid_from),
        "valid_until": _maybe(version.valid_until),
        "recorded_at": format_time(version.recorded_at),
        "superseded_at": _maybe(version.superseded_at),
        "expires_at": _maybe(state.expires_at),
        "on_expire": state.on_expire if state.expires_at else None,
        "ttl": state.ttl_seconds,
        "ttl_class": state.ttl_class,
        "refresh": list(state.refresh),
        "archived_at": _maybe(state.archived_at),
        "protected": state.protected,
        "is_stale": state.is_stale,
        "stale_reason": state.stale_reason,
    }
    if version.details.get("claimed"):
        row["claimed"] = version.details["claimed"]
    if version.details.get(IMPORT):
        row["import"] = version.details[IMPORT]
    if KINDS[version.kind].derived:
        row["metadata"] = {name: value for name, value in version.details.items() if name not in INDEX_DETAILS}
    return row


def _maybe(value: datetime | None) -> str | None:
    return None if value is None else format_time(value)


def rows(space: OpenSpace, moment: Moment, *, embeddings: bool = False, code: bool = False) -> Iterator[dict[str, Any]]:
    """Every memory visible at the moment, in the order they were recorded. `code`: what was read out of the tree too,
    which an import leaves out, since the tree itself is there to be read."""
    view, after = View(moment, COLLECTIONS if code else KEPT_COLLECTIONS, space.identity.checkout_id, archived=True), 0
    with space.store.read() as reader:
        while True:
            page = reader.listing(view, Filter(), after=after, limit=_PAGE)
            if not page:
                return
            memories = linked(space, reader, page)
            links = _links(reader, [version.memory_id for version in page], moment)
            for version in page:
                row = memory_row(version, memories[version.number].state)
                row["code_refs"] = [one.to_json(anchored=True) for one in version.refs]
                row["links"] = links.get(version.memory_id, [])
                if embeddings:
                    row["embeddings"] = _embeddings(space, reader, version)
                yield row
            after = page[-1].number


def _links(reader: Reader, memory_ids: Sequence[str], moment: Moment) -> dict[str, list[dict[str, Any]]]:
    """The links that start at these memories, as an export has them. Parents and what replaced what are told apart."""
    found: dict[str, list[dict[str, Any]]] = {}
    for edge in reader.edges_of(memory_ids, LINKS, known_at=moment.known_at):
        row = {"kind": edge.kind, "to": edge.to_id, "strength": edge.strength}
        found.setdefault(edge.from_id, []).append(row)
    return found


def _embeddings(space: OpenSpace, reader: Reader, version: Version) -> list[dict[str, Any]]:
    passages = passages_of(version)
    return [
        {"engine": engine.name, "vector": [round(float(x), 5) for x in vector]}
        for engine in space.engines.active(reader)
        for vector in reader.vectors(engine.name, [passage.content_hash for passage in passages]).values()
    ]


def _check_format(form: str) -> None:
    if form not in FORMATS:
        raise InvalidInput(f"There is no export format {form!r}.", "Formats: jsonl, json.")


def write_rows(found: Iterator[dict[str, Any]], file: IO[str], form: str, *, ascii_only: bool = False) -> int:
    """Write memories as JSON lines, or as one JSON document. Returns how many."""
    _check_format(form)
    count = 0
    if form == "json":
        file.write('{"waypost_export": 1, "memories": [')
    for count, row in enumerate(found, 1):
        line = json.dumps(row, ensure_ascii=ascii_only)
        file.write(f"{line}\n" if form == "jsonl" else f"{',' if count > 1 else ''}\n{line}")
    if form == "json":
        file.write("\n]}\n")
    return count


def export(
    space: OpenSpace,
    moment: Moment,
    *,
    path: Path | None = None,
    form: str = "jsonl",
    embeddings: bool = False,
    code: bool = False,
) -> Export:
    """Write an export to `path`, or into the space's own folder. An existing file is not overwritten."""
    _check_format(form)
    target = path or _fresh_name(space, form)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    if path is not None and target.exists():  # a name of our own that went is replaced below
        raise _taken(target)
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            count = write_rows(rows(space, moment, embeddings=embeddings, code=code), file, form)
            file.flush()
            os.fsync(file.fileno())
        while not place_file(temporary, target, replace=False):  # somebody was quicker with this name
            if path is not None:
                raise _taken(target)
            target = _fresh_name(space, form)
        sync_directory(target.parent)
    except OSError as error:
        raise StoreError(f"{target} cannot be written: {error.strerror}.", "Choose another place.") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return Export(target, count, target.stat().st_size, space.clock())


def _taken(target: Path) -> InvalidInput:
    return InvalidInput(f"{target} exists.", "Choose another name, or remove it first.")


def _fresh_name(space: OpenSpace, form: str) -> Path:
    make_private_directory(space.exports)
    _sweep(space.exports)
    stamp = space.clock().strftime("%Y%m%dT%H%M%SZ")
    path, tries = space.exports / f"{stamp}.{form}", 1
    while path.exists():
        tries += 1
        path = space.exports / f"{stamp}-{tries}.{form}"
    return path


def _sweep(folder: Path) -> None:
    """Remove what exports left that were killed; a recent one may still be at work."""
    for leftover in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _ABANDONED_SECONDS:
                leftover.unlink()


def exports(space: OpenSpace) -> list[Export]:
    """What lies in the space's export folder, newest first."""
    found = []
    for path in space.exports.glob("*.json*") if space.exports.is_dir() else ():
        if _NAME.fullmatch(path.name):
            content = path.read_text(encoding="utf-8", errors="replace")
            count = content.count('\n{"id"') + content.startswith('{"id"')
            made = datetime.fromtimestamp(path.stat().st_mtime, tz=space.clock().tzinfo)
            found.append(Export(path, count, path.stat().st_size, made))
    return sorted(found, key=lambda one: one.path.name, reverse=True)


def read_lines(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines file with their line numbers. A bad line raises InvalidInput that names it."""
    number = 0
    while True:
        line = file.readline(MAX_LINE_BYTES + 1)
        number += 1
        if not line:
            return
        if len(line) > MAX_LINE_BYTES:
            raise InvalidInput(f"Line {number} is longer than {MAX_LINE_BYTES:,} bytes.", "Is this a JSON-lines file?")
        if line.strip():
            yield number, _object(line, number)


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        value = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        raise InvalidInput(f"Line {number} is not valid UTF-8 ({error.reason}).", "Save the file as UTF-8.") from error
    except (ValueError, RecursionError) as error:  # ValueError: also a number of thousands of digits
        raise InvalidInput(
            f"Line {number} is not valid JSON: {error}.", "Correct that line; nothing was written."
        ) from error
    if not isinstance(value, dict):
        raise InvalidInput(f"Line {number} is not a JSON object.", 'Each line is an object like {"text": "…"}.')
    return value


def check_drafts(found: Iterator[tuple[int, dict[str, Any]]]) -> list[Draft]:
    """All drafts of a file, or one error that names every bad line (the first few in full)."""
    drafts, wrong = [], []
    try:
        for number, given in found:
            try:
                drafts.append(Draft.of(given))
            except WaypostError as error:
                wrong.append(f"line {number}: {error.what}")
    except InvalidInput as error:
        wrong.append(error.what)
    if wrong:
        more = f"\n… and {len(wrong) - 10} more" if len(wrong) > 10 else ""
        raise InvalidInput("\n".join(wrong[:10]) + more, "Correct these lines and repeat; nothing was written.")
    return drafts


def import_file(space: OpenSpace, path: Path, caller: Caller) -> Iterator[Receipt]:
    """Read an export of ours. What is here already stays as it is; ids are kept where they are free."""
    try:
        with path.open("rb") as file:
            rows = [(number, row) for number, row in _import_rows(file) if not _is_derived(row)]
            drafts = [_imported(number, row) for number, row in rows]
            links = [_imported_links(number, row) for number, row in rows]
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error
    return _remembered(space, drafts, links, caller)


def _remembered(
    space: OpenSpace, drafts: Sequence[Draft], links: Sequence[Sequence[Edge]], caller: Caller
) -> Iterator[Receipt]:
    """The receipts one after the other, and then the links between what they speak of."""
    here: dict[str, str] = {}  # where what the export calls by this id is kept
    for generation in _generations(drafts):  # parents first: one that was known has another id here
        placed = [replace(one, parent=here.get(one.parent, one.parent)) if one.parent else one for one in generation]
        for draft, receipt in zip(placed, remember(space, placed, caller, direct=False), strict=True):
            if draft.memory_id and receipt.id:
                here[draft.memory_id] = receipt.id
            yield receipt
    edges = [
        replace(edge, from_id=here[edge.from_id], to_id=here[edge.to_id], made_at=space.clock())
        for some in links
        for edge in some
        if edge.from_id in here and edge.to_id in here
    ]
    if edges:
        with space.store.write() as writer:
            for edge in edges:
                writer.add_edge(edge)
            details = {"links": len(edges)}
            writer.add_audit(AuditEntry(space.clock(), "link", None, caller.source, caller.actor, details))


def _generations(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    """The drafts in their order: first those whose parent is none of them, then these ones' children, and so on. What
    leads in a circle comes last."""
    below: dict[str, list[Draft]] = {}
    ids = {draft.memory_id for draft in drafts}
    generation = []
    for draft in drafts:
        if draft.parent in ids and draft.parent is not None:
            below.setdefault(draft.parent, []).append(draft)
        else:
            generation.append(draft)
    while generation:
        yield generation
        generation = [child for draft in generation for child in below.pop(draft.memory_id or "", ())]
    if below:
        yield [draft for some in below.values() for draft in some]


def _imported_links(number: int, row: dict[str, Any]) -> list[Edge]:
    given = row.get("links") or []
    if not isinstance(given, list) or len(given) > _MOST_LINKS:
        raise InvalidInput(f"Line {number}: links must be a list of at most {_MOST_LINKS}.", "Correct that line.")
    if given and row.get("id") is None:
        return []  # nobody could tell what they start at
    try:
        return [
            Edge(str(one["kind"]), check_id(row["id"]), check_id(one["to"]), min(1.0, max(0.0, float(one["strength"]))))
            for one in given
            if one["kind"] in LINKS
        ]
    except (TypeError, KeyError, ValueError, OverflowError) as error:
        raise InvalidInput(
            f"Line {number}: a link is {{kind, to, strength}}.", "Correct that line; nothing was written."
        ) from error


def _import_rows(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    start = file.read(1024)
    file.seek(0)
    if not _DOCUMENT.match(start):
        return read_lines(file)
    whole = _object(file.read(), 1)
    if not isinstance(whole.get("memories"), list):
        raise InvalidInput("The export holds no list of memories.", "Was it cut off?")
    return iter([(i, row if isinstance(row, dict) else {}) for i, row in enumerate(whole["memories"], 1)])


def _is_derived(row: dict[str, Any]) -> bool:
    """Whether it was read out of a tree: whoever has that tree reads it there."""
    kind = KINDS.get(str(row.get("kind")))
    return kind is not None and kind.derived


_TAKEN = (
    "text", "kind", "level", "domain", "module", "parent", "session", "speaker", "time", "key", "evidence", "tags",
    "ttl", "ttl_class", "refresh",
)  # fmt: skip


def _imported(number: int, row: dict[str, Any]) -> Draft:
    given = {name: row[name] for name in (*_TAKEN, *LABELS, "valid_from", "valid_until") if row.get(name) is not None}
    given["refs"] = row.get("code_refs") or row.get("refs") or []
    given |= {name: row[name] for name in ("source", "actor") if row.get(name) is not None}
    try:
        if given.get("ttl") or given.get("ttl_class"):
            given["on_expire"] = row.get("on_expire")
        draft = Draft.of(given)
        if row.get("id") is not None:
            draft = replace(draft, memory_id=check_id(row["id"]))
        if row.get("expires_at") is not None:
            draft = replace(draft, expires_at=parse_time(row["expires_at"], "expires_at"))
        if row.get("archived_at") is not None:
            draft = replace(draft, archived_at=parse_time(row["archived_at"], "archived_at"))
        draft = replace(draft, protected=row.get("protected") is True)
    except WaypostError as error:
        raise InvalidInput(f"Line {number}: {error.what}", "Correct that line; nothing was written.") from error
    return draft


def listed(space: OpenSpace, view: View, chosen: Filter, limit: int) -> list[dict[str, Any]]:
    """The latest memories that a filter lets through, oldest of them first."""
    with space.store.read() as reader:
        memories = linked(space, reader, reader.latest(view, chosen, limit))
    return [
        memory_row(one.version, one.state) | {"code_refs": [link.to_json() for link in one.links]}
        for one in memories.values()
    ]
