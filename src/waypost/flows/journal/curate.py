"""Curating: an entry becomes a line of the upper part of MEMORY.md, which belongs to people (LA-4).

What an agent curates stands there under a heading of its own, which says that it is from agents.
"""

from dataclasses import dataclass
from typing import Any

from waypost.errors import InvalidInput, PersonOnly, StoreError
from waypost.flows.journal.files.sync import ours, sync
from waypost.flows.journal.index_page import back_up, read_index
from waypost.flows.journal.log import note
from waypost.flows.open_space import OpenSpace
from waypost.flows.recall.versions import audit, visible_version
from waypost.flows.write.authority import refuse_outranked
from waypost.journal.bullets import last_heading, parse_bullets, with_bullet
from waypost.journal.index_page.lines import phrases
from waypost.journal.index_page.page import page_top
from waypost.journal.layout import INDEX
from waypost.journal.markdown import gap_after, newline_of
from waypost.journal.summary.frame import split_frame
from waypost.model.draft import check_line
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller, Version
from waypost.model.time import Moment
from waypost.text.language import language_of

LONGEST = 4000  # characters: the page is read with every question
_MOST_TRIES = 20
_FROM_AGENTS = "from_agents"


@dataclass(frozen=True, slots=True)
class Curated:
    memory_id: str
    path: str
    added: bool  # False: it stood there already
    heading: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"id": self.memory_id, "path": self.path, "added": self.added, "heading": self.heading}


def curate(space: OpenSpace, memory_id: str, caller: Caller, heading: str | None = None) -> Curated:
    """Put an entry as a point with its id into the upper part of the page, under a heading if one is given. The entry
    itself stays where it is; every other byte of the page too. An agent puts only what no person said there, under the
    heading for agents; raises PersonOnly otherwise."""
    sync(space)
    memory_id = check_id(memory_id)
    title = check_line(heading, "heading").lstrip("# ") if heading and heading.strip() else None
    with space.store.read() as reader:
        version = visible_version(reader, memory_id, Moment(space.clock()))
    _check(version)
    if not caller.decides:
        refuse_outranked(caller, [version], "put it into MEMORY.md")
        _refuse_heading(title)
    with ours(space, [INDEX]) as folder:
        for _ in range(_MOST_TRIES):
            before = read_index(folder)
            page = page_top(language_of(version.text)) if before is None else before
            upper = split_frame(page).before
            if any(bullet.id == memory_id for bullet in parse_bullets(upper)):
                return Curated(memory_id, INDEX, added=False)
            under = title if caller.decides else _agents_heading(upper, version)
            longer, rest = _with_point(upper, version, under), page[len(upper) :]
            after = longer + (gap_after(longer[-4:], newline_of(page)) if rest else "") + rest
            back_up(space, before)
            if folder.replace(INDEX, after, expected=before):
                break
        else:
            raise StoreError(f"{INDEX} is replaced again and again.", "Close the editor that holds it, and try again.")
    with space.store.write() as writer:
        audit(space, writer, "curate", memory_id, caller, {})
    note(space, "curated", id=memory_id, file=INDEX)
    return Curated(memory_id, INDEX, added=True, heading=under)


def _with_point(upper: str, version: Version, heading: str | None) -> str:
    """Without a heading it stands at the end, but above what agents put there."""
    last = last_heading(upper) if heading is None else None
    end = last[0] if last is not None and last[1] in _agents_headings() else len(upper)
    return with_bullet(upper[:end], version.text, version.memory_id, heading) + upper[end:]


def _agents_headings() -> set[str]:
    return {phrases(language)[_FROM_AGENTS] for language in ("en", "de", "ru")}


def _agents_heading(upper: str, version: Version) -> str:
    """The one that is there, in whichever language."""
    known = [bullet.heading for bullet in parse_bullets(upper) if bullet.heading in _agents_headings()]
    return known[-1] if known and known[-1] else phrases(language_of(version.text))[_FROM_AGENTS]


def _refuse_heading(title: str | None) -> None:
    if title is not None and title not in _agents_headings():
        raise PersonOnly(
            f'Agents\' points stand under "{phrases("en")[_FROM_AGENTS]}": only a person can put one under {title!r}.',
            "Leave the heading out, or ask a person to curate the entry.",
        )


def _check(version: Version) -> None:
    if not KINDS[version.kind].is_journal:
        raise InvalidInput(f"The memory {version.memory_id} is a {version.kind}, no entry of the journal.", "")
    if len(version.text) > LONGEST:
        raise InvalidInput(
            f"The entry has {len(version.text):,} characters; the page takes {LONGEST:,}.",
            "Remember its gist with `waypost remember --kind note`, and curate that.",
        )
