"""Maps a request to its route template, which is counted and logged instead of the address."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from waypost.faces.guard.asgi import Scope

if TYPE_CHECKING:
    from fastapi.routing import APIRoute
    from starlette.routing import BaseRoute

MCP = "/mcp"
REST, DASHBOARD = "rest", "dashboard"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
_OTHER = "other"
_SPACE = re.compile(r"[0-9a-f]{16}")
_RECALLING = ("/recall", "/search")  # ends of query paths


@dataclass(frozen=True, slots=True)
class ServedRoutes:
    """The routes of the REST API and the dashboard. `here` is the memory that the server was started in."""

    here: str = ""
    kinds: Mapping[tuple[str, str], tuple[str, str]] = field(default_factory=dict)
    reading_posts: tuple[re.Pattern[str], ...] = ()  # API routes with a long question in the body
    pages: Mapping[Any, str] = field(default_factory=dict)  # paths by endpoint

    def template(self, scope: Scope) -> str:
        """The route's template, after routing."""
        path = getattr(scope.get("route"), "path", None)
        return path if isinstance(path, str) else self.pages.get(scope.get("endpoint"), _OTHER)

    def space(self, scope: Scope) -> str:
        """The id of the memory it was about, or empty: a client may write anything there."""
        identifier = str(scope.get("path_params", {}).get("space", "here"))
        return identifier if _SPACE.fullmatch(identifier) else self.here if identifier == "here" else ""

    def writes(self, scope: Scope) -> bool:
        """Whether it may change something. MCP tools are checked when they are called."""
        path: str = scope["path"]
        if scope["method"] in _SAFE or path == MCP or path.startswith((f"{MCP}/", "/login")):
            return False
        return not any(pattern.match(path) for pattern in self.reading_posts)


def routes_of(here: str, api: Iterable["APIRoute"], pages: Iterable["BaseRoute"]) -> ServedRoutes:
    from waypost.faces.rest.caller import wants_to_write

    kinds: dict[tuple[str, str], tuple[str, str]] = {}
    reading, endpoints = [], {}
    for route in api:
        changes = wants_to_write(route.dependant)
        for method in route.methods or ():
            if route.path.endswith(_RECALLING):
                kinds[method, route.path] = ("recall", REST)
            elif changes:
                kinds[method, route.path] = ("write", REST)
        if not changes and not _SAFE.issuperset(route.methods or ()):
            reading.append(route.path_regex)
    for page in pages:
        path = getattr(page, "path", _OTHER)
        endpoints[getattr(page, "endpoint", None) or getattr(page, "app", None)] = path
        kinds["POST", path] = ("write", DASHBOARD)
        if path.endswith(_RECALLING):
            kinds["GET", path] = ("recall", DASHBOARD)
    return ServedRoutes(here, kinds, tuple(reading), endpoints)
