"""Reading what the facts of a domain have in common: how many they are, and the mean of their vectors.

The table `domains` holds counts and sums over the current facts without an end whose first passage has a vector. Vectors are stored in
half precision, so a sum in double precision is exact and nothing drifts, however often it is added to and taken from.
Another moment than now has facts of its own; its means are computed from them.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from waypost.model.kinds import SCOPES
from waypost.model.memory import Version
from waypost.model.recall import View
from waypost.store.sql.journal import JournalRows
from waypost.store.sql.rows import visible

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from waypost.store.protocol import Vector

    Sum = NDArray[np.float64]

FACTS = SCOPES["facts"]
_AT_ONCE = 4096  # vectors in memory: a few megabytes
# The order of the joins is spelt out: from the facts to their first passages to the vectors of these.
FIRST_PASSAGES = (
    "THEN JOIN passages p ON p.number = m.number"
    " AND NOT EXISTS (SELECT 1 FROM passages o WHERE o.number = p.number AND o.passage_id < p.passage_id)"
)


class DomainRows(JournalRows):
    """The part of the reader that knows domains."""

    def domains(self, engine: str, view: View) -> "dict[str, tuple[int, Vector]]":
        rows = self._rows("SELECT engine_id FROM engines WHERE name = ?", (engine,))
        if not rows:
            return {}
        sums = self._sums_of(int(rows[0][0]), view)
        wanted = None if view.domains is None else set(view.domains)
        return {
            domain: (count, _unit(total))
            for domain, (count, total) in sorted(sums.items())
            if wanted is None or domain in wanted
        }

    def domains_of(self, numbers: Iterable[int]) -> dict[int, str]:
        return dict(
            self._rows(
                "SELECT m.number, m.domain FROM each_number(?) asked THEN JOIN memories m ON m.number = asked.value",
                (list(numbers),),
            )
        )

    def visible_versions(self, memory_ids: Iterable[str], view: View) -> dict[str, Version]:
        condition, parameters = visible(view)
        found = self._versions(
            f"WHERE m.memory_id IN (SELECT value FROM each_text(?)) AND {condition} ORDER BY m.number",
            [list(memory_ids), *parameters],
        )
        return {version.memory_id: version for version in found}

    def _sums_of(self, engine_id: int, view: View) -> "dict[str, tuple[int, Sum]]":
        now = view.moment.known_at is None and not view.moment.explicit
        if now and view.levels is None and set(FACTS) <= set(view.collections) and self._is_counted(engine_id):
            rows = self._rows("SELECT domain, facts, total FROM domains WHERE engine_id = ?", (engine_id,))
            return {domain: (facts, unpack_sum(total)) for domain, facts, total in rows}
        seen = replace(view, collections=tuple(name for name in FACTS if name in view.collections))
        condition, parameters = visible(seen)
        return self._added_up(engine_id, condition, parameters)

    def _is_counted(self, engine_id: int) -> bool:
        """Whether the table holds the sums of this engine: a database of an earlier version has none at first."""
        return bool(self._rows("SELECT 1 FROM meta WHERE key = ?", (counted_key(engine_id),)))

    def _added_up(self, engine_id: int, condition: str, parameters: list[Any]) -> "dict[str, tuple[int, Sum]]":
        """Counts and sums over the facts that meet a condition, from the facts themselves."""
        return added(
            self._rows(
                f"SELECT m.domain, v.packed FROM memories m {FIRST_PASSAGES} THEN JOIN vectors v ON v.engine_id = ?"
                f" AND v.hash = p.hash WHERE {condition}",
                [engine_id, *parameters],
            )
        )


def added(rows: Iterable[Any]) -> "dict[Any, tuple[int, Sum]]":
    """Packed vectors added up by their key. Rows are (key, packed)."""
    sums: dict[Any, tuple[int, Sum]] = {}
    left = iter(rows)
    while part := list(islice(left, _AT_ONCE)):
        by_key: dict[Any, list[bytes]] = {}
        for key, packed in part:
            by_key.setdefault(key, []).append(packed)
        for key, vectors in by_key.items():
            count, total = sums.get(key, (0, 0.0))
            sums[key] = count + len(vectors), total + _total(vectors)
    return sums


def counted_key(engine_id: int) -> str:
    """In the table `meta`: set when the sums of an engine are kept."""
    return f"domains_counted:{engine_id}"


def pack_sum(total: "Sum") -> bytes:
    return total.astype("<f8").tobytes()


def unpack_sum(packed: bytes) -> "Sum":
    import numpy as np  # only where vectors are

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
