"""What a database has to do for Waypost. Written so that SQLite and PostgreSQL can both say yes to every line.

A `Reader` sees one consistent state of the space; a `Writer` sees its own changes too, and either all of
them are on disk when its block ends or none is. Writers wait for each other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from waypost.model.audit import AuditEntry
from waypost.model.code_verdict import CodeVerdict
from waypost.model.memory import State, Version
from waypost.model.recall import View
from waypost.model.reference import CodeReference
from waypost.model.time import Moment
from waypost.store.fact_protocol import FactReader, FactWriter
from waypost.store.journal_protocol import JournalReader, JournalWriter
from waypost.store.share_protocol import ShareReader, ShareWriter
from waypost.store.tree_protocol import TreeReader, TreeWriter

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waypost.store.move_protocol import TableReader, TableWriter
    from waypost.store.salvaged import Index, Salvaged

    Vector = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class PassageRow:
    """A piece of a version as it is indexed. `content_hash` is over the text that is embedded; empty where keywords alone
    find it."""

    content_hash: bytes
    language: str  # of code it begins with "code": code and prose are searched apart
    terms: str = ""  # what the keyword index holds: stems and whole identifiers, separated by spaces
    code_terms: tuple[str, str, str, str] | None = None  # what the index of code holds: name, path, doc, body


class FoundPassage(NamedTuple):  # hundreds are made for each question: a tuple takes a quarter of a dataclass's time
    """A passage that answers, with where it belongs."""

    passage_id: int
    number: int  # of the version
    memory_id: str
    score: float  # higher is better: BM25 or cosine


class VersionSketch(NamedTuple):
    """What ranking needs to know of a version, without its text."""

    number: int
    memory_id: str
    kind: str
    collection: str
    level: int | None
    session: str | None
    position: int
    speaker: str | None
    language: str
    traits: int
    time: datetime


class CodeSketch(NamedTuple):
    """What ranking needs to know of a memory that is derived from a tree, without its text."""

    number: int
    memory_id: str
    kind: str
    type: str  # "method", "class", "section" …: the sort within its kind
    name: str
    path: str
    line: int
    end_line: int
    language: str
    traits: int
    referrers: int  # other files that use something of its file


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a checkout as it was when it was indexed."""

    path: str
    size: int
    mtime_ns: int
    hash: str  # SHA-256 of its bytes, in hexadecimal digits
    language: str
    lines: int
    changed_at: datetime


class DerivedRow(NamedTuple):
    """A memory derived from a tree, as indexing needs to know it."""

    number: int
    memory_id: str
    kind: str
    name: str
    path: str
    fingerprint: bytes


class ReferenceRow(NamedTuple):
    """Where a version points: its `place`-th reference."""

    number: int
    place: int
    memory_id: str
    reference: CodeReference


@dataclass(frozen=True, slots=True)
class StoredVerdict:
    """What became of the code that a reference points at, in one checkout, for one content of its file."""

    number: int
    place: int
    file_hash: bytes  # SHA-256 of the file that is pointed at; empty where there is none
    finding: CodeVerdict
    checked_at: datetime
    since: datetime | None = None  # when what it points at ceased to be as it was
    target_hash: bytes = b""  # of the file where it was found, when that is another
    tree: str = ""  # the state of the tree on which the finding rests, when that is more than these files


@dataclass(frozen=True, slots=True)
class Population:
    """How an engine's cosines for one question are spread over all passages of a language."""

    count: int
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class VectorAnswer:
    found: tuple[FoundPassage, ...]
    population: Mapping[str, Population]  # by language


@dataclass(frozen=True, slots=True)
class Twin:
    """A current memory whose passage resembles one of the asked vectors."""

    asked: int  # index of the asked vector
    number: int
    memory_id: str
    similarity: float


@dataclass(frozen=True, slots=True)
class Edge:
    kind: str
    from_id: str
    to_id: str
    strength: float = 1.0
    made_at: datetime | None = None  # None: nobody noted when

    def is_known_at(self, known_at: datetime | None) -> bool:
        return known_at is None or self.made_at is None or self.made_at <= known_at


@dataclass(frozen=True, slots=True)
class Filter:
    """Which memories a listing shows."""

    kinds: tuple[str, ...] = ()
    level: int | None = None
    domain: str | None = None
    session: str | None = None
    tags: tuple[tuple[str, str], ...] = ()
    module: str | None = None


class Reader(TreeReader, FactReader, JournalReader, ShareReader, Protocol):
    def version(self, memory_id: str, moment: Moment) -> Version | None:
        """The version of this memory that is visible at the moment."""

    def versions(self, memory_id: str) -> list[Version]:
        """All versions ever recorded, oldest first."""

    def versions_by_number(self, numbers: Iterable[int]) -> dict[int, Version]: ...

    def listing(self, view: View, chosen: Filter, *, after: int = 0, limit: int = 100) -> list[Version]:
        """Visible versions in the order they were recorded, from the one after number `after`."""

    def latest(self, view: View, chosen: Filter, limit: int) -> list[Version]:
        """The visible versions recorded last, oldest of them first."""

    def states(self, memory_ids: Iterable[str]) -> dict[str, State]: ...

    def find_key(self, key: str) -> Version | None:
        """The current version with this caller-given key."""

    def find_fingerprint(self, fingerprint: bytes) -> list[Version]:
        """Every version, current or not, that says exactly this in its scope, oldest first."""

    def sketches(self, numbers: Iterable[int]) -> dict[int, VersionSketch]: ...

    def followers(self, numbers: Iterable[int], reach: int, view: View) -> list[VersionSketch]:
        """What was said next: visible versions in the same session, at most `reach` places behind one of these."""

    def neighbours(self, memory_ids: Iterable[str], reach: int, view: View) -> list[VersionSketch]:
        """What was said around these, and they themselves: visible versions at most `reach` places before or behind one."""

    def speakers(self, limit: int) -> list[str]:
        """Who has ever spoken here, in alphabetical order."""

    def keyword_search(self, terms: Sequence[str], limit: int, view: View) -> list[FoundPassage]: ...

    def vector_search(self, engine: str, vector: "Vector", limit: int, view: View) -> VectorAnswer: ...

    def vector_scores(self, engine: str, vector: "Vector", numbers: Sequence[int]) -> dict[int, float]:
        """The best cosine of each of these versions' passages."""

    def twins(
        self, engine: str, vectors: "Vector", kind: str, domain: str, above: float, since_number: int = 0
    ) -> list[Twin]:
        """Current memories of this kind and domain, recorded after `since_number`, that resemble a given vector."""

    def missing_vectors(self, engine: str, hashes: Sequence[bytes]) -> list[bytes]:
        """Which of these texts the engine has not embedded yet."""

    def vectors(self, engine: str, hashes: Sequence[bytes]) -> "dict[bytes, Vector]":
        """The stored vectors of these texts."""

    def owed(self) -> dict[str, int]:
        """How many texts each engine still has to embed."""

    def owed_versions(self, engine: str, limit: int) -> list[Version]:
        """Some versions, oldest debt first, with a text that this engine still has to embed."""

    def last_number(self) -> int: ...

    def edges(self, memory_id: str) -> list[Edge]: ...

    def has_tombstones(self) -> bool:
        """Whether anything was ever rejected or forgotten here."""

    def tombstones(self, digests: Sequence[bytes]) -> set[bytes]:
        """Which of these digests stand on a tombstone."""

    def audit_entries(self, memory_id: str | None, limit: int) -> list[AuditEntry]:
        """Newest first."""

    def counts(self, view: View) -> dict[str, int]:
        """Visible memories in each collection."""

    def checkouts(self) -> dict[str, str]:
        """The trees that have used this space: id and root."""

    def latest_checkout(self) -> str | None:
        """The id of the one that came last."""

    def meta(self, key: str) -> str | None: ...

    def damage(self) -> list[str]:
        """What could not be read in this transaction, because the database is damaged there: names of tables. The answers
        are without it. A writer leaves nothing out, but fails."""

    def tables(self) -> "TableReader":
        """All of it row by row, for a memory that is moved to another database."""


class Writer(Reader, TreeWriter, FactWriter, JournalWriter, ShareWriter, Protocol):
    def add_version(
        self, version: Version, passages: Sequence[PassageRow], engines: Sequence[str], *, urgency: float = 1.0
    ) -> int:
        """Store a version with its passages; texts that `engines` have not embedded are owed, the most urgent to be paid
        first. Returns its number."""

    def supersede(self, number: int, at: datetime) -> None: ...

    def set_state(self, memory_id: str, **changes: Any) -> None:
        """Change fields of the memory's `State`."""

    def add_edge(self, edge: Edge) -> None: ...

    def put_vectors(self, engine: str, rows: Sequence[tuple[bytes, str, "Vector"]], *, again: bool = False) -> None:
        """Store (content hash, language, vector); pays the debt for these texts. `again` replaces what is there."""

    def owe(self, engine: str) -> None:
        """From now on every text without a vector of this engine is owed."""

    def erase(self, memory_id: str, numbers: Sequence[int]) -> None:
        """Remove these versions of a memory, and with the last of them all that belongs to it. `Store.scrub` then
        removes the traces."""

    def drop_engine(self, engine: str) -> None:
        """Remove all vectors of an engine that is not used any more."""

    def drop_damaged_keywords(self) -> None:
        """Empty a keyword index that is damaged, so that `replace_passages` can fill it again. A sound one stays."""

    def replace_passages(self, number: int, passages: Sequence[PassageRow], engines: Sequence[str]) -> None:
        """Index a version anew; vectors of texts that stay are kept."""

    def add_tombstone(self, digest: bytes, at: datetime, cause: str = "") -> None:
        """Leave a mark of a rejection. `cause` is the same for all marks of one, and holds none of its text."""

    def remove_tombstones(self, digests: Iterable[bytes]) -> int:
        """Take these marks away, with all others of the same rejections. Returns how many there were."""

    def add_audit(self, entry: AuditEntry) -> None: ...

    def add_checkout(self, checkout_id: str, root: str, at: datetime) -> None: ...

    def set_meta(self, key: str, value: str) -> None: ...

    def tables(self) -> "TableWriter": ...


class Store(Protocol):
    def read(self) -> AbstractContextManager[Reader]: ...

    def write(self) -> AbstractContextManager[Writer]: ...

    def scrub(self, traces: Sequence[str], *, wait: bool = True, rewrite: bool = False) -> bool:
        """Remove what erased memories left in free space, logs and derived files, and make sure that none of these
        pieces of text is there any more but in other memories. False: another process was in the way, for long or,
        without `wait`, at this moment. `rewrite` is for a second try, which does not know the pieces of text any more."""

    def compact(self) -> None:
        """Put derived indexes into their best shape after much has changed."""

    def problems(self) -> Iterator[str]:
        """What is wrong with the database, in sentences; nothing when it is sound."""

    def is_sound(self) -> bool:
        """Whether all that is kept can be read as it was written. For who needs all of it: every page is looked at."""

    def repair(self, index: "Index") -> "Salvaged | None":
        """Make a damaged database anew of everything that can be read; `index` makes what it is found by. The damaged one
        is kept. None: this database has its own means."""

    @property
    def place(self) -> str:
        """Where it is, for people: a folder, or a database without its password."""

    @property
    def may_write(self) -> bool:
        """Whether whoever asks has the right to write: with a database of a team not everybody has. What is only noted
        while something is read is left out then."""

    def known_damage(self) -> tuple[str, ...]:
        """The tables in which reads of this store could not read something, as long as it is so. Takes no look at the rest."""

    def unreadable(self) -> tuple[str, ...]:
        """The ids of memories that cannot be read, or not as they were written. Takes a look at the whole file, once."""

    @property
    def schema_version(self) -> int:
        """How many migrations the database has."""

    def size_bytes(self) -> int: ...

    def close(self) -> None: ...
