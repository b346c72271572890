"""Shares: what this space gives to others, and what it takes from them."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.model.time import from_micros, to_micros
from waypost.store.sql.database import TablePart
from waypost.store.sql.rows import as_json

if TYPE_CHECKING:
    from waypost.model.share import ShareRow

_COLUMNS = "role, other, name, offer_id, offer, made_at, made_by, revoked_at, revoked_by"


def share_row(row: Sequence[Any]) -> "ShareRow":
    """Convert a row of the table `shares`."""
    from waypost.model.share import Offer, ShareRow  # loaded only by those who share

    role, other, name, offer_id, offer, made_at, made_by, revoked_at, revoked_by = row
    revoked = None if revoked_at is None else from_micros(revoked_at)
    what = Offer.from_json(json.loads(offer))
    return ShareRow(role, other, name, offer_id, what, from_micros(made_at), made_by, revoked, revoked_by)


class ShareRows(TablePart):
    def all(self, role: str | None = None) -> "list[ShareRow]":
        """The halves of this space, revoked ones too, oldest first."""
        chosen, parameters = ("", ()) if role is None else (" WHERE role = ?", (role,))
        rows = self._db.lasting_rows(f"SELECT {_COLUMNS} FROM shares{chosen} ORDER BY made_at, role, other", parameters)
        return [share_row(row) for row in rows]

    def get(self, role: str, other: str) -> "ShareRow | None":
        """The half about this other space."""
        rows = self._db.rows(f"SELECT {_COLUMNS} FROM shares WHERE role = ? AND other = ?", (role, other))
        return share_row(rows[0]) if rows else None


class ShareChanges(ShareRows):
    def put(self, row: "ShareRow") -> None:
        """Add it, or replace the half with the same role and other space."""
        replaced = ", ".join(f"{name} = excluded.{name}" for name in _COLUMNS.split(", ")[2:])
        self._db.change(
            f"INSERT INTO shares ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            f" ON CONFLICT (role, other) DO UPDATE SET {replaced}",
            (
                row.role,
                row.other,
                row.name,
                row.offer_id,
                as_json(row.offer.to_json()),
                to_micros(row.made_at),
                row.made_by,
                None if row.revoked_at is None else to_micros(row.revoked_at),
                row.revoked_by,
            ),
        )
