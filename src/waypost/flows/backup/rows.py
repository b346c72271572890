"""Compare the rows of a snapshot with those of a memory, and restore them in one transaction.

Versions are matched by their content, not by number: a database that was lost starts counting again. Rows that both
have stay untouched, with passages and vectors. Code is not part of a snapshot and stays as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.flows.facts.candidates import marks_of, text_marks
from waypost.flows.move.rows import batches, digest_of, key_of
from waypost.flows.versions.prepare import marks_standing, passage_rows
from waypost.flows.write.erase_rows import erased_marks
from waypost.model.candidate import CandidateRow
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.retrieve.passages import passages_of
from waypost.store.protocol import Reader, Writer
from waypost.store.sql.moving import TableChanges, TableRows
from waypost.store.tables import TABLES, Row

MEMORIES, REFERENCES, VERDICTS = TABLES["memories"], TABLES["code_refs"], TABLES["verdicts"]
_ID, _COLLECTION, _SUPERSEDED = MEMORIES.at("memory_id", "collection", "superseded_at")
_AT_ONCE = 500
TOMBSTONE_KEY = "tombstone_key"


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A version written by a person, an agent or the journal."""

    number: int
    row: Row

    @property
    def memory_id(self) -> str:
        return str(self.row[_ID])

    @property
    def is_current(self) -> bool:
        return self.row[_SUPERSEDED] is None

    @property
    def says(self) -> bytes:
        """A digest of the version without its number and without whether it is current."""
        return digest_of(tuple(value for at, value in enumerate(self.row) if at and at != _SUPERSEDED))


@dataclass(slots=True)
class Compared:
    """The difference between a snapshot and a memory."""

    new: list[KeptRow] = field(default_factory=list)  # only in the snapshot
    gone: list[KeptRow] = field(default_factory=list)  # only in the memory
    both: list[tuple[KeptRow, KeptRow]] = field(default_factory=list)  # in the snapshot, in the memory
    numbers: set[int] = field(default_factory=set)  # used in the memory
    other_ids: set[str] = field(default_factory=set)  # of memories read from a repository

    def counts(self) -> tuple[int, int, int]:
        """How many memories would be removed, changed and restored."""
        saved = _current([*self.new, *(saved_row for saved_row, _ in self.both)])
        live = _current([*self.gone, *(live_row for _, live_row in self.both)])
        saved_ids = {row.memory_id for row in (*self.new, *(row for row, _ in self.both))}
        written = live.keys() - saved_ids
        changed = {memory_id for memory_id in live.keys() & saved_ids if live[memory_id] != saved.get(memory_id)}
        return len(written), len(changed), len(saved.keys() - live.keys())


def _current(rows: Iterable[KeptRow]) -> dict[str, set[bytes]]:
    current: dict[str, set[bytes]] = {}
    for row in rows:
        if row.is_current:
            current.setdefault(row.memory_id, set()).add(row.says)
    return current


def compare(saved: TableRows, live: TableRows) -> Compared:
    done, there = Compared(), dict[bytes, list[KeptRow]]()
    for row in _rows(live, "memories"):
        done.numbers.add(row[0])
        if row[_COLLECTION] in KEPT_COLLECTIONS:
            kept = KeptRow(row[0], row)
            there.setdefault(kept.says, []).append(kept)
        else:
            done.other_ids.add(row[_ID])
    for row in _rows(saved, "memories"):
        kept = KeptRow(row[0], row)
        same = there.get(kept.says)
        if same:
            done.both.append((kept, same.pop(0)))
        else:
            done.new.append(kept)
    done.gone = [row for left in there.values() for row in left]
    return done


def _rows(tables: TableRows, name: str) -> Iterator[Row]:
    for rows in batches(tables, TABLES[name]):
        yield from rows


def _by_key(tables: TableRows, name: str) -> dict[Any, Row]:
    return {key_of(TABLES[name], row): row for row in _rows(tables, name)}


def rejected_versions(saved: Reader, rows: Sequence[KeptRow], key: bytes, marks: set[bytes]) -> list[Version]:
    """Versions of the snapshot whose values are rejected or forgotten by now."""
    versions = list[Version]()
    for start in range(0, len(rows) if marks else 0, _AT_ONCE):
        page = saved.memories.by_number([row.number for row in rows[start : start + _AT_ONCE]]).values()
        versions += [version for version in page if not marks.isdisjoint(erased_marks(key, version))]
    return versions


def all_candidates(reader: Reader) -> list[CandidateRow]:
    ids = [row[0] for row in _rows(reader.tables(), "candidates")]
    candidates = [
        reader.facts.candidate(candidate_id) or reader.facts.candidate(candidate_id, declined=True)
        for candidate_id in ids
    ]
    return [candidate for candidate in candidates if candidate is not None]


def rejected_candidates(rows: Iterable[CandidateRow], key: bytes, marks: set[bytes]) -> set[str]:
    """Ids of candidates whose texts are rejected or forgotten by now."""
    return {row.candidate_id for row in rows if not marks.isdisjoint(text_marks(row, key))}


class RowRestore:
    """Restores the rows of a snapshot inside a transaction of the memory."""

    def __init__(self, writer: Writer, saved: Reader, engines: Sequence[str], now: datetime) -> None:
        self._writer, self._saved, self._engines, self._now = writer, saved, engines, now
        self._from: TableRows = saved.tables()
        self._to: TableChanges = writer.tables()
        self._numbers: dict[int, int] = {}  # number in the snapshot → number in the memory

    def run(self) -> Compared:
        self._put_tombstones()
        done = compare(self._from, self._to)
        last = {name: max(number, self._last(name)) for name, number in self._to.last_numbers().items()}
        self._to.set_last_numbers(last)
        self._add(done)
        self._set_ends(done)
        self._remove(done)
        ids = {row.memory_id for row in (*done.new, *(row for row, _ in done.both))}
        self._put_references()
        self._put_states(ids)
        self._put_edges(ids, done)
        self._put_candidates()
        self._put_journal()
        for name in ("checkouts", "shares", "meta"):
            self._add_missing(name)
        self._put_audit()
        for engine in self._engines:
            self._writer.facts.recount_domains(engine)
        return done

    # -- versions

    def _last(self, name: str) -> int:
        place = TABLES[name].columns.index(TABLES[name].key[0])
        return max((row[place] for row in _rows(self._from, name)), default=0)

    def _add(self, done: Compared) -> None:
        free = self._to.last_numbers()["memories"] + 1
        for row in done.new:
            number = row.number
            if number in done.numbers:
                number, free = free, free + 1
            self._numbers[row.number] = number
            self._to.load(MEMORIES, [(number, *row.row[1:])])
        self._to.set_last_numbers({"memories": free - 1})
        numbers = [self._numbers[row.number] for row in done.new]
        for start in range(0, len(numbers), _AT_ONCE):
            page = self._writer.memories.by_number(numbers[start : start + _AT_ONCE])
            for number, version in page.items():
                self._writer.memories.replace_passages(number, passage_rows(passages_of(version)), self._engines)

    def _set_ends(self, done: Compared) -> None:
        """Restore which versions were current. What was rejected since stays rejected."""
        differ = [(saved, live) for saved, live in done.both if saved.row[_SUPERSEDED] != live.row[_SUPERSEDED]]
        self._numbers |= {saved.number: live.number for saved, live in done.both}
        stored_key = self._writer.meta.get(TOMBSTONE_KEY)
        rejected = self._rejected(
            [live.number for saved, live in differ if saved.is_current], bytes.fromhex(stored_key or "")
        )
        rows = [
            (live.number, *(saved.row[at] if at == _SUPERSEDED else live.row[at] for at in range(1, len(live.row))))
            for saved, live in differ
            if live.number not in rejected
        ]
        for start in range(0, len(rows), _AT_ONCE):
            self._to.put(MEMORIES, rows[start : start + _AT_ONCE])

    def _rejected(self, numbers: Sequence[int], key: bytes) -> set[int]:
        versions = self._writer.memories.by_number(numbers)
        return {number for number, version in versions.items() if marks_standing(self._writer, key, version)}

    def _remove(self, done: Compared) -> None:
        numbers_by_id: dict[str, list[int]] = {}
        for row in done.gone:
            numbers_by_id.setdefault(row.memory_id, []).append(row.number)
        for memory_id, numbers in numbers_by_id.items():
            self._writer.memories.erase(memory_id, numbers)

    def _put_references(self) -> None:
        wanted: dict[int, list[Row]] = {}
        for number, *rest in _rows(self._from, "code_refs"):
            if number in self._numbers:
                wanted.setdefault(self._numbers[number], []).append((self._numbers[number], *rest))
        there: dict[int, list[Row]] = {}
        ours = set(self._numbers.values())
        for row in _rows(self._to, "code_refs"):
            if row[0] in ours:
                there.setdefault(row[0], []).append(row)
        differ = {number for number in wanted.keys() | there.keys() if wanted.get(number) != there.get(number)}
        if not differ:
            return
        self._to.drop(VERDICTS, [row[:4] for row in _rows(self._to, "verdicts") if row[0] in differ])
        self._to.drop(REFERENCES, [row[:2] for number in differ for row in there.get(number, ())])
        self._to.load(REFERENCES, [row for number in differ for row in wanted.get(number, ())])

    # -- what belongs to them

    def _put_states(self, ids: set[str]) -> None:
        wanted, there = (
            {key: row for key, row in _by_key(tables, "states").items() if row[0] in ids}
            for tables in (self._from, self._to)
        )
        self._replace("states", wanted, there)

    def _put_edges(self, ids: set[str], done: Compared) -> None:
        start, end = TABLES["edges"].at("from_id", "to_id")
        present = ids | done.other_ids
        wanted, there = (
            {key: row for key, row in _by_key(tables, "edges").items() if row[start] in ids or row[end] in ids}
            for tables in (self._from, self._to)
        )
        self._replace("edges", {key: row for key, row in wanted.items() if {row[start], row[end]} <= present}, there)

    def _put_candidates(self) -> None:
        wanted, key = {}, bytes.fromhex(self._writer.meta.get(TOMBSTONE_KEY) or "")
        for row in _rows(self._from, "candidates"):
            candidate = self._saved.facts.candidate(row[0])
            if candidate is not None and not self._writer.tombstones.matching(marks_of(candidate, key)):
                wanted[row[:1]] = row
        self._replace("candidates", wanted, _by_key(self._to, "candidates"))

    def _put_journal(self) -> None:
        """Restore what is known about journal files. Files that have changed since are read again later."""
        for name in ("journal_files", "journal_places"):
            self._replace(name, _by_key(self._from, name), _by_key(self._to, name))

    def _replace(self, name: str, wanted: dict[Any, Row], there: dict[Any, Row]) -> None:
        table = TABLES[name]
        self._to.drop(table, [key for key in there if key not in wanted])
        changed = [row for key, row in wanted.items() if there.get(key) != row]
        for start in range(0, len(changed), _AT_ONCE):
            self._to.put(table, changed[start : start + _AT_ONCE])

    def _add_missing(self, name: str) -> None:
        """Add missing rows. Existing rows are newer, and some are a person's consent: they stay."""
        there = _by_key(self._to, name)
        missing = [row for key, row in _by_key(self._from, name).items() if key not in there]
        if missing:
            self._to.load(TABLES[name], missing)

    # -- what never goes

    def _put_tombstones(self) -> None:
        """Keep what was rejected or forgotten by then or since.

        Marks of another key mean nothing here. A memory without marks takes over the snapshot's key.
        """
        ours, theirs = self._writer.meta.get(TOMBSTONE_KEY), self._saved.meta.get(TOMBSTONE_KEY)
        there = {row[0] for row in _rows(self._to, "tombstones")}
        if theirs is not None and ours != theirs and not there:
            self._writer.meta.set(TOMBSTONE_KEY, theirs)
            ours = theirs
        if ours == theirs:
            missing = [row for row in _rows(self._from, "tombstones") if row[0] not in there]
            self._to.load(TABLES["tombstones"], missing)

    def _put_audit(self) -> None:
        digests, numbers = set[bytes](), set[int]()
        for row in _rows(self._to, "audit"):
            digests.add(digest_of(row[1:]))
            numbers.add(row[0])
        free = max(self._to.last_numbers()["audit"], self._last("audit")) + 1
        missing = []
        for row in _rows(self._from, "audit"):
            if digest_of(row[1:]) not in digests:
                number = row[0] if row[0] not in numbers else free
                free += number == free
                missing.append((number, *row[1:]))
        self._to.load(TABLES["audit"], missing)
        self._to.set_last_numbers({"audit": free - 1})
