"""Curate: copy an entry to the upper part of MEMORY.md, which belongs to people.

Entries curated by agents get a heading of their own, which names agents as the source.
"""

from dataclasses import dataclass
from typing import Any

from waypost.errors import InvalidInput, PersonOnly, StoreError
from waypost.flows.journal_files.index_file import back_up
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.sync import sync
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.authority import refuse_outranked
from waypost.flows.versions.current import audit, visible_version
from waypost.journal.bullets import last_heading, parse_bullets, with_bullet
from waypost.journal.layout import INDEX
from waypost.journal.markdown import gap_after, newline_of
from waypost.journal.memory_page.lines import phrases
from waypost.journal.memory_page.page import page_top
from waypost.journal.period_pages.frame import split_frame
from waypost.model.draft import check_line
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller, Version
from waypost.model.time import Moment
from waypost.text.language import language_of

LONGEST = 4000  # characters: every context contains the page
_MOST_TRIES = 20
_FROM_AGENTS = "from_agents"


@dataclass(frozen=True, slots=True)
class Curated:
    memory_id: str
    path: str
    added: bool  # False: it was there already
    heading: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"id": self.memory_id, "path": self.path, "added": self.added, "heading": self.heading}


def curate(space: OpenSpace, memory_id: str, caller: Caller, heading: str | None = None) -> Curated:
    """Add an entry as a bullet with its id to the upper part of the page, optionally under a heading.

    The entry stays where it is, and every other byte of the page stays too. An agent may only add what no person said,
    under the heading for agents. Raises PersonOnly otherwise.
    """
    sync(space)
    memory_id = check_id(memory_id)
    title = check_line(heading, "heading").lstrip("# ") if heading and heading.strip() else None
    with space.store.read() as reader:
        version = visible_version(reader, memory_id, Moment(space.clock()))
    _check(version)
    if not caller.decides:
        refuse_outranked(caller, [version], "put it into MEMORY.md")
        _refuse_heading(title)
    with changes_by_waypost(space, [INDEX]) as folder:
        for _ in range(_MOST_TRIES):
            before = folder.read_or_none(INDEX)
            page = page_top(language_of(version.text)) if before is None else before
            upper = split_frame(page).before
            if any(bullet.id == memory_id for bullet in parse_bullets(upper)):
                return Curated(memory_id, INDEX, added=False)
            under = title if caller.decides else _agents_heading(upper, version)
            longer, rest = _with_bullet(upper, version, under), page[len(upper) :]
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


def _with_bullet(upper: str, version: Version, heading: str | None) -> str:
    """Without a heading, add it at the end, but above the bullets of agents."""
    last = last_heading(upper) if heading is None else None
    end = last[0] if last is not None and last[1] in _agents_headings() else len(upper)
    return with_bullet(upper[:end], version.text, version.memory_id, heading) + upper[end:]


def _agents_headings() -> set[str]:
    return {phrases(language)[_FROM_AGENTS] for language in ("en", "de", "ru")}


def _agents_heading(upper: str, version: Version) -> str:
    headings = [bullet.heading for bullet in parse_bullets(upper) if bullet.heading in _agents_headings()]
    return headings[-1] if headings and headings[-1] else phrases(language_of(version.text))[_FROM_AGENTS]


def _refuse_heading(title: str | None) -> None:
    if title is not None and title not in _agents_headings():
        raise PersonOnly(
            f'Agents\' points stand under "{phrases("en")[_FROM_AGENTS]}": only a person can put one under {title!r}.',
            "Leave the heading out, or ask a person to curate the entry.",
        )


def _check(version: Version) -> None:
    if not KINDS[version.kind].is_journal:
        raise InvalidInput(f"The memory {version.memory_id} is a {version.kind}, not a journal entry.", "")
    if len(version.text) > LONGEST:
        raise InvalidInput(
            f"The entry has {len(version.text):,} characters; the page takes {LONGEST:,}.",
            "Remember its gist with `waypost remember --kind note`, and curate that.",
        )
