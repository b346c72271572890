"""Writing what became of the code that memories point at."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from waypost.model.reference import CodeReference
from waypost.model.time import to_micros
from waypost.store.protocol import Verdict
from waypost.store.sqlite.passages import PassageChanges
from waypost.store.sqlite.reference_rows import INSERT_REFERENCE, OLD_VERDICT, reference_columns
from waypost.store.sqlite.rows import as_json

_INHERITED = (
    "v.checkout_id, v.file_hash, v.current, v.state, v.path, v.first, v.last, v.amount, v.since, v.checked_at,"
    " v.target_hash, v.more"
)
# None is made on what was forgotten while it was looked at. The path that is pointed at is not repeated.
_INSERT_VERDICT = (
    "INSERT OR REPLACE INTO verdicts SELECT r.number, r.place, ?3, ?4, 1, ?5, iif(?6 = r.path, '', ?6), ?7, ?8, ?9, ?10,"
    " ?11, ?12, ?13 FROM code_refs r WHERE r.number = ?1 AND r.place = ?2"
)


class ReferenceChanges(PassageChanges):
    """The part of the writer that knows where memories point."""

    def put_verdicts(self, checkout_id: str, verdicts: Iterable[Verdict]) -> None:
        found = list(verdicts)
        self._db.executemany(
            "UPDATE verdicts SET current = 0 WHERE number = ? AND place = ? AND checkout_id = ? AND current",
            [(one.number, one.place, checkout_id) for one in found],
        )
        self._db.executemany(_INSERT_VERDICT, [_columns(checkout_id, one) for one in found])

    def inherit_verdicts(self, old: int, new: int) -> None:
        same = " AND ".join(
            f"n.{name} IS o.{name}" for name in ("path", "first", "last", "hash", "git_commit", "anchor")
        )
        self._db.execute(
            f"INSERT OR IGNORE INTO verdicts SELECT n.number, n.place, {_INHERITED} FROM code_refs o"
            f" JOIN code_refs n ON n.number = ? AND {same} JOIN verdicts v ON v.number = o.number AND v.place = o.place"
            " WHERE o.number = ?",
            (new, old),
        )

    def repin(self, number: int, place: int, reference: CodeReference) -> None:
        if self._rows(
            "SELECT 1 FROM code_refs WHERE number = ? AND place = ?", (number, place)
        ):  # else it was forgotten
            self._db.execute("DELETE FROM code_refs WHERE number = ? AND place = ?", (number, place))
            self._db.execute(INSERT_REFERENCE, (number, place, *reference_columns(reference)))
            self._db.execute("DELETE FROM verdicts WHERE number = ? AND place = ?", (number, place))

    def drop_verdicts(self, before: datetime) -> int:
        changes = self._db.total_changes()
        self._db.execute(f"DELETE FROM verdicts AS v WHERE {OLD_VERDICT}", (to_micros(before),))
        return int(self._db.total_changes() - changes)


def _columns(checkout_id: str, one: Verdict) -> tuple[Any, ...]:
    found = one.finding
    more = {"name": found.name, "others": list(found.others), "tree": one.tree}
    kept = {key: value for key, value in more.items() if value}
    return (
        one.number,
        one.place,
        checkout_id,
        one.file_hash,
        found.state,
        found.path,
        found.lines.start if found.lines else None,
        found.lines.end if found.lines else None,
        found.amount,
        None if one.since is None else to_micros(one.since),
        to_micros(one.checked_at),
        one.target_hash or None,
        as_json(kept) if kept else None,
    )
