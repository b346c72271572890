"""Tokens and sessions of a team: in the database, which all servers ask. What is revoked there is so at once."""

import re
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from waypost.errors import InvalidInput, NotFound, SecurityError
from waypost.faces.guard.asgi import CALLER, SPACE_HEADER, App, Receive, Scope, Send
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.sessions import IDLE, LONGEST, SignedInSession
from waypost.faces.guard.tokens import digest_of, new_token
from waypost.model.time import Clock, utc_now

if TYPE_CHECKING:
    from waypost.store.postgres.directory.directory import Directory
    from waypost.store.postgres.directory.rows import Holder, Kind, Rights
    from waypost.store.postgres.directory.sessions import Connect
    from waypost.store.postgres.roles import Role
    from waypost.store.postgres.security import Principal

_LONGEST = 256  # characters of what is looked at as a token
_ID = re.compile(r"[A-Za-z0-9_-]{43}")
_KEY = re.compile(r"[0-9a-f]{16}")
_ID_BYTES = 32
_MOST = 64  # sessions of one token
_NOTES = 200  # how often the time of an idle session is noted at most


@dataclass(frozen=True, slots=True)
class TeamIdentity(TokenIdentity):
    """The holder of a team's token. It opens the memories that its user is a member of, as far as the token goes; in
    each it may what the user's role there allows."""

    user: str = ""
    roles: Mapping[str, "Role"] = field(default_factory=dict, hash=False)

    def opens(self, space_id: str) -> bool:
        return space_id in self.roles

    def check_opens(self, space_id: str) -> None:
        if not self.opens(space_id):
            raise SecurityError("This token is for another memory.", "Ask one of its owners to add you.")

    def writes_in(self, space_id: str) -> bool:
        return self.rights == "write" and self.roles.get(space_id) in ("owner", "writer")

    def check_writes(self, space_id: str) -> None:
        if self.rights != "write":
            raise SecurityError("This token only reads.", "Use one that was made without --read-only.")
        if not self.writes_in(space_id):
            raise SecurityError(
                f"{self.user} may only read this memory: the role there is reader.",
                f"Ask one of its owners: `waypost team member role {self.user} writer`.",
            )

    def owns(self, space_id: str) -> bool:
        """Whether this is a person who may forget there, and choose its members (GOV-1: no agent does)."""
        return self.kind == "person" and self.rights == "write" and self.roles.get(space_id) == "owner"

    def check_speaks(self, space_id: str, *, forgetting: bool = False) -> None:
        """Nobody sees who answers at the far end: what only persons may takes a token that was made for one."""
        if self.kind != "person":
            raise SecurityError(
                "Only a person decides this; the token is an agent's.",
                f"Tell {self.user}: they can do it in the dashboard, or with a token that was made with --person.",
            )
        self.check_writes(space_id)
        if forgetting and not self.owns(space_id):
            raise SecurityError(
                "Only an owner of this memory may do this.", "Ask one of them: `waypost team member list` names them."
            )

    @property
    def writes(self) -> bool:
        """Whether there is any memory that it may write to."""
        return any(self.writes_in(space_id) for space_id in self.roles)

    def agent(self, client: str) -> str:
        return self.name if self.kind == "agent" else f"{self.user}/{client}"

    @property
    def person(self) -> str:
        return self.user

    def chosen(self, named: str = "") -> str | None:
        """What it writes must not end up in another memory than was meant, so of several one has to be named."""
        if named:
            self.check_opens(named)
            return named
        if not self.roles:
            raise self._nothing_opened()
        if len(self.roles) > 1:
            raise InvalidInput(
                f"This token opens {len(self.roles)} memories.",
                f"Send the id of one as the header {SPACE_HEADER}; GET /api/v1/spaces lists them. "
                "Or use a token that was made for one project.",
            )
        return next(iter(self.roles))

    def _nothing_opened(self) -> NotFound:
        which = "the one that it was made for" if self.space else "any"
        return NotFound(
            f"This token opens no memory: {self.user} is not a member of {which}.",
            "Ask an owner of a memory, or an administrator, to add you: "
            f"`waypost team member add {self.user} writer --space NAME`.",
        )

    @contextmanager
    def acting(self) -> Iterator[None]:
        from waypost.store.postgres.security import PRINCIPAL

        before = PRINCIPAL.set(self.principal)
        try:
            yield
        finally:
            PRINCIPAL.reset(before)

    @property
    def principal(self) -> "Principal":
        """For whom the database is to act."""
        from waypost.store.postgres.security import Principal

        return Principal(self.user, self.kind, self.rights, self.roles)


class TeamTokens:
    """Knows the tokens of a team. Each look asks the database; it raises StoreError when that cannot be reached."""

    def __init__(self, connect: "Connect", *, name: str = "team") -> None:
        self._connect = connect
        self.path = PurePosixPath(name)  # what the cookie of these servers is called by

    def verify(self, token: str) -> TeamIdentity | None:
        """Whose token this is."""
        return self._found(digest=digest_of(token)) if 0 < len(token) <= _LONGEST else None

    def holder(self, key: str) -> TeamIdentity | None:
        """Who has the token of this key; nobody, once it is revoked."""
        return self._found(key=key) if _KEY.fullmatch(key) else None

    def owner(self) -> TokenIdentity | None:
        """A team's server has no owner: nobody signs in by a code that a terminal shows."""
        return None

    def _found(self, *, digest: str | None = None, key: str | None = None) -> TeamIdentity | None:
        from waypost.store.postgres.directory.directory import Directory

        with self._connect() as connection:
            held = Directory(connection).holder(digest=digest, key=key)
        return None if held is None else _identity(held)


def team_behind(dsn: str, clock: Clock = utc_now) -> tuple[TeamTokens, "TeamSessions"] | None:
    """The tokens and sessions of the team at this store, where it is one and we log in as its server; None where the
    tokens of this home count."""
    from waypost.store.postgres.directory.directory import Directory
    from waypost.store.postgres.directory.schema import check_directory
    from waypost.store.postgres.directory.sessions import pooled

    connect = pooled(dsn)
    with connect() as connection:
        check_directory(connection)
        told = Directory(connection).status()
    if not told["server"]:
        return None
    return TeamTokens(connect, name=told["login"]), TeamSessions(connect, clock)


def acting_for_callers(app: App, came: Callable[[TeamIdentity], None] = lambda _: None) -> App:
    """`app`, for behind a `Gate`: what it does in the database it does for whoever sends the request, also in threads
    that it starts. `came` hears of everybody."""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        identity = scope.get(CALLER)
        if isinstance(identity, TeamIdentity):
            came(identity)
        with identity.acting() if isinstance(identity, TeamIdentity) else nullcontext():
            await app(scope, receive, send)

    return application


def make_token(
    directory: "Directory",
    user: str,
    name: str,
    *,
    kind: "Kind",
    rights: "Rights",
    space_id: str | None = None,
    expires: datetime | None = None,
) -> str:
    """Give out a token of this user. It is returned once and cannot be shown again."""
    token = new_token()
    directory.make_token(
        user, name, digest=digest_of(token), kind=kind, rights=rights, space_id=space_id, expires=expires
    )
    return token


class TeamSessions:
    """Sessions of people, as `Sessions` has them for one home."""

    def __init__(
        self, connect: "Connect", clock: Clock = utc_now, *, idle: timedelta = IDLE, longest: timedelta = LONGEST
    ) -> None:
        from waypost.store.postgres.directory.sessions import KeptSessions

        self._kept, self._clock, self._idle, self.longest = KeptSessions(connect), clock, idle, longest
        self._guard = threading.Lock()
        self._used: dict[str, datetime] = {}  # since the database was told

    def begin(self, holder: str) -> str:
        """A new session of the token with this key; returns its id."""
        from waypost.store.postgres.directory.sessions import KeptSession

        name, now = secrets.token_urlsafe(_ID_BYTES), self._clock()
        session = KeptSession(digest_of(name), holder, now, now)
        self._kept.begin(session, oldest=now - self.longest, idle=now - self._idle, most=_MOST)
        return name

    def find(self, name: str) -> SignedInSession | None:
        """The session of this id, if it has not ended. This counts as its use."""
        kept = self._kept.find(digest_of(name)) if _ID.fullmatch(name) else None
        now = self._clock()
        if kept is None or now - kept.seen >= self._idle or now - kept.began >= self.longest:
            return None
        if now - kept.seen > self._idle / _NOTES:
            with self._guard:
                self._used[kept.digest] = now
        return SignedInSession(kept.digest, kept.holder, kept.began, kept.seen)

    def is_to_note(self, session: SignedInSession) -> bool:
        with self._guard:
            return session.digest in self._used

    def note(self) -> None:
        """Tell the database when sessions were used last."""
        with self._guard:
            used, self._used = self._used, {}
        for digest, at in used.items():
            self._kept.seen(digest, at)

    def end(self, session: SignedInSession) -> None:
        self._kept.end(session.digest)


def _identity(held: "Holder") -> TeamIdentity:
    """An agent is known by its own name and by whose it is."""
    name = held.user if held.kind == "person" else f"{held.user}/{held.token}"
    return TeamIdentity(
        name, held.kind, held.rights, held.key, held.space_id or "", user=held.user, roles=dict(held.roles)
    )
