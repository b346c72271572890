"""The rows of a snapshot, compared with those of a memory and put back into it, in one transaction of the memory.

Versions are known again by all that they say, not by their numbers: a database that was lost and begun anew counts from the
beginning. What both have stays untouched, with its passages and vectors. Code is not in a snapshot and stays as it is.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from waypost.flows.facts.candidates import marks_of, marks_of_words
from waypost.flows.move.rows import batches, digest_of
from waypost.flows.write.forget import erased_marks
from waypost.flows.write.prepare import marks_standing
from waypost.model.candidate import CandidateRow
from waypost.model.kinds import KEPT_COLLECTIONS
from waypost.model.memory import Version
from waypost.retrieve.passages import passages_of
from waypost.store.move_protocol import Row, TableReader, TableWriter
from waypost.store.moved_tables import TABLES
from waypost.store.protocol import PassageRow, Reader, Writer

MEMORIES, REFERENCES, VERDICTS = TABLES["memories"], TABLES["code_refs"], TABLES["verdicts"]
_ID, _COLLECTION, _SUPERSEDED = MEMORIES.at("memory_id", "collection", "superseded_at")
_AT_ONCE = 500
TOMBSTONE_KEY = "tombstone_key"


@dataclass(frozen=True, slots=True)
class KeptRow:
    """A version that a person, an agent or the journal wrote."""

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
        """The same for the same version, whatever its number, held or not."""
        return digest_of(tuple(value for at, value in enumerate(self.row) if at and at != _SUPERSEDED))


@dataclass(slots=True)
class Compared:
    """What putting a snapshot back does to the versions of a memory."""

    new: list[KeptRow] = field(default_factory=list)  # the memory has them no more
    gone: list[KeptRow] = field(default_factory=list)  # it has them since
    both: list[tuple[KeptRow, KeptRow]] = field(default_factory=list)  # of the snapshot, of the memory
    numbers: set[int] = field(default_factory=set)  # that are taken in the memory
    other_ids: set[str] = field(default_factory=set)  # of memories that were read out of a tree

    def counts(self) -> tuple[int, int, int]:
        """How many memories were written since and go, are as they were then, and come back."""
        saved = _current([*self.new, *(one for one, _ in self.both)])
        live = _current([*self.gone, *(one for _, one in self.both)])
        known = {one.memory_id for one in (*self.new, *(one for one, _ in self.both))}
        written = live.keys() - known
        changed = {one for one in live.keys() & known if live[one] != saved.get(one)}
        return len(written), len(changed), len(saved.keys() - live.keys())


def _current(rows: Iterable[KeptRow]) -> dict[str, set[bytes]]:
    found: dict[str, set[bytes]] = {}
    for one in rows:
        if one.is_current:
            found.setdefault(one.memory_id, set()).add(one.says)
    return found


def compare(saved: TableReader, live: TableReader) -> Compared:
    done, there = Compared(), dict[bytes, list[KeptRow]]()
    for row in _rows(live, "memories"):
        done.numbers.add(row[0])
        if row[_COLLECTION] in KEPT_COLLECTIONS:
            one = KeptRow(row[0], row)
            there.setdefault(one.says, []).append(one)
        else:
            done.other_ids.add(row[_ID])
    for row in _rows(saved, "memories"):
        one = KeptRow(row[0], row)
        same = there.get(one.says)
        if same:
            done.both.append((one, same.pop(0)))
        else:
            done.new.append(one)
    done.gone = [one for left in there.values() for one in left]
    return done


def _rows(tables: TableReader, name: str) -> Iterator[Row]:
    for rows in batches(tables, TABLES[name]):
        yield from rows


def unwanted(saved: Reader, rows: Sequence[KeptRow], key: bytes, known: set[bytes]) -> list[Version]:
    """Those of the snapshot's versions whose values stand on a tombstone by now."""
    found = list[Version]()
    for start in range(0, len(rows) if known else 0, _AT_ONCE):
        page = saved.versions_by_number([one.number for one in rows[start : start + _AT_ONCE]]).values()
        found += [version for version in page if not known.isdisjoint(erased_marks(key, version))]
    return found


def all_candidates(reader: Reader) -> list[CandidateRow]:
    """Those in review, and those that were rejected."""
    ids = [row[0] for row in _rows(reader.tables(), "candidates")]
    found = [reader.candidate(one) or reader.candidate(one, declined=True) for one in ids]
    return [one for one in found if one is not None]


def unwanted_candidates(rows: Iterable[CandidateRow], key: bytes, known: set[bytes]) -> set[str]:
    """The ids of those whose words stand on a tombstone by now."""
    return {row.candidate_id for row in rows if not known.isdisjoint(marks_of_words(row, key))}


class PuttingBack:
    """One snapshot on its way into a memory, inside a transaction of the memory."""

    def __init__(self, writer: Writer, saved: Reader, engines: Sequence[str], now: datetime) -> None:
        self._writer, self._saved, self._engines, self._now = writer, saved, engines, now
        self._from: TableReader = saved.tables()
        self._to: TableWriter = writer.tables()
        self._numbers: dict[int, int] = {}  # of the snapshot's versions, in the memory

    def run(self) -> Compared:
        self._put_tombstones()
        done = compare(self._from, self._to)
        last = {name: max(number, self._last(name)) for name, number in self._to.last_numbers().items()}
        self._to.set_last_numbers(last)
        self._add(done)
        self._set_ends(done)
        self._remove(done)
        ids = {one.memory_id for one in (*done.new, *(one for one, _ in done.both))}
        self._put_references()
        self._put_states(ids)
        self._put_edges(ids, done)
        self._put_candidates()
        self._put_journal()
        for name in ("checkouts", "shares", "meta"):
            self._add_missing(name)
        self._put_audit()
        for engine in self._engines:
            self._writer.recount_domains(engine)
        return done

    # -- versions

    def _last(self, name: str) -> int:
        place = TABLES[name].columns.index(TABLES[name].key[0])
        return max((row[place] for row in _rows(self._from, name)), default=0)

    def _add(self, done: Compared) -> None:
        free = self._to.last_numbers()["memories"] + 1
        for one in done.new:
            number = one.number
            if number in done.numbers:
                number, free = free, free + 1
            self._numbers[one.number] = number
            self._to.load(MEMORIES, [(number, *one.row[1:])])
        self._to.set_last_numbers({"memories": free - 1})
        numbers = [self._numbers[one.number] for one in done.new]
        for start in range(0, len(numbers), _AT_ONCE):
            page = self._writer.versions_by_number(numbers[start : start + _AT_ONCE])
            for number, version in page.items():
                passages = [PassageRow(p.content_hash, p.language, p.terms, p.code_terms) for p in passages_of(version)]
                self._writer.replace_passages(number, passages, self._engines)

    def _set_ends(self, done: Compared) -> None:
        """Which versions are held, as it was then. What was rejected since stays rejected."""
        differ = [(one, there) for one, there in done.both if one.row[_SUPERSEDED] != there.row[_SUPERSEDED]]
        self._numbers |= {one.number: there.number for one, there in done.both}
        told = self._writer.meta(TOMBSTONE_KEY)
        rejected = self._rejected([there.number for one, there in differ if one.is_current], bytes.fromhex(told or ""))
        rows = [
            (there.number, *(one.row[at] if at == _SUPERSEDED else there.row[at] for at in range(1, len(there.row))))
            for one, there in differ
            if there.number not in rejected
        ]
        for start in range(0, len(rows), _AT_ONCE):
            self._to.put(MEMORIES, rows[start : start + _AT_ONCE])

    def _rejected(self, numbers: Sequence[int], key: bytes) -> set[int]:
        versions = self._writer.versions_by_number(numbers)
        return {number for number, version in versions.items() if marks_standing(self._writer, key, version)}

    def _remove(self, done: Compared) -> None:
        found: dict[str, list[int]] = {}
        for one in done.gone:
            found.setdefault(one.memory_id, []).append(one.number)
        for memory_id, numbers in found.items():
            self._writer.erase(memory_id, numbers)

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
        differ = {one for one in wanted.keys() | there.keys() if wanted.get(one) != there.get(one)}
        if not differ:
            return
        self._to.drop(VERDICTS, [row[:4] for row in _rows(self._to, "verdicts") if row[0] in differ])
        self._to.drop(REFERENCES, [row[:2] for one in differ for row in there.get(one, ())])
        self._to.load(REFERENCES, [row for one in differ for row in wanted.get(one, ())])

    # -- what belongs to them

    def _put_states(self, ids: set[str]) -> None:
        wanted = {row[0]: row for row in _rows(self._from, "states") if row[0] in ids}
        there = {row[0]: row for row in _rows(self._to, "states") if row[0] in ids}
        self._replace("states", wanted, there)

    def _put_edges(self, ids: set[str], done: Compared) -> None:
        table = TABLES["edges"]
        start, end = table.at("from_id", "to_id")
        known = ids | done.other_ids

        def found(tables: TableReader) -> dict[Any, Row]:
            rows = [row for row in _rows(tables, "edges") if row[start] in ids or row[end] in ids]
            return {tuple(row[at] for at in table.at(*table.key)): row for row in rows}

        wanted = {key: row for key, row in found(self._from).items() if {row[start], row[end]} <= known}
        self._replace("edges", wanted, found(self._to))

    def _put_candidates(self) -> None:
        wanted, key = {}, bytes.fromhex(self._writer.meta(TOMBSTONE_KEY) or "")
        for row in _rows(self._from, "candidates"):
            one = self._saved.candidate(row[0])
            if one is not None and not self._writer.tombstones(marks_of(one, key)):
                wanted[row[0]] = row
        self._replace("candidates", wanted, {row[0]: row for row in _rows(self._to, "candidates")})

    def _put_journal(self) -> None:
        """What is known of files. Those beside the database are put back too; one in a tree that has changed since is read
        again, and what it says counts."""
        for name in ("journal_files", "journal_places"):
            at = TABLES[name].at(*TABLES[name].key)
            saved = {tuple(row[one] for one in at): row for row in _rows(self._from, name)}
            there = {tuple(row[one] for one in at): row for row in _rows(self._to, name)}
            self._replace(name, saved, there)

    def _replace(self, name: str, wanted: dict[Any, Row], there: dict[Any, Row]) -> None:
        table, at = TABLES[name], TABLES[name].at(*TABLES[name].key)
        gone = [row for key, row in there.items() if key not in wanted]
        self._to.drop(table, [tuple(row[one] for one in at) for row in gone])
        changed = [row for key, row in wanted.items() if there.get(key) != row]
        for start in range(0, len(changed), _AT_ONCE):
            self._to.put(table, changed[start : start + _AT_ONCE])

    def _add_missing(self, name: str) -> None:
        """What the memory has itself is later, and some of it is a person's consent: it stays."""
        table, at = TABLES[name], TABLES[name].at(*TABLES[name].key)
        there = {tuple(row[one] for one in at) for row in _rows(self._to, name)}
        missing = [row for row in _rows(self._from, name) if tuple(row[one] for one in at) not in there]
        if missing:
            self._to.load(table, missing)

    # -- what never goes

    def _put_tombstones(self) -> None:
        """What was rejected or forgotten by then or since stays so. Marks of another key mean nothing beside this one's: a
        memory that has none takes the snapshot's key."""
        ours, theirs = self._writer.meta(TOMBSTONE_KEY), self._saved.meta(TOMBSTONE_KEY)
        there = {row[0] for row in _rows(self._to, "tombstones")}
        if theirs is not None and ours != theirs and not there:
            self._writer.set_meta(TOMBSTONE_KEY, theirs)
            ours = theirs
        if ours == theirs:
            missing = [row for row in _rows(self._from, "tombstones") if row[0] not in there]
            self._to.load(TABLES["tombstones"], missing)

    def _put_audit(self) -> None:
        known, numbers = set[bytes](), set[int]()
        for row in _rows(self._to, "audit"):
            known.add(digest_of(row[1:]))
            numbers.add(row[0])
        free = max(self._to.last_numbers()["audit"], self._last("audit")) + 1
        missing = []
        for row in _rows(self._from, "audit"):
            if digest_of(row[1:]) not in known:
                number = row[0] if row[0] not in numbers else free
                free += number == free
                missing.append((number, *row[1:]))
        self._to.load(TABLES["audit"], missing)
        self._to.set_last_numbers({"audit": free - 1})
