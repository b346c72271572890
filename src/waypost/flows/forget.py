"""Forgetting: the memory, every version, everything made from it, and every copy that is within reach."""

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import NotFound
from waypost.facts.sameness import tombstone
from waypost.flows.open_space import OpenSpace
from waypost.flows.transfer import write_rows
from waypost.model.ids import check_id
from waypost.model.memory import Caller, Version
from waypost.space.platform import write_private_file
from waypost.store.protocol import AuditEntry, Reader

_PIECE = 48  # characters: long enough not to stand in another memory by chance
_MOST_PIECES = 16
SCRUB_OWED = "scrub_owed"

BEYOND_REACH = (
    "the history of git repositories",
    "copies that were made outside of Waypost's own directory",
    "backups of this disk",
)


@dataclass(frozen=True, slots=True)
class Forgotten:
    memory_id: str
    versions: int
    exports_changed: tuple[str, ...]
    complete: bool  # False: somebody is reading right now; `doctor --fix` removes the last traces
    beyond_reach: tuple[str, ...] = BEYOND_REACH


def forget(space: OpenSpace, memory_id: str, caller: Caller) -> Forgotten:
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with space.store.write() as writer:
        versions = writer.versions(memory_id)
        if not versions:
            raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
        now = space.clock()
        for version in versions:
            writer.add_tombstone(tombstone(key, version), now)
        for other in [memory_id, *_saying_only_this(writer, versions)]:
            writer.erase(other)
        writer.set_meta(SCRUB_OWED, "1")
        details = {"versions": len(versions), "owners_word": caller.owners_word}
        writer.add_audit(AuditEntry(now, "forget", memory_id, caller.source, caller.actor, details))
    changed = _clean_exports(space.exports, memory_id, versions)
    complete = scrub(space, _pieces(versions))
    return Forgotten(memory_id, len(versions), tuple(changed), complete)


def _saying_only_this(reader: Reader, versions: list[Version]) -> list[str]:
    """Other memories that never said anything else, such as one that was rejected: their history is a copy too."""
    values = {version.fingerprint for version in versions}
    ids = {known.memory_id for value in values for known in reader.find_fingerprint(value)} - {versions[0].memory_id}
    return sorted(i for i in ids if {known.fingerprint for known in reader.versions(i)} <= values)


def scrub(space: OpenSpace, traces: list[str]) -> bool:
    """Remove the traces of what was erased; what cannot be removed now stays owed, for `doctor`."""
    complete = space.store.scrub(traces)
    if complete:
        with space.store.write() as writer:
            writer.set_meta(SCRUB_OWED, "")
    return complete


def _pieces(versions: list[Version]) -> list[str]:
    pieces: dict[str, None] = {}
    for version in versions:
        text = version.text
        step = max(_PIECE, len(text) // _MOST_PIECES)
        for start in range(0, len(text), step):
            pieces[text[start : start + _PIECE]] = None
    return [piece for piece in pieces if len(piece) >= _PIECE // 2][:_MOST_PIECES]


def _clean_exports(folder: Path, memory_id: str, versions: list[Version]) -> list[str]:
    """Take the memory out of every export that is still under the home."""
    words = {version.text for version in versions}
    changed = []
    for path in sorted(folder.glob("*.json*")) if folder.is_dir() else ():
        before = path.read_text(encoding="utf-8", errors="surrogateescape")
        after = _without(before, memory_id, words, path.suffix == ".jsonl")
        if after != before:
            write_private_file(path, after.encode("utf-8", "surrogateescape"), replace=True)
            changed.append(path.name)
    return changed


def _without(content: str, memory_id: str, words: set[str], lines: bool) -> str:
    if lines:
        kept = [line for line in content.splitlines(keepends=True) if not _is_about(_parsed(line), memory_id, words)]
        return "".join(kept)
    whole = _parsed(content)
    if not isinstance(whole, dict) or not isinstance(whole.get("memories"), list):
        return content
    rows = [row for row in whole["memories"] if not _is_about(row, memory_id, words)]
    if len(rows) == len(whole["memories"]):
        return content
    written = io.StringIO()
    write_rows(iter(rows), written, "json")
    return written.getvalue()


def _parsed(text: str) -> object:
    with contextlib.suppress(json.JSONDecodeError):
        return json.loads(text)
    return None


def _is_about(row: object, memory_id: str, words: set[str]) -> bool:
    return isinstance(row, dict) and (row.get("id") == memory_id or row.get("text") in words)
