"""Pages as HTML: one environment for all templates, everything escaped, nothing of a memory ever acting."""

from collections.abc import Callable, Mapping
from datetime import datetime
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from waypost.faces.dashboard.flash_messages import TOLD
from waypost.faces.dashboard.rank_explanation import told_by
from waypost.faces.dashboard.request_context import PageRequest, ShowPage, address
from waypost.faces.dashboard.sections import SECTIONS
from waypost.faces.dashboard.wording import ago, day, opening, percent, plain, reason, shortened, size
from waypost.faces.guard.identity import TokenIdentity
from waypost.memory.catalog import Spaces
from waypost.model.time import parse_time
from waypost.text.plural import counted

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_TITLES = {403: "Not allowed", 404: "Not found", 500: "Something went wrong"}
_NOWHERE = "-"  # no section of the navigation


class Renderer:
    def __init__(self, spaces: Spaces, csrf_token: Callable[[Any], str]) -> None:
        self._spaces, self._csrf_token = spaces, csrf_token
        self._environment = _environment()

    def page(self, request: Request, asked: PageRequest, page: ShowPage) -> Response:
        common = self._common(request, asked.identity, page.title, asked.section, asked.space_id)
        told = TOLD.get(asked.query.get("told", ""), "")
        away = asked.away
        if away is not None:  # then its other checkouts can be chosen
            common["space"] = self._spaces.entry(asked.space_id)
        values = {**common, "asked": asked, "link": asked.link, "told": told, "away": away, **page.values}
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
        """The space that was asked for, where there is such a one and the token opens it: an error leads nobody out of
        it. Else the token's own, or the one that the server was started in; empty: of a team's, it opens none."""
        asked = request.url.path.removeprefix("/s/").partition("/")[0] if request.url.path.startswith("/s/") else ""
        known = [one.space_id for one in self._spaces.menu() if identity.opens(one.space_id)]
        if asked in known:
            return asked
        if self._spaces.here_is_callers:
            return next(iter(known), "")
        return identity.space or self._spaces.here

    def _common(
        self, request: Request, identity: TokenIdentity, title: str, section: str, space_id: str
    ) -> dict[str, Any]:
        known = {one.space_id: one for one in self._spaces.menu() if identity.opens(one.space_id)}
        return {
            "title": title,
            "section": section,
            "sections": SECTIONS,
            "space_id": space_id,
            "space": known.get(space_id),
            "spaces": list(known.values()),
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
    """One for all: templates are compiled once, at the start. A server that runs while its package is renewed goes on with
    its own; new ones would ask for what old code does not give."""
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
            "moment": lambda value: f"{_time(value):%Y-%m-%d %H:%M} UTC" if value else "",
            "opening": opening,
            "plain": plain,
            "reason": reason,
            "shortened": shortened,
            "size": size,
            "percent": percent,
        }
    )
    environment.globals.update({"counted": counted, "told_by": told_by})
    for name in environment.list_templates(extensions=["html"]):
        environment.get_template(name)
    return environment


def _time(value: datetime | str) -> datetime:
    return value if isinstance(value, datetime) else parse_time(value, "time")
