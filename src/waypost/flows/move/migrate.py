"""Moving a memory from one database to another: all of it, in pieces, checked, and not used in two places (ALL-3).

It is copied as it was at one moment, while others go on to read and write it. Then nobody writes until what was written
since is copied too, every table is checked, and the source is marked as moved. What is in the target is marked as
unfinished until then, so that a move that was cut off at any point is finished by the next.
"""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.errors import Refused
from waypost.flows.move.arrival_check import AnswerComparison, check_answers, check_indexes, check_tables
from waypost.flows.move.new_ids import NewIds, renamed
from waypost.flows.move.notes import (
    MARK,
    RESUME,
    UNFINISHED,
    Copied,
    Notes,
    Sums,
    Unfinished,
    note_arrival,
    note_departure,
)
from waypost.flows.move.rows import Tick, batches, checksum, checksums, differences, key_of, keyword_rows
from waypost.model.audit import AuditEntry
from waypost.model.memory import Caller
from waypost.model.time import Clock, format_time
from waypost.store.move_protocol import TableReader
from waypost.store.moved_tables import APPEND_ONLY, TABLES, MovedTable
from waypost.store.protocol import Reader, Store, Writer

_AT_ONCE = 500

Report = Callable[[str, int, int, str], None]  # phase, done, total, what at
READING, COPYING, FINISHING = "Reading what there is", "Copying", "Finishing"
LOOKING, CHECKING = "Looking for what is new", "Checking the copy"


@dataclass(frozen=True, slots=True)
class Ends:
    """The two databases, open. `source` and `target` in words, as they are noted; `remedy` is what somebody is told who
    uses the old one afterwards. `place` puts the copy where it is found, once it is whole."""

    store: Store
    copy: Store
    source: str
    target: str
    remedy: str
    place: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved."""

    status: str  # moved | already
    rows: int = 0
    tables: dict[str, int] = field(default_factory=dict)
    answers: AnswerComparison | None = None
    resumed: bool = False
    strays: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        answers = None if self.answers is None else {"asked": self.answers.asked, "same": self.answers.same}
        return {
            "status": self.status,
            "rows": self.rows,
            "tables": self.tables,
            "answers": answers,
            "resumed": self.resumed,
            "passages_to_rebuild": self.strays,
            "seconds": round(self.seconds, 3),
        }


def migrate(
    ends: Ends, notes: Notes | None, step: str, ids: NewIds, caller: Caller, clock: Clock, report: Report
) -> Moved:
    """Do what `step` (of `migrate_notes.plan`) says is left. `notes` are the target's."""
    began = clock()
    if step == MARK:
        return _only_mark(ends, notes, ids, clock, report)
    state = notes.unfinished if notes is not None and step == RESUME else None
    state = state or Unfinished(secrets.token_hex(8), format_time(clock()), ends.source, ids.space.before)
    with ends.store.read() as seen:
        _copy(_Run(ends.copy, seen, ids, state, report), again=step == RESUME)
    report(FINISHING, 0, 0, "indexes")
    ends.copy.compact()
    with ends.store.write() as held:
        run = _Run(ends.copy, held, ids, state, report)
        sums = run.sums(LOOKING)
        if sums != state.sums:
            run.catch_up(sums)
        check_tables(sums, ends.copy, run.ticks(CHECKING))
        check_indexes(held, ends.copy, strays=state.strays)
        answers = check_answers(held, ends.copy, ids, clock())
        report(FINISHING, 0, 0, "notes")
        _arrive(ends, held, state, sums, caller, clock())
        report(FINISHING, 0, 0, "place")
        ends.place()
        report(FINISHING, 0, 0, "source")
        note_departure(held, state.id, ends.target, ends.remedy, format_time(clock()))
    counts = {name: rows for name, (rows, _) in sums.items()}
    seconds = (clock() - began).total_seconds()
    return Moved("moved", sum(counts.values()), counts, answers, step == RESUME, state.strays, seconds)


def _copy(run: "_Run", *, again: bool) -> None:
    sums = run.sums(READING)
    run.note()
    if again:
        run.catch_up(sums, check=True)
    run.state.sums = sums
    for table in TABLES.values():
        run.copy(table)
    run.note()


def _only_mark(ends: Ends, notes: Notes | None, ids: NewIds, clock: Clock, report: Report) -> Moved:
    """The copy was whole and checked when the move was cut off: the rest of it, if nothing was written since."""
    arrived = notes.arrived if notes is not None and notes.arrived is not None else {}
    known = {name: tuple(one) for name, one in arrived["sums"].items()}
    with ends.store.write() as held:
        total = sum(held.tables().count(table) for table in TABLES.values())
        sums = checksums(held.tables(), ids, _ticks(report, READING, total))
        if known != sums:
            raise Refused(
                f"{ends.target} holds a copy of this memory that had arrived whole, but {ends.source} was written to"
                " since.",
                "It lacks the latest changes. If nothing was written there, copy anew with --replace.",
            )
        ends.place()
        note_departure(held, arrived["id"], ends.target, ends.remedy, format_time(clock()))
    counts = {name: rows for name, (rows, _) in sums.items()}
    return Moved("moved", total, counts, None, resumed=True)


def _arrive(ends: Ends, held: Writer, state: Unfinished, sums: Sums, caller: Caller, now: datetime) -> None:
    numbers, rows = held.tables().last_numbers(), sum(count for count, _ in sums.values())
    with ends.copy.write() as writer:
        writer.tables().set_last_numbers(numbers)
        details = {"from": ends.source, "rows": rows, "owners_word": caller.owners_word}
        writer.add_audit(AuditEntry(now, "migrate", None, caller.source, caller.actor, details))
        note_arrival(writer, state, sums, format_time(now))


class _Run:
    """One go at copying, which notes in the target how far it is, in the transactions that bring it there."""

    def __init__(self, copy: Store, seen: Reader, ids: NewIds, state: Unfinished, report: Report) -> None:
        self._copy, self._seen, self._source = copy, seen, seen.tables()
        self._ids, self.state, self._report = ids, state, report
        self._total = sum(self._source.count(table) for table in TABLES.values())
        self._tick = self.ticks(COPYING)

    def ticks(self, phase: str) -> Tick:
        return _ticks(self._report, phase, self._total)

    def sums(self, phase: str) -> dict[str, tuple[int, str]]:
        """Of the source as it is seen, with the ids that the target is to have."""
        return checksums(self._source, self._ids, self.ticks(phase))

    def note(self) -> None:
        with self._copy.write() as writer:
            writer.set_meta(UNFINISHED, self.state.to_json())

    def copy(self, table: MovedTable) -> None:
        """What is not copied yet of a table."""
        state = self.state.tables.setdefault(table.name, Copied())
        if state.done:
            return
        self._tick(table.name, state.rows)
        for rows in batches(self._source, table, state.after):
            with self._copy.write() as writer:
                self._store(writer, table, rows)
                state.after, state.rows = key_of(table, rows[-1]), state.rows + len(rows)
                writer.set_meta(UNFINISHED, self.state.to_json())
            self._tick(table.name, state.rows)
        state.done = True  # noted with the next piece; without it, the table is looked at once more

    def catch_up(self, sums: Sums, *, check: bool = False) -> None:
        """The source was written to since what is here was copied: bring what there is of it up to date, so that the rest
        can follow. `check`: also where the copy itself is not what it should be."""
        begun = [table for table in TABLES.values() if table.name in self.state.tables]
        with self._copy.read() as reader:
            changed = [table for table in begun if not self._is_right(reader.tables(), table, sums, check)]
        found = {table.name: self._differing(table) for table in changed}
        for table in reversed(changed):
            self._drop(table, found[table.name][0])
        for table in changed:
            self._put(table, found[table.name][1])
            self.state.tables[table.name] = Copied(None, sums[table.name][0], done=True)
        self.state.sums = dict(sums)
        self.note()

    def _is_right(self, there: TableReader, table: MovedTable, sums: Sums, check: bool) -> bool:
        if sums[table.name] != self.state.sums.get(table.name):
            return False
        is_done = self.state.tables[table.name].done
        return not (check and is_done) or checksum(there, table, None, self._tick) == sums[table.name]

    def _differing(self, table: MovedTable) -> tuple[list[tuple[Any, ...]], set[tuple[Any, ...]]]:
        with self._copy.read() as reader:
            return differences(self._source, reader.tables(), table, self._ids)

    def _drop(self, table: MovedTable, keys: list[tuple[Any, ...]]) -> None:
        if table.name == APPEND_ONLY:
            return  # nothing is ever taken out there; should something be too much, the check says so
        for start in range(0, len(keys), _AT_ONCE):
            with self._copy.write() as writer:
                writer.tables().drop(table, keys[start : start + _AT_ONCE])

    def _put(self, table: MovedTable, keys: set[tuple[Any, ...]]) -> None:
        if not keys:
            return
        for rows in batches(self._source, table):
            new = renamed(self._ids, table, rows)
            chosen = [row for row, now in zip(rows, new, strict=True) if key_of(table, now) in keys]
            if chosen:
                with self._copy.write() as writer:
                    self._store(writer, table, chosen, again=True)

    def _store(self, writer: Writer, table: MovedTable, rows: list[tuple[Any, ...]], *, again: bool = False) -> None:
        tables, new = writer.tables(), renamed(self._ids, table, rows)
        if again:
            tables.put(table, new)
        else:
            tables.load(table, new)
        if table.name == "passages":
            found, strays = keyword_rows(self._seen, rows)
            tables.index_keywords(found)
            self.state.strays += strays


def _ticks(report: Report, phase: str, total: int) -> Tick:
    """Counts the rows of all tables together."""
    through = dict[str, int]()

    def tick(table: str, rows: int) -> None:
        through[table] = rows
        report(phase, min(sum(through.values()), total), total, table)

    return tick
