"""Coming from LocAI (LA-4): a `.locai/` folder with its persona, curated memory, days, and important notes.

Its files are only read, its index of embeddings is left alone. What is here already is known by its key, and all of it
can be undone.
"""

from pathlib import Path

from waypost.compat.crowdbot.drafts import GatheredDrafts
from waypost.compat.crowdbot.importer import take_important
from waypost.compat.crowdbot.reading import files_in, is_folder, read_source
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
    """Bring over a `.locai` folder, or that of the project at `path`."""
    return bring(space, _plan(space, path, by_owner=caller.decides), caller, progress)


def survey_locai(space: OpenSpace, path: Path) -> EntryImportReport:
    """What such an import would bring."""
    return survey(space, _plan(space, path, by_owner=True))


def _plan(space: OpenSpace, path: Path, *, by_owner: bool) -> ImportPlan:
    folder = path / _FOLDER if is_folder(path / _FOLDER) else path
    gathered = GatheredDrafts(space, LOCAI)
    if is_folder(folder):
        _take_folder(gathered, folder, by_owner=by_owner)
    if not gathered.drafts and not gathered.pages:
        raise InvalidInput(f"{path} holds no memory of LocAI.", "Name the .locai folder, or the project it is in.")
    return ImportPlan(LOCAI, folder, gathered.drafts, tuple(gathered.pages), tuple(gathered.notices))


def _take_folder(gathered: GatheredDrafts, folder: Path, *, by_owner: bool) -> None:
    for path in files_in(folder):
        if path.name == DNA and by_owner:
            gathered.take_file(DNA, read_source(path), otherwise=_DNA_BESIDE)
        elif path.name == DNA:  # it would lead every context: that is for its owner to say
            gathered.take_file(_DNA_BESIDE, read_source(path))
            gathered.notices.append(f"{DNA} is kept as {_DNA_BESIDE}; its owner can give it its name")
        elif path.name == INDEX:
            source = read_source(path)
            found = gathered.read(source)
            gathered.take(found.pieces, source)
            gathered.take_above(found.curated, source)
        else:
            gathered.notices.append(f"{path.name} is no file of its memory, and was left out")
    for stage in _DAYS:
        for path in files_in(folder, stage):
            source = read_source(path)
            found = gathered.read(source, day_of(path.name))
            gathered.take(found.pieces, source)
            gathered.take_above(found.curated, source)
    for path in files_in(folder, "memory/important"):
        take_important(gathered, read_source(path), LOCAI)
