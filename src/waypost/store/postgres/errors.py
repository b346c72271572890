"""Translates errors of PostgreSQL into errors of Waypost."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict

from waypost.errors import (
    ConfigError,
    InvalidInput,
    SecurityError,
    StoreBusy,
    StoreCorrupt,
    StoreError,
    StoreFull,
    StoreReadOnly,
    StoreUnavailable,
    WaypostError,
)

_LOST_STATES = {
    "57P01",  # the server is being shut down
    "57P02",  # … after a crash
    "57P03",  # it cannot take connections yet
    "57P05",  # idle for too long
    "53300",  # too many connections: some will end
}
# Refusals before there is a session have no code, only text. If it contains one of these, no retry helps.
_REFUSALS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("permission denied for database",),
        "This role may not connect to {place}.",
        "Is it still a login of the team (`waypost team user list`, by an administrator)? `waypost team init` lets those in;"
        " another role needs GRANT CONNECT ON DATABASE.",
    ),
    (
        ("authentication failed", "no password", "is not permitted to log in"),
        "{place} refused the role or its password ({why}).",
        "Check the role in `store`, and its line HOST:PORT:DATABASE:ROLE:PASSWORD in ~/.pgpass (mode 600).",
    ),
    (
        ("pg_hba.conf",),
        "{place} does not admit this role from here ({why}).",
        'Ask its administrator for a line in pg_hba.conf. Where it says "no encryption", the server wants TLS: add'
        " sslmode=verify-full to `store`.",
    ),
    (
        ("support SSL", "certificate", "sslmode", "alert"),
        "No secure connection to {place} ({why}).",
        "Check sslmode and sslrootcert in `store` (a file, or `system` for the system's authorities). Check the name in the"
        " server's certificate.",
    ),
    (
        ("does not exist",),
        "{place} or the role does not exist ({why}).",
        "Create what is missing, or name another in `store`.",
    ),
    (
        ("invalid integer value", "invalid port number", "invalid value for"),
        "The address of {place} cannot be used ({why}).",
        "Correct it in `store`.",
    ),
)
_PREFIXES = re.compile(
    r"(?:connection failed: |connection is bad: )*"
    r"(?:connection to server (?:at \"[^\"]{0,300}\"(?: \([^)]{0,100}\))?, (?P<port>port \d+)|on socket \"[^\"]{0,300}\") failed: )?"
    r"(?:FATAL: +)?"
)

_Sorts = tuple[type[psycopg.Error], ...]
_WORDS: tuple[tuple[_Sorts, type[WaypostError], str, str], ...] = (
    (
        (errors.LockNotAvailable,),
        StoreBusy,
        "Another process has written to this memory in {place} for too long.",
        "Wait for it to finish and repeat; nothing was lost. busy_timeout_seconds in config.toml sets the limit.",
    ),
    (
        (errors.DeadlockDetected, errors.SerializationFailure),
        StoreUnavailable,
        "{place} rolled back a change that conflicted with another ({why}).",
        "Repeat it; nothing was stored.",
    ),
    (
        (errors.QueryCanceled,),
        StoreBusy,
        "A statement took too long in {place}.",
        "Repeat when it has less to do; statement_timeout_seconds in config.toml sets the limit.",
    ),
    (
        (errors.OutOfMemory, errors.ConfigurationLimitExceeded),
        StoreUnavailable,
        "{place} has not enough resources for this ({why}).",
        "Nothing was stored. Repeat when the server has less to do; its administrator sets the limits.",
    ),
    (
        (errors.SystemError, errors.IoError, errors.UndefinedFile),
        StoreError,
        "{place} failed ({why}).",
        "Nothing was stored. Ask its administrator: the server's log says more, and its disk may be failing.",
    ),
    (
        (errors.DiskFull,),
        StoreFull,
        "No room left on the disk of {place}.",
        "Free some space and repeat; what was stored before is safe.",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreReadOnly,
        "{place} is read-only.",
        "Is it a standby? Name the primary server in `store`.",
    ),
    (
        (errors.UndefinedTable, errors.InvalidSchemaName),
        SecurityError,
        "This memory in {place} does not exist, or this database role has no access ({why}).",
        "Ask an owner of it for a role: waypost team member add.",
    ),
    (
        (errors.InvalidPassword, errors.InvalidAuthorizationSpecification),
        ConfigError,
        "{place} refused the role or its password ({why}).",
        "Check the role in `store`, and its line HOST:PORT:DATABASE:ROLE:PASSWORD in ~/.pgpass (mode 600).",
    ),
    (
        (errors.InvalidCatalogName,),
        ConfigError,
        "{place} does not exist.",
        "Create it, or name another in `store`.",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StoreCorrupt,
        "{place} is damaged ({why}).",
        "Restore it from a backup.",
    ),
    (
        (psycopg.DataError, errors.ProgramLimitExceeded),  # also values too long for an index
        InvalidInput,
        "{place} cannot store this: {why}.",
        "Remove what is named, and repeat.",
    ),
)


def is_lost(error: BaseException) -> bool:
    """Whether the connection is broken, or cannot be made now: a retry may succeed."""
    if isinstance(error, (errors.IdleInTransactionSessionTimeout, errors.TransactionTimeout)):
        return True
    if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return False
    state = error.sqlstate
    if state is None:
        # From the network, or from before there was a session: the server's own refusals have only text.
        return _refusal(error) is None
    return state in _LOST_STATES or state.startswith("08")


def without_password(dsn: str) -> str:
    """How messages name a database: server and name, nothing secret."""
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        return "the PostgreSQL database"
    host = str(parts.get("host") or "localhost")
    name = str(parts.get("dbname") or parts.get("user") or "")
    return f"PostgreSQL database {name!r} on {'this machine' if host.startswith('/') else host}"


@contextmanager
def translated_errors(place: str) -> Iterator[None]:
    """Turn errors of PostgreSQL into errors that say what to do."""
    try:
        yield
    except psycopg.Error as error:
        raise translated(error, place) from error


def translated(error: psycopg.Error, place: str) -> Exception:
    if isinstance(error, errors.InsufficientPrivilege):
        return _not_allowed(error, place)
    for sorts, raised, what, remedy in _WORDS:
        if isinstance(error, sorts):
            return raised(what.format(place=place, why=_first_line(error)), remedy)
    if is_lost(error):
        return StoreUnavailable(
            f"{place} cannot be reached ({_first_line(error)}).",
            "Unfinished changes were not stored. Start the server or check the network, and repeat.",
        )
    if isinstance(error, psycopg.OperationalError):
        what, remedy = _refusal(error) or ("{place} refused the connection ({why}).", "Check `store`.")
        return ConfigError(what.format(place=place, why=_first_line(error)), remedy)
    if isinstance(error, psycopg.ProgrammingError) and "URI" in str(error):
        # Not quoted: what is no option may be part of a password.
        return ConfigError(
            "The options after the ? in the address of the database cannot be read.",
            "Write NAME=VALUE of options that libpq knows, with & between them.",
        )
    return StoreError(f"{place} reported an error ({_first_line(error)}).", "Run `waypost doctor`; nothing was stored.")


def _refusal(error: BaseException) -> tuple[str, str] | None:
    """Message and remedy if a connection was refused for good."""
    said = str(error)
    return next(((what, remedy) for some, what, remedy in _REFUSALS if any(word in said for word in some)), None)


def _not_allowed(error: psycopg.Error, place: str) -> SecurityError:
    """The error for missing rights on a memory, on a table in it, or on the database."""
    said = _first_line(error)
    if not said.startswith(("permission denied", "new row violates row-level security", "must be owner")):
        return SecurityError(f"{said}.", "Ask an owner of the memory, or an administrator of the database.")
    if said.startswith("permission denied for schema"):
        return SecurityError(
            f"You are not a member of this memory in {place}.",
            "Ask one of its owners to add you: waypost team member add USER ROLE.",
        )
    if said.startswith(("permission denied for database", "permission denied to")):
        return SecurityError(f"This role may not do that in {place} ({said}).", "Ask the owner of the named object.")
    return SecurityError(
        f"Your role in this memory does not allow that ({said}).",
        "Ask one of its owners for another: waypost team member role USER writer. `waypost team space list` shows yours.",
    )


def _first_line(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    if not lines:
        return type(error).__name__
    begin = _PREFIXES.match(lines[0])
    port = f"{begin['port']}: " if begin and begin["port"] else ""
    return port + lines[0][begin.end() if begin else 0 :].strip().rstrip(".")
