"""The faces that listen, as one application. Nothing here knows what they answer."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from waypost.config import ServeSettings
from waypost.faces.guard.access_log import Log, seen_of
from waypost.faces.guard.asgi import App, Receive, Scope, Send, values
from waypost.faces.guard.csrf import only_from_our_pages
from waypost.faces.guard.gate import RequestGate, Verifier, sender
from waypost.faces.guard.health import HEALTH, READY
from waypost.faces.guard.hosts import Hosts, is_loopback
from waypost.faces.guard.lifespan import with_lifespan
from waypost.faces.guard.limits import Buckets, Processes, ServerLimits
from waypost.faces.guard.sign_in import SignIn
from waypost.faces.guard.team_tokens import TeamIdentity, acting_for_callers
from waypost.faces.serve.metrics import METRICS, ServerMetrics
from waypost.faces.serve.proxies import FORWARDED, behind
from waypost.faces.serve.request_log import NoteCrash, observed
from waypost.faces.serve.routes import MCP, ServedRoutes
from waypost.faces.serve.stream_shutdown import Ending

_REST = ("/api", "/openapi.json")
_EVENTS = "/events"  # how the path of a stream ends
_THREADS = 16  # for requests; more answer no sooner, as the work is computing, and each holds caches of its own

Came = Callable[[TeamIdentity], None]
Running = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(frozen=True, slots=True)
class Faces:
    """What is served, and what has to be entered while it is."""

    rest: App
    dashboard: App
    mcp: App
    running: tuple[Running, ...] = ()


@dataclass(frozen=True, slots=True)
class Operating:
    """What whoever runs the server looks at and sets."""

    log: Log
    health: App  # `/healthz` and `/readyz`
    metrics: App
    note_crash: NoteCrash
    figures: ServerMetrics = field(default_factory=ServerMetrics)
    routes: ServedRoutes = field(default_factory=ServedRoutes)
    ending: Ending = field(default_factory=Ending)
    settings: ServeSettings = field(default_factory=ServeSettings)


def gated(
    faces: Faces,
    tokens: Verifier,
    sign_in: SignIn,
    hosts: Hosts,
    operating: Operating,
    limits: ServerLimits | None = None,
    writes: Buckets | None = None,
    *,
    came: Came | None = None,
    processes: Processes | None = None,
) -> App:
    """Everything behind one gate. Only the health of the server and the page to sign in are open. `came`: this is the
    server of a team, each request asks the store for its caller, and this hears of everybody."""
    inside = only_from_our_pages(_by_path(faces, sign_in, operating))
    gate = RequestGate(
        inside if came is None else acting_for_callers(inside, came),
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
        async with AsyncExitStack() as entered:
            for one in faces.running:
                await entered.enter_async_context(one())
            yield

    seen = observed(gate, operating.figures, operating.log, operating.note_crash)
    return with_lifespan(behind(seen, operating.settings.trusted_proxies), running)


def _by_path(faces: Faces, sign_in: SignIn, operating: Operating) -> App:
    rest_streams = operating.ending.closing(faces.rest)
    mcp_streams = operating.ending.closing(faces.mcp, is_mcp=True)

    def face(path: str, method: str) -> tuple[App, str]:
        """And its route, where there is only one."""
        if path in (HEALTH, READY):
            return operating.health, path
        if path == METRICS:
            return operating.metrics, path
        if path in SignIn.paths:
            return sign_in, path
        if _is_below(path, MCP):
            return (mcp_streams if method == "GET" else faces.mcp), MCP
        if any(_is_below(path, one) for one in _REST):
            return (rest_streams if method == "GET" and path.endswith(_EVENTS) else faces.rest), ""
        return faces.dashboard, ""

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        app, route = face(scope["path"], scope["method"])
        try:
            await app(scope, receive, send)
        finally:
            if (seen := seen_of(scope)) is not None:
                seen.route = route or operating.routes.template(scope)
                if "space" in scope.get("path_params", ()) or app is faces.rest or route == MCP:
                    seen.space = operating.routes.space(scope)

    return application


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


def _opens_metrics(scope: Scope) -> bool:
    """For programs of this machine. What a proxy of this machine passes on comes from others."""
    if scope["path"] != METRICS or FORWARDED in scope or not is_loopback(sender(scope)):
        return False
    names = [one.decode("latin-1").rpartition(":")[0].strip("[]") for one in values(scope, b"host")]
    return bool(names) and all(is_loopback(name) for name in names)
