"""Sign-in: a person enters a token or a code once and is then known by a cookie."""

import asyncio
import hashlib
import hmac
import logging
import math
import secrets
import threading
import time
from collections.abc import Iterable
from datetime import timedelta
from pathlib import PurePath
from typing import Protocol
from urllib.parse import parse_qs, quote

from waypost.errors import WaypostError
from waypost.faces.guard.asgi import Receive, Scope, Send, values
from waypost.faces.guard.csrf import SESSION, Visit, form_values, visit_of
from waypost.faces.guard.gate import Verifier, sender
from waypost.faces.guard.hosts import is_loopback
from waypost.faces.guard.identity import TokenIdentity
from waypost.faces.guard.limits import Buckets, Monotonic, ServerLimits
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.sessions import SignedInSession
from waypost.faces.guard.sign_in_page import LOGIN, LOGOUT, OPEN_PATHS, file_of, local_path, page, send_answer
from waypost.faces.guard.tokens import digest_of
from waypost.model.time import Clock, utc_now

LIFE = timedelta(minutes=10)
_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ"  # without the similar 0 O 1 I L U
_LENGTH = 10  # 49 bits, safe against `_TRIES` guesses
_TRIES = 10  # wrong codes; then only the token works
_LONGEST = 64  # characters of input that can be a code


class SignInCode:
    """One code, stored as a hash. It works once, within its time, and not after too many wrong tries."""

    def __init__(self, clock: Clock = utc_now, *, life: timedelta = LIFE) -> None:
        plain = "".join(secrets.choice(_ALPHABET) for _ in range(_LENGTH))
        self._digest = digest_of(plain)
        self._readable: str | None = f"{plain[:5]}-{plain[5:]}"
        self._clock, self._tries = clock, _TRIES
        self.expires = clock() + life
        self._guard = threading.Lock()

    def reveal(self) -> str:
        """The readable code. Can be called once; afterwards only the hash is left."""
        if self._readable is None:
            raise ValueError("a code is revealed once")
        code, self._readable = self._readable, None
        return code

    def opens(self, text: str) -> bool:
        """Whether this is the code, which is then used up. Hyphens, spaces and case do not matter."""
        letters = _letters(text)
        if letters is None:
            return False
        right = hmac.compare_digest(digest_of(letters), self._digest)
        with self._guard:
            if self._tries <= 0 or self._clock() >= self.expires:
                return False
            self._tries = 0 if right else self._tries - 1
        return right


def _letters(text: str) -> str | None:
    """The letters of a possible code, or None if it has another form, which does not count as a try."""
    letters = "".join(text.upper().split()).replace("-", "") if len(text) <= _LONGEST else ""
    return letters if len(letters) == _LENGTH and all(letter in _ALPHABET for letter in letters) else None


_LOG = logging.getLogger("waypost.guard")
_HTML = b"text/html; charset=utf-8"
_FORM = b"application/x-www-form-urlencoded"


class TokenBook(Verifier, Protocol):
    @property
    def path(self) -> PurePath:
        """Distinguishes them from other tokens."""

    def holder(self, key: str) -> TokenIdentity | None: ...

    def owner(self) -> TokenIdentity | None: ...


class SessionBook(Protocol):
    @property
    def longest(self) -> timedelta: ...

    def begin(self, holder: str) -> str: ...

    def find(self, name: str) -> SignedInSession | None: ...

    def needs_saving(self, session: SignedInSession) -> bool: ...

    def save(self) -> None: ...

    def end(self, session: SignedInSession) -> None: ...


class SignIn:
    """The application of `/login` and `/logout`, and the functions that the gate uses for cookies.

    Without a code, only tokens sign in. `secure_hosts`: Host names for which a proxy speaks TLS.
    """

    open_paths = OPEN_PATHS
    paths = OPEN_PATHS | {LOGOUT}

    def __init__(
        self,
        tokens: TokenBook,
        sessions: SessionBook,
        code: SignInCode | None,
        limits: ServerLimits | None = None,
        *,
        secure_hosts: Iterable[str] = (),
        monotonic: Monotonic = time.monotonic,
    ) -> None:
        limits = limits or ServerLimits()
        self._tokens, self._sessions, self._code = tokens, sessions, code
        self._failures = Buckets(limits.failure_rate, limits.failure_burst, monotonic)
        self._secure_hosts = frozenset(host.lower().encode() for host in secure_hosts)
        # Browsers share cookies between ports. Servers of one data directory share theirs; others use another name.
        self._cookie = f"waypost-{hashlib.sha256(str(tokens.path).encode()).hexdigest()[:8]}"

    # -- for the gate --------------------------------------------------------------------------------------------

    def who(self, scope: Scope) -> TokenIdentity | None:
        """The person with this cookie. The scope then holds the `Visit`, and no longer the cookie."""
        name = self._sent_cookie(scope)
        session = self._sessions.find(name) if name else None
        identity = self._tokens.holder(session.holder) if session else None
        if session is None or identity is None:
            return None
        if self._sessions.needs_saving(session):
            self._save()
        scope[SESSION] = visit_of(session, name)
        scope["headers"] = _without_cookie(scope, self._cookie_name(scope))
        return identity

    def _save(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # in a thread, where nothing else is blocked
            self._sessions.save()
        else:
            loop.run_in_executor(None, self._sessions.save)

    def way_in(self, scope: Scope) -> Problem | None:
        """Redirect browsers to the sign-in page; programs get a refusal."""
        accepted = b",".join(values(scope, b"accept")).lower()
        if b"text/html" not in accepted:
            return None
        target = scope.get("raw_path") or b"/"
        query = scope.get("query_string", b"")
        target_path = (target + (b"?" + query if query else b"")).decode("latin-1") if scope["method"] == "GET" else "/"
        path = local_path(target_path)
        where = LOGIN if path == "/" else f"{LOGIN}?next={quote(path, safe='/')}"
        return Problem(303, "Sign in first.", f"Go to {LOGIN}.", ((b"location", where.encode("ascii")),))

    # -- the application -----------------------------------------------------------------------------------------

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, method = scope["path"], scope["method"]
        if path == LOGOUT and method == "POST":
            await self._sign_out(scope, send)
        elif path == LOGIN and method == "POST":
            await self._sign_in(scope, receive, send)
        elif path != LOGOUT and method in {"GET", "HEAD"}:
            await self._show(scope, send)
        else:
            allowed = b"POST" if path == LOGOUT else b"GET, HEAD, POST" if path == LOGIN else b"GET, HEAD"
            refused = Problem(405, "Method not allowed.", "Use a method from Allow.", ((b"allow", allowed),))
            await answer(refused, receive, send)

    async def _show(self, scope: Scope, send: Send) -> None:
        if (file := file_of(scope["path"])) is not None:
            content, kind = file
            await send_answer(send, 200, content, kind, ((b"cache-control", b"no-cache"),))
            return
        requested = parse_qs(scope.get("query_string", b"").decode("latin-1"), max_num_fields=100).get("next", ["/"])
        next_path = local_path(requested[0])
        try:
            signed_in = await asyncio.to_thread(self.who, {**scope}) is not None
        except WaypostError:  # reported when they sign in
            signed_in = False
        if signed_in:
            await send_answer(send, 303, headers=((b"location", next_path.encode("ascii")),))
        else:
            await send_answer(send, 200, self._page("", next_path), _HTML)

    async def _sign_in(self, scope: Scope, receive: Receive, send: Send) -> None:
        if [kind.partition(b";")[0].strip().lower() for kind in values(scope, b"content-type")] != [_FORM]:
            await answer(Problem(415, "This takes a form.", "Send it as the page does."), receive, send)
            return
        body = (await receive()).get("body", b"")
        secrets, nexts = form_values(body, "secret"), form_values(body, "next")
        next_path = local_path(nexts[0]) if len(nexts) == 1 else "/"
        address = sender(scope)
        if not is_loopback(address) and (wait := self._failures.wait(address)):
            await self._too_often(send, wait, next_path)
            return
        try:
            identity = await asyncio.to_thread(self._identify, secrets[0].strip()) if len(secrets) == 1 else None
            if identity is None:
                await self._refuse(send, address, next_path)
            elif identity.kind != "person":
                message = "This is an agent's token. Sign in with a person's, or a code."
                await send_answer(send, 403, self._page(message, next_path), _HTML)
            else:
                await self._start_session(identity, scope, send, next_path)
        except WaypostError as error:
            _LOG.error("Nobody can sign in: %s", error)
            message = "The server cannot check this now. Try again later; its log has the reason."
            await send_answer(send, 503, self._page(message, next_path), _HTML)

    def _identify(self, secret: str) -> TokenIdentity | None:
        if self._code is not None and self._code.opens(secret):
            return self._tokens.owner()
        return self._tokens.verify(secret)

    async def _refuse(self, send: Send, address: str, next_path: str) -> None:
        if wait := self._failures.take(address):
            await self._too_often(send, wait, next_path)
            return
        message = "Invalid code or token. A code is valid once, for ten minutes; after that, use the token."
        if self._code is None:
            message = "Invalid token. Use one created for a person, with --person."
        await send_answer(send, 401, self._page(message, next_path), _HTML)

    async def _start_session(self, identity: TokenIdentity, scope: Scope, send: Send, next_path: str) -> None:
        before = self._sent_cookie(scope)
        name = await asyncio.to_thread(self._begin, before, identity)
        cookie = self._set_cookie(scope, name, int(self._sessions.longest.total_seconds()))
        await send_answer(send, 303, headers=((b"location", next_path.encode("ascii")), (b"set-cookie", cookie)))

    def _begin(self, before: str, identity: TokenIdentity) -> str:
        """End the previous session of this browser and start a new one."""
        if before and (old := self._sessions.find(before)) is not None:
            self._sessions.end(old)
        return self._sessions.begin(identity.key)

    async def _sign_out(self, scope: Scope, send: Send) -> None:
        visit = scope.get(SESSION)
        if isinstance(visit, Visit):
            await asyncio.to_thread(self._sessions.end, visit.session)
        gone = self._set_cookie(scope, "", 0)
        await send_answer(send, 303, headers=((b"location", LOGIN.encode()), (b"set-cookie", gone)))

    async def _too_often(self, send: Send, wait: float, next_path: str) -> None:
        seconds = str(max(1, math.ceil(wait)))
        headers = ((b"retry-after", seconds.encode()),)
        await send_answer(
            send, 429, self._page(f"Too many attempts. Wait {seconds} seconds.", next_path), _HTML, headers
        )

    def _page(self, message: str, next_path: str) -> bytes:
        return page(message, next_path=next_path, has_code=self._code is not None)

    # -- the cookie ----------------------------------------------------------------------------------------------

    def _is_secure(self, scope: Scope) -> bool:
        return scope.get("scheme") == "https" or any(
            host.lower() in self._secure_hosts for host in values(scope, b"host")
        )

    def _cookie_name(self, scope: Scope) -> str:
        return f"__Host-{self._cookie}" if self._is_secure(scope) else self._cookie

    def _set_cookie(self, scope: Scope, value: str, seconds: int) -> bytes:
        secure = "; Secure" if self._is_secure(scope) else ""
        pair = f"{self._cookie_name(scope)}={value}"
        return f"{pair}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}".encode("ascii")

    def _sent_cookie(self, scope: Scope) -> str:
        """The session's id. Two cookies with this name count as none: another site may have set one."""
        cookie_name = self._cookie_name(scope)
        matching = [value for name, value in _cookies(scope) if name == cookie_name]
        return matching[0] if len(matching) == 1 else ""


def _cookies(scope: Scope) -> list[tuple[str, str]]:
    pieces = b";".join(values(scope, b"cookie")).decode("latin-1").split(";")
    pairs = (piece.partition("=") for piece in pieces)
    return [(name.strip(), value.strip()) for name, _, value in pairs]


def _without_cookie(scope: Scope, gone: str) -> list[tuple[bytes, bytes]]:
    """The headers without this cookie, so that no application can log the session's id."""
    others = "; ".join(f"{name}={value}" for name, value in _cookies(scope) if name and name != gone)
    headers = [(name, value) for name, value in scope["headers"] if name != b"cookie"]
    return [*headers, (b"cookie", others.encode("latin-1"))] if others else headers
