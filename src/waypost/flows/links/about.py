"""From code to memory: what is known about a file or a line, and which memories have gone stale."""

import contextlib
import os
import stat
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from waypost.errors import InvalidInput, StoreError
from waypost.flows.index.current_tree import TreeNow
from waypost.flows.index.treeless import indexed_symbols, seen_elsewhere
from waypost.flows.links.staleness import check, kept_view, linked
from waypost.flows.open_space import OpenSpace, looked_at_key, need_project, place_in, tree_of
from waypost.model.code_link import AboutHit, CodeLink, LinkedMemory, StaleReport
from waypost.model.code_verdict import UNCHECKED
from waypost.model.draft import check_whole
from waypost.model.recall import View
from waypost.model.reference import MAX_LINE, LineRange
from waypost.model.time import Moment, format_time, parse_time
from waypost.store.protocol import Reader, ReferenceRow, StoredVerdict

MOST_ABOUT = 1000
_MOST_LOOKED_AT = 2000  # references that are compared with the disk before an answer
_ORDER = {"direct": 0, "symbol": 1, "file": 2}


def about(
    space: OpenSpace, path: str, line: int | None = None, *, limit: int = 50, moment: Moment | None = None
) -> tuple[AboutHit, ...]:
    """The memories about this place of the tree, nearest first; of a folder, those about its files.

    The place is one of the tree as it is now, whatever moment the memories are asked for.
    """
    check_whole(limit, "limit", 1, MOST_ABOUT)
    if line is not None:
        check_whole(line, "line", 1, MAX_LINE)
    place = place_in(space, path)
    if place == ".":
        raise InvalidInput("The whole tree is no place.", "Name a file or a folder; `waypost list` shows everything.")
    is_folder = _is_folder(space, place)
    _catch_up(space, place)
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


def _catch_up(space: OpenSpace, place: str) -> None:
    """What points at other files may be here by now, if something here is newer than the last look at all of them."""
    root = space.identity.root
    if root is None:
        return
    key = looked_at_key(space.identity.checkout_id)
    with space.store.read() as reader:
        last = reader.meta.get(key)
        if last is not None and _is_older(root / place, parse_time(last, key)):
            return
        rows = reader.references.visible(kept_view(space))
    if len(rows) <= _MOST_LOOKED_AT:  # with more, the hooks and upkeep have to do it
        _check_all(space, rows)


def _check_all(
    space: OpenSpace, rows: Sequence[ReferenceRow], *, again: bool = False
) -> dict[tuple[int, int], StoredVerdict]:
    begun = space.clock()
    verdicts = check(space, rows, again=again)
    if space.store.may_write:
        with contextlib.suppress(StoreError), space.store.write() as writer:  # it is only looked at once more
            writer.meta.set(looked_at_key(space.identity.checkout_id), format_time(begun))
    return verdicts


def _is_older(path: Path, moment: datetime) -> bool:
    """Whether a file, by content and by name, is as it was then. Of a folder nobody can tell at once."""
    try:
        found = os.stat(path, follow_symlinks=False)
    except (OSError, ValueError):
        return True
    return stat.S_ISREG(found.st_mode) and max(found.st_mtime, found.st_ctime) < moment.timestamp()


def _whole_memories(reader: Reader, view: View, rows: Sequence[ReferenceRow]) -> list[ReferenceRow]:
    """All references of these memories: one that is stale elsewhere is stale."""
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
    if line is None or link.finding.path is None:  # what is gone is about the file that it was in
        return "file"
    if lines is None:
        return "file"
    if line in lines:
        return "direct"
    overlaps = around is not None and lines.start <= around.end and around.start <= lines.end
    return "symbol" if overlaps else "file"


def _distance(link: CodeLink, line: int | None) -> int:
    """How far off the line it is; among those that hold it, how long they are: the narrower one says more."""
    lines = link.reference.line_range
    if lines is None:
        return MAX_LINE
    if line is None:
        return lines.start
    if line in lines:
        return lines.end - lines.start
    return min(abs(line - lines.start), abs(line - lines.end))


def _symbol_around(space: OpenSpace, path: str, line: int) -> LineRange | None:
    """The innermost symbol that the line is in; as the file was indexed, where it is not at hand."""
    if space.identity.has_tree:
        shape = TreeNow(space).shape(path)
        known = [LineRange(one.first, one.end) for one in shape.landmarks] if shape is not None else []
    else:
        known = [lines for one in indexed_symbols(space, path) if (lines := one.refs[0].line_range) is not None]
    return min((lines for lines in known if line in lines), key=lambda lines: lines.end - lines.start, default=None)


def stale(space: OpenSpace, *, files: Sequence[str] | None = None, again: bool = False) -> StaleReport:
    """Which memories point at code that is not as it was. `again` judges all of them anew; `files` are those to look at."""
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
    verdicts = _check_all(space, rows, again=again) if whole else check(space, rows, again=again)
    with space.store.read() as reader:
        memories, seen = _linked(space, reader, rows, verdicts), seen_elsewhere(space, reader)
    old = [one for one in memories if one.state.is_stale]
    unknown = [one for one in memories if not one.state.is_stale and _nobody_can_tell(one)]
    fresh = len(memories) - len(old) - len(unknown)
    old.sort(key=lambda one: (one.stale_since is None, one.stale_since, one.version.number))
    moved = tuple(one for one in memories if not one.state.is_stale and any(link.has_moved for link in one.links))
    return StaleReport(len(memories), len(old), fresh, len(unknown), tuple(old), moved, seen)


def _nobody_can_tell(memory: LinkedMemory) -> bool:
    return all(link.finding.state == UNCHECKED for link in memory.links)
