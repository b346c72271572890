"""What guests see: the readers of another memory that accepted an offer of this one.

The policies are for the guests' group only, so members do not pay for them. They ask the directory for the current
offer, so revoking a share takes effect at once. Guests see neither memories that are not offered nor what belongs to
them. They never see the journal, candidates or the audit log.
"""

from collections.abc import Iterator

from waypost.model.kinds import CODE_COLLECTIONS, SCOPES
from waypost.store.postgres.roles import RoleNames, checked_space, schema_of
from waypost.store.sql.meta import MOVED, UNFINISHED


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


_OFFERED = f"""superseded_at IS NULL AND EXISTS (
    SELECT FROM waypost.offered('{{space}}') o WHERE CASE
        WHEN collection IN ({_quoted(SCOPES["facts"])}) THEN (o.kinds IS NULL OR kind = ANY (o.kinds))
            AND (o.domains IS NULL OR domain = ANY (o.domains)) AND (o.levels IS NULL OR level = ANY (o.levels))
        ELSE o.code AND collection IN ({_quoted(CODE_COLLECTIONS)}) END
)"""
_OF_VERSION = "EXISTS (SELECT FROM {schema}.memories m WHERE m.number = {table}.number)"
_OF_MEMORY = "EXISTS (SELECT FROM {schema}.memories m WHERE m.memory_id = {table}.memory_id)"
_ANY = "EXISTS (SELECT FROM waypost.offered('{space}'))"
# Which rows of a table, in SQL; other tables are closed.
_ROWS = {
    "memories": _OFFERED,
    "states": _OF_MEMORY,
    "code_refs": _OF_VERSION,
    "verdicts": _OF_VERSION,
    "passages": _OF_VERSION,
    "vectors": "EXISTS (SELECT FROM {schema}.passages p WHERE p.hash = vectors.hash)",
    "files": "EXISTS (SELECT FROM waypost.offered('{space}') o WHERE o.code)",
    "shares": "role = 'gives' AND other = ANY ((SELECT waypost.my_spaces())::text[])",
    "meta": f"key IN ('{MOVED}', '{UNFINISHED}')",
    "checkouts": _ANY,
    "engines": _ANY,
    "vector_counts": _ANY,
    "keywords_terms": _ANY,
    "keywords_totals": _ANY,
    "code_keywords_terms": _ANY,
    "code_keywords_totals": _ANY,
    # No condition on tables that are searched through a GIN index (see `security`): hashes of words, and numbers.
    "keywords": "true",
    "code_keywords": "true",
}
_COLUMNS = {"checkouts": " (checkout_id, first_seen)"}  # not the path on a machine
_READ_BY_ALL = frozenset({"migrations"})  # has a policy for everybody


def guest_policies(space_id: str, table: str, names: RoleNames) -> Iterator[tuple[str, str]]:
    """Name and statement of the policy for guests on a table."""
    rows = _ROWS.get(table)
    if rows is not None:
        schema = schema_of(space_id)
        condition = rows.format(space=checked_space(space_id), schema=schema, table=table)
        yield (
            "guests",
            f"CREATE POLICY guests ON {schema}.{table} FOR SELECT TO {names.guests(space_id)} USING ({condition})",
        )


def guest_grants(space_id: str, tables: list[str], names: RoleNames) -> Iterator[str]:
    schema, guests = schema_of(space_id), names.guests(space_id)
    yield f"GRANT USAGE ON SCHEMA {schema} TO {guests}"
    for table in tables:
        if table in _ROWS or table in _READ_BY_ALL:
            yield f"GRANT SELECT{_COLUMNS.get(table, '')} ON {schema}.{table} TO {guests}"
