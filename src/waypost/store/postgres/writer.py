"""Writing: inside one transaction, behind the lock of the space."""

from waypost.model.time import to_micros
from waypost.store.postgres.search_changes import SearchChanges
from waypost.store.protocol import AuditEntry
from waypost.store.sql.rows import as_json
from waypost.store.sql.writer import SqlWriter

# Who of the team it was is known by the database; what they used is said by us. A server has named both already.
_ACTOR = (
    "(SELECT CASE WHEN who IS NULL OR said = who OR starts_with(said, who || '/') THEN said ELSE who || '/' || said END"
    " FROM (SELECT waypost.acting_user() AS who, CAST(? AS text) AS said) told)"
)


class PostgresWriter(SqlWriter, SearchChanges):
    """All that is written."""

    def add_audit(self, entry: AuditEntry) -> None:
        """With the user in front, where it is one of a team: `ann/command line`."""
        self._db.change(
            "INSERT INTO audit (at, action, memory_id, source, actor, details)"
            f" VALUES (?, ?, ?, ?, {_ACTOR}, CAST(? AS json))",
            (
                to_micros(entry.at),
                entry.action,
                entry.memory_id,
                entry.source,
                entry.actor,
                as_json(dict(entry.details)),
            ),
        )
