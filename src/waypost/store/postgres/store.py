"""The PostgreSQL store of one space: a schema of its own in a database that many spaces, machines and servers share."""

import threading
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import psycopg

from waypost.errors import SecurityError, StoreBusy, StoreUnavailable, WaypostError
from waypost.model.memory import StoredSpace
from waypost.model.time import Clock, utc_now
from waypost.store.postgres.connection import ServerConnection, ServerPool, connections
from waypost.store.postgres.creation import check_known_or_admin
from waypost.store.postgres.database import PostgresDatabase
from waypost.store.postgres.directory.directory import Directory
from waypost.store.postgres.directory.rows import ShareHalf
from waypost.store.postgres.directory.schema import migrate_directory
from waypost.store.postgres.errors import is_lost
from waypost.store.postgres.maintenance import TableMaintenance
from waypost.store.postgres.roles import RoleNames, known_names, schema_of
from waypost.store.postgres.schema import MIGRATIONS, check_server, migrate, missing
from waypost.store.postgres.search.vector_samples import Samples
from waypost.store.postgres.security import PRINCIPAL, Acting, Principal, act, act_in_directory, protect_space
from waypost.store.postgres.transactions import PostgresReader, PostgresWriter
from waypost.store.salvaged import Index
from waypost.store.sql.meta import SELECT_NOTES, refuse_moved

CHANNEL = "waypost"  # PostgreSQL channel on which a change is announced, with the id of its space
ERASED = "erased"  # follows the id if every process has to drop cached text
_SETTLE_SECONDS = 30.0
_SETTLE_PAUSE = 0.1
_IMPATIENT_MILLISECONDS = 10


@dataclass(frozen=True, slots=True)
class _Server:
    """What this process knows of a database."""

    vector_schema: str
    names: RoleNames | None  # of its roles


class PostgresStore:
    """Opens the schema of a space in the database at `dsn`, and creates or migrates it if needed.

    A memory that was moved away, or has not arrived completely, raises StoreError when it is used. Only `for_moving`
    allows it.
    """

    def __init__(
        self,
        dsn: str,
        space: StoredSpace,
        *,
        clock: Clock = utc_now,
        busy_seconds: float = 60.0,
        statement_seconds: float = 120.0,
        for_moving: bool = False,
        guest_of: str | None = None,
    ) -> None:
        """`guest_of`: read what this space shares with that one, with only the rights of a guest."""
        self._space = space
        self._guest_of = guest_of
        self._is_looked_at = self._for_moving = for_moving
        self._schema = schema_of(space.space_id)
        self._clock = clock
        self._busy = int(busy_seconds * 1000) or 1
        self._statement = int(statement_seconds * 1000)
        self._key = int.from_bytes(bytes.fromhex(space.space_id), "big", signed=True)  # of the writers' lock
        self._connections = connections(dsn)
        self._server = _look_at(self._connections, clock)
        self._samples = Samples()
        self._turn = threading.Lock()  # threads of this process queue here to write; processes queue in the database
        self._prepare()

    @contextmanager
    def read(self) -> Iterator[PostgresReader]:
        with self._connections.lend(self._begin("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")) as connection:
            self._act(connection)
            if not self._is_looked_at:
                self._refuse_moved(connection)
            yield PostgresReader(PostgresDatabase(connection), self._samples)

    @contextmanager
    def write(self) -> Iterator[PostgresWriter]:
        begin = self._begin("BEGIN ISOLATION LEVEL READ COMMITTED", "SET LOCAL synchronous_commit = on")
        with self._my_turn(), self._connections.lend(begin) as connection:
            self._act(connection)
            # Reads from here on see what the previous writer committed.
            connection.execute("SELECT pg_advisory_xact_lock($1)", (self._key,))
            number, notes = connection.execute(
                f"SELECT pg_current_xact_id()::text, EXISTS ({SELECT_NOTES})"
            ).fetchall()[0]
            if notes and not self._for_moving:
                self._refuse_moved(connection)
            yield PostgresWriter(PostgresDatabase(connection), self._samples)
            connection.execute("SELECT pg_notify($1, $2)", (CHANNEL, self._space.space_id))
            self._commit(connection, number)

    def scrub(self, traces: Sequence[str], *, wait: bool = True, rewrite: bool = False) -> bool:  # noqa: ARG002  always does
        """Rewrite every table with text, without deleted rows. Indexes contain numbers: they only free the space.

        Only those who may do this do it (see `TableMaintenance`). The write-ahead log, standbys and backups of the
        server keep their copies.
        """
        self._samples.forget()
        with self._upkeep() as (connection, upkeep):
            if traces:  # not for a second try
                connection.execute("SELECT pg_notify($1, $2)", (CHANNEL, f"{self._space.space_id} {ERASED}"))
            return upkeep.is_allowed() and upkeep.vacuum(self._busy if wait else _IMPATIENT_MILLISECONDS)

    def compact(self) -> None:
        with self.write() as writer:
            writer.index.index_vectors()
        with self._upkeep() as (_, upkeep):
            if upkeep.is_allowed():
                upkeep.analyze()

    @contextmanager
    def _upkeep(self) -> Iterator[tuple[ServerConnection, TableMaintenance]]:
        """With the rights of the login. A server that acts for an owner of the space gets theirs."""
        principal, space_id = PRINCIPAL.get(), self._space.space_id
        with self._connections.alone() as connection:
            upkeep = TableMaintenance(connection, self._schema)
            if principal is not None and principal.acting(space_id).role == "owner":
                upkeep.take_on(self._names(connection).group(space_id, "owner"))
            yield connection, upkeep

    def problems(self) -> Iterator[str]:
        with self.read() as reader:
            yield from reader.problems(self._schema)

    def is_sound(self) -> bool:
        return True  # the server itself refuses to read damaged pages

    def repair(self, index: Index) -> None:  # noqa: ARG002  a server repairs its pages by itself, or from its backups
        return None

    @property
    def place(self) -> str:
        return self._connections.shown

    @property
    def may_write(self) -> bool:
        principal = PRINCIPAL.get()
        if self._guest_of is not None:
            return False
        if principal is None:
            return self._login_may_write
        return self._space.space_id in principal.roles and principal.acting(self._space.space_id).rights == "write"

    def known_damage(self) -> tuple[str, ...]:
        """The server reports damage with every statement, and its administrator repairs it."""
        return ()

    def unreadable(self) -> tuple[str, ...]:
        return ()

    @property
    def schema_version(self) -> int:
        return len(MIGRATIONS)

    def size_bytes(self) -> int:
        with self.read() as reader:
            return reader.size_bytes(self._schema)

    def close(self) -> None:
        """Connections stay open: other spaces use them too."""
        self._samples.forget()

    def _prepare(self) -> None:
        """Create or migrate the schema if needed, in one process at a time."""
        with self._connections.lend("BEGIN READ ONLY") as connection:
            if not missing(connection, self._schema, self._connections.shown):
                self._login_may_write = self._may_insert(connection)
                return
        with self._connections.lend("BEGIN ISOLATION LEVEL READ COMMITTED") as connection:
            connection.execute("SELECT pg_advisory_xact_lock($1)", (self._key,))
            directory = Directory(connection.raw)
            if not check_known_or_admin(directory, self._space):
                directory.register_space(self._space)
            connection.begin(f"SET LOCAL search_path = {self._path}")
            migrate(connection, self._schema, self._connections.shown, self._clock())
            protect_space(connection.raw, self._space.space_id, known_names(connection.raw))
            self._login_may_write = True
            connection.begin("COMMIT")

    def _may_insert(self, connection: ServerConnection) -> bool:
        """Whether the login's groups may write. A server is in no group until it acts for someone."""
        rows = connection.execute("SELECT has_table_privilege($1, 'INSERT')", (f"{self._schema}.memories",)).fetchall()
        return bool(rows[0][0])

    @property
    def _path(self) -> str:
        return ", ".join(
            [self._schema, *([self._server.vector_schema] if self._server.vector_schema else []), "pg_temp"]
        )

    def _begin(self, *statements: str) -> str:
        return "; ".join(
            (
                *statements,
                f"SET LOCAL search_path = {self._path}",
                f"SET LOCAL statement_timeout = {self._statement}",
                f"SET LOCAL lock_timeout = {self._busy}",
                # A plan from when the tables were small costs more than planning again.
                "SET LOCAL plan_cache_mode = force_custom_plan",
            )
        )

    @contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=self._busy / 1000):
            raise StoreBusy(
                f"This process has written to this memory in {self._connections.shown} for too long.",
                "Wait for it to finish and repeat; nothing was lost. busy_timeout_seconds in config.toml sets the limit.",
            )
        try:
            yield
        finally:
            self._turn.release()

    def _act(self, connection: ServerConnection) -> None:
        """For a server: act as the user who asked, with only their rights."""
        principal = PRINCIPAL.get()
        if principal is not None:
            acts_in = self._guest_of or self._space.space_id
            acting = principal.acting(acts_in)
            if self._guest_of is not None:
                acting = replace(acting, role="reader")
            act(connection.raw, self._names(connection), acts_in, acting)

    def _names(self, connection: ServerConnection) -> RoleNames:
        """Names of the roles. Raises SecurityError if there are no roles: the login's own rights serve nobody."""
        names = self._server.names or known_names(connection.raw)  # created since this process looked
        if names is None:
            raise SecurityError(
                f"{self._connections.shown} has no roles to act for a user.",
                "Let an administrator run `waypost team init`.",
            )
        return names

    def _refuse_moved(self, connection: ServerConnection) -> None:
        refuse_moved(connection.execute(SELECT_NOTES).fetchall())
        self._is_looked_at = True

    def _commit(self, connection: ServerConnection, number: str) -> None:
        """Acknowledged means committed. If the connection breaks in between, ask the server again."""
        try:
            connection.begin("COMMIT")
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            connection.close()
            if not is_lost(error):
                raise
            if not self._is_committed(number, connection.server_run):
                raise

    def _is_committed(self, number: str, server_run: str) -> bool:
        """Whether a transaction was committed. Raises StoreUnavailable if that is unknown.

        The number of a transaction that was lost in a crash or a failover may have been assigned again. So
        `committed` from another run of the server proves nothing.
        """
        until = time.monotonic() + _SETTLE_SECONDS
        while True:
            status, is_same = self._status(number, server_run)
            if status == "aborted":
                return False
            if status == "committed" and is_same:
                return True
            if status in ("committed", None) or time.monotonic() > until:
                raise StoreUnavailable(
                    f"The connection to {self._connections.shown} was lost while a change was being stored.",
                    "Look whether it is there before you repeat it.",
                    undone=False,
                )
            time.sleep(_SETTLE_PAUSE)  # the server has not noticed yet that the client is gone

    def _status(self, number: str, server_run: str) -> tuple[str | None, bool]:
        """The status of a transaction, and whether this is the run of the server it ran in.

        The status of an old transaction is unknown: None.
        """
        try:
            with self._connections.alone() as connection:
                try:
                    rows = connection.execute("SELECT pg_xact_status($1::xid8)", (number,)).fetchall()
                except psycopg.errors.InvalidParameterValue:  # this server has never seen it
                    return "aborted", False
                return rows[0][0], connection.server_run == server_run
        except WaypostError:  # the server cannot be asked now; the transaction may still be stored
            return "unknown", False


def _look_at(pool: ServerPool, clock: Clock) -> _Server:
    """Look at a database once in each process, and create what the shared schema lacks.

    Threads that come at the same time all do it, as processes would: none waits for a slow connection of another.
    """
    server = _servers.get(pool)
    if server is None:
        check_server(pool)
        with pool.alone() as connection:
            migrate_directory(connection.raw, clock())
            server = _servers[pool] = _Server(connection.vector_schema, known_names(connection.raw))
    return server


_servers: "weakref.WeakKeyDictionary[ServerPool, _Server]" = weakref.WeakKeyDictionary()


def holds(dsn: str, space_id: str) -> bool:
    """Whether the database has tables of this space. Changes nothing."""
    with connections(dsn).alone() as connection:
        rows: list[Any] = connection.execute(
            "SELECT to_regclass($1) IS NOT NULL", (f"{schema_of(space_id)}.migrations",)
        ).fetchall()
    return bool(rows[0][0])


def drop_tables(dsn: str, space_id: str) -> None:
    """Remove the tables of a space. It stays in the directory with its members. For the owner of the tables."""
    with connections(dsn).alone() as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {schema_of(space_id)} CASCADE")


def forget_space(dsn: str, space_id: str) -> None:
    """Erase a space: its tables, members, tokens and roles. For its owners."""
    with connections(dsn).lend("BEGIN") as connection:
        Directory(connection.raw).forget_space(space_id)
        connection.begin("COMMIT")


def spaces_in(dsn: str, clock: Clock = utc_now) -> tuple[StoredSpace, ...]:
    """The spaces of a database that the login, or the user for whom a server acts, may see."""
    pool = connections(dsn)
    _look_at(pool, clock)
    principal = PRINCIPAL.get()
    with pool.lend("BEGIN READ ONLY") as connection:
        return Directory(connection.raw).spaces() if principal is None else _spaces_of(connection, principal)


def _spaces_of(connection: ServerConnection, principal: Principal) -> tuple[StoredSpace, ...]:
    act_in_directory(connection.raw, Acting(principal.user, "reader", principal.kind))
    return tuple(space for space in Directory(connection.raw).spaces() if space.space_id in principal.roles)


def halves_about(dsn: str, space_id: str, clock: Clock = utc_now) -> tuple[ShareHalf, ...]:
    """What other memories of a database have agreed to share with this one, or to read from it."""
    pool = connections(dsn)
    _look_at(pool, clock)
    principal = PRINCIPAL.get()
    with pool.lend("BEGIN READ ONLY") as connection:
        if principal is not None:
            act_in_directory(connection.raw, principal.acting(space_id))
        return Directory(connection.raw).halves_about(space_id)
