"""Problems with the journal's files, for `doctor`."""

from collections.abc import Iterator

from waypost.context.budget import count_tokens
from waypost.errors import WaypostError
from waypost.flows import findings as kinds
from waypost.flows.findings import Finding
from waypost.flows.journal_files.place import journal_notices
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import DNA, stage_of
from waypost.journal.markdown import CONFLICT, no_edit_reason
from waypost.journal.units import PAGES, units_of
from waypost.text.secrets.masking import mask

BRIEFING = 2000  # tokens by default
MOST_DNA = 0.15  # of a briefing
_MOST = 20  # problems that are listed


def check_journal(space: OpenSpace) -> list[Finding]:
    problems = list(_problems(space))
    place = Finding("journal", True, f"It is in {space.journal.root}.")
    notes = [Finding("journal", True, notice, is_note=True) for notice in journal_notices(space)]
    if not problems:
        return [place, *notes, Finding("journal", True, "All files can be read, and what they say is known.")]
    more = len(problems) - _MOST
    rest = [Finding("journal", True, f"… and {more} more.", is_note=True)] if more > 0 else []
    return [place, *notes, *problems[:_MOST], *rest]


def _problems(space: OpenSpace) -> Iterator[Finding]:
    folder = space.journal
    for path in folder.links():
        what = f"{path} is a symlink, which the journal does not follow: it is neither read nor written."
        yield kinds.JOURNAL_FILE.finding(what, path=folder.root / path)
    for path in folder.scan():
        try:
            text = folder.read(path)
            units = units_of(folder, path, text)
        except WaypostError as error:
            yield kinds.JOURNAL_FILE.finding(f"{path}: {error.what}", path=folder.root / path)
            continue
        if path == DNA and count_tokens(text) > MOST_DNA * BRIEFING:
            yield kinds.JOURNAL_DNA.finding(f"{DNA} takes more than 15 % of a briefing.")
        if stage_of(path) in PAGES and no_edit_reason(text) == CONFLICT:
            yield kinds.JOURNAL_CONFLICT.finding(f"{path} holds an unresolved merge conflict.")
        secrets = sum(bool(mask(unit.entry.text).findings) for unit in units)
        if secrets:
            yield kinds.JOURNAL_SECRET.finding(
                f"{path} holds a secret in {secrets} of its entries; the index has them masked."
            )
        yield from _entries_left_out(space, path)


def _entries_left_out(space: OpenSpace, path: str) -> Iterator[Finding]:
    with space.store.read() as reader:
        places = reader.journal.places(space.journal_id, [path])
        left_out = [place for place in places if not reader.memories.versions(place.memory_id)]
    if left_out:
        some = "an entry that was" if len(left_out) == 1 else f"{len(left_out)} entries that were"
        yield kinds.JOURNAL_LEFT_OUT.finding(f"{path} holds {some} forgotten, or cannot be taken: not in the index.")
