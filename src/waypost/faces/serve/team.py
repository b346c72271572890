"""The server of a team: tokens, sessions and replies are in its database, and nobody acts there but a member."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.faces.guard.team_tokens import TeamSessions, TeamTokens, team_behind
from waypost.memory.stores import need_driver
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost.faces.rest.replies import Replies
    from waypost.store.postgres.directory_sessions import Connect


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
        """Raises StoreError where nobody could be served: the database does not answer, or is not set up for this
        version. Nobody's memory is looked at."""
        from waypost.store.postgres.directory_schema import check_directory

        with self.connect() as connection:
            check_directory(connection)

    def status(self) -> Mapping[str, Any]:
        """What a server may know of the whole: how large the database is."""
        from waypost.store.postgres.directory_sql import run

        with self.connect() as connection:
            row = run(connection, "SELECT pg_database_size(current_database())").fetchone()
        return {"storage_bytes": row[0]} if row else {}


def team_of(settings: Settings, clock: Clock = utc_now) -> Team | None:
    """The team whose server the login of this home is; None where its own tokens count."""
    if not settings.store:
        return None
    need_driver()
    from waypost.store.postgres.directory_schema import missing_migrations
    from waypost.store.postgres.directory_sessions import pooled

    connect = pooled(settings.store)
    with connect() as connection:
        if missing_migrations(connection):  # made by the first who may; others are told when they open a memory
            return None
    found = team_behind(settings.store, clock)
    return None if found is None else Team(*found, connect, clock)
