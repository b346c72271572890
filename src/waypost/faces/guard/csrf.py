"""CSRF protection: requests with a session cookie that change something must carry the session's token.

Pages of other sites or ports can make a browser send the cookie. They cannot read the token on Waypost's pages. Requests with
a bearer token need none, because browsers do not add it on their own.
"""

import hashlib
import hmac
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from waypost.faces.guard.asgi import App, Message, Receive, Scope, Send, values
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.sessions import SignedInSession
from waypost.faces.guard.sign_in_page import refused_page, send_answer

SESSION = "waypost.session"  # the scope key of a request's `Visit`, if it came with a session cookie
HEADER = b"x-csrf-token"
FIELD = "csrf"  # form field
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OURS = frozenset({b"same-origin", b"none"})  # `none`: typed, or from a bookmark
_FIELDS = 1000  # per form


@dataclass(frozen=True, slots=True)
class Visit:
    """A request's session and the CSRF token of its pages."""

    session: SignedInSession
    csrf_token: str


def visit_of(session: SignedInSession, name: str) -> Visit:
    """`name`: the session's id. The token is derived from it, one way."""
    return Visit(session, hmac.digest(name.encode(), b"waypost csrf", hashlib.sha256).hex())


def csrf_token(scope: Scope) -> str:
    """The token that forms send as `csrf` and scripts as X-CSRF-Token. Empty without a session."""
    visit = scope.get(SESSION)
    return visit.csrf_token if isinstance(visit, Visit) else ""


def with_csrf_check(app: App) -> App:
    """`app`, to run behind a `RequestGate`. With a session cookie, other origins can only link here. Requests other than GET
    and HEAD need the session's token."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        visit = scope.get(SESSION) if scope["type"] == "http" else None
        if not isinstance(visit, Visit):
            await app(scope, receive, send)
            return
        if _is_foreign(scope):
            problem = Problem(403, "Pages of another origin cannot use your session.", "Open the page from here.")
            await answer(problem, receive, send)
            return
        if scope["method"] in _SAFE:
            await app(scope, receive, send)
            return
        message = await receive()  # the gate passes the body in one piece
        if _is_proved(visit, scope, message):
            await app(scope, _replayed(message, receive), send)
        else:
            await _refuse(scope, receive, send)

    return guarded


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """Show a page to a person whose page is older than their session; answer programs with a problem."""
    if _is_from_a_person(scope):
        what, remedy = "That page was out of date, so nothing was done.", "Open it again and repeat the action."
        await send_answer(send, 403, refused_page(what, remedy, _page_before(scope)), b"text/html; charset=utf-8")
        return
    problem = Problem(
        403,
        "This page is out of date, or the request did not come from it.",
        "Reload the page and try again. Programs send the page's token as X-CSRF-Token, or a bearer token.",
    )
    await answer(problem, receive, send, hear_out=False)


def _is_from_a_person(scope: Scope) -> bool:
    """Whether a browser shows the answer: it sent a form and accepts HTML."""
    return not values(scope, HEADER) and b"text/html" in b",".join(values(scope, b"accept")).lower()


def _page_before(scope: Scope) -> str:
    """The path of the page that sent this, or `/` if it is not of this server."""
    referers = values(scope, b"referer")
    try:
        parts = urlsplit(referers[0].decode("latin-1") if len(referers) == 1 else "/")
    except ValueError:
        return "/"
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _is_foreign(scope: Scope) -> bool:
    """Whether the browser reports a page of another origin, and this is more than following a link."""
    if all(site in _OURS for site in values(scope, b"sec-fetch-site")):
        return False
    follows = values(scope, b"sec-fetch-mode") == [b"navigate"] and values(scope, b"sec-fetch-dest") == [b"document"]
    return not (follows and scope["method"] in {"GET", "HEAD"})


def _is_proved(visit: Visit, scope: Scope, message: Message) -> bool:
    sent = [value.decode("latin-1") for value in values(scope, HEADER)] or _in_form(scope, message.get("body", b""))
    expected = visit.csrf_token.encode()
    return len(sent) == 1 and hmac.compare_digest(sent[0].encode("utf-8", "surrogatepass"), expected)


def _in_form(scope: Scope, body: bytes) -> list[str]:
    kinds = values(scope, b"content-type")
    if len(kinds) != 1 or kinds[0].partition(b";")[0].strip().lower() != b"application/x-www-form-urlencoded":
        return []
    return form_values(body, FIELD)


def form_values(body: bytes, name: str) -> list[str]:
    """The values of a form field; empty if the body is not a form."""
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        return []
    return [value for field, value in pairs if field == name]


def _replayed(message: Message, receive: Receive) -> Receive:
    queue = [message]

    async def next_message() -> Message:
        return queue.pop() if queue else await receive()

    return next_message
