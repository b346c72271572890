"""The gate: ASGI middleware that lets in whoever has a token, from where and as much as is allowed."""

import asyncio
import ipaddress
import logging
import math
import time
from collections.abc import Callable
from typing import Protocol
from urllib.parse import parse_qsl

from waypost.errors import WaypostError
from waypost.faces.guard.access_log import seen_of
from waypost.faces.guard.asgi import CALLER, App, Message, Receive, Scope, Send, values
from waypost.faces.guard.body import Disconnected, Intake
from waypost.faces.guard.hosts import Hosts, is_loopback
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import Buckets, Monotonic, Processes, ServerLimits, Slots
from waypost.faces.guard.problem import PAGE_HEADERS, SECURITY_HEADERS, Problem, answer

_LOG = logging.getLogger("waypost.guard")
_IN_URLS = frozenset({"token", "access_token", "auth_token", "api_key", "apikey", "bearer", "authorization", "auth"})
_CHALLENGE = ((b"www-authenticate", b'Bearer realm="waypost"'),)
_LATER = ((b"retry-after", b"5"),)
_UNCHECKED = "Repeat it a little later. If it stays so, tell whoever runs the server: /readyz and its log say why."
_ASKED_SECONDS = 35.0  # a database that restarts is waited for; one that stays away holds up no queue of requests
_VERSIONS = frozenset({"1.0", "1.1"})
_POLICY_VIOLATION = 1008  # the code that closes a web socket

# Why a request is refused, in one word, by the status that says so.
_REASONS = {303: "auth", 401: "auth", 403: "host", 421: "host", 429: "rate", 413: "size", 414: "size", 431: "size"}
_REASONS |= {408: "slow", 503: "busy"}

Asks = Callable[[Scope], bool]
SignedIn = Callable[[Scope], TokenIdentity | None]
Way = Callable[[Scope], Problem | None]


class Verifier(Protocol):
    """Knows tokens."""

    def verify(self, token: str) -> TokenIdentity | None: ...


class RequestGate:
    """Stands before `app`. An admitted request has its `Identity` in `scope["waypost.caller"]`, its body is there as a
    whole, and its token is gone from the headers.

    `open_paths` need no token (a sign-in page); everything else holds for them too. `signed_in` tells who sends a
    request without one (a session's cookie), `way_in` where somebody unknown without one is sent instead of away.
    `open_when` tells which other requests need no token. What `is_write` tells takes from `writes` too. `asks_others`:
    who has a token is asked of another program, which nobody else is to wait for. `processes`: with how many others the
    requests of a token are shared.
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
        way_in: Way | None = None,
        open_when: Asks = lambda _: False,
        is_write: Asks = lambda _: False,
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
        self._intake = Intake(self._limits)

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
        found = self._form(scope) or self._hosts.problem(scope) or self._url(scope) or await self._who(scope)
        if isinstance(found, TokenIdentity):
            identity = found
            found = self._too_often(identity, scope)
            if (seen := seen_of(scope)) is not None:
                seen.identity = identity
        found = found or self._intake.announced(scope, self._most(identity))
        if found is not None:
            await self._refuse(found, scope, receive, send)
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
        if (seen := seen_of(scope)) is not None:
            seen.refused = _REASONS.get(problem.status, "form")
        await answer(problem, receive, send, hear_out=hear_out)

    async def _admitted(self, identity: TokenIdentity | None, scope: Scope, receive: Receive, send: Send) -> None:
        with self._intake.room(self._most(identity)) as taken:
            try:
                problem = await taken.take(receive)
            except Disconnected:
                return
            if problem is not None:
                await self._refuse(problem, scope, receive, send, hear_out=taken.comes_on)
                return
            headers = [(name, value) for name, value in scope["headers"] if name != b"authorization"]
            inner = {**scope, "headers": headers, CALLER: identity}
            await self._app(inner, taken.replayed(receive), _with_security_headers(send))

    def _most(self, identity: TokenIdentity | None) -> int:
        return self._limits.body_bytes if identity else min(self._limits.open_body_bytes, self._limits.body_bytes)

    def _form(self, scope: Scope) -> Problem | None:
        """What is wrong with the size or form of the head."""
        if scope.get("http_version", "1.1") not in _VERSIONS:
            return Problem(505, "This server speaks HTTP/1.1.", "Use a client that speaks it.")
        headers = scope["headers"]
        size = sum(len(name) + len(value) for name, value in headers)
        if len(headers) > self._limits.header_count or size > self._limits.header_bytes:
            return Problem(431, "There are too many headers, or too long ones.", "Send fewer.")
        if len(scope.get("raw_path") or b"") + len(scope.get("query_string", b"")) > self._limits.target_bytes:
            return Problem(414, "The address is too long.", "Send long values in the body.")
        if values(scope, b"transfer-encoding") and values(scope, b"content-length"):
            return Problem(400, "A body has a length or comes in chunks, not both.", "Send one of the two headers.")
        return None

    def _url(self, scope: Scope) -> Problem | None:
        """A token in an address ends up in histories and logs."""
        try:
            pairs = parse_qsl(scope.get("query_string", b"").decode("latin-1"), max_num_fields=100)
        except ValueError:
            return Problem(400, "The address has too many parameters.", "Send long values in the body.")
        if any(name.lower() in _IN_URLS for name, _ in pairs):
            return Problem(
                400,
                "A token does not belong into an address: histories and logs keep it.",
                "Send it as `Authorization: Bearer …`. If it was a real one, replace it.",
            )
        return None

    async def _who(self, scope: Scope) -> TokenIdentity | Problem | None:
        """Who sends this. On one machine all share an address, so there a right token is never refused for the
        wrong ones of others; elsewhere an address that guesses waits."""
        address = sender(scope)
        if scope["path"] in self._open_paths or self._open_when(scope):
            return None
        if not is_loopback(address) and (wait := self._failures.wait(address)):
            return _slow_down(wait)
        sent = values(scope, b"authorization")
        try:  # whoever sends a token is known by that alone: a program, whatever cookies it has
            if self._asks_others:
                async with asyncio.timeout(_ASKED_SECONDS):
                    identity = await asyncio.to_thread(self._told, scope, sent)
            else:
                identity = self._told(scope, sent)
        except (WaypostError, TimeoutError) as error:
            _LOG.error("Tokens cannot be checked: %s", error or "the store does not answer")
            return Problem(503, "The server cannot check tokens now.", _UNCHECKED, _LATER)
        way_in = None if sent or identity or self._way_in is None else self._way_in(scope)
        return identity or way_in or self._refused(address)

    def _told(self, scope: Scope, sent: list[bytes]) -> TokenIdentity | None:
        if sent:
            return self._bearer(sent)
        return None if self._signed_in is None else self._signed_in(scope)

    def _refused(self, address: str) -> Problem:
        if wait := self._failures.take(address):
            return _slow_down(wait)
        where = "the server printed which file holds the owner's"
        if self._asks_others:
            where = "`waypost team token make` makes one"
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
    """What an answer needs besides what its application has set."""
    there = dict(sent)
    is_page = there.get(b"content-type", b"").lower().startswith(b"text/html")
    wanted = {**dict(SECURITY_HEADERS), **(dict(PAGE_HEADERS) if is_page else {})}
    return [(name, value) for name, value in wanted.items() if name not in there]


def _slow_down(wait: float, what: str = "Too many requests.") -> Problem:
    seconds = str(max(1, math.ceil(wait))).encode()
    return Problem(429, what, "Wait as long as Retry-After says.", ((b"retry-after", seconds),))


def sender(scope: Scope) -> str:
    """Where it comes from. One machine can have a whole /64 of IPv6 addresses: they count as one."""
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
