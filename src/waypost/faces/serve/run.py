"""Serving until told to stop. The web frameworks are imported when something is served."""

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from waypost import __version__
from waypost.config import ServeSettings
from waypost.errors import InvalidInput
from waypost.faces.guard.access_log import Log
from waypost.faces.guard.hosts import answered_hosts, exposure, listen, url
from waypost.faces.guard.limits import Buckets, Limits, limits_of
from waypost.faces.guard.sessions import Sessions
from waypost.faces.guard.sign_in import SignIn
from waypost.faces.guard.sign_in_code import SignInCode
from waypost.faces.guard.sign_in_page import LOGIN
from waypost.faces.guard.tokens import Tokens
from waypost.faces.mcp.session import Project
from waypost.faces.mcp.tool import Tool
from waypost.faces.serve.app import gated
from waypost.faces.serve.parts import assembled
from waypost.faces.serve.routes import MCP
from waypost.memory.known import Spaces
from waypost.model.time import format_time

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104  not bound here: what a browser can open instead


@dataclass(frozen=True, slots=True)
class Started:
    """What whoever started a server is told. The code is told here and nowhere else. `url` is what a browser opens."""

    listens: str
    url: str
    token_file: Path
    token_made: bool
    code: str
    code_expires: datetime
    warning: str = ""

    @property
    def sign_in(self) -> str:
        """Browsers send to nobody what stands behind `#`."""
        return f"{self.url}{LOGIN}#code={self.code}"

    def lines(self) -> list[str]:
        told = [
            f"Waypost listens at {self.listens}",
            f"Sign in: {self.sign_in}",
            f"         the code {self.code} opens once, until {self.code_expires:%H:%M} UTC",
            f"Programs send the token in {self.token_file}{' (made now)' if self.token_made else ''} "
            f"as `Authorization: Bearer TOKEN`; MCP is at {self.url}{MCP}",
        ]
        return [*told, self.warning] if self.warning else told

    def to_json(self) -> dict[str, Any]:
        return {
            "listens": self.listens,
            "url": self.url,
            "mcp": f"{self.url}{MCP}",
            "token_file": str(self.token_file),
            "token_made": self.token_made,
            "sign_in": {"url": self.sign_in, "code": self.code, "expires": format_time(self.code_expires)},
            "warning": self.warning or None,
        }


def run(
    spaces: Spaces,
    project: Project,
    tools: Sequence[Tool],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    addresses: Sequence[str] = (),
    settings: ServeSettings | None = None,
    limits: Limits | None = None,
    log: Log | None = None,
    say: Callable[[Started], None],
    stop: threading.Event | None = None,
) -> None:
    """Serve REST, the dashboard and MCP until SIGTERM, SIGINT or `stop`. Port 0: any that is free.

    `addresses`: by which it is reached besides, such as `https://memory.example.org` where a proxy speaks TLS. `limits`
    and `log` are what the settings say, unless told.
    Raises InvalidInput when it cannot listen there, SecurityError when the token's file is open to others.
    """
    named = [_address(one) for one in addresses]
    settings = settings or ServeSettings()
    limits = limits or limits_of(settings.requests_per_minute, settings.writes_per_minute)
    listening = listen(host, port)
    own_log = log or Log(settings.log_format)
    try:
        tokens = Tokens(spaces.home)
        made = tokens.ensure_owner()
        code = SignInCode(spaces.now)
        secure = [one.netloc for one in named if one.scheme == "https"]
        sign_in = SignIn(tokens, Sessions(spaces.home, spaces.now), code, limits, secure_hosts=secure)
        bound = listening.getsockname()[1]
        origins = [f"{one.scheme}://{one.netloc}" for one in named]
        also = [*(one.netloc for one in named), *settings.allowed_hosts]
        hosts = answered_hosts(host, bound, also, origins)
        reached = origins[0] if origins else url(_WILDCARDS.get(host, host), bound)
        started = Started(url(host, bound), reached, tokens.path, made, code.shown(), code.expires, exposure(host))
        writes = Buckets(limits.write_rate, limits.write_burst)
        served = assembled(spaces, project, tools, settings, limits, writes, own_log)
        app = gated(served.faces, tokens, sign_in, hosts, served.operating, limits, writes)

        from waypost.faces.guard.serving import Events, serve

        def ready() -> None:
            own_log.event("start", listens=started.listens, url=started.url, version=__version__, process=os.getpid())
            say(started)

        events = Events(
            ready, served.ending, lambda: _given_up(settings.log_format), served.operating.figures.refused.add
        )
        with own_log.taking_over():
            serve(app, listening, events=events, grace=settings.shutdown_seconds, stop=stop)
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
