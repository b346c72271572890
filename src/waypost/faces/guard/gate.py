"""The gate: ASGI middleware that admits requests with a valid token, within limits."""

import asyncio
import ipaddress
import logging
import math
import time
from collections.abc import Callable
from typing import Protocol
from urllib.parse import parse_qsl

from waypost.errors import WaypostError
from waypost.faces.guard.access_log import logged_request
from waypost.faces.guard.asgi import CALLER, App, Message, Receive, Scope, Send, values
from waypost.faces.guard.body import BodyBuffers, Disconnected
from waypost.faces.guard.hosts import Hosts, is_loopback
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import Buckets, Monotonic, Processes, ServerLimits, Slots
from waypost.faces.guard.problem import PAGE_HEADERS, SECURITY_HEADERS, Problem, answer

_LOG = logging.getLogger("waypost.guard")
_IN_URLS = frozenset({"token", "access_token", "auth_token", "api_key", "apikey", "bearer", "authorization", "auth"})
_CHALLENGE = ((b"www-authenticate", b'Bearer realm="waypost"'),)
_LATER = ((b"retry-after", b"5"),)
_UNCHECKED = "Try again later. If it persists, ask the operator to check /readyz and the log."
_ASKED_SECONDS = 35.0  # long enough for a database restart; longer would only queue requests
_VERSIONS = frozenset({"1.0", "1.1"})
_POLICY_VIOLATION = 1008  # close code of web sockets

# Why a request is refused, in one word, by status.
_REASONS = {303: "auth", 401: "auth", 403: "host", 421: "host", 429: "rate", 413: "size", 414: "size", 431: "size"}
_REASONS |= {408: "slow", 503: "busy"}

ScopeTest = Callable[[Scope], bool]
SignedIn = Callable[[Scope], TokenIdentity | None]
WayIn = Callable[[Scope], Problem | None]


class Verifier(Protocol):
    def verify(self, token: str) -> TokenIdentity | None: ...


class RequestGate:
    """Runs in front of `app`. An admitted request has its `TokenIdentity` in `scope["waypost.caller"]`, a complete body, and
    no token in its headers.

    `open_paths` need no token (a sign-in page), and neither do requests for which `open_when` is true; all other checks
    apply. `signed_in` identifies requests without a token (a session cookie). `way_in` redirects unknown visitors.
    Requests for which `is_write` is true also count against `writes`. `asks_others`: tokens are checked by a database, so
    the check runs in a thread. `processes`: the number of servers that share the rate limits.
    """

    def __init__(
        self,
        app: App,
        tokens: Verifier,
        hosts: Hosts,
        limits: ServerLimits | None = None,
        *,
        clock: Monotonic = time.monotonic,
        open_paths: frozenset[str] = frozenset(),
        signed_in: SignedIn | None = None,
        way_in: WayIn | None = None,
        open_when: ScopeTest = lambda _: False,
        is_write: ScopeTest = lambda _: False,
        writes: Buckets | None = None,
        asks_others: bool = False,
        processes: Processes | None = None,
    ) -> None:
        self._asks_others = asks_others
        self._app, self._tokens, self._hosts = app, tokens, hosts
        self._limits = limits or ServerLimits()
        self._open_paths, self._signed_in, self._way_in = open_paths, signed_in, way_in
        self._open_when, self._is_write = open_when, is_write
        self._calls = Buckets(self._limits.rate, self._limits.burst, clock, processes=processes)
        own = Buckets(self._limits.write_rate, self._limits.write_burst, clock)
        self._writes = own if writes is None else writes
        self._failures = Buckets(self._limits.failure_rate, self._limits.failure_burst, clock)
        self._slots = Slots(self._limits.concurrent, self._limits.concurrent_each)
        self._bodies = BodyBuffers(self._limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        elif scope["type"] == "http":
            await self._request(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        identity: TokenIdentity | None = None
        outcome = (
            self._head_problem(scope) or self._hosts.problem(scope) or self._url_problem(scope)
            or await self._authenticate(scope)
        )  # fmt: skip
        if isinstance(outcome, TokenIdentity):
            identity = outcome
            outcome = self._too_often(identity, scope)
            if (seen := logged_request(scope)) is not None:
                seen.identity = identity
        outcome = outcome or self._bodies.length_problem(scope, self._most(identity))
        if outcome is not None:
            await self._refuse(outcome, scope, receive, send)
            return
        with self._slots.slot(identity and identity.key) as granted:
            if granted:
                await self._admitted(identity, scope, receive, send)
            else:
                busy = Problem(503, "Too many requests at once.", "Try again.", ((b"retry-after", b"1"),))
                await self._refuse(busy, scope, receive, send)

    def _too_often(self, identity: TokenIdentity, scope: Scope) -> Problem | None:
        if wait := self._calls.take(identity.key):
            return _slow_down(wait)
        if self._is_write(scope) and (wait := self._writes.take(identity.key)):
            return _slow_down(wait, "Too many writes.")
        return None

    async def _refuse(
        self, problem: Problem, scope: Scope, receive: Receive, send: Send, *, hear_out: bool = True
    ) -> None:
        if (seen := logged_request(scope)) is not None:
            seen.refused = _REASONS.get(problem.status, "form")
        await answer(problem, receive, send, hear_out=hear_out)

    async def _admitted(self, identity: TokenIdentity | None, scope: Scope, receive: Receive, send: Send) -> None:
        with self._bodies.buffer(self._most(identity)) as body:
            try:
                problem = await body.read(receive)
            except Disconnected:
                return
            if problem is not None:
                await self._refuse(problem, scope, receive, send, hear_out=body.has_more)
                return
            headers = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
            inner = {**scope, "headers": headers, CALLER: identity}
            await self._app(inner, body.replay(receive), _with_security_headers(send))

    def _most(self, identity: TokenIdentity | None) -> int:
        return self._limits.body_bytes if identity else min(self._limits.open_body_bytes, self._limits.body_bytes)

    def _head_problem(self, scope: Scope) -> Problem | None:
        if scope.get("http_version", "1.1") not in _VERSIONS:
            return Problem(505, "This server speaks HTTP/1.1.", "Use a client that supports it.")
        headers = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers)
        if len(headers) > self._limits.header_count or size > self._limits.header_bytes:
            return Problem(431, "Too many or too long headers.", "Send fewer.")
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > self._limits.target_bytes:
            return Problem(414, "The address is too long.", "Send long values in the body.")
        if values(scope, b"transfer-encoding") and values(scope, b"content-length"):
            return Problem(400, "Both Content-Length and Transfer-Encoding are set.", "Send only one of them.")
        return None

    def _url_problem(self, scope: Scope) -> Problem | None:
        """Refuse tokens in addresses, which histories and logs keep."""
        try:
            pairs = parse_qsl(scope.get("query_string", b"").decode("latin-1"), max_num_fields=100)
        except ValueError:
            return Problem(400, "The address has too many parameters.", "Send long values in the body.")
        if any(name.lower() in _IN_URLS for name, _ in pairs):
            return Problem(
                400,
                "Do not put a token into an address: histories and logs keep it.",
                "Send it as `Authorization: Bearer …`. If it is a real token, replace it.",
            )
        return None

    async def _authenticate(self, scope: Scope) -> TokenIdentity | Problem | None:
        """Identify the sender. All clients of one machine share its address, so failures of others never block a valid
        token there; remote addresses that guess must wait."""
        address = sender(scope)
        if scope["path"] in self._open_paths or self._open_when(scope):
            return None
        if not is_loopback(address) and (wait := self._failures.wait(address)):
            return _slow_down(wait)
        sent = values(scope, b"authorization")
        try:  # a token identifies the sender alone, whatever cookies it has
            if self._asks_others:
                async with asyncio.timeout(_ASKED_SECONDS):
                    identity = await asyncio.to_thread(self._identify, scope, sent)
            else:
                identity = self._identify(scope, sent)
        except (WaypostError, TimeoutError) as error:
            _LOG.error("Tokens cannot be checked: %s", error or "the store does not answer")
            return Problem(503, "The server cannot check tokens now.", _UNCHECKED, _LATER)
        way_in = None if sent or identity or self._way_in is None else self._way_in(scope)
        return identity or way_in or self._unauthorized(address)

    def _identify(self, scope: Scope, sent: list[bytes]) -> TokenIdentity | None:
        if sent:
            return self._bearer(sent)
        return None if self._signed_in is None else self._signed_in(scope)

    def _unauthorized(self, address: str) -> Problem:
        if wait := self._failures.take(address):
            return _slow_down(wait)
        where = "the server printed which file holds the owner's"
        if self._asks_others:
            where = "create one with `waypost team token make`"
        return Problem(401, "A valid token is needed.", f"Send `Authorization: Bearer TOKEN`; {where}.", _CHALLENGE)

    def _bearer(self, sent: list[bytes]) -> TokenIdentity | None:
        if len(sent) != 1:
            return None
        scheme, _, token = sent[0].decode("latin-1").partition(" ")
        return self._tokens.verify(token.strip()) if scheme.lower() == "bearer" else None


def _with_security_headers(send: Send) -> Send:
    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            sent = [(bytes(name).lower(), bytes(value)) for name, value in message.get("headers", ())]
            message = {**message, "headers": [*sent, *_missing(sent)]}
        await send(message)

    return send_with_headers


def _missing(sent: list[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Security headers that the application has not set."""
    present = dict(sent)
    is_page = present.get(b"content-type", b"").lower().startswith(b"text/html")
    needed = {**dict(SECURITY_HEADERS), **(dict(PAGE_HEADERS) if is_page else {})}
    return [(name, value) for name, value in needed.items() if name not in present]


def _slow_down(wait: float, what: str = "Too many requests.") -> Problem:
    seconds = str(max(1, math.ceil(wait))).encode()
    return Problem(429, what, "Wait as Retry-After says.", ((b"retry-after", seconds),))


def sender(scope: Scope) -> str:
    """The sender's address. All IPv6 addresses of a /64 count as one, because one machine can have them all."""
    text = str((scope.get("client") or ("",))[0])
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return text
    if isinstance(address, ipaddress.IPv4Address) or address.is_loopback:
        return text
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((int(address) >> 64 << 64, 64)))
