"""The faces that listen, as one application. Nothing here knows what they answer."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from waypost import __version__
from waypost.faces.guard.asgi import App, Receive, Scope, Send
from waypost.faces.guard.csrf import only_from_our_pages
from waypost.faces.guard.gate import Gate
from waypost.faces.guard.hosts import Hosts
from waypost.faces.guard.lifespan import with_lifespan
from waypost.faces.guard.limits import Limits
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.sign_in import SignIn
from waypost.faces.guard.sign_in_page import send_answer
from waypost.faces.guard.tokens import Tokens

HEALTH = "/healthz"
MCP = "/mcp"
_REST = ("/api", "/openapi.json")
_THREADS = 16  # for requests; more answer no sooner, as the work is computing, and each holds caches of its own

Running = Callable[[], AbstractAsyncContextManager[object]]


@dataclass(frozen=True, slots=True)
class Faces:
    """What is served, and what has to be entered while it is."""

    rest: App
    dashboard: App
    mcp: App
    running: tuple[Running, ...] = ()


def gated(faces: Faces, tokens: Tokens, sign_in: SignIn, hosts: Hosts, limits: Limits | None = None) -> App:
    """Everything behind one gate. Only the health of the server and the page to sign in are open."""
    gate = Gate(
        only_from_our_pages(_by_path(faces, sign_in)),
        tokens,
        hosts,
        limits,
        open_paths=SignIn.open_paths | {HEALTH},
        signed_in=sign_in.who,
        way_in=sign_in.way_in,
    )

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        from anyio.to_thread import current_default_thread_limiter  # comes with the web frameworks

        current_default_thread_limiter().total_tokens = _THREADS
        async with AsyncExitStack() as entered:
            for one in faces.running:
                await entered.enter_async_context(one())
            yield

    return with_lifespan(gate, running)


def _by_path(faces: Faces, sign_in: SignIn) -> App:
    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"]
        if path == HEALTH:
            await _health(scope, receive, send)
        elif path in SignIn.paths:
            await sign_in(scope, receive, send)
        elif _is_below(path, MCP):
            await faces.mcp(scope, receive, send)
        elif any(_is_below(path, one) for one in _REST):
            await faces.rest(scope, receive, send)
        else:
            await faces.dashboard(scope, receive, send)

    return application


def _is_below(path: str, top: str) -> bool:
    return path == top or path.startswith(f"{top}/")


async def _health(scope: Scope, receive: Receive, send: Send) -> None:
    """For whoever watches the process: that it answers, and nothing of what it holds."""
    if scope["method"] in {"GET", "HEAD"}:
        told = json.dumps({"status": "ok", "version": __version__}).encode()
        await send_answer(send, 200, told, b"application/json")
    else:
        await answer(Problem(405, "This is only to look at.", "Use GET.", ((b"allow", b"GET, HEAD"),)), receive, send)
