"""Import from Crowdbot: one large `memory.md`, or a folder with days and summaries from its second version.

The file is backed up with its secrets masked. Then it is split by timestamps into days, preferences and the top of the
index page. Crowdbot's files are only read. Entries that already exist are recognised by key. An import can be undone.
"""

from dataclasses import replace
from pathlib import Path

from waypost.compat.crowdbot.drafts import GatheredDrafts
from waypost.compat.crowdbot.memory_file import MemoryFilePiece, parse_legacy
from waypost.compat.crowdbot.source_file import ReadFile, files_in, read_source
from waypost.compat.crowdbot.timestamps import has_words
from waypost.errors import InvalidInput
from waypost.flows.journal.entry_import import EntryImportReport, ImportPlan, Progress, bring, survey
from waypost.flows.open_space import OpenSpace
from waypost.journal.layout import day_of, month_of, week_of, year_of
from waypost.model.memory import Caller
from waypost.system.platform import make_private_directory, write_private_file
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
    """Import a `memory.md`, or a user's folder with days and summaries."""
    plan, memory = _plan(space, path)
    backup = back_up(space, memory) if memory is not None else None
    if memory is not None and (secrets := len(mask(memory.text).findings)):
        notice = f"{secrets} secrets are masked in {backup}; the original file still contains them"
        plan = replace(plan, notices=(*plan.notices, notice))
    return bring(space, plan, caller, progress, backup)


def survey_crowdbot(space: OpenSpace, path: Path) -> EntryImportReport:
    """What the import would add."""
    return survey(space, _plan(space, path)[0])


def back_up(space: OpenSpace, source: ReadFile) -> str:
    """Copy the file next to the journal, with its secrets masked. Returns the path of the copy.

    If the journal is in a repository, where the copy could be committed, it goes into the space's directory instead.
    """
    hidden = mask(source.text)
    content = hidden.text.encode("utf-8", "surrogateescape") if hidden.findings else source.content
    own = space.journal.root
    folder = own if own.is_relative_to(space.folder) else space.folder / "imports"
    make_private_directory(folder)
    for number in range(1, _MOST_BACKUPS):
        path = folder / (f"{_BACKUP}.md" if number == 1 else f"{_BACKUP}_{number}.md")
        if write_private_file(path, content, replace=False):
            return str(path)
        if path.is_file() and path.stat().st_size == len(content) and path.read_bytes() == content:
            return str(path)
    raise InvalidInput(f"{folder} has {_MOST_BACKUPS} backups of memory files.", "Remove some of them.")


def _plan(space: OpenSpace, path: Path) -> tuple[ImportPlan, ReadFile | None]:
    """What to import, and the memory file to back up."""
    gathered = GatheredDrafts(space, CROWDBOT)
    if not path.is_dir():
        memory: ReadFile | None = read_source(path, follow=True)
        assert memory is not None
        if not memory.text.strip("\ufeff \t\r\n"):
            raise InvalidInput(f"{path} is empty.", "Name the file with the memories.")
        _add_memory(gathered, memory)
    else:
        if path.resolve() == space.journal.root.resolve():
            raise InvalidInput(f"{path} is the journal itself.", "Name the folder of the other tool.")
        memory = _add_folder(gathered, path)
    return ImportPlan(CROWDBOT, path, gathered.drafts, tuple(gathered.pages), tuple(gathered.notices)), memory


def _add_memory(gathered: GatheredDrafts, memory: ReadFile) -> None:
    """Add the single large file of Crowdbot's first version."""
    parsed = gathered.read(memory)
    gathered.add_pieces(parsed.pieces, memory)
    gathered.add_curated(parsed.curated, memory)


def _add_folder(gathered: GatheredDrafts, folder: Path) -> ReadFile | None:
    """Add days with their originals, summaries, preferences, and the parts of the index that people wrote."""
    before = (len(gathered.drafts), len(gathered.pages))
    days = _add_days(gathered, folder)
    for stage, named in _SUMMARIES.items():
        for prefix in ("", "archive/"):
            for path in files_in(folder, f"{prefix}{stage}"):
                if named(path.name):
                    gathered.add_page(f"{prefix}{stage}/{path.name.removesuffix('.gz')}", read_source(path))
    for path in files_in(folder, "important"):
        add_important(gathered, read_source(path), "crowdbot")
    memory = next((read_source(path) for path in files_in(folder) if path.name.casefold() == _MEMORY), None)
    if memory is not None:
        _add_index(gathered, memory, days)
    if memory is None and (len(gathered.drafts), len(gathered.pages)) == before:
        raise InvalidInput(f"{folder} has no memory.md and no days.", "Name the folder of one user.")
    return memory


def _add_days(gathered: GatheredDrafts, folder: Path) -> set[str]:
    """Add days, with the originals in the archive first, since later files may be shortened.

    Returns the days that have a file.
    """
    full: dict[tuple[object, str | None], str] = {}
    seen, shortened = set(), 0
    for stage in ("archive/daily", "daily"):
        for path in files_in(folder, stage):
            day, source = day_of(path.name), read_source(path)
            if day is None:
                gathered.notices.append(f"{stage}/{path.name} has no date in its name, and was left out")
                continue
            seen.add(day.isoformat())
            parsed = gathered.read(source, day)
            pieces = [piece for piece in parsed.pieces if not _is_trimmed_copy(piece, full)]
            shortened += len(parsed.pieces) - len(pieces)
            for piece in pieces if stage != "daily" else ():
                full[piece.at, piece.speaker] = piece.text
            gathered.add_pieces(pieces, source)
            gathered.add_pieces(
                [MemoryFilePiece(parsed.curated, None, "note")] if has_words(parsed.curated) else [], source
            )
    if shortened:
        gathered.notices.append(f"{shortened} shortened entries left out: their originals are in the archive")
    return seen


def _is_trimmed_copy(piece: MemoryFilePiece, full: dict[tuple[object, str | None], str]) -> bool:
    """Whether a piece is the shortened form of an original."""
    original = full.get((piece.at, piece.speaker)) if piece.has_clock else None
    return original not in (None, piece.text) and (_TRIMMED in piece.text or len(piece.text) < len(original or ""))


def _add_index(gathered: GatheredDrafts, memory: ReadFile, days: set[str]) -> None:
    """Add what people wrote in an index of the second version, and its days that have no file."""
    if not days:
        _add_memory(gathered, memory)
        return
    parsed = gathered.read(memory, apart=("generated",))
    kept = [piece for piece in parsed.pieces if piece.at is None or piece.at.date().isoformat() not in days]
    if parsed.generated or len(kept) < len(parsed.pieces):
        gathered.notices.append(f"statistics and overviews of days stay in the backup of {memory.path.name}")
    gathered.add_pieces(kept, memory)
    gathered.add_curated(parsed.curated, memory)


def add_important(gathered: GatheredDrafts, source: ReadFile, tool: str) -> None:
    """Add a file of the folder `important`: preferences one by one, other files unchanged."""
    if source.stem.casefold() not in ("preferences", "präferenzen", "предпочтения"):
        gathered.add_page(f"important/{source.stem}.md", source, otherwise=f"important/{source.stem}.{tool}.md")
        return
    parsed = parse_legacy(f"# preferences\n{source.text.lstrip(chr(0xFEFF))}")
    gathered.add_pieces(parsed.pieces, source)
    gathered.add_pieces(
        [MemoryFilePiece(parsed.curated, None, "preference")] if has_words(parsed.curated) else [], source
    )
