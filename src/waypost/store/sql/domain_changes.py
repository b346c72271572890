"""Keeping the sums of domains: every change takes away what the touched versions gave before and adds what they give now."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from waypost.store.sql.domains import FACTS, FIRST_PASSAGES, added, counted_key, pack_sum, unpack_sum
from waypost.store.sql.memories import SqlReader

if TYPE_CHECKING:
    from waypost.store.sql.domains import Sum

    Shares = dict[
        tuple[int, str], tuple[int, Sum]
    ]  # by engine and domain: how many facts, and the sum of their vectors

_CURRENT_FACT = f"m.superseded_at IS NULL AND m.valid_until IS NULL AND m.collection IN {FACTS}"
_SHARES = (
    f"SELECT v.engine_id, m.domain, v.packed FROM each_number(?) asked THEN JOIN memories m ON m.number = asked.value"
    f" {FIRST_PASSAGES} THEN JOIN engines e ON TRUE THEN JOIN vectors v ON v.engine_id = e.engine_id AND v.hash = p.hash"
    f" WHERE {_CURRENT_FACT}"
)


class DomainChanges(SqlReader):
    """The part of the writer that knows domains."""

    def recount_domains(self, engine: str) -> None:
        for (engine_id,) in self._rows("SELECT engine_id FROM engines WHERE name = ?", (engine,)):
            self._recount(engine_id)

    @contextmanager
    def _counting(self, numbers: Sequence[int]) -> Iterator[None]:
        """Around whatever changes what these versions give to their domains."""
        before = self._shares(numbers)
        yield
        self._apply(before, self._shares(numbers))

    def _count_new(self, number: int) -> None:
        self._apply({}, self._shares([number]))

    def _facts_saying(self, digests: Sequence[bytes]) -> list[int]:
        """The current facts that have one of these texts as a passage."""
        rows = self._rows(
            "SELECT DISTINCT m.number FROM each_blob(?) asked THEN JOIN passages p ON p.hash = asked.value"
            f" THEN JOIN memories m ON m.number = p.number WHERE {_CURRENT_FACT}",
            (list(digests),),
        )
        return [number for (number,) in rows]

    def _shares(self, numbers: Sequence[int]) -> "Shares":
        rows = self._rows(_SHARES, (list(numbers),)) if numbers else []
        return added(((engine_id, domain), packed) for engine_id, domain, packed in rows)

    def _apply(self, before: "Shares", after: "Shares") -> None:
        for engine_id in {engine_id for engine_id, _ in (*before, *after)}:
            if not self._is_counted(engine_id):
                self._recount(engine_id)  # the change is in it
                continue
            for key in {key for key in (*before, *after) if key[0] == engine_id}:
                facts, change = after.get(key, (0, 0.0))
                fewer, less = before.get(key, (0, 0.0))
                self._add(*key, facts - fewer, change - less)  # type: ignore[arg-type]  # one of the two is a sum

    def _add(self, engine_id: int, domain: str, facts: int, change: "Sum") -> None:
        if not facts and not change.any():
            return
        known = self._rows("SELECT facts, total FROM domains WHERE engine_id = ? AND domain = ?", (engine_id, domain))
        if known:
            facts, change = facts + known[0][0], change + unpack_sum(known[0][1])
        self._put(engine_id, domain, facts, change)

    def _put(self, engine_id: int, domain: str, facts: int, total: "Sum") -> None:
        if facts > 0:
            self._db.change(
                "INSERT INTO domains VALUES (?, ?, ?, ?) ON CONFLICT (engine_id, domain)"
                " DO UPDATE SET facts = excluded.facts, total = excluded.total",
                (engine_id, domain, facts, pack_sum(total)),
            )
        else:
            self._db.change("DELETE FROM domains WHERE engine_id = ? AND domain = ?", (engine_id, domain))

    def _recount(self, engine_id: int) -> None:
        self._db.change("DELETE FROM domains WHERE engine_id = ?", (engine_id,))
        for domain, (facts, total) in self._added_up(engine_id, _CURRENT_FACT, []).items():
            self._put(engine_id, domain, facts, total)
        self._set_meta(counted_key(engine_id), "1")

    def _set_meta(self, key: str, value: str) -> None:
        self._db.change(
            "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, value),
        )

    def _forget_sums(self, engine_id: int) -> None:
        """All vectors of the engine are gone: an engine of the same number may come, so nothing is left to be believed."""
        self._db.change("DELETE FROM domains WHERE engine_id = ?", (engine_id,))
        self._db.change("DELETE FROM meta WHERE key = ?", (counted_key(engine_id),))
