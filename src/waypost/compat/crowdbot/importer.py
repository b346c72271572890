"""Coming from Crowdbot (CM-11): one large `memory.md`, or the folder of days and summaries that followed it.

backup (the old file, its secrets masked) → taken apart by timestamps → days, preferences, the upper part of the index page.
The old files are only read. What is here already is known by its key, and all of it can be undone.
"""

from dataclasses import replace
from pathlib import Path

from waypost.compat.crowdbot.drafts import GatheredDrafts
from waypost.compat.crowdbot.memory_file import MemoryFilePiece, parse_legacy
from waypost.compat.crowdbot.reading import ReadFile, files_in, read_source
from waypost.errors import InvalidInput
from waypost.flows.journal.entry_import import EntryImportReport, ImportPlan, Progress, bring, survey
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import day_of, month_of, week_of, year_of
from waypost.model.memory import Caller
from waypost.space.platform import make_private_directory, write_private_file
from waypost.text.secrets.masking import mask

CROWDBOT = "crowdbot"
_MEMORY = "memory.md"
_BACKUP = "memory_v1_backup"
_SUMMARIES = {"weekly": week_of, "monthly": month_of, "yearly": year_of}
_MOST_BACKUPS = 1000
_TRIMMED = "[Soft Trim"


def import_crowdbot(
    space: OpenSpace, path: Path, caller: Caller, progress: Progress | None = None
) -> EntryImportReport:
    """Bring over a `memory.md`, or a user's folder with days and summaries."""
    plan, memory = _plan(space, path)
    backup = back_up(space, memory) if memory is not None else None
    if memory is not None and (found := len(mask(memory.text).findings)):
        told = f"{found} secrets are masked in {backup}; the old file still holds them"
        plan = replace(plan, notices=(*plan.notices, told))
    return bring(space, plan, caller, progress, backup)


def survey_crowdbot(space: OpenSpace, path: Path) -> EntryImportReport:
    """What such an import would bring."""
    return survey(space, _plan(space, path)[0])


def back_up(space: OpenSpace, source: ReadFile) -> str:
    """Keep a copy of the old file beside the journal, byte for byte but for its secrets; in a repository, where a copy could
    be committed, with the space. Returns where it is."""
    hidden = mask(source.text)
    content = hidden.text.encode("utf-8", "surrogateescape") if hidden.findings else source.content
    own = space.journal.root
    folder = own if own.is_relative_to(space.folder) else space.folder / "imports"
    make_private_directory(folder)
    for number in range(1, _MOST_BACKUPS):
        place = folder / (f"{_BACKUP}.md" if number == 1 else f"{_BACKUP}_{number}.md")
        if write_private_file(place, content, replace=False):
            return str(place)
        if place.is_file() and place.stat().st_size == len(content) and place.read_bytes() == content:
            return str(place)
    raise InvalidInput(f"{folder} has {_MOST_BACKUPS} backups of old memory files.", "Remove some of them.")


def _plan(space: OpenSpace, path: Path) -> tuple[ImportPlan, ReadFile | None]:
    """What is to come, and the old file of which a copy is to be kept."""
    gathered = GatheredDrafts(space, CROWDBOT)
    if not path.is_dir():
        memory: ReadFile | None = read_source(path, follow=True)
        assert memory is not None
        if not memory.text.strip("\ufeff \t\r\n"):
            raise InvalidInput(f"{path} is empty: there is nothing to import.", "Name the file with the memories.")
        _take_memory(gathered, memory)
    else:
        if path.resolve() == space.journal.root.resolve():
            raise InvalidInput(f"{path} is the journal itself.", "Name the folder of the other tool.")
        memory = _take_folder(gathered, path)
    return ImportPlan(CROWDBOT, path, gathered.drafts, tuple(gathered.pages), tuple(gathered.notices)), memory


def _take_memory(gathered: GatheredDrafts, memory: ReadFile) -> None:
    """One large file of the first version: all of it."""
    found = gathered.read(memory)
    gathered.take(found.pieces, memory)
    gathered.take_above(found.curated, memory)


def _take_folder(gathered: GatheredDrafts, folder: Path) -> ReadFile | None:
    """Days with their originals, summaries, preferences, and of the old index what is not made anew here."""
    before = (len(gathered.drafts), len(gathered.pages))
    days = _take_days(gathered, folder)
    for stage, named in _SUMMARIES.items():
        for prefix in ("", "archive/"):
            for path in files_in(folder, f"{prefix}{stage}"):
                if named(path.name):
                    gathered.take_file(f"{prefix}{stage}/{path.name.removesuffix('.gz')}", read_source(path))
    for path in files_in(folder, "important"):
        take_important(gathered, read_source(path), "crowdbot")
    memory = next((read_source(path) for path in files_in(folder) if path.name.casefold() == _MEMORY), None)
    if memory is not None:
        _take_index(gathered, memory, days)
    if memory is None and (len(gathered.drafts), len(gathered.pages)) == before:
        raise InvalidInput(f"{folder} holds no memory.md and no days.", "Name the folder of one user.")
    return memory


def _take_days(gathered: GatheredDrafts, folder: Path) -> set[str]:
    """Originals first: a day that was shortened since says less than they do. Returns the days that have a file."""
    full: dict[tuple[object, str | None], str] = {}
    seen, shortened = set(), 0
    for stage in ("archive/daily", "daily"):
        for path in files_in(folder, stage):
            day, source = day_of(path.name), read_source(path)
            if day is None:
                gathered.notices.append(f"{stage}/{path.name} is about no day, and was left out")
                continue
            seen.add(day.isoformat())
            found = gathered.read(source, day)
            pieces = [piece for piece in found.pieces if not _is_known(piece, full)]
            shortened += len(found.pieces) - len(pieces)
            for piece in pieces if stage != "daily" else ():
                full[piece.at, piece.speaker] = piece.text
            gathered.take(pieces, source)
            gathered.take([MemoryFilePiece(found.curated, None, "note")] if _says(found.curated) else [], source)
    if shortened:
        gathered.notices.append(f"{shortened} shortened entries left out: their originals are in the archive")
    return seen


def _is_known(piece: MemoryFilePiece, full: dict[tuple[object, str | None], str]) -> bool:
    """Whether it is what a trim left of an original."""
    original = full.get((piece.at, piece.speaker)) if piece.has_clock else None
    return original not in (None, piece.text) and (_TRIMMED in piece.text or len(piece.text) < len(original or ""))


def _take_index(gathered: GatheredDrafts, memory: ReadFile, days: set[str]) -> None:
    """Of an index of the second version: what people told, and of days what no day file has."""
    if not days:
        _take_memory(gathered, memory)
        return
    found = gathered.read(memory, apart=("generated",))
    kept = [piece for piece in found.pieces if piece.at is None or piece.at.date().isoformat() not in days]
    if found.generated or len(kept) < len(found.pieces):
        gathered.notices.append(f"statistics and overviews of days stay in the backup of {memory.path.name}")
    gathered.take(kept, memory)
    gathered.take_above(found.curated, memory)


def take_important(gathered: GatheredDrafts, source: ReadFile, tool: str) -> None:
    """What is important: preferences one by one, and other files as they are."""
    if source.stem.casefold() not in ("preferences", "präferenzen", "предпочтения"):
        gathered.take_file(f"important/{source.stem}.md", source, otherwise=f"important/{source.stem}.{tool}.md")
        return
    found = parse_legacy(f"# preferences\n{source.text.lstrip(chr(0xFEFF))}")
    gathered.take(found.pieces, source)
    gathered.take([MemoryFilePiece(found.curated, None, "preference")] if _says(found.curated) else [], source)


def _says(text: str) -> bool:
    return any(map(str.isalnum, text))
