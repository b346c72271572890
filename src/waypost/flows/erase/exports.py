"""Remove erased memories from exports and other copies in the data directory."""

import contextlib
import io
import json
from collections.abc import Collection
from functools import cached_property
from pathlib import Path

from waypost.flows.erase.damaged_copies import drop_damaged
from waypost.flows.move.export import write_rows
from waypost.flows.move.imports import drop_backups
from waypost.flows.open_space import OpenSpace
from waypost.flows.write.erase_rows import PIECE, traces_of
from waypost.system.platform import wait_lock, write_private_file


def clean_exports(
    space: OpenSpace, memory_ids: Collection[str], texts: Collection[str], *, wait: bool = True
) -> set[str]:
    """Remove memories with these ids or these texts from every export in the data directory.

    An export that is being written starts again, and leftovers of a stopped one are deleted. Copies of other tools'
    databases are deleted: single memories cannot be removed from them. So are copies of this database, damaged once,
    that hold one. Returns the names of changed exports. Raises StoreBusy if another process does the same for too long,
    or without `wait` at all.
    """
    drop_backups(space)
    drop_damaged(space.folder, memory_ids, traces_of(texts))
    erased = _Erased(memory_ids, texts)
    # One process at a time: two that rewrite the same export would restore what the other removed.
    with wait_lock(space.settings.home / "exports.lock", space.settings.busy_timeout_seconds if wait else 0.0):
        for unfinished in space.exports.glob(".*.tmp"):
            unfinished.unlink(missing_ok=True)
        return {path.name for path in _exports_within_reach(space) if _clean_export(path, erased)}


def _clean_export(path: Path, erased: "_Erased") -> bool:
    try:
        before = path.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:  # its owner has just deleted it
        return False
    after = _content_without(before, erased, path.suffix == ".jsonl")
    return after != before and write_private_file(path, after.encode("utf-8", "surrogateescape"), replace=True)


class _Erased:
    def __init__(self, memory_ids: Collection[str], texts: Collection[str]) -> None:
        self._ids, self._texts = frozenset(memory_ids), frozenset(texts)

    @cached_property
    def _signs(self) -> tuple[str, ...]:
        """What shows that a damaged row is about one of them."""
        starts = (json.dumps(text[:PIECE], ensure_ascii=False)[1:-1] for text in self._texts)
        return (*self._ids, *starts)

    def has(self, row: object) -> bool:
        """Whether this row is one of the memories, or a damaged row that mentions one."""
        if isinstance(row, str):
            return any(sign in row for sign in self._signs)
        if not isinstance(row, dict):
            return False
        row_id, text = row.get("id"), row.get("text")
        return (isinstance(row_id, str) and row_id in self._ids) or (isinstance(text, str) and text in self._texts)


def _exports_within_reach(space: OpenSpace) -> list[Path]:
    """Exports of this space, and others in the data directory outside of spaces: other spaces are not ours to read."""
    home = space.settings.home
    apart = (space.settings.memory_root, *space.settings.models)
    paths = [*space.exports.glob("*.json*"), *home.glob("*.json*")]
    for folder in home.iterdir():
        if folder.is_dir() and not folder.is_symlink() and folder not in apart:
            paths += folder.rglob("*.json*")
    return sorted(path for path in paths if path.is_file() and not path.is_symlink())


def _content_without(content: str, erased: _Erased, lines: bool) -> str:
    if lines:  # other line breaks may be part of a text
        return "\n".join(line for line in content.split("\n") if not erased.has(_parse_or_text(line)))
    whole = _parse_or_text(content)
    if isinstance(whole, str):  # a damaged export
        return "" if erased.has(content) else content
    if not isinstance(whole, dict) or not isinstance(whole.get("memories"), list):
        return content  # not an export: tokens, sessions, set-up records
    rows = [row for row in whole["memories"] if not erased.has(row)]
    if len(rows) == len(whole["memories"]):
        return content
    written = io.StringIO()
    write_rows(iter(rows), written, "json")
    return written.getvalue()


def _parse_or_text(text: str) -> object:
    with contextlib.suppress(ValueError, RecursionError):
        return json.loads(text)
    return text
