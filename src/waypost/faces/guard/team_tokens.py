"""Tokens and sessions of a team, stored in its database. Revocations take effect at once on all servers."""

import re
import secrets
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import Protocol

from waypost.errors import InvalidInput, NotFound, SecurityError
from waypost.faces.guard.asgi import CALLER, SPACE_HEADER, App, Receive, Scope, Send
from waypost.faces.guard.identity import Kind, Rights, TokenIdentity
from waypost.faces.guard.sessions import IDLE, LONGEST, SignedInSession
from waypost.faces.guard.tokens import digest_of, new_token
from waypost.memory.team_database import TeamDatabase, acting_as
from waypost.model.time import Clock, utc_now

_LONGEST = 256  # characters of input that can be a token
_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_KEY = re.compile(r"[0-9a-f]{16}")
_ID_BYTES = 32
_MOST = 64  # sessions per token
_NOTES = 200  # how often per idle period the last use is saved, at most


@dataclass(frozen=True, slots=True)
class TeamIdentity(TokenIdentity):
    """The holder of a team's token. It opens the memories its user is a member of, within the token's limits, with the
    user's role in each."""

    user: str = ""
    roles: Mapping[str, str] = field(default_factory=dict, hash=False)

    def opens(self, space_id: str) -> bool:
        return space_id in self.roles

    def check_opens(self, space_id: str) -> None:
        if not self.opens(space_id):
            raise SecurityError("This token is for another memory.", "Ask an owner of the memory to add you.")

    def writes_in(self, space_id: str) -> bool:
        return self.rights == "write" and self.roles.get(space_id) in ("owner", "writer")

    def check_writes(self, space_id: str) -> None:
        if self.rights != "write":
            raise SecurityError("This token can only read.", "Use one created without --read-only.")
        if not self.writes_in(space_id):
            raise SecurityError(
                f"{self.user} can only read this memory, as a reader.",
                f"Ask an owner to run `waypost team member role {self.user} writer`.",
            )

    def owns(self, space_id: str) -> bool:
        """Whether this is a person who can delete memories permanently and manage members. Agents never can."""
        return self.kind == "person" and self.rights == "write" and self.roles.get(space_id) == "owner"

    def check_speaks(self, space_id: str, *, forgetting: bool = False) -> None:
        """A remote server cannot see who answers, so decisions of a person need a token created for a person."""
        if self.kind != "person":
            raise SecurityError(
                "Only a person can decide this; the token belongs to an agent.",
                f"Ask {self.user} to do it in the dashboard, or with a token created with --person.",
            )
        self.check_writes(space_id)
        if forgetting and not self.owns(space_id):
            raise SecurityError(
                "Only an owner of this memory can do this.", "Owners are listed by `waypost team member list`."
            )

    @property
    def writes(self) -> bool:
        """Whether it can write to any memory."""
        return any(self.writes_in(space_id) for space_id in self.roles)

    def agent(self, client: str) -> str:
        return self.name if self.kind == "agent" else f"{self.user}/{client}"

    @property
    def person(self) -> str:
        return self.user

    def chosen_space(self, named: str = "") -> str | None:
        """The named memory, or the only one. Raises if several are possible, so that nothing is written to the wrong one."""
        if named:
            self.check_opens(named)
            return named
        if not self.roles:
            raise self._opens_nothing()
        if len(self.roles) > 1:
            raise InvalidInput(
                f"This token opens {len(self.roles)} memories.",
                f"Send the id of one as the header {SPACE_HEADER}; GET /api/v1/spaces lists them. "
                "Or use a token created for one project.",
            )
        return next(iter(self.roles))

    def _opens_nothing(self) -> NotFound:
        which = "the memory it was created for" if self.space else "any"
        return NotFound(
            f"This token opens no memory: {self.user} is not a member of {which}.",
            "Ask an owner of a memory, or an administrator, to add you: "
            f"`waypost team member add {self.user} writer --space NAME`.",
        )

    def acting(self) -> AbstractContextManager[None]:
        return acting_as(self.user, self.kind, self.rights, self.roles)


class TeamTokens:
    """The tokens of a team. Each call asks the database and raises StoreError if it cannot be reached."""

    def __init__(self, database: TeamDatabase, *, name: str = "team") -> None:
        self._database = database
        self.path = PurePosixPath(name)  # names the cookie of these servers

    def verify(self, token: str) -> TeamIdentity | None:
        return self._find(digest=digest_of(token)) if 0 < len(token) <= _LONGEST else None

    def holder(self, key: str) -> TeamIdentity | None:
        """The holder of the token with this key, or None if it is revoked."""
        return self._find(key=key) if _KEY.fullmatch(key) else None

    def owner(self) -> TokenIdentity | None:
        """None: a team's server has no owner, and no sign-in code."""
        return None

    def _find(self, *, digest: str | None = None, key: str | None = None) -> TeamIdentity | None:
        holder = self._database.holder(digest=digest, key=key)
        if holder is None:
            return None
        name = holder.user if holder.kind == "person" else f"{holder.user}/{holder.token}"  # an agent's has its user
        return TeamIdentity(
            name, holder.kind, holder.rights, holder.key, holder.space_id or "", user=holder.user, roles=holder.roles
        )


def open_team_tokens(database: TeamDatabase, clock: Clock = utc_now) -> tuple[TeamTokens, "TeamSessions"] | None:
    """The tokens and sessions of the team in this database, if the login is its server role.

    Otherwise None: the tokens of the data directory apply.
    """
    database.check()
    status = database.status()
    if not status["server"]:
        return None
    return TeamTokens(database, name=status["login"]), TeamSessions(database, clock)


def acting_for_callers(app: App, on_request: Callable[[TeamIdentity], None] = lambda _: None) -> App:
    """`app`, to run behind a `RequestGate`. It and its threads act in the database for the request's sender. `on_request`
    gets every sender."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        identity = scope.get(CALLER)
        if isinstance(identity, TeamIdentity):
            on_request(identity)
        with identity.acting() if isinstance(identity, TeamIdentity) else nullcontext():
            await app(scope, receive, send)

    return application


class TokenDirectory(Protocol):
    def make_token(
        self,
        user: str,
        name: str,
        *,
        digest: str,
        kind: Kind,
        rights: Rights,
        space_id: str | None,
        expires: datetime | None,
    ) -> None: ...


def make_token(
    directory: TokenDirectory,
    user: str,
    name: str,
    *,
    kind: Kind,
    rights: Rights,
    space_id: str | None = None,
    expires: datetime | None = None,
) -> str:
    """Create a token for this user. It is returned once and cannot be shown again."""
    token = new_token()
    directory.make_token(
        user, name, digest=digest_of(token), kind=kind, rights=rights, space_id=space_id, expires=expires
    )
    return token


class TeamSessions:
    """Browser sessions, like `SignedInSessions` for a data directory."""

    def __init__(
        self, database: TeamDatabase, clock: Clock = utc_now, *, idle: timedelta = IDLE, longest: timedelta = LONGEST
    ) -> None:
        self._database, self._stored = database, database.sessions()
        self._clock, self._idle, self.longest = clock, idle, longest
        self._guard = threading.Lock()
        self._used: dict[str, datetime] = {}  # last uses that are not in the database yet

    def begin(self, holder: str) -> str:
        """Start a session for the token with this key and return its id."""
        name, now = secrets.token_urlsafe(_ID_BYTES), self._clock()
        oldest, idle = now - self.longest, now - self._idle
        self._database.begin_session(digest_of(name), holder, now, oldest=oldest, idle=idle, most=_MOST)
        return name

    def find(self, name: str) -> SignedInSession | None:
        """The session with this id, if it has not ended. Counts as a use."""
        stored = self._stored.find(digest_of(name)) if _ID.fullmatch(name) else None
        now = self._clock()
        if stored is None or now - stored.seen >= self._idle or now - stored.began >= self.longest:
            return None
        if now - stored.seen > self._idle / _NOTES:
            with self._guard:
                self._used[stored.digest] = now
        return SignedInSession(stored.digest, stored.holder, stored.began, stored.seen)

    def needs_saving(self, session: SignedInSession) -> bool:
        with self._guard:
            return session.digest in self._used

    def save(self) -> None:
        with self._guard:
            used, self._used = self._used, {}
        for digest, at in used.items():
            self._stored.seen(digest, at)

    def end(self, session: SignedInSession) -> None:
        self._stored.end(session.digest)
