"""Combines the faces into one application."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from waypost.config import ServeSettings
from waypost.faces.guard.access_log import Log, logged_request
from waypost.faces.guard.asgi import App, Receive, Scope, Send, values, with_lifespan
from waypost.faces.guard.csrf import with_csrf_check
from waypost.faces.guard.gate import RequestGate, Verifier, sender
from waypost.faces.guard.health import HEALTH, READY
from waypost.faces.guard.hosts import Hosts, is_loopback
from waypost.faces.guard.limits import Buckets, Processes, ServerLimits
from waypost.faces.guard.sign_in import SignIn
from waypost.faces.guard.team_tokens import TeamIdentity, acting_for_callers
from waypost.faces.serve.metrics import METRICS, ServerMetrics
from waypost.faces.serve.proxies import FORWARDED, behind_proxies
from waypost.faces.serve.request_log import NoteCrash, with_request_log
from waypost.faces.serve.routes import MCP, ServedRoutes
from waypost.faces.serve.stream_shutdown import StreamShutdown

_REST = ("/api", "/openapi.json")
_EVENTS = "/events"  # the end of an event stream's path
_THREADS = 16  # for requests; more would not be faster, and each has its own caches

OnRequest = Callable[[TeamIdentity], None]
Running = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(frozen=True, slots=True)
class Faces:
    """The served applications, and the contexts to enter meanwhile."""

    rest: App
    dashboard: App
    mcp: App
    running: tuple[Running, ...] = ()


@dataclass(frozen=True, slots=True)
class Operations:
    log: Log
    health: App  # `/healthz` and `/readyz`
    metrics: App
    note_crash: NoteCrash
    figures: ServerMetrics = field(default_factory=ServerMetrics)
    routes: ServedRoutes = field(default_factory=ServedRoutes)
    ending: StreamShutdown = field(default_factory=StreamShutdown)
    settings: ServeSettings = field(default_factory=ServeSettings)


def gated_app(
    faces: Faces,
    tokens: Verifier,
    sign_in: SignIn,
    hosts: Hosts,
    operating: Operations,
    limits: ServerLimits | None = None,
    writes: Buckets | None = None,
    *,
    came: OnRequest | None = None,
    processes: Processes | None = None,
) -> App:
    """All faces behind one gate. Only health checks and the sign-in page are public. `came` is given for a team's server:
    each request acts in the store for its caller, and `came` gets the caller."""
    application = with_csrf_check(_by_path(faces, sign_in, operating))
    gate = RequestGate(
        application if came is None else acting_for_callers(application, came),
        tokens,
        hosts,
        limits,
        open_paths=SignIn.open_paths | {HEALTH, READY},
        signed_in=sign_in.who,
        way_in=sign_in.way_in,
        open_when=_opens_metrics if operating.settings.open_metrics else lambda _: False,
        is_write=operating.routes.writes,
        writes=writes,
        asks_others=came is not None,
        processes=processes,
    )

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        from anyio.to_thread import current_default_thread_limiter  # comes with the web frameworks

        current_default_thread_limiter().total_tokens = _THREADS
        async with AsyncExitStack() as stack:
            for enter in faces.running:
                await stack.enter_async_context(enter())
            yield

    logged = with_request_log(gate, operating.figures, operating.log, operating.note_crash)
    return with_lifespan(behind_proxies(logged, operating.settings.trusted_proxies), running)


def _by_path(faces: Faces, sign_in: SignIn, operating: Operations) -> App:
    rest_streams = operating.ending.closing(faces.rest)
    mcp_streams = operating.ending.closing(faces.mcp, is_mcp=True)

    def face(path: str, method: str) -> tuple[App, str]:
        """The application for a path, and its route if there is only one."""
        if path in (HEALTH, READY):
            return operating.health, path
        if path == METRICS:
            return operating.metrics, path
        if path in SignIn.paths:
            return sign_in, path
        if _is_below(path, MCP):
            return (mcp_streams if method == "GET" else faces.mcp), MCP
        if any(_is_below(path, top) for top in _REST):
            return (rest_streams if method == "GET" and path.endswith(_EVENTS) else faces.rest), ""
        return faces.dashboard, ""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        app, route = face(scope["path"], scope["method"])
        try:
            await app(scope, receive, send)
        finally:
            if (logged := logged_request(scope)) is not None:
                logged.route = route or operating.routes.template(scope)
                if "space" in scope.get("path_params", ()) or app is faces.rest or route == MCP:
                    logged.space = operating.routes.space(scope)

    return application


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _opens_metrics(scope: Scope) -> bool:
    """Whether a program on this machine asks. Requests through a proxy come from elsewhere."""
    if scope["path"] != METRICS or FORWARDED in scope or not is_loopback(sender(scope)):
        return False
    names = [header.decode("latin-1").rpartition(":")[0].strip("[]") for header in values(scope, b"host")]
    return bool(names) and all(is_loopback(name) for name in names)
