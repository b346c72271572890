"""Memories about what an agent's tool is about to use, for hooks: about a file it reads or changes, or a command it runs."""

import difflib
import posixpath
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from waypost.context.one_line import one_line
from waypost.context.render import plain_line
from waypost.context.stated import statement_cues
from waypost.context.tool_mentions import ToolMentions, commands_in
from waypost.errors import WaypostError
from waypost.flows.context.nearest import newer_values, outdated_turns, says_nothing
from waypost.flows.links.about import about
from waypost.flows.links.code_changes import code_behind
from waypost.flows.links.hits import hit_of
from waypost.flows.links.staleness import looked_at
from waypost.flows.open_space import OpenSpace, place_in
from waypost.flows.versions.short_ids import short_ids
from waypost.model.code_link import LinkedMemory
from waypost.model.kinds import KEPT_COLLECTIONS, KINDS
from waypost.model.memory import Version
from waypost.model.recall import Hit, View
from waypost.model.session_turn import USER
from waypost.model.time import Moment
from waypost.store.protocol import Reader
from waypost.text.fence import defuse, fence
from waypost.text.keywords import query_terms

_MOST_FILES = 5
_MOST_MEMORIES = 8
_MOST_NAMING = 3  # that name the file or command and point at no code
_DEPTH = 60  # passages searched for these
_ENDS_SENTENCE = re.compile(r"[.!?;:]\s|\n")
_MOST_CHARACTERS = 6_000
_LONGEST_LINE = 400
_DIFF_LINES = 10  # of one memory
_ABOUT = "Remembered about {files}:"
_STALE = (
    "{files} changed behind these memories. Check each: correct a wrong one with `remember` and its id as `replaces`; "
    "confirm one that still holds with `waypost verify ID`."
)


@dataclass(frozen=True, slots=True)
class ToolNotes:
    """A fenced text and the memories in it, in order."""

    text: str = ""
    hits: tuple[Hit, ...] = ()


def tool_notes(
    space: OpenSpace,
    view: View,
    files: Sequence[str],
    command: str,
    is_known: Callable[[Hit], bool],
) -> ToolNotes:
    """Memories that are not known yet about these files, and what was stated in words about them or this command.

    Stale ones come with how their code changed. Paths that are no files of this project are left out.
    """
    places, commands = list(_places(space, files)), commands_in(command)
    linked = list(_memories(space, places))
    with space.store.read() as reader:
        mentions = ToolMentions(places, commands, _single(reader, places, view))
        stated = list(_naming(space, reader, mentions, view, {memory.id for memory in linked}))
    named = [*places, *(f"`{each}`" for each in commands)]
    return _notes(space, _ABOUT, named, [*linked, *stated], is_known)


def stale_notes(space: OpenSpace, files: Sequence[str], is_known: Callable[[Hit], bool]) -> ToolNotes:
    """Memories that no longer match these files and were not shown as stale, with how their code changed."""
    places = list(_places(space, files))
    stale = [memory for memory in _memories(space, places) if memory.state.is_stale]
    return _notes(space, _STALE, places, stale, is_known)


def _notes(
    space: OpenSpace,
    heading: str,
    named: Sequence[str],
    memories: Sequence[LinkedMemory],
    is_known: Callable[[Hit], bool],
) -> ToolNotes:
    new = [(memory, hit) for memory in memories if not is_known(hit := hit_of(memory, 1.0, {}))]
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
        return ToolNotes()
    title = heading.format(files=one_line(", ".join(named), _LONGEST_LINE))
    return ToolNotes(fence("\n".join((title, *lines))), tuple(hits))


def _single(reader: Reader, places: Sequence[str], view: View) -> set[str]:
    """The files whose name no other file of the project has."""
    names = {place: posixpath.basename(place) for place in places}
    return {place for place, name in names.items() if len(reader.code.files_ending([name], 2, view)) < 2}


def _naming(
    space: OpenSpace, reader: Reader, mentions: ToolMentions, view: View, linked: set[str]
) -> Iterator[LinkedMemory]:
    """What was stated in words about what the tool uses, and holds now."""
    kept = replace(view, collections=tuple(name for name in view.collections if name in KEPT_COLLECTIONS))
    terms = query_terms(mentions.words)
    numbers = dict.fromkeys(passage.number for passage in reader.search.keywords(terms, _DEPTH, kept))
    versions = reader.memories.by_number(numbers)
    naming = {
        number: versions[number]
        for number in numbers
        if number in versions and versions[number].memory_id not in linked and _states(versions[number], mentions)
    }
    outdated = {*newer_values(naming), *outdated_turns(list(naming.values()))}
    chosen = [version for number, version in naming.items() if number not in outdated][:_MOST_NAMING]
    memories = looked_at(space, reader, chosen)
    yield from (memories[version.number] for version in chosen if version.number in memories)


def _states(version: Version, mentions: ToolMentions) -> bool:
    """Whether a memory states something about what the tool uses. What a user typed must say so where it names it."""
    place = mentions.place(version.text)
    if place is None or version.source == "extractor" or says_nothing(version):
        return False
    if not KINDS[version.kind].is_journal:
        return True
    ends = [0, *(match.end() for match in _ENDS_SENTENCE.finditer(version.text)), len(version.text)]
    begin = max(end for end in ends if end <= place[0])
    after = [end for end in ends if end >= place[1]][:2]
    return version.speaker == USER and statement_cues(version.text[begin : after[-1]]) > 0


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
