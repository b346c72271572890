"""Import from LocAI: a `.locai/` folder with its persona, curated memory, days, and important notes.

LocAI's files are only read, and its embeddings are ignored. Entries that already exist are recognised by key. An import
can be undone.
"""

from pathlib import Path

from waypost.compat.crowdbot.drafts import GatheredDrafts
from waypost.compat.crowdbot.importer import add_important
from waypost.compat.crowdbot.source_file import files_in, is_folder, read_source
from waypost.errors import InvalidInput
from waypost.flows.journal.entry_import import EntryImportReport, ImportPlan, Progress, bring, survey
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import DNA, INDEX, day_of
from waypost.model.memory import Caller

LOCAI = "locai"
_FOLDER = ".locai"
_DAYS = ("memory/archive", "memory")
_DNA_BESIDE = "DNA.locai.md"


def import_locai(space: OpenSpace, path: Path, caller: Caller, progress: Progress | None = None) -> EntryImportReport:
    """Import a `.locai` folder, or that of the project at `path`."""
    return bring(space, _plan(space, path, by_owner=caller.decides), caller, progress)


def survey_locai(space: OpenSpace, path: Path) -> EntryImportReport:
    """What the import would add."""
    return survey(space, _plan(space, path, by_owner=True))


def _plan(space: OpenSpace, path: Path, *, by_owner: bool) -> ImportPlan:
    folder = path / _FOLDER if is_folder(path / _FOLDER) else path
    gathered = GatheredDrafts(space, LOCAI)
    if is_folder(folder):
        _add_folder(gathered, folder, by_owner=by_owner)
    if not gathered.drafts and not gathered.pages:
        raise InvalidInput(f"{path} has no LocAI memory.", "Name the .locai folder, or the project it is in.")
    return ImportPlan(LOCAI, folder, gathered.drafts, tuple(gathered.pages), tuple(gathered.notices))


def _add_folder(gathered: GatheredDrafts, folder: Path, *, by_owner: bool) -> None:
    for path in files_in(folder):
        if path.name == DNA and by_owner:
            gathered.add_page(DNA, read_source(path), otherwise=_DNA_BESIDE)
        elif path.name == DNA:  # it would be part of every context, so only the owner may add it
            gathered.add_page(_DNA_BESIDE, read_source(path))
            gathered.notices.append(f"{DNA} is stored as {_DNA_BESIDE}; the owner can rename it")
        elif path.name == INDEX:
            source = read_source(path)
            parsed = gathered.read(source)
            gathered.add_pieces(parsed.pieces, source)
            gathered.add_curated(parsed.curated, source)
        else:
            gathered.notices.append(f"{path.name} is not part of its memory, and was left out")
    for stage in _DAYS:
        for path in files_in(folder, stage):
            source = read_source(path)
            parsed = gathered.read(source, day_of(path.name))
            gathered.add_pieces(parsed.pieces, source)
            gathered.add_curated(parsed.curated, source)
    for path in files_in(folder, "memory/important"):
        add_important(gathered, read_source(path), LOCAI)
