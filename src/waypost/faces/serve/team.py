"""A team's server: tokens, sessions and stored replies are in the database, and only members act there."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.config import Settings
from waypost.faces.guard.team_tokens import TeamSessions, TeamTokens, open_team_tokens
from waypost.memory.storage import need_driver
from waypost.memory.team_database import TeamDatabase
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost.faces.rest.replies import Replies


@dataclass(frozen=True, slots=True)
class Team:
    tokens: TeamTokens
    sessions: TeamSessions
    database: TeamDatabase
    clock: Clock

    def replies(self) -> "Replies":
        from waypost.faces.rest.replies import TeamReplies

        return TeamReplies(self.database, self.clock)


def team_of(settings: Settings, clock: Clock = utc_now) -> Team | None:
    """The team that the configured login serves, or None if the local tokens apply."""
    if not settings.store:
        return None
    need_driver()
    database = TeamDatabase.at(settings.store)
    if not database.is_migrated():  # the first login with that right migrates it
        return None
    tokens_and_sessions = open_team_tokens(database, clock)
    return None if tokens_and_sessions is None else Team(*tokens_and_sessions, database, clock)
