"""Curating: an entry becomes a line of the upper part of MEMORY.md, which people and agents keep (LA-4)."""

from dataclasses import dataclass
from typing import Any

from waypost.errors import InvalidInput, StoreError
from waypost.flows.held import audit, visible_version
from waypost.flows.index_page import back_up, read_index
from waypost.flows.journal_log import note
from waypost.flows.journal_sync import ours, sync
from waypost.flows.open_space import OpenSpace
from waypost.journal.bullets import parse_bullets, with_bullet
from waypost.journal.index_page import opening
from waypost.journal.layout import INDEX
from waypost.journal.markdown import gap_after, newline_of
from waypost.journal.summary_frame import split_frame
from waypost.model.draft import check_line
from waypost.model.ids import check_id
from waypost.model.kinds import KINDS
from waypost.model.memory import Caller, Version
from waypost.model.time import Moment
from waypost.text.language import language_of

LONGEST = 4000  # characters: the page is read with every question
_MOST_TRIES = 20


@dataclass(frozen=True, slots=True)
class Curated:
    memory_id: str
    path: str
    added: bool  # False: it stood there already
    heading: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"id": self.memory_id, "path": self.path, "added": self.added, "heading": self.heading}


def curate(space: OpenSpace, memory_id: str, caller: Caller, heading: str | None = None) -> Curated:
    """Put an entry as a point with its id into the upper part of the page, under a heading if told. The entry itself stays
    where it is; every other byte of the page too."""
    sync(space)
    memory_id = check_id(memory_id)
    title = check_line(heading, "heading").lstrip("# ") if heading and heading.strip() else None
    with space.store.read() as reader:
        version = visible_version(reader, memory_id, Moment(space.clock()))
    _check(version)
    with ours(space, [INDEX]) as folder:
        for _ in range(_MOST_TRIES):
            before = read_index(folder)
            page = opening(language_of(version.text)) if before is None else before
            upper = split_frame(page).before
            if any(bullet.id == memory_id for bullet in parse_bullets(upper)):
                return Curated(memory_id, INDEX, added=False)
            longer, rest = with_bullet(upper, version.text, memory_id, title), page[len(upper) :]
            after = longer + (gap_after(longer[-4:], newline_of(page)) if rest else "") + rest
            back_up(space, before)
            if folder.replace(INDEX, after, expected=before):
                break
        else:
            raise StoreError(f"{INDEX} is replaced again and again.", "Close the editor that holds it, and try again.")
    with space.store.write() as writer:
        audit(space, writer, "curate", memory_id, caller, {})
    note(space, "curated", id=memory_id, file=INDEX)
    return Curated(memory_id, INDEX, added=True, heading=title)


def _check(version: Version) -> None:
    if not KINDS[version.kind].is_journal:
        raise InvalidInput(f"The memory {version.memory_id} is a {version.kind}, no entry of the journal.", "")
    if len(version.text) > LONGEST:
        raise InvalidInput(
            f"The entry has {len(version.text):,} characters; the page takes {LONGEST:,}.",
            "Remember its gist with `waypost remember --kind note`, and curate that.",
        )
