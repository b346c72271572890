"""MEMORY.md: renew its generated part, leave every other byte, and keep a daily copy."""

import json

from waypost.errors import StoreError
from waypost.flows.journal.memory_page_content import content_of
from waypost.flows.journal_files.index_file import GENERATED_LINES, back_up, remember_lines, write_sources
from waypost.flows.journal_files.log import note
from waypost.flows.journal_files.preferences import promote_preferences as promote_preferences  # noqa: PLC0414  its callers look here
from waypost.flows.journal_files.reconcile import changes_by_waypost
from waypost.flows.journal_files.sync import sync
from waypost.flows.journal_files.tally import journal_key
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import INDEX
from waypost.journal.memory_page.lines import sources_of
from waypost.journal.memory_page.page import generated_part, page_top, without_time
from waypost.journal.memory_page.sources import split_sources
from waypost.journal.period_pages.frame import Frame, split_frame, with_part, without_merged_part
from waypost.model.journal import mark_of

_MOST_TRIES = 20  # against an editor that keeps saving


def refresh_index(space: OpenSpace) -> bool:
    """Renew the generated part. Returns whether anything changed.

    What people wrote into it moves above it. Must run outside of a transaction. A change of time alone does not touch
    the page.
    """
    sync(space)
    content = content_of(space)
    part, sources = split_sources(generated_part(content), content.now.date())
    for _ in range(_MOST_TRIES):
        before = space.journal.read_or_none(INDEX)
        clean = without_merged_part(before or "")
        frame = split_frame(clean)
        if (
            clean == before
            and frame.part is not None
            and not frame.is_edited
            and without_time(_with_newlines(frame.part)) == without_time(part)
        ):
            return False
        after = (
            with_part(page_top(content.language), part) if before is None else _with_new_part(space, clean, frame, part)
        )
        with changes_by_waypost(space, [INDEX]) as folder:
            back_up(space, before)
            write_sources(space, sources)  # first: every line of the page has its sources, also after a kill
            if folder.replace(INDEX, after, expected=before):
                break
    else:
        raise StoreError(f"{INDEX} is replaced again and again.", "Close the editor that holds it, and try again.")
    remember_lines(space, part)
    note(space, "index_refreshed", file=INDEX, lines=part.count("\n") + 1)
    return True


def _with_new_part(space: OpenSpace, text: str, frame: Frame, part: str) -> str:
    """The page with a new part. Lines that people wrote into the old one are kept above it.

    Generated lines that they changed or removed are generated again. If it is unknown which lines were generated, all
    are kept.
    """
    with space.store.read() as reader:
        stored = reader.meta.get(journal_key(space, GENERATED_LINES))
    if frame.part is None or not frame.is_edited or not stored:
        return with_part(text, part)
    marks = set(json.loads(stored))
    lines = [line.rstrip() for line in _with_newlines(frame.part).split("\n")]
    theirs = [line for line in lines if line and mark_of(line) not in marks and not sources_of(line)]
    newline = "\r\n" if "\r\n" in text else "\n"
    upper = frame.before
    if theirs:
        gap = "" if not upper or upper.endswith(2 * newline) else newline if upper.endswith("\n") else 2 * newline
        upper += gap + newline.join(theirs) + newline
    return with_part(upper, part).removesuffix(newline) + frame.after


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")
