"""The server of a team: tokens, sessions and replies are in its database, and nobody acts there but a member."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.faces.guard.team_tokens import TeamSessions, TeamTokens, team_behind
from waypost.memory.storage import need_driver
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost.faces.rest.replies import Replies
    from waypost.store.postgres.directory.sessions import Connect

LISTENS_AS = "waypost listening"  # by which the connections of `ChangeListener` are known
_UPKEEP = 0x57_41_59_55  # "WAYU": locks of who looks after a memory


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
        from waypost.store.postgres.directory.schema import check_directory

        with self.connect() as connection:
            check_directory(connection)

    def status(self) -> Mapping[str, Any]:
        """What a server may know of the whole: how large the database is."""
        from waypost.store.postgres.directory.execute import run

        with self.connect() as connection:
            row = run(connection, "SELECT pg_database_size(current_database())").fetchone()
        return {"storage_bytes": row[0]} if row else {}

    def processes(self) -> int:
        """How many servers of the team there are now, this one among them: each has a connection that listens."""
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
    def alone_with(self, space_id: str) -> Iterator[bool]:
        """Whether in the block no other server looks after this memory. Should this process end, the database knows."""
        from waypost.store.postgres.directory.execute import run

        key = (_UPKEEP, int.from_bytes(bytes.fromhex(space_id)[:4], "big", signed=True))
        with self.connect() as connection:
            row = run(connection, "SELECT pg_try_advisory_lock(%s, %s)", key).fetchone()
            is_free = bool(row and row[0])
            try:
                yield is_free
            finally:
                if is_free:
                    run(connection, "SELECT pg_advisory_unlock(%s, %s)", key)


def team_of(settings: Settings, clock: Clock = utc_now) -> Team | None:
    """The team whose server the login of this home is; None where its own tokens count."""
    if not settings.store:
        return None
    need_driver()
    from waypost.store.postgres.directory.schema import missing_migrations
    from waypost.store.postgres.directory.sessions import pooled

    connect = pooled(settings.store)
    with connect() as connection:
        if missing_migrations(connection):  # made by the first who may; others are told when they open a memory
            return None
    found = team_behind(settings.store, clock)
    return None if found is None else Team(*found, connect, clock)
