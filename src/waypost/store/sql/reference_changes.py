"""Writing what became of the code that memories point at."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from waypost.model.reference import CodeReference
from waypost.model.time import to_micros
from waypost.store.protocol import StoredVerdict
from waypost.store.sql.passages import PassageChanges
from waypost.store.sql.references import INSERT_REFERENCE, OLD_VERDICT, reference_columns
from waypost.store.sql.rows import as_json

_INHERITED = (
    "v.checkout_id, v.file_hash, v.current, v.state, v.path, v.first, v.last, v.amount, v.since, v.checked_at,"
    " v.target_hash, v.more"
)
_COLUMNS = (
    "current", "state", "path", "first", "last", "amount", "since", "checked_at", "target_hash", "more",
)  # fmt: skip
_INSERT_VERDICT = (
    f"INSERT INTO verdicts (number, place, checkout_id, file_hash, {', '.join(_COLUMNS)})"
    " VALUES (?, ?, ?, ?, TRUE, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (number, place, checkout_id, file_hash)"
    f" DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in _COLUMNS)}"
)


class ReferenceChanges(PassageChanges):
    """The part of the writer that knows where memories point."""

    def put_verdicts(self, checkout_id: str, verdicts: Iterable[StoredVerdict]) -> None:
        found = list(verdicts)
        # None is made on what was forgotten while it was looked at.
        rows = self._rows(
            "SELECT r.number, r.place, r.path FROM each_number(?) asked THEN JOIN code_refs r ON r.number = asked.value",
            (list({one.number for one in found}),),
        )
        pointed = {(number, place): path for number, place, path in rows}
        found = [one for one in found if (one.number, one.place) in pointed]
        self._db.change_many(
            "UPDATE verdicts SET current = FALSE WHERE number = ? AND place = ? AND checkout_id = ? AND current",
            [(one.number, one.place, checkout_id) for one in found],
        )
        self._db.change_many(
            _INSERT_VERDICT, [_columns(checkout_id, one, pointed[one.number, one.place]) for one in found]
        )

    def inherit_verdicts(self, old: int, new: int) -> None:
        same = " AND ".join(
            f"n.{name} IS NOT DISTINCT FROM o.{name}"
            for name in ("path", "first", "last", "hash", "git_commit", "anchor")
        )
        self._db.change(
            f"INSERT INTO verdicts SELECT n.number, n.place, {_INHERITED} FROM code_refs o"
            f" JOIN code_refs n ON n.number = ? AND {same} JOIN verdicts v ON v.number = o.number AND v.place = o.place"
            " WHERE o.number = ? ON CONFLICT DO NOTHING",
            (new, old),
        )

    def repin(self, number: int, place: int, reference: CodeReference) -> None:
        if self._rows(
            "SELECT 1 FROM code_refs WHERE number = ? AND place = ?", (number, place)
        ):  # else it was forgotten
            self._db.change("DELETE FROM code_refs WHERE number = ? AND place = ?", (number, place))
            self._db.change(INSERT_REFERENCE, (number, place, *reference_columns(reference)))
            self._db.change("DELETE FROM verdicts WHERE number = ? AND place = ?", (number, place))

    def drop_verdicts(self, before: datetime) -> int:
        return self._db.change(f"DELETE FROM verdicts AS v WHERE {OLD_VERDICT}", (to_micros(before),))


def _columns(checkout_id: str, one: StoredVerdict, pointed: str) -> tuple[Any, ...]:
    """The path that is pointed at is not repeated."""
    found = one.finding
    more = {"name": found.name, "others": list(found.others), "tree": one.tree}
    kept = {key: value for key, value in more.items() if value}
    return (
        one.number,
        one.place,
        checkout_id,
        one.file_hash,
        found.state,
        "" if found.path == pointed else found.path,
        found.lines.start if found.lines else None,
        found.lines.end if found.lines else None,
        found.amount,
        None if one.since is None else to_micros(one.since),
        to_micros(one.checked_at),
        one.target_hash or None,
        as_json(kept) if kept else None,
    )
