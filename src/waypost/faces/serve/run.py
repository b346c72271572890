"""Serving until told to stop. The web frameworks are imported when something is served."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

from waypost.errors import InvalidInput
from waypost.faces.guard.csrf import csrf_token
from waypost.faces.guard.hosts import answered_hosts, exposure, listen, url
from waypost.faces.guard.limits import Limits
from waypost.faces.guard.sessions import Sessions
from waypost.faces.guard.sign_in import SignIn
from waypost.faces.guard.sign_in_code import SignInCode
from waypost.faces.guard.sign_in_page import LOGIN
from waypost.faces.guard.tokens import Tokens
from waypost.faces.mcp.session import Project
from waypost.faces.mcp.tool import Tool
from waypost.faces.serve.app import MCP, Faces, gated
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
    limits: Limits | None = None,
    say: Callable[[Started], None],
    stop: threading.Event | None = None,
) -> None:
    """Serve REST, the dashboard and MCP until SIGTERM, SIGINT or `stop`. Port 0: any that is free.

    `addresses`: by which it is reached besides, such as `https://memory.example.org` where a proxy speaks TLS.
    Raises InvalidInput when it cannot listen there, SecurityError when the token's file is open to others.
    """
    named = [_address(one) for one in addresses]
    listening = listen(host, port)
    try:
        tokens = Tokens(spaces.home)
        made = tokens.ensure_owner()
        code = SignInCode(spaces.now)
        secure = [one.netloc for one in named if one.scheme == "https"]
        sign_in = SignIn(tokens, Sessions(spaces.home, spaces.now), code, limits, secure_hosts=secure)
        bound = listening.getsockname()[1]
        origins = [f"{one.scheme}://{one.netloc}" for one in named]
        hosts = answered_hosts(host, bound, [one.netloc for one in named], origins)
        app = gated(_faces(spaces, project, tools, limits), tokens, sign_in, hosts, limits)
        reached = origins[0] if origins else url(_WILDCARDS.get(host, host), bound)
        started = Started(url(host, bound), reached, tokens.path, made, code.shown(), code.expires, exposure(host))

        from waypost.faces.guard.serving import serve

        serve(app, listening, ready=lambda: say(started), stop=stop)
    finally:
        listening.close()


def _faces(spaces: Spaces, project: Project, tools: Sequence[Tool], limits: Limits | None) -> Faces:
    from waypost.faces.dashboard.app import dashboard_app
    from waypost.faces.mcp.http import mcp_app
    from waypost.faces.mcp.server import build_server
    from waypost.faces.rest.app import rest_app

    rest = rest_app(spaces, clock=spaces.now)
    dashboard = dashboard_app(spaces, csrf_token=csrf_token)
    mcp = mcp_app(build_server(tools, project), tools, limits=limits)
    lives = (lambda: rest.router.lifespan_context(rest), lambda: dashboard.router.lifespan_context(dashboard))
    return Faces(rest, dashboard, mcp, (mcp.running, *lives))


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
