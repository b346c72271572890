"""Import a Waypost export or JSON lines through the gateway. Nothing is overwritten."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import IO, Any

from waypost.errors import InvalidInput, WaypostError
from waypost.flows.move.export import LINKS
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.remember import remember
from waypost.model.draft import Draft
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS, LABELS
from waypost.model.memory import AuditEntry, Caller
from waypost.model.receipt import Receipt
from waypost.model.time import parse_time
from waypost.store.open_databases import refuse_open_database
from waypost.store.protocol import Edge
from waypost.text.json_fault import json_fault
from waypost.text.plural import counted

MAX_LINE_BYTES = 16 * 1024 * 1024
_MOST_LINKS = 10_000
_DOCUMENT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"waypost_export"')  # also spread over several lines


def read_lines(file: IO[bytes]) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON-lines file with line numbers. Raises InvalidInput with the number of a bad line."""
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
    except (ValueError, RecursionError) as error:  # ValueError: also for a number with thousands of digits
        raise InvalidInput(
            f"Line {number} is not valid JSON: {json_fault(error)}.", "Correct that line; nothing was written."
        ) from error
    if not isinstance(value, dict):
        raise InvalidInput(f"Line {number} is not a JSON object.", 'Each line is an object like {"text": "…"}.')
    return value


def check_drafts(numbered_rows: Iterator[tuple[int, dict[str, Any]]]) -> list[Draft]:
    """All drafts of a file, or one error that names every bad line (the first ten in full)."""
    drafts, wrong = [], []
    try:
        for number, given in numbered_rows:
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
    """Import a Waypost export. Stored memories stay as they are; ids are kept if they are free."""
    refuse_open_database(path)
    try:
        with path.open("rb") as file:
            check_not_empty(file, path)
            return import_rows(space, _import_rows(file), caller)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror}.", "Check the path.") from error


def check_not_empty(file: IO[bytes], path: Path) -> None:
    """Raise InvalidInput for a file with only white space; else rewind it."""
    while block := file.read(1 << 20):
        if block.removeprefix(b"\xef\xbb\xbf").strip():
            file.seek(0)
            return
    raise InvalidInput(f"{path} is empty: there is nothing to import.", "Check that the export wrote it completely.")


def import_rows(
    space: OpenSpace, numbered_rows: Iterable[tuple[int, dict[str, Any]]], caller: Caller
) -> Iterator[Receipt]:
    """The same for numbered rows. All are checked before the first is written."""
    rows, derived = [], 0
    for number, row in numbered_rows:
        if _is_derived(row):
            derived += 1
        else:
            rows.append((number, row))
    drafts = [_draft_of(number, row) for number, row in rows]
    links = [_links_of(number, row) for number, row in rows]
    return chain(_write_all(space, drafts, links, caller), _refuse_derived(derived))


def _refuse_derived(count: int) -> list[Receipt]:
    """One receipt for all rows of indexed code: the repository is their source."""
    if not count:
        return []
    rows = counted(count, "row of indexed code was", "rows of indexed code were")
    remedy = "Run `waypost init`, or carry the index with `waypost index export` and `waypost index import`."
    return [Receipt(None, "refused", reason=f"{rows} not imported. {remedy}")]


def _write_all(
    space: OpenSpace, drafts: Sequence[Draft], links: Sequence[Sequence[Edge]], caller: Caller
) -> Iterator[Receipt]:
    here: dict[str, str] = {}  # id in the export → id here
    for generation in _generations(drafts):  # parents first: one that was stored before has another id here
        placed = [
            replace(draft, parent=here.get(draft.parent, draft.parent)) if draft.parent else draft
            for draft in generation
        ]
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
                writer.edges.add(edge)
            details = {"links": len(edges)}
            writer.audit.add(AuditEntry(space.clock(), "link", None, caller.source, caller.actor, details))


def _generations(drafts: Sequence[Draft]) -> Iterator[list[Draft]]:
    """The drafts without a parent among them, then their children, and so on. Cycles come last."""
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


def _links_of(number: int, row: dict[str, Any]) -> list[Edge]:
    given = row.get("links") or []
    if not isinstance(given, list) or len(given) > _MOST_LINKS:
        raise InvalidInput(f"Line {number}: links must be a list of at most {_MOST_LINKS}.", "Correct that line.")
    if given and row.get("id") is None:
        return []  # it is unknown where they start
    try:
        return [
            Edge(
                str(link["kind"]),
                check_id(row["id"]),
                check_id(link["to"]),
                min(1.0, max(0.0, float(link["strength"]))),
            )
            for link in given
            if link["kind"] in LINKS
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
    """Whether it was read from a repository: it can be read there again."""
    kind = KINDS.get(str(row.get("kind")))
    return kind is not None and kind.derived


_FIELDS = (
    "text", "kind", "level", "domain", "module", "parent", "session", "speaker", "time", "key", "evidence", "tags",
    "ttl", "ttl_class", "refresh",
)  # fmt: skip


def _draft_of(number: int, row: dict[str, Any]) -> Draft:
    given = {name: row[name] for name in (*_FIELDS, *LABELS, "valid_from", "valid_until") if row.get(name) is not None}
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
