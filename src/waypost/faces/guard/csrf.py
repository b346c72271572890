"""Requests that a browser sends with a session's cookie: each that changes something proves that our page sent it.

A page of another site, or of another port of this machine, can make a browser send the cookie; it cannot read the
token that our pages carry. Whoever sends a bearer token needs none: no browser adds that by itself.
"""

import hashlib
import hmac
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlsplit

from waypost.faces.guard.asgi import App, Message, Receive, Scope, Send, values
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.sessions import SignedInSession
from waypost.faces.guard.sign_in_page import refused_page, send_answer

SESSION = "waypost.session"  # where the scope of a request that came with a session's cookie holds its `Visit`
HEADER = b"x-csrf-token"
FIELD = "csrf"  # of a form
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OURS = frozenset({b"same-origin", b"none"})  # `none`: typed, or from a bookmark
_FIELDS = 1000  # of a form


@dataclass(frozen=True, slots=True)
class Visit:
    """A request's session, and the token that its pages carry."""

    session: SignedInSession
    csrf_token: str


def visit_of(session: SignedInSession, name: str) -> Visit:
    """`name`: the session's id. The token follows from it, and not the other way round."""
    return Visit(session, hmac.digest(name.encode(), b"waypost csrf", hashlib.sha256).hex())


def csrf_token(scope: Scope) -> str:
    """What a page's forms send back as `csrf`, and its script as X-CSRF-Token. Empty without a session: there is
    nothing to protect then."""
    visit = scope.get(SESSION)
    return visit.csrf_token if isinstance(visit, Visit) else ""


def only_from_our_pages(app: App) -> App:
    """`app`, for behind a `Gate`. With a session's cookie, pages of other origins can lead here by a link and do nothing
    else; what is not GET or HEAD needs the session's token besides."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        visit = scope.get(SESSION) if scope["type"] == "http" else None
        if not isinstance(visit, Visit):
            await app(scope, receive, send)
            return
        if _is_foreign(scope):
            refused = Problem(403, "Pages of another origin may not use your session.", "Open the page from here.")
            await answer(refused, receive, send)
            return
        if scope["method"] in _SAFE:
            await app(scope, receive, send)
            return
        message = await receive()  # the gate gives a body in one piece
        if _is_proved(visit, scope, message):
            await app(scope, _replayed(message, receive), send)
        else:
            await _refuse(scope, receive, send)

    return guarded


async def _refuse(scope: Scope, receive: Receive, send: Send) -> None:
    """A person whose page is older than their session is told so on a page; a program as every program is."""
    if _is_from_a_person(scope):
        what, remedy = "That page was out of date, so nothing was done.", "Open it anew, and do it again there."
        await send_answer(send, 403, refused_page(what, remedy, _page_before(scope)), b"text/html; charset=utf-8")
        return
    missing = Problem(
        403,
        "This page is out of date, or the request is not from it.",
        "Reload the page and try again. Programs send the page's token as X-CSRF-Token, or a bearer token.",
    )
    await answer(missing, receive, send, hear_out=False)


def _is_from_a_person(scope: Scope) -> bool:
    """Whether a browser shows what is answered: it sent a form, and takes a page."""
    return not values(scope, HEADER) and b"text/html" in b",".join(values(scope, b"accept")).lower()


def _page_before(scope: Scope) -> str:
    """The path of the page that sent this. What is not of this server leads to the start."""
    found = values(scope, b"referer")
    try:
        parts = urlsplit(found[0].decode("latin-1") if len(found) == 1 else "/")
    except ValueError:
        return "/"
    return f"{parts.path}?{parts.query}" if parts.query else parts.path


def _is_foreign(scope: Scope) -> bool:
    """Whether the browser says that another origin's page is behind this, and it is more than a link to follow."""
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
    """What a form sent under this name; nothing where it is no form."""
    try:
        pairs = parse_qsl(body.decode("utf-8"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        return []
    return [value for field, value in pairs if field == name]


def _replayed(message: Message, receive: Receive) -> Receive:
    pending = [message]

    async def next_message() -> Message:
        return pending.pop() if pending else await receive()

    return next_message
