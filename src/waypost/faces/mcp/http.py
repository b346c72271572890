"""MCP over streamable HTTP, behind the guard. The SDK and uvicorn are imported on first use."""

import logging
import sys
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import WaypostError
from waypost.faces.guard.asgi import CALLER, App, Message, Receive, Scope, Send, named_space, values, with_lifespan
from waypost.faces.guard.gate import RequestGate
from waypost.faces.guard.hosts import answered_hosts, exposure, listen, url
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import ServerLimits
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.tokens import TokenFile
from waypost.faces.mcp.tool import Tool

if TYPE_CHECKING:
    from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
    from mcp.server.lowlevel.server import Server

    from waypost.faces.guard.team_tokens import TeamTokens


@dataclass(slots=True)
class _Session:
    caller: str
    in_flight: int = 0


class McpSessions:
    """All sessions, their callers, and which of them are idle."""

    def __init__(self, each: int) -> None:
        self._each = each
        self._sessions: OrderedDict[str, _Session] = OrderedDict()  # least recently used first

    def __len__(self) -> int:
        return len(self._sessions)

    def has_room(self, caller: str) -> bool:
        """Whether this caller can open another session, if need be in place of an idle one."""
        own = self._of(caller)
        return len(own) < self._each or any(not self._sessions[session].in_flight for session in own)

    def open(self, session: str, caller: str) -> str | None:
        """Register a new session. Returns the session it replaces, which is no longer registered."""
        self._sessions[session] = _Session(caller)
        own = self._of(caller)
        if len(own) <= self._each:
            return None
        oldest = next((other for other in own if other != session and not self._sessions[other].in_flight), None)
        if oldest is not None:
            self.close(oldest)
        return oldest

    def close(self, session: str) -> None:
        self._sessions.pop(session, None)

    @contextmanager
    def in_use(self, session: str, caller: str) -> Iterator[None]:
        """Mark the session as busy during the block. Requests of other callers do not count."""
        known_session = self._sessions.get(session)
        if known_session is None or known_session.caller != caller:
            yield
            return
        known_session.in_flight += 1
        self._sessions.move_to_end(session)
        try:
            yield
        finally:
            known_session.in_flight -= 1

    def _of(self, caller: str) -> list[str]:
        return [session for session, entry in self._sessions.items() if entry.caller == caller]


PATH = "/mcp"
_SESSION = b"mcp-session-id"
_SESSIONS_EACH = 64  # per caller: an agent has one per window
_SESSIONS = 256  # in all; the SDK refuses more
_IDLE_SECONDS = 4 * 3600.0  # then a session without requests is closed
_READS = "This token can only read, and this tool can change the memory. Ask the user for a token that can write."
_NOTHING: Message = {"type": "http.request", "body": b"", "more_body": False}

Build = Callable[[], "Server[Any]"]


def mcp_app(
    server: "Server[Any]",
    tools: Iterable[Tool],
    *,
    limits: ServerLimits | None = None,
    sessions_each: int = _SESSIONS_EACH,
    idle_seconds: float = _IDLE_SECONDS,
) -> "McpApp":
    """The server as an ASGI application, to run behind a `RequestGate`. Enter its `running` while it is served.

    Read-only tokens can only call tools that read.
    """
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    server.middleware.append(_ReadersOnlyRead(frozenset(tool.name for tool in tools if tool.reads_only)))
    manager = StreamableHTTPSessionManager(
        server,
        session_idle_timeout=idle_seconds,
        max_sessions=_SESSIONS,
        max_request_body_size=(limits or ServerLimits()).body_bytes,
    )
    logging.getLogger("mcp").setLevel(logging.ERROR)  # clients must not be able to fill the log
    return McpApp(manager.handle_request, manager.run, McpSessions(sessions_each))


class McpApp:
    """MCP at `/mcp`; any other path is not found."""

    def __init__(self, handle: App, run: Callable[[], Any], sessions: McpSessions) -> None:
        self._handle, self._run, self._sessions = handle, run, sessions

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """All sessions end with the block. Can be entered only once."""
        async with self._run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        identity = scope.get(CALLER)
        if scope["path"].rstrip("/") != PATH:
            await answer(Problem(404, "Not found.", f"MCP is at {PATH}."), receive, send)
        elif not isinstance(identity, TokenIdentity):
            await answer(Problem(401, "A valid token is needed.", "Send it as a bearer token."), receive, send)
        else:
            await self._request(identity, {**scope, "user": _user(identity)}, receive, send)

    async def _request(self, identity: TokenIdentity, scope: Scope, receive: Receive, send: Send) -> None:
        session_ids = values(scope, _SESSION)
        if len(session_ids) > 1:
            await answer(Problem(400, "Several session ids.", "Send one Mcp-Session-Id."), receive, send)
        elif session_ids:
            await self._in_session(session_ids[0].decode("latin-1"), identity, scope, receive, send)
        elif self._sessions.has_room(identity.key):
            await self._handle(scope, receive, self._registering(identity, scope, send))
        else:
            full = Problem(503, "All your sessions are in use.", "End one first.", ((b"retry-after", b"10"),))
            await answer(full, receive, send)

    async def _in_session(
        self, session: str, identity: TokenIdentity, scope: Scope, receive: Receive, send: Send
    ) -> None:
        status = 0

        async def send_and_note(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        with self._sessions.in_use(session, identity.key):
            await self._handle(scope, receive, send_and_note)
        if scope["method"] == "DELETE" and status == 200:
            self._sessions.close(session)

    def _registering(self, identity: TokenIdentity, scope: Scope, send: Send) -> Send:
        """A `send` that registers the session an answer opens, and closes the one it evicts."""

        async def send_and_note(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 400:
                for name, value in message.get("headers", ()):
                    if name == _SESSION and (evicted := self._sessions.open(value.decode("latin-1"), identity.key)):
                        await self._end(evicted, scope)
            await send(message)

        return send_and_note

    async def _end(self, session: str, scope: Scope) -> None:
        async def receive() -> Message:
            return _NOTHING

        async def send(_: Message) -> None: ...

        ending = {**scope, "method": "DELETE", "headers": [(_SESSION, session.encode("latin-1"))]}
        await self._handle(ending, receive, send)


@dataclass(frozen=True, slots=True)
class _ReadersOnlyRead:
    """Middleware for the SDK: callers without write access can only call tools that read."""

    reading: frozenset[str]

    async def __call__(self, ctx: "ServerRequestContext[Any, Any]", call_next: "CallNext") -> "HandlerResult":
        from mcp_types import CallToolResult, TextContent

        scope = ctx.request.scope if ctx.request is not None else {}
        identity = scope.get(CALLER)
        why = _why_not(identity, scope) if isinstance(identity, TokenIdentity) else _READS
        if not why or ctx.method != "tools/call" or str((ctx.params or {}).get("name")) in self.reading:
            return await call_next(ctx)
        return CallToolResult(content=[TextContent(type="text", text=why)], is_error=True)


def _why_not(identity: TokenIdentity, scope: Scope) -> str:
    """Why the caller cannot write to the chosen memory, and what to do. Empty if they can."""
    if identity.rights != "write":
        return _READS
    try:
        space = identity.chosen_space(named_space(scope))
    except WaypostError as error:
        return "" if identity.writes else f"{error.what} {error.remedy}"  # otherwise the call reports it
    try:
        if space is not None:
            identity.check_writes(space)
    except WaypostError as error:
        return f"This tool can change the memory. {error.what} {error.remedy}"
    return ""


def serve_http(
    build: Build,
    tools: Iterable[Tool],
    *,
    home: Path,
    host: str = "127.0.0.1",
    port: int = 8765,
    hosts: Iterable[str] = (),
    origins: Iterable[str] = (),
    limits: ServerLimits | None = None,
    team: "TeamTokens | None" = None,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr, flush=True),
    stop: threading.Event | None = None,
) -> None:
    """Serve MCP until SIGTERM, SIGINT or `stop`. Port 0 picks a free port. Reports the address and the token's place.

    `hosts`, `origins`: further values of the Host and Origin headers. `team`: the team's tokens, instead of those in
    the data directory.
    Raises InvalidInput if it cannot listen there, SecurityError if others can read the token file.
    """
    listening = listen(host, port)
    try:
        tokens = TokenFile(home)
        which = "Clients send a token of the team as `Authorization: Bearer TOKEN`."
        if team is None:
            created = " (new)" if tokens.ensure_owner() else ""
            which = f"The owner's token is in {tokens.path}{created}; clients send it as `Authorization: Bearer TOKEN`."
        app = mcp_app(build(), tools, limits=limits)
        bound = listening.getsockname()[1]
        let_in = tokens if team is None else team
        gate = RequestGate(
            app, let_in, answered_hosts(host, bound, hosts, origins), limits, asks_others=team is not None
        )
        lines = [f"Waypost listens for MCP at {url(host, bound)}{PATH}", which, *filter(None, [exposure(host)])]
        from waypost.faces.guard.serving import serve

        serve(with_lifespan(gate, app.running), listening, ready=lambda: say("\n".join(lines)), stop=stop)
    finally:
        listening.close()


def _user(identity: TokenIdentity) -> Any:
    """For the SDK: only the token that opened a session can use it."""
    from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
    from mcp.server.auth.provider import AccessToken

    return AuthenticatedUser(AccessToken(token="", client_id=identity.key, scopes=[identity.rights]))
