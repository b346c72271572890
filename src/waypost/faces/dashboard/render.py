"""Renders pages as HTML. One template environment; everything is escaped."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from waypost.faces.dashboard.memory_rows import main_reasons
from waypost.faces.dashboard.request_context import PageRequest, ShowPage, address
from waypost.faces.dashboard.wording import ago, day, opening, percent, plain, reason, shortened, size
from waypost.faces.guard.identity import TokenIdentity
from waypost.memory.catalog import Spaces
from waypost.model.time import format_minute, parse_time
from waypost.text.plural import counted

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_TITLES = {403: "Not allowed", 404: "Not found", 500: "Unexpected error"}
_NOWHERE = "-"  # no navigation section
# Shown after an action. Addresses name a message but never contain its text.
MESSAGES = {
    "verified": "Verified for the current code.",
    "checked": "All code references were checked.",
    "checking": "Code references are being checked in the background.",
    "verified_some": "Some could not be verified: their code is deleted or found in several places. They are still listed.",
    "relinked_some": "Some could not be relinked: their code has changed or is deleted. They are still listed.",
    "reset": "Reset: they now refer to the current code. History keeps the old references.",
    "reset_some": "Some are still stale: their code was found in several places. Choose one.",
    "relinked": "It now points at the new place of its code.",
    "corrected": "Corrected. History keeps the old text.",
    "retracted": "Retracted. It is no longer used; its history stays.",
    "rejected": "Rejected. This value is not stored again unless you allow it.",
    "lifted": "Allowed again.",
    "forgotten": "Deleted, with every trace that Waypost can reach.",
    "protected": "Protected: it is kept unchanged.",
    "released": "No longer protected.",
    "approved": "Approved. It is now stored under your name.",
    "approved_some": "Some were refused: their value was rejected before. Allow it first, on the memory's page or with `waypost reject --lift`.",
    "renewed": "Renewed: the full lifetime starts again.",
    "declined": "Rejected. It is not proposed again.",
    "reconsidered": "Restored: it needs review again.",
    "edited": "The text was changed. It still needs review.",
    "brought_back": "Restored.",
    "restored": "The original is restored.",
    "moved": "Saved. The text did not change.",
    "lasting": "Expiry set, starting now.",
    "unending": "It no longer expires.",
    "let_go": "Released: it is condensed again when due.",
    "noted": "Note saved to the file of its day.",
    "nothing": "Nothing was selected.",
}


SECTIONS = {  # titles by the first part of their addresses
    "": "Overview",
    "search": "Search",
    "stale": "Staleness",
    "review": "Review",
    "why": "Why",
    "code": "Code",
    "journal": "Journal",
    "context": "Context",
}


class Renderer:
    def __init__(self, spaces: Spaces, csrf_token: Callable[[Any], str]) -> None:
        self._spaces, self._csrf_token = spaces, csrf_token
        self._environment = _environment()

    def page(self, request: Request, page_request: PageRequest, page: ShowPage) -> Response:
        common = self._common(request, page_request.identity, page.title, page_request.section, page_request.space_id)
        message = MESSAGES.get(page_request.query.get("told", ""), "")
        away = page_request.away
        if away is not None:  # then other checkouts can be chosen
            common["space"] = self._spaces.entry(page_request.space_id)
        values = {
            **common, "request": page_request, "link": page_request.link, "told": message, "away": away, **page.values
        }  # fmt: skip
        return self._html(page.template, values, page.status)

    def error(self, request: Request, identity: TokenIdentity, what: str, remedy: str, status: int) -> Response:
        here = self._space_of(request, identity)
        common = self._common(request, identity, _TITLES.get(status, "Not done"), _NOWHERE, here)
        values = {
            **common,
            "link": lambda *parts, **query: address(here, *parts, **query),
            "what": what,
            "remedy": remedy,
        }
        return self._html("error.html", {**values, "told": ""}, status)

    def _space_of(self, request: Request, identity: TokenIdentity) -> str:
        """The requested space if it exists and the token opens it, else the token's own or the server's. Empty if a
        team's token opens none."""
        requested = request.url.path.removeprefix("/s/").partition("/")[0] if request.url.path.startswith("/s/") else ""
        readable = [entry.space_id for entry in self._spaces.menu() if identity.opens(entry.space_id)]
        if requested in readable:
            return requested
        if self._spaces.here_is_callers:
            return next(iter(readable), "")
        return identity.space or self._spaces.here

    def _common(
        self, request: Request, identity: TokenIdentity, title: str, section: str, space_id: str
    ) -> dict[str, Any]:
        readable = {entry.space_id: entry for entry in self._spaces.menu() if identity.opens(entry.space_id)}
        return {
            "title": title,
            "section": section,
            "sections": SECTIONS,
            "space_id": space_id,
            "space": readable.get(space_id),
            "spaces": list(readable.values()),
            "identity": identity,
            "csrf_token": self._csrf_token(request.scope),
            "now": self._spaces.now(),
            "away": None,
        }

    def _html(self, template: str, values: Mapping[str, Any], status: int) -> Response:
        html = self._environment.get_template(template).render(values)
        headers = {"content-security-policy": POLICY, "cache-control": "no-store"}
        return HTMLResponse(html, status, headers)


@cache
def _environment() -> Environment:
    """The environment, with all templates compiled at the start. If the package is upgraded meanwhile, a running server
    keeps its old templates."""
    environment = Environment(
        loader=PackageLoader("waypost.faces.dashboard"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        {
            "ago": lambda value, now: ago(_time(value), now) if value else "",
            "day": lambda value: day(_time(value)) if value else "",
            "moment": lambda value: format_minute(_time(value)) if value else "",
            "opening": opening,
            "plain": plain,
            "reason": reason,
            "shortened": shortened,
            "size": size,
            "percent": percent,
        }
    )
    environment.globals.update({"counted": counted, "main_reasons": main_reasons})
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)
    return environment


def _time(value: datetime | str) -> datetime:
    return value if isinstance(value, datetime) else parse_time(value, "time")
