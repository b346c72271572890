"""The shared schema `waypost`: spaces, their members and rights; and its migrations.

A migration is a name and its statements. Missing ones run in order, in one transaction with their records, in one
process at a time. A released migration is never edited.
"""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from waypost.errors import ForeignFile, SchemaTooNew, StoreError
from waypost.store.postgres.directory.erasing import ERASING
from waypost.store.postgres.directory.execute import lock_directory, run
from waypost.store.postgres.directory.functions import CHANGES, PRINCIPAL, TOKENS
from waypost.store.postgres.directory.groups import GROUPS
from waypost.store.postgres.directory.policies import POLICIES
from waypost.store.postgres.directory.shares import SHARES

if TYPE_CHECKING:
    from psycopg import Connection

USER_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
TOKEN_PATTERN = "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$"  # noqa: S105  the form of a name

_SET_UP = "Let an administrator of the database run `waypost team init`."

_GROUND = f"""
CREATE TABLE waypost.settings (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE waypost.secrets (name text PRIMARY KEY, value bytea NOT NULL);

CREATE TABLE waypost.spaces (
    space_id text PRIMARY KEY CHECK (space_id ~ '^[0-9a-f]{{16}}$'),
    kind text NOT NULL CHECK (kind IN ('project', 'person')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 500),
    source text NOT NULL,  -- what the id was computed from
    origin text,
    created timestamptz NOT NULL,
    model text NOT NULL DEFAULT '',
    schema_version integer NOT NULL DEFAULT 0,
    extra jsonb NOT NULL DEFAULT '{{}}'
);

CREATE TABLE waypost.users (
    name text PRIMARY KEY CHECK (name ~ '{USER_PATTERN}'),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL,
    disabled_at timestamptz
);
CREATE TABLE waypost.logins (  -- the database roles that a user's machines log in with
    database_role text PRIMARY KEY,
    user_name text NOT NULL REFERENCES waypost.users (name),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL
);
CREATE INDEX logins_by_user ON waypost.logins (user_name);
CREATE TABLE waypost.servers (database_role text PRIMARY KEY);  -- these, and no others, say for whom they act

CREATE TABLE waypost.members (
    space_id text NOT NULL REFERENCES waypost.spaces (space_id) ON DELETE CASCADE,
    user_name text NOT NULL REFERENCES waypost.users (name),
    role text NOT NULL CHECK (role IN ('owner', 'writer', 'reader')),
    added_at timestamptz NOT NULL DEFAULT now(),
    added_by text NOT NULL,
    PRIMARY KEY (user_name, space_id)
);
CREATE INDEX members_by_space ON waypost.members (space_id);

CREATE TABLE waypost.tokens (  -- never the token
    digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{{64}}$'),
    user_name text NOT NULL REFERENCES waypost.users (name),
    name text NOT NULL CHECK (name ~ '{TOKEN_PATTERN}'),
    kind text NOT NULL CHECK (kind IN ('person', 'agent')),
    rights text NOT NULL CHECK (rights IN ('read', 'write')),
    space_id text REFERENCES waypost.spaces (space_id) ON DELETE CASCADE,  -- empty: every one of the user's
    created timestamptz NOT NULL DEFAULT now(),
    expires timestamptz,
    revoked_at timestamptz
);
CREATE UNIQUE INDEX tokens_by_name ON waypost.tokens (user_name, name) WHERE revoked_at IS NULL;
CREATE UNIQUE INDEX tokens_by_key ON waypost.tokens (left(digest, 16));

CREATE TABLE waypost.sessions (  -- of people who have signed in to a server
    digest text PRIMARY KEY CHECK (digest ~ '^[0-9a-f]{{64}}$'),
    holder text NOT NULL CHECK (holder ~ '^[0-9a-f]{{16}}$'),
    began timestamptz NOT NULL,
    seen timestamptz NOT NULL
);
CREATE TABLE waypost.replies (  -- to writes with an idempotency key: hashes, ids, statuses and numbers, never words
    key bytea PRIMARY KEY,
    caller bytea NOT NULL,
    request bytea NOT NULL,
    at timestamptz NOT NULL,
    held_until timestamptz NOT NULL,  -- a server is at it; after that nobody knows whether it was done
    status integer,
    body text,
    headers text
);
CREATE INDEX replies_by_caller ON waypost.replies (caller, at);
CREATE INDEX replies_by_age ON waypost.replies (at);

CREATE TABLE waypost.audit (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    actor text NOT NULL,
    action text NOT NULL,
    space_id text,
    subject text NOT NULL,
    details jsonb NOT NULL DEFAULT '{{}}'
);
CREATE INDEX audit_by_space ON waypost.audit (space_id);

CREATE FUNCTION waypost.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON waypost.audit
    FOR EACH STATEMENT EXECUTE FUNCTION waypost.refuse_change();
"""

MIGRATIONS: Mapping[str, str] = MappingProxyType(
    {
        "0001_ground": _GROUND,
        "0002_functions": PRINCIPAL + CHANGES + GROUPS + ERASING + TOKENS,
        "0003_policies": POLICIES,
        "0004_shares": SHARES,
    }
)


def migrate_directory(connection: "Connection[Any]", now: datetime) -> bool:
    """Bring the shared schema to this version, and return whether it changed. Several processes may start at once.

    Raises SchemaTooNew after a later version, and StoreError if an administrator has to do it.
    """
    if not missing_migrations(connection):
        return False
    with connection.transaction():
        lock_directory(connection)
        missing = missing_migrations(connection)  # again, under the lock
        if missing and not _is_ours_to_change(connection):
            raise StoreError(
                f"The directory of this database lacks {missing[0]}, and this role may not change it.",
                _SET_UP,
            )
        if missing == list(MIGRATIONS):
            _make_ground(connection)
        for name in missing:
            run(connection, MIGRATIONS[name])
            run(connection, "INSERT INTO waypost.migrations VALUES (%s, %s)", (name, now))
        # PostgreSQL lets everybody call a new function; `roles` grants the rights.
        run(connection, "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA waypost FROM PUBLIC")
    return bool(missing)


def check_directory(connection: "Connection[Any]") -> None:
    """Raises StoreError if the shared schema is outdated, and names who has to do what."""
    if missing_migrations(connection):
        raise StoreError("The directory of this database is not set up, or older than this Waypost.", _SET_UP)


def missing_migrations(connection: "Connection[Any]") -> list[str]:
    """Migrations that the database lacks, in order. Raises SchemaTooNew if it has one that this version does not know."""
    with connection.transaction():
        there = run(
            connection,
            "SELECT c.oid IS NOT NULL FROM pg_namespace n"
            " LEFT JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = 'migrations' WHERE n.nspname = 'waypost'",
        ).fetchone()
        if there is None:
            return list(MIGRATIONS)
        if not there[0]:
            raise ForeignFile(
                "The database has a schema `waypost` that is not ours.", "Rename it, or give Waypost another database."
            )
        rows = run(connection, "SELECT name FROM waypost.migrations ORDER BY name").fetchall()
    applied = [name for (name,) in rows]
    if later := [name for name in applied if name not in MIGRATIONS]:
        raise SchemaTooNew(
            f"The database was written by a later version of Waypost (its directory has {later[0]}).",
            "Upgrade Waypost; this version leaves the database untouched.",
        )
    return [name for name in MIGRATIONS if name not in applied]


def _is_ours_to_change(connection: "Connection[Any]") -> bool:
    row = run(
        connection,
        "SELECT coalesce((SELECT pg_has_role(nspowner, 'USAGE') FROM pg_namespace WHERE nspname = 'waypost'),"
        " has_database_privilege(current_database(), 'CREATE'))",
    ).fetchone()
    return bool(row and row[0])


def _make_ground(connection: "Connection[Any]") -> None:
    run(
        connection,
        "CREATE SCHEMA waypost;CREATE TABLE waypost.migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL)",
    )
