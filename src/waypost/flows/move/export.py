"""Export memories as JSON, one object per memory."""

import contextlib
import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from waypost.errors import InvalidInput, StoreCorrupt, StoreError
from waypost.flows.links.staleness import linked
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.conflicts import conflicts_of
from waypost.flows.versions.row import memory_row
from waypost.model.kinds import COLLECTIONS, KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.model.time import Moment
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Filter, Reader
from waypost.system.platform import make_private_directory, place_file, sync_directory

FORMATS = ("jsonl", "json")
_PAGE = 500
_ABANDONED_SECONDS = 86_400.0
LINKS = ("causes", "justifies", "leads_to", "blocks", "see_also", "derived_from")
_NAME = re.compile(r"\d{8}T\d{6}Z(-\d+)?\.jsonl?")


@dataclass(frozen=True, slots=True)
class Export:
    path: Path
    memories: int
    size: int
    made_at: datetime
    is_damaged: bool = False  # it holds what could be read of a damaged database
    skipped: tuple[str, ...] = ()  # then: ids of unreadable or damaged memories


def rows(space: OpenSpace, moment: Moment, *, embeddings: bool = False, code: bool = False) -> Iterator[dict[str, Any]]:
    """Every memory visible at the moment, in the order of recording. `code` adds what was read from the repository.

    An import skips code, because the repository itself can be read.
    """
    view, after = View(moment, COLLECTIONS if code else KEPT_COLLECTIONS, space.identity.checkout_id, archived=True), 0
    with space.store.read() as reader:
        while True:
            page = reader.memories.listing(view, Filter(), after=after, limit=_PAGE)
            if not page:
                refuse_damage(reader)
                return
            memories = linked(space, reader, page)
            links = _links(reader, [version.memory_id for version in page], moment)
            for version in page:
                row = memory_row(version, memories[version.number].state)
                row["code_refs"] = [ref.to_json(anchored=True) for ref in version.refs]
                row["links"] = links.get(version.memory_id, [])
                if embeddings:
                    row["embeddings"] = _embeddings(space, reader, version)
                yield row
            after = page[-1].number


def refuse_damage(reader: Reader) -> None:
    """Raise StoreCorrupt if something could not be read."""
    if reader.damage():
        raise StoreCorrupt("Some memories could not be read: the database is damaged.", "Run `waypost doctor --fix`.")


def _links(reader: Reader, memory_ids: Sequence[str], moment: Moment) -> dict[str, list[dict[str, Any]]]:
    """Links that start at these memories. Parents and replacements are exported separately."""
    links: dict[str, list[dict[str, Any]]] = {}
    for edge in reader.edges.of_kinds(memory_ids, LINKS, known_at=moment.known_at):
        row = {"kind": edge.kind, "to": edge.to_id, "strength": edge.strength}
        links.setdefault(edge.from_id, []).append(row)
    return links


def _embeddings(space: OpenSpace, reader: Reader, version: Version) -> list[dict[str, Any]]:
    passages = passages_of(version)
    return [
        {"engine": engine.name, "vector": [round(float(x), 5) for x in vector]}
        for engine in space.engines.active(reader)
        for vector in reader.vectors.get(engine.name, [passage.content_hash for passage in passages]).values()
    ]


def _check_format(form: str) -> None:
    if form not in FORMATS:
        raise InvalidInput(f"There is no export format {form!r}.", "Formats: jsonl, json.")


def write_rows(memory_rows: Iterator[dict[str, Any]], file: IO[str], form: str, *, ascii_only: bool = False) -> int:
    """Write memories as JSON lines, or as one JSON document. Returns how many."""
    _check_format(form)
    count = 0
    if form == "json":
        file.write('{"waypost_export": 1, "memories": [')
    try:
        for count, row in enumerate(memory_rows, 1):
            line = json.dumps(row, ensure_ascii=ascii_only)
            file.write(f"{line}\n" if form == "jsonl" else f"{',' if count > 1 else ''}\n{line}")
    finally:  # also if the database is damaged: the file is complete JSON
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
    """Write an export to `path`, or into the space's folder. Never overwrites a file."""
    _check_format(form)
    if path is not None and path.exists():
        raise _exists_error(path)
    while True:
        try:
            return _write_export(space, moment, path, form, embeddings=embeddings, code=code)
        except _ForgottenMeanwhile:
            continue  # it may hold what was just forgotten: start again


class _ForgottenMeanwhile(Exception):
    """Another process forgot a memory and deleted the unfinished export."""


def _write_export(
    space: OpenSpace, moment: Moment, path: Path | None, form: str, *, embeddings: bool, code: bool
) -> Export:
    target = path or _fresh_name(space, form)
    temporary = target.with_name(f".{target.name}.{os.getpid()}.{os.urandom(4).hex()}.tmp")
    try:
        handle = os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            count = write_rows(rows(space, moment, embeddings=embeddings, code=code), file, form)
            file.flush()
            os.fsync(file.fileno())
        if not temporary.exists():
            raise _ForgottenMeanwhile
        while not place_file(temporary, target, replace=False):  # another process was quicker with this name
            if path is not None:
                raise _exists_error(target)
            target = _fresh_name(space, form)
        sync_directory(target.parent)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and target.parent.is_dir() and not temporary.exists():
            raise _ForgottenMeanwhile from error
        raise StoreError(f"{target} cannot be written: {error.strerror}.", "Choose another place.") from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()
    return Export(target, count, target.stat().st_size, space.clock())


def _exists_error(target: Path) -> InvalidInput:
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
    """Remove leftovers of killed exports. A recent one may still be in use."""
    for leftover in folder.glob(".*.tmp"):
        with contextlib.suppress(OSError):
            if time.time() - leftover.stat().st_mtime > _ABANDONED_SECONDS:
                leftover.unlink()


def exports(space: OpenSpace) -> list[Export]:
    all_exports = []
    for path in space.exports.glob("*.json*") if space.exports.is_dir() else ():
        if _NAME.fullmatch(path.name):
            content = path.read_text(encoding="utf-8", errors="replace")
            count = content.count('\n{"id"') + content.startswith('{"id"')
            made = datetime.fromtimestamp(path.stat().st_mtime, tz=space.clock().tzinfo)
            all_exports.append(Export(path, count, path.stat().st_size, made))
    return sorted(all_exports, key=lambda item: item.path.name, reverse=True)


def latest_rows(space: OpenSpace, view: View, chosen: Filter, limit: int) -> list[dict[str, Any]]:
    """The newest memories that match a filter, oldest first."""
    with space.store.read() as reader:
        memories = linked(space, reader, reader.memories.latest(view, chosen, limit))
        conflicts = conflicts_of(reader, [memory.id for memory in memories.values()], view.moment)
    return [
        memory_row(memory.version, memory.state)
        | {"code_refs": [link.to_json() for link in memory.links]}
        | ({"conflict": conflicts[memory.id].to_json()} if memory.id in conflicts else {})
        for memory in memories.values()
    ]
