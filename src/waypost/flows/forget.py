"""Forgetting: the memory, every version, everything made from it, and every copy that is within reach."""

import contextlib
import io
import json
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import NotFound
from waypost.facts.sameness import tombstones
from waypost.flows.lifecycle import refuse_derived
from waypost.flows.open_space import OpenSpace
from waypost.flows.scrub import SCRUB_OWED, scrub
from waypost.flows.transfer import write_rows
from waypost.model.ids import check_id
from waypost.model.memory import Caller, Version
from waypost.space.platform import write_private_file
from waypost.store.fact_protocol import CandidateRow
from waypost.store.protocol import AuditEntry, Reader

_PIECE = 48  # characters: long enough not to stand in another memory by chance
_MOST_PIECES = 16

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
        changed = _clean_exports(space, memory_id, _all_saying(reader, reader.versions(memory_id)))
    with space.store.write() as writer:
        versions = writer.versions(memory_id)
        waiting = _waiting(writer, memory_id, versions)
        if not versions and not waiting:
            raise NotFound(f"There is no memory {memory_id} here.", "`waypost list` shows what is there.")
        if versions:
            refuse_derived(versions[-1])
        now = space.clock()
        for row in waiting:
            writer.add_tombstone(row.tombstone, now)
        writer.drop_candidates(row.candidate_id for row in waiting)
        if not versions:
            details = {"candidate": True, "owners_word": caller.owners_word}
            writer.add_audit(AuditEntry(now, "forget", memory_id, caller.source, caller.actor, details))
        for version in versions:
            for digest in tombstones(key, version):
                writer.add_tombstone(digest, now)
        copies = _all_saying(writer, versions)
        for other in dict.fromkeys(version.memory_id for version in copies):
            numbers = [version.number for version in copies if version.memory_id == other]
            writer.erase(other, numbers)
            details = {"versions": len(numbers), "owners_word": caller.owners_word}
            writer.add_audit(AuditEntry(now, "forget", other, caller.source, caller.actor, details))
        writer.set_meta(SCRUB_OWED, "1")
    changed |= _clean_exports(space, memory_id, copies)  # one may have been made meanwhile
    texts = [version.text for version in copies] + [str(row.draft.get("text", "")) for row in waiting]
    complete = scrub(space, _pieces(texts))
    return Forgotten(memory_id, len(versions), tuple(sorted(changed)), complete)


def _all_saying(reader: Reader, versions: list[Version]) -> list[Version]:
    """These versions, and those of other memories that say the same: their history is a copy too."""
    found = {version.number: version for version in versions}
    for value in {version.fingerprint for version in versions}:
        found |= {known.number: known for known in reader.find_fingerprint(value)}
    return list(found.values())


def _waiting(reader: Reader, memory_id: str, versions: list[Version]) -> list[CandidateRow]:
    """Candidates that say the same, or the one with this id."""
    found = reader.candidates_like([version.fingerprint for version in versions], [])
    own = reader.candidate(memory_id)
    return found if own is None or own in found else [*found, own]


def _pieces(texts: list[str]) -> list[str]:
    pieces: dict[str, None] = {}
    for text in texts:
        step = max(_PIECE, len(text) // _MOST_PIECES)
        for start in range(0, len(text), step):
            pieces[text[start : start + _PIECE]] = None
    return [piece for piece in pieces if len(piece) >= _PIECE // 2][:_MOST_PIECES]


def _clean_exports(space: OpenSpace, memory_id: str, versions: list[Version]) -> set[str]:
    """Take the memory out of every export that is still under the home. One that is just being written fails, so that
    it cannot appear afterwards; what a killed process left of one goes."""
    words = {version.text for version in versions}
    changed: set[str] = set()
    for unfinished in space.exports.glob(".*.tmp"):
        unfinished.unlink(missing_ok=True)
    for path in _exports_within_reach(space):
        before = path.read_text(encoding="utf-8", errors="surrogateescape")
        after = _without(before, memory_id, words, path.suffix == ".jsonl")
        if after != before:
            write_private_file(path, after.encode("utf-8", "surrogateescape"), replace=True)
            changed.add(path.name)
    return changed


def _exports_within_reach(space: OpenSpace) -> list[Path]:
    """The space's own, and those that somebody put elsewhere under the home; other spaces are not ours to read."""
    home = space.settings.home
    apart = (space.settings.memory_root, *space.settings.models)
    found = [*space.exports.glob("*.json*"), *home.glob("*.json*")]
    for folder in home.iterdir():
        if folder.is_dir() and not folder.is_symlink() and folder not in apart:
            found += folder.rglob("*.json*")
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _without(content: str, memory_id: str, words: set[str], lines: bool) -> str:
    if lines:  # only \n ends a line: others may stand inside a text
        pieces = [line for line in content.split("\n") if not _is_about(_parsed(line), memory_id, words)]
        return "\n".join(pieces)
    whole = _parsed(content)
    if not isinstance(whole, dict) or not isinstance(whole.get("memories"), list):
        return "" if _is_about(content, memory_id, words) else content
    rows = [row for row in whole["memories"] if not _is_about(row, memory_id, words)]
    if len(rows) == len(whole["memories"]):
        return content
    written = io.StringIO()
    write_rows(iter(rows), written, "json")
    return written.getvalue()


def _parsed(text: str) -> object:
    """What the JSON says, or the text itself where it is none."""
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    return text


def _is_about(row: object, memory_id: str, words: set[str]) -> bool:
    """Whether it is a memory's row, or a damaged one that mentions it."""
    if isinstance(row, str):
        starts = (json.dumps(text[:_PIECE], ensure_ascii=False)[1:-1] for text in words)
        return memory_id in row or any(start in row for start in starts)
    return isinstance(row, dict) and (row.get("id") == memory_id or row.get("text") in words)
