"""Memories about files, for hooks around the tools of an agent: before it reads or changes one, and after."""

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from waypost.context.one_line import one_line
from waypost.context.render import plain_line
from waypost.errors import WaypostError
from waypost.flows.links.about import about
from waypost.flows.links.code_changes import code_behind
from waypost.flows.links.hits import hit_of
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.versions.short_ids import short_ids
from waypost.model.code_link import LinkedMemory
from waypost.model.recall import Hit
from waypost.model.time import Moment
from waypost.text.fence import defuse, fence

_MOST_FILES = 5
_MOST_MEMORIES = 8
_MOST_CHARACTERS = 6_000
_LONGEST_LINE = 400
_DIFF_LINES = 10  # of one memory
_ABOUT = "Remembered about {files}:"
_STALE = (
    "{files} changed behind these memories. Check each: correct a wrong one with `remember` and its id as `replaces`; "
    "confirm one that still holds with `waypost verify ID`."
)


@dataclass(frozen=True, slots=True)
class FileNotes:
    """A fenced text and the memories in it, in order."""

    text: str = ""
    hits: tuple[Hit, ...] = ()


def file_notes(
    space: OpenSpace, files: Sequence[str], is_known: Callable[[Hit], bool], *, only_stale: bool = False
) -> FileNotes:
    """Memories about these files that are not known yet, stale ones with how their code changed.

    Paths that are no files of this project are left out. With `only_stale`, memories that no longer match their code.
    """
    places = list(_places(space, files))
    memories = [(memory, hit_of(memory, 1.0, {})) for memory in _memories(space, places)]
    new = [(memory, hit) for memory, hit in memories if not is_known(hit) and (hit.is_stale or not only_stale)]
    with space.store.read() as reader:
        ids = short_ids(reader, [memory.id for memory, _ in new])
    lines, hits, room = [], list[Hit](), _MOST_CHARACTERS
    for memory, hit in new:
        shown_id = ids.get(hit.id, hit.id)
        note = "\n".join((f"{one_line(plain_line(hit), _LONGEST_LINE)} id {shown_id}", *_change(space, memory)))
        if len(hits) == _MOST_MEMORIES or len(note) > room:
            break
        room -= len(note)
        lines.append(note)
        hits.append(hit)
    if not hits:
        return FileNotes()
    heading = (_STALE if only_stale else _ABOUT).format(files=one_line(", ".join(places), _LONGEST_LINE))
    return FileNotes(fence("\n".join((heading, *lines))), tuple(hits))


def _places(space: OpenSpace, files: Sequence[str]) -> Iterator[str]:
    """The files of this project among these, as paths inside it."""
    root, seen = space.identity.root, set[str]()
    for path in files:
        try:
            place = place_in(space, path)
        except (WaypostError, OSError, ValueError):  # outside, or no path at all
            continue
        if root is not None and place not in seen and (root / place).is_file():
            seen.add(place)
            yield place
        if len(seen) == _MOST_FILES:
            return


def _memories(space: OpenSpace, places: Sequence[str]) -> Iterator[LinkedMemory]:
    seen = set[str]()
    for place in places:
        for hit in about(space, place, limit=_MOST_MEMORIES * 4):
            if hit.memory.id not in seen:
                seen.add(hit.memory.id)
                yield hit.memory


def _change(space: OpenSpace, memory: LinkedMemory) -> Iterator[str]:
    """How the code of a stale memory changed, if git has the code that it was written for."""
    if not memory.state.is_stale:
        return
    for behind in code_behind(space, memory.id, Moment(space.clock())):
        if behind.then is None or not behind.surely:
            continue
        now = behind.now.meant if behind.now is not None else ()
        changed = [row for row in difflib.ndiff(behind.then.meant, now) if row[:2] in ("- ", "+ ")]
        yield from (f"    {row[0]}{one_line(defuse(row[2:]), _LONGEST_LINE)}" for row in changed[:_DIFF_LINES])
        if len(changed) > _DIFF_LINES:
            yield f"    … {len(changed) - _DIFF_LINES} more changed lines"
