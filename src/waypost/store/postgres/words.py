"""What PostgreSQL reports, in our own words."""

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
_REFUSALS = ("authentication failed", "does not exist", "no password", "pg_hba.conf", "permission denied")

_Sorts = tuple[type[psycopg.Error], ...]
_WORDS: tuple[tuple[_Sorts, type[WaypostError], str, str], ...] = (
    (
        (errors.LockNotAvailable,),
        StoreBusy,
        "Another process has written to this memory in {shown} for too long.",
        "Wait for it to finish and repeat; nothing was lost. busy_timeout_seconds in config.toml sets the patience.",
    ),
    (
        (errors.DeadlockDetected, errors.SerializationFailure),
        StoreUnavailable,
        "{shown} took a change back because another was in its way ({why}).",
        "Repeat it; nothing of it was stored.",
    ),
    (
        (errors.QueryCanceled,),
        StoreBusy,
        "{shown} took longer for a statement than it may.",
        "Repeat when it has less to do; statement_timeout_seconds in config.toml sets the limit.",
    ),
    (
        (errors.DiskFull,),
        StoreFull,
        "No room left on the disk of {shown}.",
        "Free some space and repeat; what was stored before is safe.",
    ),
    (
        (errors.ReadOnlySqlTransaction,),
        StoreReadOnly,
        "{shown} takes no writes.",
        "Is it a standby? Name the primary server in `store`.",
    ),
    (
        (errors.InsufficientPrivilege,),
        SecurityError,
        "The database role has no right to do this in {shown} ({why}).",
        "Ask an owner of this memory for a role in it: waypost team member add.",
    ),
    (
        (errors.UndefinedTable, errors.InvalidSchemaName),
        SecurityError,
        "This memory in {shown} is not there, or not for this database role ({why}).",
        "Ask an owner of it for a role: waypost team member add.",
    ),
    (
        (errors.InvalidPassword, errors.InvalidAuthorizationSpecification),
        ConfigError,
        "{shown} refused the role or its password.",
        "Check `store` and ~/.pgpass.",
    ),
    (
        (errors.InvalidCatalogName,),
        ConfigError,
        "There is no {shown}.",
        "Create it, or name another in `store`.",
    ),
    (
        (errors.DataCorrupted, errors.IndexCorrupted),
        StoreCorrupt,
        "{shown} is damaged ({why}).",
        "Restore it from a backup.",
    ),
    (
        (psycopg.DataError, errors.ProgramLimitExceeded),  # also what is too long for an index
        InvalidInput,
        "{shown} cannot hold this: {why}.",
        "Remove what is named, and repeat.",
    ),
)


def is_lost(error: BaseException) -> bool:
    """Whether the connection is gone, or could not be made for now: another attempt may succeed."""
    if not isinstance(error, (psycopg.OperationalError, psycopg.InterfaceError)):
        return False
    state = error.sqlstate
    if state is None:
        # From the network, or told before there was a session: the server's own refusals come in words only.
        return not any(word in str(error) for word in _REFUSALS)
    return state in _LOST_STATES or state.startswith("08")


def without_password(dsn: str) -> str:
    """How a database is named in messages: server and name, nothing secret."""
    try:
        parts = conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        return "the PostgreSQL database"
    host = str(parts.get("host") or "localhost")
    name = str(parts.get("dbname") or parts.get("user") or "")
    return f"PostgreSQL database {name!r} on {'this machine' if host.startswith('/') else host}"


@contextmanager
def in_our_words(shown: str) -> Iterator[None]:
    """Turn what PostgreSQL reports into an error that says what to do."""
    try:
        yield
    except psycopg.Error as error:
        raise told(error, shown) from error


def told(error: psycopg.Error, shown: str) -> Exception:
    for sorts, raised, what, remedy in _WORDS:
        if isinstance(error, sorts):
            return raised(what.format(shown=shown, why=_first_line(error)), remedy)
    if is_lost(error):
        return StoreUnavailable(
            f"{shown} cannot be reached ({_first_line(error)}).",
            "Nothing of what was under way was stored. Start the server or check the network, and repeat.",
        )
    if isinstance(error, psycopg.OperationalError):
        return ConfigError(f"{shown} refused the connection ({_first_line(error)}).", "Check `store`.")
    return StoreError(f"{shown} reported an error ({_first_line(error)}).", "Run `waypost doctor`; nothing was stored.")


def _first_line(error: psycopg.Error) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].strip().rstrip(".") if lines else type(error).__name__
