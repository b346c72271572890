"""A team's PostgreSQL database, as its server uses it. The driver is optional, so functions import the store themselves."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from waypost.store.postgres.directory.rows import Holder
    from waypost.store.postgres.directory.sessions import Connect, KeptReplies, KeptSessions
    from waypost.store.postgres.notifications import ChangeHandler, ChangeListener
    from waypost.store.postgres.roles import Role

LISTENS_AS = "waypost listening"  # the application name of listening connections
_MAINTENANCE_LOCK = 0x57_41_59_55  # "WAYU": namespace of the locks for maintaining a memory


@dataclass(frozen=True, slots=True)
class TeamDatabase:
    """Methods raise StoreError if the database cannot be reached."""

    connect: "Connect"

    @classmethod
    def at(cls, dsn: str) -> "TeamDatabase":
        from waypost.store.postgres.directory.sessions import pooled

        return cls(pooled(dsn))

    def check(self) -> None:
        """Raises StoreError if the directory is not set up for this version. Opens no memory."""
        from waypost.store.postgres.directory.schema import check_directory

        with self.connect() as connection:
            check_directory(connection)

    def is_migrated(self) -> bool:
        from waypost.store.postgres.directory.schema import missing_migrations

        with self.connect() as connection:
            return not missing_migrations(connection)

    def status(self) -> dict[str, Any]:
        """The login of this connection and its rights."""
        from waypost.store.postgres.directory.directory import Directory

        with self.connect() as connection:
            return Directory(connection).status()

    def holder(self, *, digest: str | None = None, key: str | None = None) -> "Holder | None":
        """The holder of a valid token, by its hash or its key."""
        from waypost.store.postgres.directory.directory import Directory

        with self.connect() as connection:
            return Directory(connection).holder(digest=digest, key=key)

    def sessions(self) -> "KeptSessions":
        from waypost.store.postgres.directory.sessions import KeptSessions

        return KeptSessions(self.connect)

    def begin_session(
        self, digest: str, holder: str, now: datetime, *, oldest: datetime, idle: datetime, most: int
    ) -> None:
        """Store a new session of the token with the key `holder`. Removes expired ones, and the oldest above `most`."""
        from waypost.store.postgres.directory.sessions import KeptSession

        self.sessions().begin(KeptSession(digest, holder, now, now), oldest=oldest, idle=idle, most=most)

    def replies(self) -> "KeptReplies":
        from waypost.store.postgres.directory.sessions import KeptReplies

        return KeptReplies(self.connect)

    def size_bytes(self) -> int:
        return int(self._value("SELECT pg_database_size(current_database())") or 0)

    def server_count(self) -> int:
        """The number of the team's servers, including this one. Each has a listening connection."""
        query = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = session_user"
            " AND application_name = %s"
        )
        return max(1, int(self._value(query, (LISTENS_AS,)) or 0))

    @contextmanager
    def exclusive(self, space_id: str) -> Iterator[bool]:
        """Whether no other server maintains this memory during the block. The database releases the lock if the process
        dies."""
        from waypost.store.postgres.directory.execute import run

        key = (_MAINTENANCE_LOCK, int.from_bytes(bytes.fromhex(space_id)[:4], "big", signed=True))
        with self.connect() as connection:
            row = run(connection, "SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
            is_free = bool(row and row[0])
            try:
                yield is_free
            finally:
                if is_free:
                    run(connection, "SELECT pg_advisory_unlock(%s, %s)", key)

    def _value(self, query: str, parameters: tuple[object, ...] = ()) -> Any:
        from waypost.store.postgres.directory.execute import run

        with self.connect() as connection:
            row = run(connection, query, parameters).fetchone()
        return row[0] if row else None


@contextmanager
def acting_as(
    user: str, kind: Literal["person", "agent"], rights: Literal["read", "write"], roles: Mapping[str, str]
) -> Iterator[None]:
    """Within the block and the threads it starts, the store acts for this user."""
    from waypost.store.postgres.security import PRINCIPAL, Principal

    reset_token = PRINCIPAL.set(Principal(user, kind, rights, cast("Mapping[str, Role]", roles)))
    try:
        yield
    finally:
        PRINCIPAL.reset(reset_token)


def start_listening(dsn: str, receiver: "ChangeHandler") -> "ChangeListener":
    """Call `receiver` in a thread when other processes change the database. Stop it at the end."""
    from waypost.store.postgres.notifications import ChangeListener

    listening = ChangeListener(dsn, receiver)
    listening.start()
    return listening


def connection_usage(dsn: str) -> dict[str, int]:
    from waypost.store.postgres.connection import connections

    return connections(dsn).usage


def wait_for_database_until(dsn: str, moment: float) -> None:
    """Limit how long this process waits for an unavailable database, as a time of the monotonic clock."""
    from waypost.store.postgres.connection import connections

    connections(dsn).wait_until(moment)
