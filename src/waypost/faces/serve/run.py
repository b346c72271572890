"""Serving until told to stop. The web frameworks are imported when something is served."""

import math
import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from waypost import __version__
from waypost.config import ServeSettings
from waypost.errors import InvalidInput
from waypost.faces.guard.access_log import Log
from waypost.faces.guard.hosts import answered_hosts, exposure, listen, url
from waypost.faces.guard.limits import Buckets, Processes, ServerLimits, limits_of
from waypost.faces.guard.sessions import SignedInSessions
from waypost.faces.guard.sign_in import SessionBook, SignIn, TokenBook
from waypost.faces.guard.sign_in_code import SignInCode
from waypost.faces.guard.sign_in_page import LOGIN
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.tool import Tool
from waypost.faces.serve.app import gated
from waypost.faces.serve.parts import assembled
from waypost.faces.serve.routes import MCP
from waypost.faces.serve.team import Team
from waypost.memory.catalog import Spaces
from waypost.model.time import format_time
from waypost.space.platform import make_private_directory

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  not bound here: what a browser can open instead


@dataclass(frozen=True, slots=True)
class Started:
    """What whoever started a server is told. The code is told here and nowhere else. `url` is what a browser opens. The
    server of a team has neither a token of its own nor a code."""

    listens: str
    url: str
    token_file: Path | None = None
    token_made: bool = False
    code: str = ""
    code_expires: datetime | None = None
    warning: str = ""

    @property
    def sign_in(self) -> str:
        """Browsers send to nobody what stands behind `#`."""
        return f"{self.url}{LOGIN}#code={self.code}" if self.code else f"{self.url}{LOGIN}"

    def lines(self) -> list[str]:
        told = [f"Waypost listens at {self.listens}", f"Sign in: {self.sign_in}"]
        if self.code_expires is not None:
            told.append(f"         the code {self.code} opens once, until {self.code_expires:%H:%M} UTC")
        which = f"the token in {self.token_file}{' (made now)' if self.token_made else ''}"
        if self.token_file is None:
            told.append("         with a token of yours: waypost team token make NAME laptop --person --everywhere")
            which = "a token of the team"
        told.append(f"Programs send {which} as `Authorization: Bearer TOKEN`; MCP is at {self.url}{MCP}")
        return [*told, self.warning] if self.warning else told

    def to_json(self) -> dict[str, Any]:
        return {
            "listens": self.listens,
            "url": self.url,
            "mcp": f"{self.url}{MCP}",
            "token_file": None if self.token_file is None else str(self.token_file),
            "token_made": self.token_made,
            "sign_in": {
                "url": self.sign_in,
                "code": self.code or None,
                "expires": None if self.code_expires is None else format_time(self.code_expires),
            },
            "warning": self.warning or None,
        }


@dataclass(frozen=True, slots=True)
class LetIn:
    """Whom a server lets in."""

    tokens: TokenBook
    sessions: SessionBook
    code: SignInCode | None = None
    made: bool = False  # whether the owner's token was made now

    def holds(self, key: str, space_id: str) -> bool:
        """Whether the token of this key is good now, and opens this memory."""
        holder = self.tokens.holder(key)
        return holder is not None and holder.opens(space_id)


def _home_let_in(spaces: Spaces) -> LetIn:
    tokens = TokenFile(spaces.home)
    made = tokens.ensure_owner()
    return LetIn(tokens, SignedInSessions(spaces.home, spaces.now), SignInCode(spaces.now), made)


def run(
    spaces: Spaces,
    project: ServedProject,
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    addresses: Sequence[str] = (),
    settings: ServeSettings | None = None,
    limits: ServerLimits | None = None,
    log: Log | None = None,
    team: Team | None = None,
    say: Callable[[Started], None],
    stop: threading.Event | None = None,
) -> None:
    """Serve REST, the dashboard and MCP until SIGTERM, SIGINT or `stop`. Port 0: any that is free.

    `addresses`: by which it is reached besides, such as `https://memory.example.org` where a proxy speaks TLS. `limits`
    and `log` are what the settings say, unless told. `team`: whose server this is.
    Raises InvalidInput when it cannot listen there, SecurityError when the token's file is open to others.
    """
    named = [_address(one) for one in addresses]
    settings = settings or ServeSettings()
    limits = limits or limits_of(settings.requests_per_minute, settings.writes_per_minute)
    listening = listen(host, port)
    own_log = log or Log(settings.log_format)
    try:
        make_private_directory(spaces.home)  # readiness looks whether it can be written
        let_in = _home_let_in(spaces) if team is None else LetIn(team.tokens, team.sessions)
        code = let_in.code
        secure = [one.netloc for one in named if one.scheme == "https"]
        sign_in = SignIn(let_in.tokens, let_in.sessions, code, limits, secure_hosts=secure)
        bound = listening.getsockname()[1]
        origins = [f"{one.scheme}://{one.netloc}" for one in named]
        also = [*(one.netloc for one in named), *settings.allowed_hosts]
        hosts = answered_hosts(host, bound, also, origins)
        reached = origins[0] if origins else url(_WILDCARDS.get(host, host), bound)
        started = Started(url(host, bound), reached, warning=exposure(host))
        if code is not None:
            started = replace(started, token_file=Path(let_in.tokens.path), token_made=let_in.made)
            started = replace(started, code=code.shown(), code_expires=code.expires)
        processes = Processes()
        writes = Buckets(limits.write_rate, limits.write_burst, processes=processes)
        served = assembled(
            *(spaces, project, tools, settings, limits, writes, own_log),
            holds=let_in.holds,
            team=team,
            processes=processes,
        )
        app = gated(
            *(served.faces, let_in.tokens, sign_in, hosts, served.operating, limits, writes),
            came=None if served.upkeep is None else served.upkeep.came,
            processes=processes,
        )

        from waypost.faces.guard.serving import Events, serve

        def ready() -> None:
            own_log.event("start", listens=started.listens, url=started.url, version=__version__, process=os.getpid())
            say(started)

        events = Events(
            ready, served.ending, lambda: _given_up(settings.log_format), served.operating.figures.refused.add
        )
        with own_log.taking_over():
            try:
                serve(app, listening, events=events, grace=settings.shutdown_seconds, stop=stop)
            finally:
                served.wait_until(math.inf)  # for whoever goes on in this process
            own_log.event("stop", process=os.getpid())
    finally:
        listening.close()
        own_log.close()


def _given_up(log_format: str) -> None:
    log = Log(log_format)  # the server's own may be closed by now
    message = "Something did not end in time; the process is left."
    log.event("abandoned", "error", message=message, process=os.getpid())
    log.close()


def _address(text: str) -> SplitResult:
    """An address as people type it into a browser: a scheme, a name, perhaps a port."""
    try:
        parts = urlsplit(text)
        fits = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        fits = False
    if not fits or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise InvalidInput(f"{text[:80]!r} is no address of a server.", "Write it as https://memory.example.org.")
    return parts
