"""What is wrong with the journal's files, for `doctor`."""

from collections.abc import Iterator

from waypost.context.budget import count_tokens
from waypost.errors import WaypostError
from waypost.flows.finding import Finding
from waypost.flows.journal_place import journal_notices
from waypost.flows.journal_units import PAGES, units_of
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import DNA, stage_of
from waypost.journal.markdown import CONFLICT, left_alone
from waypost.text.secrets import mask

BRIEFING = 2000  # tokens, unless told
MOST_DNA = 0.15  # of a briefing
_MOST = 20  # findings of the same sort that are told one by one


def check_journal(space: OpenSpace) -> list[Finding]:
    found = list(_problems(space))
    place = Finding("journal", True, f"It is in {space.journal.root}.")
    notes = [Finding("journal", True, told) for told in journal_notices(space)]
    if not found:
        return [place, *notes, Finding("journal", True, "All files can be read, and what they say is known.")]
    more = len(found) - _MOST
    return [place, *notes, *found[:_MOST]] + ([Finding("journal", False, f"… and {more} more.")] if more > 0 else [])


def _problems(space: OpenSpace) -> Iterator[Finding]:
    folder = space.journal
    for path in folder.scan():
        try:
            text = folder.read(path)
            units = units_of(folder, path, text)
        except WaypostError as error:
            yield Finding("journal", False, f"{path}: {error.what}", error.remedy)
            continue
        if path == DNA and count_tokens(text) > MOST_DNA * BRIEFING:
            yield Finding("journal", False, f"{DNA} takes more than 15 % of a briefing.", "Shorten it.")
        if stage_of(path) in PAGES and left_alone(text) == CONFLICT:
            yield Finding("journal", False, f"{path} holds an unresolved merge conflict.", "Resolve it in your editor.")
        secrets = sum(bool(mask(unit.entry.text).found) for unit in units)
        if secrets:
            what = f"{path} holds a secret in {secrets} of its entries; the index has them masked."
            yield Finding("journal", False, what, "Take them out of the file.")
        yield from _unknown(space, path)


def _unknown(space: OpenSpace, path: str) -> Iterator[Finding]:
    """What stands in the file and is not in the index: forgotten before, or refused."""
    with space.store.read() as reader:
        places = reader.journal_places(space.journal_id, [path])
        left_out = [place for place in places if not reader.versions(place.memory_id)]
    if left_out:
        some = "an entry that was" if len(left_out) == 1 else f"{len(left_out)} entries that were"
        what = f"{path} holds {some} forgotten, or cannot be taken: not in the index."
        yield Finding("journal", False, what, "Take them out of the file, or lift the tombstone by writing them anew.")
