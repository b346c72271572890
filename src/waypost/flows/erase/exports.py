"""What erasing a memory takes beside its rows: its lines in the exports within reach, and what to look for afterwards."""

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
from waypost.space.platform import wait_lock, write_private_file


def clean_exports(
    space: OpenSpace, memory_ids: Collection[str], words: Collection[str], *, wait: bool = True
) -> set[str]:
    """Remove the memories with these ids or these texts from every export that is still in the data directory. One that
    is being written starts again; what a killed process left of one is deleted. Copies of other tools' databases are
    deleted whole: nobody can tell which texts they hold. So are copies of this one that was damaged, if they hold any.
    Returns the names of the exports changed. Too long a wait for another who does the same, or without `wait` any, raises
    StoreBusy."""
    drop_backups(space)
    drop_damaged(space.folder, memory_ids, traces_of(words))
    erased = _Erased(memory_ids, words)
    # One at a time, in all memories: two that rewrite the same export would each bring back what the other removed.
    with wait_lock(space.settings.home / "exports.lock", space.settings.busy_timeout_seconds if wait else 0.0):
        for unfinished in space.exports.glob(".*.tmp"):
            unfinished.unlink(missing_ok=True)
        return {path.name for path in _exports_within_reach(space) if _clean_export(path, erased)}


def _clean_export(path: Path, erased: "_Erased") -> bool:
    try:
        before = path.read_text(encoding="utf-8", errors="surrogateescape")
    except FileNotFoundError:  # its owner has just deleted it
        return False
    after = _without(before, erased, path.suffix == ".jsonl")
    return after != before and write_private_file(path, after.encode("utf-8", "surrogateescape"), replace=True)


class _Erased:
    """What is not to be found any more."""

    def __init__(self, memory_ids: Collection[str], words: Collection[str]) -> None:
        self._ids, self._words = frozenset(memory_ids), frozenset(words)

    @cached_property
    def _signs(self) -> tuple[str, ...]:
        """What shows that a damaged row is about one of them."""
        starts = (json.dumps(text[:PIECE], ensure_ascii=False)[1:-1] for text in self._words)
        return (*self._ids, *starts)

    def has(self, row: object) -> bool:
        """Whether it is the row of one of the memories, or a damaged one that mentions it."""
        if isinstance(row, str):
            return any(sign in row for sign in self._signs)
        if not isinstance(row, dict):
            return False
        named, said = row.get("id"), row.get("text")
        return (isinstance(named, str) and named in self._ids) or (isinstance(said, str) and said in self._words)


def _exports_within_reach(space: OpenSpace) -> list[Path]:
    """The space's own, and those that somebody put elsewhere under the home; other spaces are not ours to read."""
    home = space.settings.home
    apart = (space.settings.memory_root, *space.settings.models)
    found = [*space.exports.glob("*.json*"), *home.glob("*.json*")]
    for folder in home.iterdir():
        if folder.is_dir() and not folder.is_symlink() and folder not in apart:
            found += folder.rglob("*.json*")
    return sorted(path for path in found if path.is_file() and not path.is_symlink())


def _without(content: str, erased: _Erased, lines: bool) -> str:
    if lines:  # only \n ends a line: others may stand inside a text
        return "\n".join(line for line in content.split("\n") if not erased.has(_parsed(line)))
    whole = _parsed(content)
    if isinstance(whole, str):  # an export that is damaged
        return "" if erased.has(content) else content
    if not isinstance(whole, dict) or not isinstance(whole.get("memories"), list):
        return content  # no export: tokens, sessions, what set-up did
    rows = [row for row in whole["memories"] if not erased.has(row)]
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
