"""Damage of the database: what `doctor` says of it, and what a repair saved and lost."""

import json
import mmap
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from waypost.errors import StoreBusy
from waypost.flows.admin.finding import (
    DATABASE,
    KEYWORDS,
    LOST,
    LOST_ROWS,
    LOST_VERSIONS,
    LOST_WRITES,
    NOT_AS_WRITTEN,
    SERVER_DATABASE,
    UNFINISHED_INDEX,
    UNFINISHED_REPAIR,
    Finding,
)
from waypost.flows.journal.files.sync import sync
from waypost.flows.open_space import OpenSpace
from waypost.retrieve.passages import passages_of
from waypost.space.platform import try_lock
from waypost.store.protocol import PassageRow, Store
from waypost.store.salvaged import FOLDER, KEPT, LOST_WRITES_NOTE, WORKPLACE, Salvaged
from waypost.text.plural import counted

LOCK_NAME = "repair.lock"
_BATCH = 256
_MOST_SHOWN = 20


def index_all(store: Store) -> None:
    """Make passages and keywords for all versions of a store that has none; vectors that are missing are owed."""
    with store.read() as reader:
        last, engines = reader.memories.last_number(), list(reader.vectors.pending())
    for start in range(0, last, _BATCH):
        with store.write() as writer:
            for number, version in writer.memories.by_number(range(start + 1, start + _BATCH + 1)).items():
                rows = [PassageRow(p.content_hash, p.language, p.terms, p.code_terms) for p in passages_of(version)]
                writer.memories.replace_passages(number, rows, engines)
    with store.write() as writer:
        for engine in engines:
            writer.facts.recount_domains(engine)


def damage_findings(problems: Iterable[str], *, on_server: bool = False) -> list[Finding]:
    """One finding for each sentence of a store about itself."""
    found = []
    for problem in problems:
        check, _, message = problem.partition(": ")
        if check == KEYWORDS.check:
            found.append(KEYWORDS.found(message))
        elif check == UNFINISHED_INDEX.name:
            found.append(UNFINISHED_INDEX.found(f"The index {message} is unfinished.", index=message))
        else:
            found.append((SERVER_DATABASE if on_server else DATABASE).found(message, check=check))
    return found or [Finding("database", True, "It is sound.")]


@contextmanager
def repair_lock(folder: Path) -> Iterator[None]:
    """For whoever works in the folder of damaged databases; raises StoreBusy where another process does."""
    with try_lock(folder / LOCK_NAME) as is_free:
        if not is_free:
            raise StoreBusy(
                "Another process is repairing this database.", "Wait until it has finished, then try again."
            )
        yield


def repaired_findings(space: OpenSpace, done: Salvaged) -> Iterator[Finding]:
    """What became of a database that was repaired, once entries of the journal were read again from their files."""
    sync(space)
    with space.store.read() as reader:
        lost = [one for one in done.lost_memories if not reader.memories.versions(one)]
    copied = counted(done.rows.get("memories", 0), "version", "versions")
    yield Finding(
        "database", True, f"It was damaged and is repaired, with {copied}. A copy of the old file: {done.old}"
    )
    if back := len(done.lost_memories) - len(lost):
        yield Finding("journal", True, f"{counted(back, 'entry was', 'entries were')} read again from the files.")
    if not done.rows:
        what = "Nothing could be read from the old file: all that was in it alone is lost."
        yield LOST.found(what, old=done.old)
    if lost:
        what = f"{counted(len(lost), 'memory', 'memories')} could not be read: {_listed(lost)}"
        yield LOST.found(what, old=done.old)
    if done.lost_versions:
        count = counted(len(done.lost_versions), "memory has", "memories have")
        what = f"{count} lost a version: {_listed(done.lost_versions)}"
        yield LOST_VERSIONS.found(what, memory_id=done.lost_versions[0])
    if done.doubtful:
        count = counted(len(done.doubtful), "memory is", "memories are")
        what = f"{count} not as written, and marked as stale: {_listed(done.doubtful)}"
        yield NOT_AS_WRITTEN.found(what, memory_id=done.doubtful[0])
    for table in sorted({*done.lost_rows, *done.lost_pages}):
        rows, pages = done.lost_rows.get(table, 0), done.lost_pages.get(table, 0)
        what = " and ".join(
            part for part in (counted(rows, "row") if rows else "", counted(pages, "page") if pages else "") if part
        )
        if table not in KEPT:
            yield Finding(f"table {table}", True, f"{what} could not be read; everything in it is made again.")
        elif table == "memories" and not done.lost_rows.get(table):  # what is lost of it is listed by id
            yield Finding(f"table {table}", True, f"{what} could not be read.")
        else:
            yield LOST_ROWS.found(f"{what} could not be read.", check=f"table {table}", old=done.old)


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _MOST_SHOWN} more" if len(ids) > _MOST_SHOWN else ""
    return ", ".join(ids[:_MOST_SHOWN]) + more


def check_leftovers(folder: Path, *, fix: bool) -> list[Finding]:
    """What a repair that was killed left beside the copies; with `fix` it is removed, unless a repair runs."""
    place = folder / FOLDER
    left = [*place.glob(f"{WORKPLACE}*"), *place.glob(".*.tmp*")]
    if not left:
        return []
    with try_lock(folder / LOCK_NAME) as is_free:
        if not is_free:  # it belongs to a repair that runs
            return []
        for path in left if fix else ():
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
    return [] if fix else [UNFINISHED_REPAIR.found("A repair was stopped before it had cleaned up.")]


def check_lost_writes(folder: Path, *, fix: bool) -> list[Finding]:
    """Whether the end of the log could not be read when the database was opened; with `fix` it is said no more."""
    note = folder / LOST_WRITES_NOTE
    if fix:
        note.unlink(missing_ok=True)
    try:
        told = json.loads(note.read_bytes())
        count = counted(int(told["writes"]), "write", "writes")
        return [LOST_WRITES.found(f"{count} at the end of the log could not be read.", old=told["old"])]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, LookupError):
        return [LOST_WRITES.found("Writes at the end of the log could not be read.", old=folder / FOLDER)]


def drop_damaged(folder: Path, memory_ids: Iterable[str], pieces: Iterable[str]) -> list[str]:
    """Remove the copies of damaged databases that hold one of these memories, by its id or a piece of its text: nobody can
    take a single memory out of them. What a killed repair left goes too. Returns the names of the copies."""
    place, gone = folder / FOLDER, list[str]()
    if not place.is_dir():
        return gone
    check_leftovers(folder, fix=True)
    signs = [one.encode() for one in (*memory_ids, *pieces)]
    for path in sorted(place.glob("*.db")):
        files = [one for one in (path, path.with_name(f"{path.name}-wal")) if one.exists()]
        if any(_holds(one, signs) for one in files):
            gone.append(path.name)
            for one in files:
                one.unlink(missing_ok=True)
    with suppress(OSError):  # something is left in it
        place.rmdir()
    return gone


def _holds(path: Path, signs: list[bytes]) -> bool:
    if not path.stat().st_size:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
        return any(content.find(sign) >= 0 for sign in signs)
