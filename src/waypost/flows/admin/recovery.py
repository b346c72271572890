"""Damage of the database: how `doctor` reports it, and what a repair saved and lost."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from waypost.errors import StoreBusy
from waypost.flows import findings as kinds
from waypost.flows.erase.damaged_copies import REPAIR_LOCK
from waypost.flows.findings import Finding
from waypost.flows.journal_files.sync import sync
from waypost.flows.open_space import OpenSpace
from waypost.flows.versions.prepare import passage_rows
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Store
from waypost.store.salvaged import FOLDER, KEPT, LOST_WRITES_NOTE, Salvaged
from waypost.system.platform import try_lock
from waypost.text.plural import counted

_BATCH = 256
_MOST_LISTED = 20


def index_all(store: Store) -> None:
    """Create passages and keywords for all versions of a store without any. Vectors are embedded later."""
    with store.read() as reader:
        last, engines = reader.memories.last_number(), list(reader.vectors.pending())
    for start in range(0, last, _BATCH):
        with store.write() as writer:
            for number, version in writer.memories.by_number(range(start + 1, start + _BATCH + 1)).items():
                writer.memories.replace_passages(number, passage_rows(passages_of(version)), engines)
    with store.write() as writer:
        for engine in engines:
            writer.facts.recount_domains(engine)


def damage_findings(problems: Iterable[str], *, on_server: bool = False) -> list[Finding]:
    """One finding for each problem that the store reports."""
    findings = []
    for problem in problems:
        check, _, message = problem.partition(": ")
        if check == kinds.KEYWORDS.check:
            findings.append(kinds.KEYWORDS.finding(message))
        elif check == kinds.UNFINISHED_INDEX.name:
            findings.append(kinds.UNFINISHED_INDEX.finding(f"The index {message} is unfinished.", index=message))
        else:
            findings.append((kinds.SERVER_DATABASE if on_server else kinds.DATABASE).finding(message, check=check))
    return findings or [Finding("database", True, "It is sound.")]


@contextmanager
def repair_lock(folder: Path) -> Iterator[None]:
    """Hold the lock for the folder of damaged databases. Raises StoreBusy if another process does."""
    with try_lock(folder / REPAIR_LOCK) as is_free:
        if not is_free:
            raise StoreBusy(
                "Another process is repairing this database.", "Wait until it has finished, then try again."
            )
        yield


def repaired_findings(space: OpenSpace, done: Salvaged) -> Iterator[Finding]:
    """The result of a repair, after journal entries were read again from their files."""
    sync(space)
    with space.store.read() as reader:
        lost = [memory_id for memory_id in done.lost_memories if not reader.memories.versions(memory_id)]
    copied = counted(done.rows.get("memories", 0), "version", "versions")
    yield Finding(
        "database", True, f"It was damaged and is repaired, with {copied}. A copy of the old file: {done.old}"
    )
    if back := len(done.lost_memories) - len(lost):
        yield Finding("journal", True, f"{counted(back, 'entry was', 'entries were')} read again from the files.")
    if not done.rows:
        what = "Nothing could be read from the old file: what only it contained is lost."
        yield kinds.LOST.finding(what, old=done.old)
    if lost:
        what = f"{counted(len(lost), 'memory', 'memories')} could not be read: {_id_list(lost)}"
        yield kinds.LOST.finding(what, old=done.old)
    if done.lost_versions:
        count = counted(len(done.lost_versions), "memory has", "memories have")
        what = f"{count} lost a version: {_id_list(done.lost_versions)}"
        yield kinds.LOST_VERSIONS.finding(what, memory_id=done.lost_versions[0])
    if done.doubtful:
        count = counted(len(done.doubtful), "memory is", "memories are")
        what = f"{count} not as written, and marked as stale: {_id_list(done.doubtful)}"
        yield kinds.NOT_AS_WRITTEN.finding(what, memory_id=done.doubtful[0])
    for table in sorted({*done.lost_rows, *done.lost_pages}):
        rows, pages = done.lost_rows.get(table, 0), done.lost_pages.get(table, 0)
        what = " and ".join(
            part for part in (counted(rows, "row") if rows else "", counted(pages, "page") if pages else "") if part
        )
        if table not in KEPT:
            yield Finding(f"table {table}", True, f"{what} could not be read; everything in it is made again.")
        elif table == "memories" and not done.lost_rows.get(table):  # lost memories are listed by id
            yield Finding(f"table {table}", True, f"{what} could not be read.")
        else:
            yield kinds.LOST_ROWS.finding(f"{what} could not be read.", check=f"table {table}", old=done.old)


def _id_list(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _MOST_LISTED} more" if len(ids) > _MOST_LISTED else ""
    return ", ".join(ids[:_MOST_LISTED]) + more


def check_lost_writes(folder: Path, *, fix: bool) -> list[Finding]:
    """Whether the end of the log could not be read at the last opening. `fix` clears the note."""
    note = folder / LOST_WRITES_NOTE
    if fix:
        note.unlink(missing_ok=True)
    try:
        row = json.loads(note.read_bytes())
        count = counted(int(row["writes"]), "write", "writes")
        return [kinds.LOST_WRITES.finding(f"{count} at the end of the log could not be read.", old=row["old"])]
    except FileNotFoundError:
        return []
    except (OSError, ValueError, TypeError, LookupError):
        return [kinds.LOST_WRITES.finding("Writes at the end of the log could not be read.", old=folder / FOLDER)]
