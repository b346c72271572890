"""Serves until stopped. The web frameworks are imported on first use."""

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
from waypost.faces.guard.sign_in import SessionBook, SignIn, SignInCode, TokenBook
from waypost.faces.guard.sign_in_page import LOGIN
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.tool import Tool
from waypost.faces.serve.app import gated_app
from waypost.faces.serve.parts import assemble
from waypost.faces.serve.routes import MCP
from waypost.faces.serve.team import Team
from waypost.memory.catalog import Spaces
from waypost.model.time import format_time
from waypost.system.platform import make_private_directory

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  not bound here: what a browser opens instead


@dataclass(frozen=True, slots=True)
class Started:
    """Where a server listens and how to sign in. Contains the sign-in code, which is shown nowhere else. `url` is what a
    browser opens. A team's server has no token of its own and no code."""

    listens: str
    url: str
    token_file: Path | None = None
    token_made: bool = False
    code: str = ""
    code_expires: datetime | None = None
    warning: str = ""

    @property
    def sign_in(self) -> str:
        """Browsers do not send what follows `#`."""
        return f"{self.url}{LOGIN}#code={self.code}" if self.code else f"{self.url}{LOGIN}"

    def lines(self) -> list[str]:
        lines = [f"Waypost listens at {self.listens}", f"Sign in: {self.sign_in}"]
        if self.code_expires is not None:
            lines.append(f"         the code {self.code} is valid once, until {self.code_expires:%H:%M} UTC")
        which = f"the token in {self.token_file}{' (new)' if self.token_made else ''}"
        if self.token_file is None:
            lines.append("         with a personal token: waypost team token make NAME laptop --person --everywhere")
            which = "a token of the team"
        lines.append(f"Programs send {which} as `Authorization: Bearer TOKEN`; MCP is at {self.url}{MCP}")
        return [*lines, self.warning] if self.warning else lines

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
class Admission:
    """The tokens, sessions and sign-in code that a server accepts."""

    tokens: TokenBook
    sessions: SessionBook
    code: SignInCode | None = None
    made: bool = False  # whether the owner's token is new

    def holds(self, key: str, space_id: str) -> bool:
        """Whether the token with this key is valid and opens this memory."""
        holder = self.tokens.holder(key)
        return holder is not None and holder.opens(space_id)


def _local_admission(spaces: Spaces) -> Admission:
    tokens = TokenFile(spaces.home)
    made = tokens.ensure_owner()
    return Admission(tokens, SignedInSessions(spaces.home, spaces.now), SignInCode(spaces.now), made)


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
    """Serve REST, the dashboard and MCP until SIGTERM, SIGINT or `stop`. Port 0 picks a free port.

    `addresses`: further URLs of the server, such as `https://memory.example.org` of a TLS proxy. `limits` and `log` default
    to the settings. `team`: the team that this server is for.
    Raises InvalidInput if it cannot listen there, SecurityError if others can read the token file.
    """
    public_urls = [_address(public) for public in addresses]
    settings = settings or ServeSettings()
    limits = limits or limits_of(settings.requests_per_minute, settings.writes_per_minute)
    listening = listen(host, port)
    own_log = log or Log(settings.log_format)
    try:
        make_private_directory(spaces.home)  # the readiness check writes there
        admission = _local_admission(spaces) if team is None else Admission(team.tokens, team.sessions)
        code = admission.code
        secure = [public.netloc for public in public_urls if public.scheme == "https"]
        sign_in = SignIn(admission.tokens, admission.sessions, code, limits, secure_hosts=secure)
        bound_port = listening.getsockname()[1]
        origins = [f"{public.scheme}://{public.netloc}" for public in public_urls]
        also = [*(public.netloc for public in public_urls), *settings.allowed_hosts]
        hosts = answered_hosts(host, bound_port, also, origins)
        public_url = origins[0] if origins else url(_WILDCARDS.get(host, host), bound_port)
        started = Started(url(host, bound_port), public_url, warning=exposure(host))
        if code is not None:
            started = replace(started, token_file=Path(admission.tokens.path), token_made=admission.made)
            started = replace(started, code=code.reveal(), code_expires=code.expires)
        processes = Processes()
        writes = Buckets(limits.write_rate, limits.write_burst, processes=processes)
        parts = assemble(
            *(spaces, project, tools, settings, limits, writes, own_log),
            holds=admission.holds,
            team=team,
            processes=processes,
        )
        app = gated_app(
            *(parts.faces, admission.tokens, sign_in, hosts, parts.operating, limits, writes),
            came=None if parts.upkeep is None else parts.upkeep.note_caller,
            processes=processes,
        )

        from waypost.faces.guard.serving import Events, serve

        def ready() -> None:
            own_log.event("start", listens=started.listens, url=started.url, version=__version__, process=os.getpid())
            say(started)

        events = Events(
            ready, parts.ending, lambda: _given_up(settings.log_format), parts.operating.figures.refused.add
        )
        with own_log.capturing():
            try:
                serve(app, listening, events=events, grace=settings.shutdown_seconds, stop=stop)
            finally:
                parts.wait_until(math.inf)  # for later users of this process
            own_log.event("stop", process=os.getpid())
    finally:
        listening.close()
        own_log.close()


def _given_up(log_format: str) -> None:
    log = Log(log_format)  # the server's own may be closed
    message = "Something did not end in time; the process exits."
    log.event("abandoned", "error", message=message, process=os.getpid())
    log.close()


def _address(text: str) -> SplitResult:
    """A URL with a scheme, a host and perhaps a port."""
    try:
        parts = urlsplit(text)
        fits = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0 and "@" not in parts.netloc
    except ValueError:
        fits = False
    if not fits or parts.path not in {"", "/"} or parts.query or parts.fragment:
        raise InvalidInput(f"{text[:80]!r} is not a server's URL.", "Write it as https://memory.example.org.")
    return parts
