"""Move a memory to another database: in batches, checked, and never used in two places.

It is copied as of one moment, while others continue to read and write. Then writers wait until later changes are
copied, every table is checked, and the source is marked as moved. Until then the target is marked as unfinished, and
the next run continues a stopped move.
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
from waypost.model.json_row import json_row
from waypost.model.memory import AuditEntry, Caller
from waypost.model.time import Clock, format_time
from waypost.store.protocol import Reader, Store, Writer
from waypost.store.sql.moving import TableRows
from waypost.store.tables import APPEND_ONLY, TABLES, MovedTable

_AT_ONCE = 500

Report = Callable[[str, int, int, str], None]  # phase, done, total, table
READING, COPYING, FINISHING = "Reading what there is", "Copying", "Finishing"
LOOKING, CHECKING = "Looking for what is new", "Checking the copy"


@dataclass(frozen=True, slots=True)
class Ends:
    """The two open databases. `source` and `target` are their names; `remedy` is for users of the old one.

    `place` puts the copy where it will be found, once it is complete.
    """

    store: Store
    copy: Store
    source: str
    target: str
    remedy: str
    place: Callable[[], None]


@dataclass(frozen=True, slots=True)
class Moved:
    status: str  # moved | already
    rows: int = 0
    tables: dict[str, int] = field(default_factory=dict)
    answers: AnswerComparison | None = None
    resumed: bool = False
    strays: int = 0
    seconds: float = 0.0

    def to_json(self) -> dict[str, Any]:
        answers = None if self.answers is None else {"asked": self.answers.questions, "same": self.answers.same}
        seconds = round(self.seconds, 3)
        return json_row(self, "strays", answers=answers, passages_to_rebuild=self.strays, seconds=seconds)


def migrate(
    ends: Ends, notes: Notes | None, step: str, ids: NewIds, caller: Caller, clock: Clock, report: Report
) -> Moved:
    """Do what `step` (from `notes.plan`) says is left. `notes` are the target's."""
    began = clock()
    if step == MARK:
        return _finish_marking(ends, notes, ids, clock, report)
    state = notes.unfinished if notes is not None and step == RESUME else None
    state = state or Unfinished(secrets.token_hex(8), format_time(clock()), ends.source, ids.space.before)
    with ends.store.read() as seen:
        _copy(_Run(ends.copy, seen, ids, state, report), again=step == RESUME)
    report(FINISHING, 0, 0, "indexes")
    ends.copy.compact()
    with ends.store.write() as locked:
        run = _Run(ends.copy, locked, ids, state, report)
        sums = run.sums(LOOKING)
        if sums != state.sums:
            run.catch_up(sums)
        check_tables(sums, ends.copy, run.ticks(CHECKING))
        check_indexes(locked, ends.copy, strays=state.strays)
        answers = check_answers(locked, ends.copy, ids, clock())
        report(FINISHING, 0, 0, "notes")
        _arrive(ends, locked, state, sums, caller, clock())
        report(FINISHING, 0, 0, "place")
        ends.place()
        report(FINISHING, 0, 0, "source")
        note_departure(locked, state.id, ends.target, ends.remedy, format_time(clock()))
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


def _finish_marking(ends: Ends, notes: Notes | None, ids: NewIds, clock: Clock, report: Report) -> Moved:
    """The copy was complete and checked when the move stopped: finish it, if nothing was written since."""
    arrived = notes.arrived if notes is not None and notes.arrived is not None else {}
    sums_arrived = {name: tuple(sum_of_table) for name, sum_of_table in arrived["sums"].items()}
    with ends.store.write() as locked:
        total = sum(locked.tables().count(table) for table in TABLES.values())
        sums = checksums(locked.tables(), ids, _ticks(report, READING, total))
        if sums_arrived != sums:
            raise Refused(
                f"{ends.target} holds a copy of this memory that had arrived whole, but {ends.source} was written to"
                " since.",
                "It lacks the latest changes. If nothing was written there, copy again with --replace.",
            )
        ends.place()
        note_departure(locked, arrived["id"], ends.target, ends.remedy, format_time(clock()))
    counts = {name: rows for name, (rows, _) in sums.items()}
    return Moved("moved", total, counts, None, resumed=True)


def _arrive(ends: Ends, source: Writer, state: Unfinished, sums: Sums, caller: Caller, now: datetime) -> None:
    numbers, rows = source.tables().last_numbers(), sum(count for count, _ in sums.values())
    with ends.copy.write() as writer:
        writer.tables().set_last_numbers(numbers)
        details = {"from": ends.source, "rows": rows, "owners_word": caller.owners_word}
        writer.audit.add(AuditEntry(now, "migrate", None, caller.source, caller.actor, details))
        note_arrival(writer, state, sums, format_time(now))


class _Run:
    """Copies tables, and stores in the target how far it is, in the same transactions."""

    def __init__(self, copy: Store, seen: Reader, ids: NewIds, state: Unfinished, report: Report) -> None:
        self._copy, self._seen, self._source = copy, seen, seen.tables()
        self._ids, self.state, self._report = ids, state, report
        self._total = sum(self._source.count(table) for table in TABLES.values())
        self._tick = self.ticks(COPYING)

    def ticks(self, phase: str) -> Tick:
        return _ticks(self._report, phase, self._total)

    def sums(self, phase: str) -> dict[str, tuple[int, str]]:
        """Checksums of the source, with the ids of the target."""
        return checksums(self._source, self._ids, self.ticks(phase))

    def note(self) -> None:
        with self._copy.write() as writer:
            writer.meta.set(UNFINISHED, self.state.to_json())

    def copy(self, table: MovedTable) -> None:
        state = self.state.tables.setdefault(table.name, Copied())
        if state.done:
            return
        self._tick(table.name, state.rows)
        for rows in batches(self._source, table, state.after):
            with self._copy.write() as writer:
                self._store(writer, table, rows)
                state.after, state.rows = key_of(table, rows[-1]), state.rows + len(rows)
                writer.meta.set(UNFINISHED, self.state.to_json())
            self._tick(table.name, state.rows)
        state.done = True  # stored with the next batch; otherwise the table is checked once more

    def catch_up(self, sums: Sums, *, check: bool = False) -> None:
        """Copy what was written to the source since. `check` also repairs a wrong copy."""
        begun = [table for table in TABLES.values() if table.name in self.state.tables]
        with self._copy.read() as reader:
            changed = [table for table in begun if not self._is_right(reader.tables(), table, sums, check)]
        differing = {table.name: self._differing(table) for table in changed}
        for table in reversed(changed):
            self._drop(table, differing[table.name][0])
        for table in changed:
            self._put(table, differing[table.name][1])
            self.state.tables[table.name] = Copied(None, sums[table.name][0], done=True)
        self.state.sums = dict(sums)
        self.note()

    def _is_right(self, there: TableRows, table: MovedTable, sums: Sums, check: bool) -> bool:
        if sums[table.name] != self.state.sums.get(table.name):
            return False
        is_done = self.state.tables[table.name].done
        return not (check and is_done) or checksum(there, table, None, self._tick) == sums[table.name]

    def _differing(self, table: MovedTable) -> tuple[list[tuple[Any, ...]], set[tuple[Any, ...]]]:
        with self._copy.read() as reader:
            return differences(self._source, reader.tables(), table, self._ids)

    def _drop(self, table: MovedTable, keys: list[tuple[Any, ...]]) -> None:
        if table.name == APPEND_ONLY:
            return  # append-only: the final check reports surplus rows
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
            keywords, strays = keyword_rows(self._seen, rows)
            tables.index_keywords(keywords)
            self.state.strays += strays


def _ticks(report: Report, phase: str, total: int) -> Tick:
    through = dict[str, int]()

    def tick(table: str, rows: int) -> None:
        through[table] = rows
        report(phase, min(sum(through.values()), total), total, table)

    return tick
