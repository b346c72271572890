"""Domains: how many facts each has, and the mean of their vectors.

The table `domains` contains counts and sums over the current facts without an end whose first passage has a vector.
Vectors are stored in half precision, so sums in double precision are exact: they never drift. Means for other moments
are computed from the facts themselves.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from waypost.model.kinds import SCOPES
from waypost.model.recall import View
from waypost.store.sql.database import Database, TablePart
from waypost.store.sql.meta import MetaChanges
from waypost.store.sql.rows import visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waypost.store.vectors import Vector

    Sum = NDArray[np.float64]
    SumsByDomain = dict[tuple[int, str], tuple[int, Sum]]  # by engine and domain: count and sum of the facts' vectors

FACTS = SCOPES["facts"]
_VECTORS_AT_ONCE = 4096  # a few megabytes
# The order of the joins is fixed: from the facts to their first passages to the vectors of these.
_FIRST_PASSAGES = (
    "THEN JOIN passages p ON p.number = m.number"
    " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id < p.passage_id)"
)
_CURRENT_FACT = f"m.superseded_at IS NULL AND m.valid_until IS NULL AND m.collection IN {FACTS}"
_VECTORS_OF_VERSIONS = (
    f"SELECT v.engine_id, m.domain, v.packed FROM each_number(?) asked THEN JOIN memories m ON m.number = asked.value"
    f" {_FIRST_PASSAGES} THEN JOIN engines e ON TRUE THEN JOIN vectors v ON v.engine_id = e.engine_id AND v.hash = p.hash"
    f" WHERE {_CURRENT_FACT}"
)


class DomainMeans(TablePart):
    def means(self, engine: str, view: View) -> "dict[str, tuple[int, Vector]]":
        """Count and mean of each domain; see `FactRows.domains`."""
        rows = self._db.rows("SELECT engine_id FROM engines WHERE name = ?", (engine,))
        if not rows:
            return {}
        sums = self._sums(int(rows[0][0]), view)
        wanted = None if view.domains is None else set(view.domains)
        return {
            domain: (count, _unit(total))
            for domain, (count, total) in sorted(sums.items())
            if wanted is None or domain in wanted
        }

    def _sums(self, engine_id: int, view: View) -> "dict[str, tuple[int, Sum]]":
        now = view.moment.known_at is None and not view.moment.explicit
        if now and view.levels is None and set(FACTS) <= set(view.collections) and self._is_counted(engine_id):
            rows = self._db.rows("SELECT domain, facts, total FROM domains WHERE engine_id = ?", (engine_id,))
            return {domain: (facts, _unpack_sum(total)) for domain, facts, total in rows}
        of_facts = replace(view, collections=tuple(name for name in FACTS if name in view.collections))
        condition, parameters = visible(of_facts)
        return self._computed_sums(engine_id, condition, parameters)

    def _is_counted(self, engine_id: int) -> bool:
        """Whether the table has the sums of this engine: a database of an earlier version has none at first."""
        return bool(self._db.rows("SELECT 1 FROM meta WHERE key = ?", (_counted_key(engine_id),)))

    def _computed_sums(self, engine_id: int, condition: str, parameters: list[Any]) -> "dict[str, tuple[int, Sum]]":
        """Counts and sums over the facts that meet a condition, from the facts themselves."""
        return _add_up(
            self._db.rows(
                f"SELECT m.domain, v.packed FROM memories m {_FIRST_PASSAGES} THEN JOIN vectors v ON v.engine_id = ?"
                f" AND v.hash = p.hash WHERE {condition}",
                [engine_id, *parameters],
            )
        )


class DomainSums(DomainMeans):
    """Keeps the sums up to date: subtracts what changed versions contributed before, adds what they contribute now."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._meta = MetaChanges(database)

    def recount(self, engine: str) -> None:
        for (engine_id,) in self._db.rows("SELECT engine_id FROM engines WHERE name = ?", (engine,)):
            self._recount(engine_id)

    @contextmanager
    def updating(self, numbers: Sequence[int]) -> Iterator[None]:
        """Around every change of what these versions contribute to their domains."""
        before = self._contributions(numbers)
        yield
        self._apply(before, self._contributions(numbers))

    def add_version(self, number: int) -> None:
        self._apply({}, self._contributions([number]))

    def facts_with_texts(self, digests: Sequence[bytes]) -> list[int]:
        """The current facts that have one of these texts as a passage."""
        rows = self._db.rows(
            "SELECT DISTINCT m.number FROM each_blob(?) asked THEN JOIN passages p ON p.hash = asked.value"
            f" THEN JOIN memories m ON m.number = p.number WHERE {_CURRENT_FACT}",
            (list(digests),),
        )
        return [number for (number,) in rows]

    def drop_engine(self, engine_id: int) -> None:
        """All vectors of the engine are gone. Its id can be assigned again, so nothing may remain."""
        self._db.change("DELETE FROM domains WHERE engine_id = ?", (engine_id,))
        self._meta.drop(_counted_key(engine_id))

    def _contributions(self, numbers: Sequence[int]) -> "SumsByDomain":
        rows = self._db.rows(_VECTORS_OF_VERSIONS, (list(numbers),)) if numbers else []
        return _add_up(((engine_id, domain), packed) for engine_id, domain, packed in rows)

    def _apply(self, before: "SumsByDomain", after: "SumsByDomain") -> None:
        for engine_id in {engine_id for engine_id, _ in (*before, *after)}:
            if not self._is_counted(engine_id):
                self._recount(engine_id)  # includes the change
                continue
            for key in {key for key in (*before, *after) if key[0] == engine_id}:
                facts, change = after.get(key, (0, 0.0))
                fewer, less = before.get(key, (0, 0.0))
                self._add(*key, facts - fewer, change - less)  # type: ignore[arg-type]  # one of the two is a sum

    def _add(self, engine_id: int, domain: str, facts: int, change: "Sum") -> None:
        if not facts and not change.any():
            return
        stored = self._db.rows(
            "SELECT facts, total FROM domains WHERE engine_id = ? AND domain = ?", (engine_id, domain)
        )
        if stored:
            facts, change = facts + stored[0][0], change + _unpack_sum(stored[0][1])
        self._put(engine_id, domain, facts, change)

    def _put(self, engine_id: int, domain: str, facts: int, total: "Sum") -> None:
        if facts > 0:
            self._db.change(
                "INSERT INTO domains VALUES (?, ?, ?, ?) ON CONFLICT (engine_id, domain)"
                " DO UPDATE SET facts = excluded.facts, total = excluded.total",
                (engine_id, domain, facts, total.astype("<f8").tobytes()),
            )
        else:
            self._db.change("DELETE FROM domains WHERE engine_id = ? AND domain = ?", (engine_id, domain))

    def _recount(self, engine_id: int) -> None:
        self._db.change("DELETE FROM domains WHERE engine_id = ?", (engine_id,))
        for domain, (facts, total) in self._computed_sums(engine_id, _CURRENT_FACT, []).items():
            self._put(engine_id, domain, facts, total)
        self._meta.set(_counted_key(engine_id), "1")


def _add_up(rows: Iterable[Any]) -> "dict[Any, tuple[int, Sum]]":
    """Add packed vectors up by key. Rows are (key, packed)."""
    sums: dict[Any, tuple[int, Sum]] = {}
    left = iter(rows)
    while part := list(islice(left, _VECTORS_AT_ONCE)):
        by_key: dict[Any, list[bytes]] = {}
        for key, packed in part:
            by_key.setdefault(key, []).append(packed)
        for key, vectors in by_key.items():
            count, total = sums.get(key, (0, 0.0))
            sums[key] = count + len(vectors), total + _total(vectors)
    return sums


def _counted_key(engine_id: int) -> str:
    """The key in `meta` that is set while the table has the sums of an engine."""
    return f"domains_counted:{engine_id}"


def _unpack_sum(packed: bytes) -> "Sum":
    import numpy as np  # loaded only where vectors are

    return np.frombuffer(packed, "<f8").astype(np.float64)


def _total(vectors: list[bytes]) -> "Sum":
    import numpy as np

    table = np.frombuffer(b"".join(vectors), "<f2").reshape(len(vectors), -1)
    total: Sum = table.sum(axis=0, dtype=np.float64)
    return total


def _unit(total: "Sum") -> "Vector":
    import numpy as np

    length = float(np.linalg.norm(total))
    return (total / length if length else total).astype(np.float32)
