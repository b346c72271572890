"""From code to memories: what is known about a file or a line, and which memories are stale."""

import contextlib
import os
import stat
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from waypost.errors import InvalidInput, StoreError
from waypost.flows.checkouts.current_tree import TreeNow
from waypost.flows.checkouts.treeless import indexed_symbols, seen_elsewhere
from waypost.flows.links.staleness import SECONDS, SECONDS_LISTED, check, kept_view, linked
from waypost.flows.open_space import OpenSpace, looked_at_key, need_project, place_in, tree_of
from waypost.model.code_link import AboutHit, CodeLink, LinkedMemory, StaleReport, problem_of
from waypost.model.code_verdict import UNCHECKED
from waypost.model.draft import check_whole
from waypost.model.recall import View
from waypost.model.reference import MAX_LINE, LineRange
from waypost.model.time import Moment, format_time, parse_time
from waypost.store.protocol import Reader, ReferenceRow, StoredVerdict

MOST_ABOUT = 1000
_MOST_LOOKED_AT = 2000  # references checked on disk before an answer
_ORDER = {"direct": 0, "symbol": 1, "file": 2}


def about(
    space: OpenSpace, path: str, line: int | None = None, *, limit: int = 50, moment: Moment | None = None
) -> tuple[AboutHit, ...]:
    """Memories about this place, nearest first; for a folder, about its files.

    The place is one in the current code, whatever moment the memories are read at.
    """
    check_whole(limit, "limit", 1, MOST_ABOUT)
    if line is not None:
        check_whole(line, "line", 1, MAX_LINE)
    place = place_in(space, path)
    if place == ".":
        raise InvalidInput(
            "The whole repository is not a place.", "Name a file or a folder; `waypost list` shows everything."
        )
    is_folder = _is_folder(space, place)
    _check_if_changed(space, place)
    view = kept_view(space, moment)
    with space.store.read() as reader:
        rows = reader.references.to_files(space.identity.checkout_id, [place, f"{place}/"], view)
        rows = _whole_memories(reader, view, rows)
    verdicts = check(space, rows)
    around = None if line is None else _symbol_around(space, place, line)
    with space.store.read() as reader:
        memories = _linked(space, reader, rows, verdicts)
    hits = []
    for memory in memories:
        best = min(
            (
                (_ORDER[relevance], _distance(link, line), relevance, number)
                for number, link in enumerate(memory.links)
                if (relevance := _relevance(link, place, line, around, is_folder)) is not None
            ),
            default=None,
        )
        if best is not None:
            hits.append((best[:2], AboutHit(memory, best[2], memory.links[best[3]])))
    hits.sort(key=lambda pair: (pair[0][0], pair[1].memory.state.is_stale, pair[0][1], -pair[1].memory.confidence))
    return tuple(hit for _, hit in hits[:limit])


def _is_folder(space: OpenSpace, place: str) -> bool:
    root = space.identity.root
    if root is not None:
        return (root / place).is_dir()
    with space.store.read() as reader:
        return any(path.startswith(f"{place}/") for path in reader.code.files(space.identity.checkout_id))


def _check_if_changed(space: OpenSpace, place: str) -> None:
    """Check all references if this place has changed since the last full check: code may have moved here."""
    root = space.identity.root
    if root is None:
        return
    key = looked_at_key(space.identity.checkout_id)
    with space.store.read() as reader:
        last = reader.meta.get(key)
        if last is not None and _is_older(root / place, parse_time(last, key)):
            return
        rows = reader.references.visible(kept_view(space))
    if len(rows) <= _MOST_LOOKED_AT:  # more are left to hooks and maintenance
        _check_all(space, rows)


def _check_all(
    space: OpenSpace, rows: Sequence[ReferenceRow], *, again: bool = False, seconds: float = SECONDS
) -> dict[tuple[int, int], StoredVerdict]:
    begun = space.clock()
    verdicts = check(space, rows, again=again, seconds=seconds)
    if space.store.may_write:
        with contextlib.suppress(StoreError), space.store.write() as writer:  # else it is checked once more
            writer.meta.set(looked_at_key(space.identity.checkout_id), format_time(begun))
    return verdicts


def _is_older(path: Path, moment: datetime) -> bool:
    """Whether a file is older than this moment, by content and name. Always False for a folder."""
    try:
        state = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(state.st_mode) and max(state.st_mtime, state.st_ctime) < moment.timestamp()


def _whole_memories(reader: Reader, view: View, rows: Sequence[ReferenceRow]) -> list[ReferenceRow]:
    """All references of these memories: a memory is stale if any of its references is."""
    return reader.references.visible(view, numbers={row.number for row in rows}) if rows else []


def _linked(
    space: OpenSpace,
    reader: Reader,
    rows: Sequence[ReferenceRow],
    verdicts: dict[tuple[int, int], StoredVerdict],
) -> list[LinkedMemory]:
    versions = reader.memories.by_number({row.number for row in rows})
    return list(linked(space, reader, list(versions.values()), verdicts or None).values())


def _relevance(link: CodeLink, place: str, line: int | None, around: LineRange | None, is_folder: bool) -> str | None:
    path, lines = link.reference.file_path, link.reference.line_range
    if path != place:
        return "file" if is_folder and path.startswith(f"{place}/") else None
    if line is None or link.finding.path is None:  # deleted code counts for the file it was in
        return "file"
    if lines is None:
        return "file"
    if line in lines:
        return "direct"
    overlaps = around is not None and lines.start <= around.end and around.start <= lines.end
    return "symbol" if overlaps else "file"


def _distance(link: CodeLink, line: int | None) -> int:
    """The distance to the line; among ranges that contain it, their length: a narrower one says more."""
    lines = link.reference.line_range
    if lines is None:
        return MAX_LINE
    if line is None:
        return lines.start
    if line in lines:
        return lines.end - lines.start
    return min(abs(line - lines.start), abs(line - lines.end))


def _symbol_around(space: OpenSpace, path: str, line: int) -> LineRange | None:
    """The innermost symbol around the line, from the index if the file is not here."""
    if space.identity.has_tree:
        shape = TreeNow(space).shape(path)
        ranges = [LineRange(landmark.first, landmark.end) for landmark in shape.landmarks] if shape is not None else []
    else:
        ranges = [lines for symbol in indexed_symbols(space, path) if (lines := symbol.refs[0].line_range) is not None]
    return min((lines for lines in ranges if line in lines), key=lambda lines: lines.end - lines.start, default=None)


def stale(space: OpenSpace, *, files: Sequence[str] | None = None, again: bool = False) -> StaleReport:
    """Memories whose code has changed. `again` judges all of them again; `files` limits the check."""
    tree_of(space) if again else need_project(space)
    view = kept_view(space)
    with space.store.read() as reader:
        if files is None:
            rows = reader.references.visible(view)
        else:
            paths = [place_in(space, path) for path in files]
            both = [*paths, *(f"{path}/" for path in paths)]
            rows = _whole_memories(reader, view, reader.references.to_files(space.identity.checkout_id, both, view))
    whole = files is None and space.identity.has_tree
    look = _check_all if whole else check
    verdicts = look(space, rows, again=again, seconds=SECONDS_LISTED)
    with space.store.read() as reader:
        memories, seen = _linked(space, reader, rows, verdicts), seen_elsewhere(space, reader)
    old = [memory for memory in memories if memory.state.is_stale]
    unknown = [memory for memory in memories if not memory.state.is_stale and _is_unchecked(memory)]
    fresh = len(memories) - len(old) - len(unknown)
    old.sort(key=lambda memory: (memory.stale_since is None, memory.stale_since, memory.version.number))
    moved = tuple(
        memory for memory in memories if not memory.state.is_stale and any(link.has_moved for link in memory.links)
    )
    unfound = tuple(memory for memory in unknown if problem_of(memory.links) or _points_at_no_code(memory))
    return StaleReport(len(memories), len(old), fresh, len(unknown), tuple(old), moved, seen, unfound)


def _points_at_no_code(memory: LinkedMemory) -> bool:
    """Whether it points at something that is here and that nothing can be pinned to: a folder."""
    return any(
        link.checked_at is not None and not (link.was.anchor or link.was.code_hash or link.was.repo_id)
        for link in memory.links
    )


def _is_unchecked(memory: LinkedMemory) -> bool:
    return all(link.finding.state == UNCHECKED for link in memory.links)
