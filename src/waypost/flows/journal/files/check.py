"""What is wrong with the journal's files, for `doctor`."""

from collections.abc import Iterator

from waypost.context.budget import count_tokens
from waypost.errors import WaypostError
from waypost.flows.admin.finding import (
    JOURNAL_CONFLICT,
    JOURNAL_DNA,
    JOURNAL_FILE,
    JOURNAL_LEFT_OUT,
    JOURNAL_SECRET,
    Finding,
)
from waypost.flows.journal.files.place import journal_notices
from waypost.flows.journal.files.units import PAGES, units_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import DNA, stage_of
from waypost.journal.markdown import CONFLICT, left_alone
from waypost.text.secrets.masking import mask

BRIEFING = 2000  # tokens, unless told
MOST_DNA = 0.15  # of a briefing
_MOST = 20  # findings of the same sort that are told one by one


def check_journal(space: OpenSpace) -> list[Finding]:
    found = list(_problems(space))
    place = Finding("journal", True, f"It is in {space.journal.root}.")
    notes = [Finding("journal", True, told, is_note=True) for told in journal_notices(space)]
    if not found:
        return [place, *notes, Finding("journal", True, "All files can be read, and what they say is known.")]
    more = len(found) - _MOST
    rest = [Finding("journal", True, f"… and {more} more.", is_note=True)] if more > 0 else []
    return [place, *notes, *found[:_MOST], *rest]


def _problems(space: OpenSpace) -> Iterator[Finding]:
    folder = space.journal
    for path in folder.links():
        what = f"{path} is a symlink, which the journal does not follow: it is neither read nor written."
        yield JOURNAL_FILE.found(what, path=folder.root / path)
    for path in folder.scan():
        try:
            text = folder.read(path)
            units = units_of(folder, path, text)
        except WaypostError as error:
            yield JOURNAL_FILE.found(f"{path}: {error.what}", path=folder.root / path)
            continue
        if path == DNA and count_tokens(text) > MOST_DNA * BRIEFING:
            yield JOURNAL_DNA.found(f"{DNA} takes more than 15 % of a briefing.")
        if stage_of(path) in PAGES and left_alone(text) == CONFLICT:
            yield JOURNAL_CONFLICT.found(f"{path} holds an unresolved merge conflict.")
        secrets = sum(bool(mask(unit.entry.text).found) for unit in units)
        if secrets:
            yield JOURNAL_SECRET.found(f"{path} holds a secret in {secrets} of its entries; the index has them masked.")
        yield from _unknown(space, path)


def _unknown(space: OpenSpace, path: str) -> Iterator[Finding]:
    """What stands in the file and is not in the index: forgotten before, or refused."""
    with space.store.read() as reader:
        places = reader.journal.places(space.journal_id, [path])
        left_out = [place for place in places if not reader.memories.versions(place.memory_id)]
    if left_out:
        some = "an entry that was" if len(left_out) == 1 else f"{len(left_out)} entries that were"
        yield JOURNAL_LEFT_OUT.found(f"{path} holds {some} forgotten, or cannot be taken: not in the index.")
