"""A team's server: tokens, sessions and stored replies are in the database, and only members act there."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.faces.guard.team_tokens import TeamSessions, TeamTokens, open_team_tokens
from waypost.memory.storage import need_driver
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost.faces.rest.replies import Replies
    from waypost.store.postgres.directory.sessions import Connect

LISTENS_AS = "waypost listening"  # the application name of listening connections
_MAINTENANCE_LOCK = 0x57_41_59_55  # "WAYU": namespace of the locks for maintaining a memory


@dataclass(frozen=True, slots=True)
class Team:
    tokens: TeamTokens
    sessions: TeamSessions
    connect: "Connect"
    clock: Clock

    def replies(self) -> "Replies":
        from waypost.faces.rest.team_replies import TeamReplies

        return TeamReplies(self.connect, self.clock)

    def check(self) -> None:
        """Raises StoreError if the database does not answer or is not set up for this version. Opens no memory."""
        from waypost.store.postgres.directory.schema import check_directory

        with self.connect() as connection:
            check_directory(connection)

    def status(self) -> Mapping[str, Any]:
        """What the server role can see: the size of the database."""
        from waypost.store.postgres.directory.execute import run

        with self.connect() as connection:
            row = run(connection, "SELECT pg_database_size(current_database())").fetchone()
        return {"storage_bytes": row[0]} if row else {}

    def processes(self) -> int:
        """The number of the team's servers, including this one. Each has a listening connection."""
        from waypost.store.postgres.directory.execute import run

        with self.connect() as connection:
            row = run(
                connection,
                "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND usename = session_user"
                " AND application_name = %s",
                (LISTENS_AS,),
            ).fetchone()
        return max(1, row[0]) if row else 1

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


def team_of(settings: Settings, clock: Clock = utc_now) -> Team | None:
    """The team that the configured login serves, or None if the local tokens apply."""
    if not settings.store:
        return None
    need_driver()
    from waypost.store.postgres.directory.schema import missing_migrations
    from waypost.store.postgres.directory.sessions import pooled

    connect = pooled(settings.store)
    with connect() as connection:
        if missing_migrations(connection):  # migrated by the first login with that right
            return None
    tokens_and_sessions = open_team_tokens(settings.store, clock)
    return None if tokens_and_sessions is None else Team(*tokens_and_sessions, connect, clock)
