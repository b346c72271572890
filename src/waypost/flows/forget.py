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
    complete: bool  # False: somebody is reading right now; the last traces go with the next opening, or `doctor --fix`
    beyond_reach: tuple[str, ...] = BEYOND_REACH


def forget(space: OpenSpace, memory_id: str, caller: Caller) -> Forgotten:
    """Erase it for good. Should this process be killed on the way, what is left is removed with the next opening."""
    memory_id = check_id(memory_id)
    key = space.tombstone_key()
    with space.store.read() as reader:
        # While the words are known: once they are erased, nobody could tell which lines of an export are meant.
        changed = _clean_exports(space.exports, memory_id, reader.versions(memory_id))
    with space.store.write() as writer:
        versions = writer.versions(memory_id)
        if not versions:
            raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
        now = space.clock()
        for version in versions:
            writer.add_tombstone(tombstone(key, version), now)
        details = {"versions": len(versions), "owners_word": caller.owners_word}
        for other in [memory_id, *_saying_only_this(writer, versions)]:
            writer.erase(other)
            writer.add_audit(AuditEntry(now, "forget", other, caller.source, caller.actor, details))
        writer.set_meta(SCRUB_OWED, "1")
    changed |= _clean_exports(space.exports, memory_id, versions)  # one may have been made meanwhile
    complete = scrub(space, _pieces(versions))
    return Forgotten(memory_id, len(versions), tuple(sorted(changed)), complete)


def _saying_only_this(reader: Reader, versions: list[Version]) -> list[str]:
    """Other memories that never said anything else, such as one that was rejected: their history is a copy too."""
    values = {version.fingerprint for version in versions}
    ids = {known.memory_id for value in values for known in reader.find_fingerprint(value)} - {versions[0].memory_id}
    return sorted(i for i in ids if {known.fingerprint for known in reader.versions(i)} <= values)


def finish_forgetting(space: OpenSpace) -> None:
    """Remove the traces that a killed process or a reader in the way left behind; waits for nobody."""
    with space.store.read() as reader:
        owing = reader.meta(SCRUB_OWED)
    if owing:
        scrub(space, [], wait=False)


def scrub(space: OpenSpace, traces: list[str], *, wait: bool = True) -> bool:
    """Remove the traces of what was erased; what cannot be removed now stays owed, for the next opening or `doctor`."""
    complete = space.store.scrub(traces, wait=wait)
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


def _clean_exports(folder: Path, memory_id: str, versions: list[Version]) -> set[str]:
    """Take the memory out of every export that is still under the home. One that is just being written fails, so that
    it cannot appear afterwards; what a killed process left of one goes."""
    words = {version.text for version in versions}
    changed: set[str] = set()
    if not folder.is_dir():
        return changed
    for unfinished in folder.glob(".*.tmp"):
        unfinished.unlink(missing_ok=True)
    for path in sorted(folder.glob("*.json*")):
        before = path.read_text(encoding="utf-8", errors="surrogateescape")
        after = _without(before, memory_id, words, path.suffix == ".jsonl")
        if after != before:
            write_private_file(path, after.encode("utf-8", "surrogateescape"), replace=True)
            changed.add(path.name)
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
