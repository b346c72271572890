"""Access rights to the tables of a space: grants to its groups, and row-level security as the second line.

Grants say what a group may do. Policies ask the directory, once per statement, whether the acting user is a member.
They still protect if a grant is wrong, or if a server chose the wrong group. They do not bind the owner of the
tables, the administrator who migrates and backs up.
"""

from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from waypost.errors import SecurityError
from waypost.store.postgres.directory.execute import run
from waypost.store.postgres.guests import guest_grants, guest_policies
from waypost.store.postgres.roles import Role, RoleNames, checked_space, schema_of

if TYPE_CHECKING:
    from psycopg import Connection

APPEND_ONLY = frozenset({"audit"})
_NOT_WRITTEN = frozenset({"migrations"})  # names of versions, which a server reads before it acts for anyone
# Keyword indexes contain hashes of words, and numbers. Under row-level security PostgreSQL uses no GIN index, because its
# operators are not leakproof. So these tables are bound to the space's group only. Hits are joined with tables that ask
# the directory.
SEARCHED = frozenset({"keywords", "code_keywords"})
# Tables of a schema, by an index: a search by name would read the tables of all memories.
_INSIDE = (
    "(SELECT d.objid FROM pg_depend d WHERE d.refclassid = 'pg_namespace'::regclass AND d.classid = 'pg_class'::regclass"
    " AND d.refobjid = (SELECT n.oid FROM pg_namespace n WHERE n.nspname = %s)) d"
)
_SHARED, _LIFETIMES = "shares", "states"
MAINTAIN_FROM = 170_000  # PostgreSQL 17: the right to VACUUM tables of another owner
_ERASED = "memories"  # only an owner erases these; a writer removes what came from files, and what has expired


@dataclass(frozen=True, slots=True)
class Principal:
    """The user that a token identifies, with the rights of the token."""

    user: str
    kind: Literal["person", "agent"]
    rights: Literal["read", "write"]
    roles: Mapping[str, Role]

    def acting(self, space_id: str) -> "Acting":
        """Raises SecurityError for a space that the token does not open."""
        role = self.roles.get(space_id)
        if role is None:
            raise SecurityError("This token is for another memory.", "Ask one of its owners to add you.")
        return Acting(self.user, "reader" if self.rights == "read" else role, self.kind)


# The user whom the server serves now. Threads that work for a request inherit it.
PRINCIPAL: ContextVar[Principal | None] = ContextVar("waypost_principal", default=None)


@dataclass(frozen=True, slots=True)
class Acting:
    """The user for whom a server runs a transaction, with the rights of their token."""

    user: str
    role: Role  # of the user in the space, or less
    kind: Literal["person", "agent"] = "agent"

    @property
    def rights(self) -> str:
        return "read" if self.role == "reader" else "write"


def act(connection: "Connection[Any]", names: RoleNames, space_id: str, acting: Acting) -> None:
    """Until the end of the transaction, act as this user with the rights of their group in the space.

    Only a server's login gains anything by it. Raises SecurityError if the space has no such group.
    """
    from psycopg import errors

    try:
        run(
            connection,
            "SELECT set_config('waypost.user', %s, true), set_config('waypost.kind', %s, true),"
            " set_config('waypost.rights', %s, true), set_config('role', %s, true)",
            (acting.user, acting.kind, acting.rights, names.group(space_id, acting.role)),
        )
    except (errors.InvalidParameterValue, errors.InsufficientPrivilege) as error:
        raise SecurityError(
            f"This login cannot act in the memory {space_id}.", "Let an administrator run `waypost team init`."
        ) from error


def act_in_directory(connection: "Connection[Any]", acting: Acting) -> None:
    """As `act`, for the directory, which belongs to no single space."""
    run(
        connection,
        "SELECT set_config('waypost.user', %s, true), set_config('waypost.kind', %s, true),"
        " set_config('waypost.rights', %s, true)",
        (acting.user, acting.kind, acting.rights),
    )


def protect_space(connection: "Connection[Any]", space_id: str, names: RoleNames | None) -> int:
    """Create the policies of the tables of a space, and grant its groups (if any) their rights.

    Run it in the same transaction after every migration of the space. Returns how many statements were needed.
    """
    schema = schema_of(space_id)
    tables = _tables(connection, schema)
    statements = [*_policies(connection, schema, space_id, tables, names)]
    if names is None or not _is_granted(connection, schema, space_id, names):
        statements += _functions(connection, schema, space_id, names)
        if names is not None:
            table_names = [table for table, _ in tables]
            statements += [*_grants(schema, space_id, table_names, names), *guest_grants(space_id, table_names, names)]
            if connection.info.server_version >= MAINTAIN_FROM:  # so that owners can free the space of what they erased
                granted_to = names.group(space_id, "owner")
                statements.append(f"GRANT MAINTAIN ON ALL TABLES IN SCHEMA {schema} TO {granted_to}")
    if statements:
        run(connection, ";\n".join(statements))
    run(connection, "SELECT waypost.grant_all_guests(%s)", (space_id,))
    return len(statements)


def _tables(connection: "Connection[Any]", schema: str) -> list[tuple[str, bool]]:
    """The tables, and whether row-level security is on."""
    return run(
        connection,
        f"SELECT c.relname, c.relrowsecurity FROM {_INSIDE} JOIN pg_class c ON c.oid = d.objid"
        " WHERE c.relkind IN ('r', 'p') ORDER BY c.relname",
        (schema,),
    ).fetchall()


def _policies(
    connection: "Connection[Any]", schema: str, space_id: str, tables: list[tuple[str, bool]], names: RoleNames | None
) -> Iterator[str]:
    there = set(
        run(
            connection,
            f"SELECT c.relname, p.polname FROM {_INSIDE} JOIN pg_class c ON c.oid = d.objid"
            " JOIN pg_policy p ON p.polrelid = c.oid",
            (schema,),
        ).fetchall()
    )
    for table, is_on in tables:
        for name, statement in _policies_of(schema, table, space_id, names):
            if (table, name) not in there:
                yield statement
        if not is_on:
            yield f"ALTER TABLE {schema}.{table} ENABLE ROW LEVEL SECURITY"
            yield from _triggers(schema, table)


def _policies_of(schema: str, table: str, space_id: str, names: RoleNames | None) -> Iterator[tuple[str, str]]:
    def asks(right: str) -> str:
        """In a sub-select, so that PostgreSQL asks once per statement, not for each row."""
        return f"(SELECT waypost.may_{right}('{checked_space(space_id)}'))"

    on = f"ON {schema}.{table}"
    if names is not None:
        yield from guest_policies(space_id, table, names)
    # One policy for reading and one for everything: every memory has its own, so fewer are better.
    if table in SEARCHED:
        if names is not None:
            reader, writer = names.group(space_id, "reader"), names.group(space_id, "writer")
            yield "reads", f"CREATE POLICY reads {on} FOR SELECT TO {reader} USING (true)"
            yield "writes", f"CREATE POLICY writes {on} TO {writer} USING ({asks('write')})"
        return
    if table in _NOT_WRITTEN:
        yield "reads", f"CREATE POLICY reads {on} FOR SELECT USING (true)"
        return
    yield "reads", f"CREATE POLICY reads {on} FOR SELECT USING ({asks('read')})"
    if table in APPEND_ONLY:
        yield "adds", f"CREATE POLICY adds {on} FOR INSERT WITH CHECK ({asks('write')})"
    else:
        yield "writes", f"CREATE POLICY writes {on} USING ({asks('write')})"


def _is_granted(connection: "Connection[Any]", schema: str, space_id: str, names: RoleNames) -> bool:
    """Whether the groups have all their rights. Granting them again would write the catalogue each time."""
    reader, writer = names.group(space_id, "reader"), names.group(space_id, "writer")
    kept_up = (
        "has_table_privilege(%(owner)s, c.oid, 'MAINTAIN')"
        if connection.info.server_version >= MAINTAIN_FROM
        else "true"
    )
    rows = run(
        connection,
        "SELECT has_schema_privilege(%(server)s, n.oid, 'USAGE') AND has_schema_privilege(%(reader)s, n.oid, 'USAGE')"
        " AND has_schema_privilege(%(guests)s, n.oid, 'USAGE')"
        " AND NOT EXISTS (SELECT FROM pg_depend d JOIN pg_class c ON c.oid = d.objid WHERE d.refobjid = n.oid AND"
        " d.refclassid = 'pg_namespace'::regclass AND d.classid = 'pg_class'::regclass AND CASE"
        " WHEN c.relkind = 'S' THEN NOT has_sequence_privilege(%(writer)s, c.oid, 'UPDATE')"
        " WHEN c.relkind IN ('r', 'p') THEN NOT (has_table_privilege(%(reader)s, c.oid, 'SELECT') AND "
        f"{kept_up} AND (c.relname = ANY(%(kept)s) OR has_table_privilege(%(writer)s, c.oid, 'DELETE'))) ELSE false END)"
        " AND NOT EXISTS (SELECT FROM pg_proc p WHERE p.pronamespace = n.oid AND"
        " (has_function_privilege('public', p.oid, 'EXECUTE') OR NOT has_function_privilege(%(writer)s, p.oid, 'EXECUTE')))"
        " FROM pg_namespace n WHERE n.nspname = %(schema)s",
        {
            "reader": reader, "writer": writer, "server": names.server, "schema": schema,
            "owner": names.group(space_id, "owner"), "guests": names.guests(space_id),
            "kept": [*APPEND_ONLY, *_NOT_WRITTEN],
        },
    ).fetchall()  # fmt: skip
    return bool(rows and rows[0][0])


def _functions(connection: "Connection[Any]", schema: str, space_id: str, names: RoleNames | None) -> Iterator[str]:
    """Functions that run as their owner are for writers, and must not find a caller's temporary table first."""
    rows = run(
        connection,
        "SELECT p.oid::regprocedure::text, p.prosecdef, (SELECT quote_ident(v.nspname) FROM pg_extension e"
        " JOIN pg_namespace v ON v.oid = e.extnamespace WHERE e.extname = 'vector') FROM pg_proc p"
        " JOIN pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = %s ORDER BY p.oid",
        (schema,),
    ).fetchall()
    for signature, is_owners, vectors in rows:
        yield f"REVOKE ALL ON FUNCTION {signature} FROM PUBLIC"
        if names is not None:
            role = names.group(space_id, "writer" if is_owners else "reader")
            yield f"GRANT EXECUTE ON FUNCTION {signature} TO {role}"
        if is_owners:
            path = ", ".join(["pg_catalog", schema, *([vectors] if vectors else []), "pg_temp"])
            yield f"ALTER FUNCTION {signature} SET search_path = {path}"


def _triggers(schema: str, table: str) -> Iterator[str]:
    """Triggers for what has to raise an error: a policy would silently skip the rows."""
    if table in APPEND_ONLY:
        yield (
            f"CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.{table}"
            " FOR EACH STATEMENT EXECUTE FUNCTION waypost.refuse_change()"
        )
    if table == _SHARED:
        yield (
            f"CREATE TRIGGER told_to_the_team AFTER INSERT OR UPDATE OR DELETE ON {schema}.{table}"
            " FOR EACH ROW EXECUTE FUNCTION waypost.keep_half()"
        )
    if table == _LIFETIMES:
        yield (
            f"CREATE TRIGGER owners_let_expire BEFORE INSERT OR UPDATE ON {schema}.{table}"
            " FOR EACH ROW WHEN (NEW.on_expire = 'delete') EXECUTE FUNCTION waypost.check_lifetime()"
        )
    if table == _ERASED:
        yield (
            f"CREATE TRIGGER owners_forget BEFORE DELETE ON {schema}.{table}"
            " FOR EACH ROW WHEN (OLD.checkout_id IS NULL) EXECUTE FUNCTION waypost.check_erase()"
        )
        yield (
            f"CREATE TRIGGER words_stay BEFORE UPDATE ON {schema}.{table}"
            " FOR EACH ROW WHEN (OLD.checkout_id IS NULL) EXECUTE FUNCTION waypost.check_change()"
        )


def _grants(schema: str, space_id: str, tables: list[str], names: RoleNames) -> Iterator[str]:
    reader, writer = names.group(space_id, "reader"), names.group(space_id, "writer")
    yield f"REVOKE ALL ON SCHEMA {schema} FROM PUBLIC"
    yield f"REVOKE ALL ON ALL TABLES IN SCHEMA {schema} FROM PUBLIC"
    yield f"GRANT USAGE ON SCHEMA {schema} TO {reader}, {names.server}"
    yield f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {reader}"
    yield f"GRANT USAGE, UPDATE ON ALL SEQUENCES IN SCHEMA {schema} TO {writer}"  # numbers are reserved in batches
    for table in _NOT_WRITTEN.intersection(tables):
        yield f"GRANT SELECT ON {schema}.{table} TO {names.server}"
    added = [table for table in tables if table not in _NOT_WRITTEN]
    changed = [table for table in added if table not in APPEND_ONLY]
    if added:
        yield f"GRANT INSERT ON {_qualified(schema, added)} TO {writer}"
    if changed:
        yield f"GRANT UPDATE, DELETE ON {_qualified(schema, changed)} TO {writer}"


def _qualified(schema: str, tables: list[str]) -> str:
    return ", ".join(f"{schema}.{table}" for table in tables)
