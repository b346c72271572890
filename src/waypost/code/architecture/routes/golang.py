"""Endpoints of Gin, Echo, Fiber, chi, gorilla/mux and net/http, with their groups."""

from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.routes.base import (
    ANY,
    METHODS,
    Functions,
    assignee,
    handler_name,
    join,
    mount,
    route,
    router,
)
from waypost.code.architecture.tokens import NAME, STRING, Span, TokenList

_VERBS = {method: method for method in METHODS} | {method.capitalize(): method for method in METHODS}
_VERBS |= {"Any": ANY, "Handle": ANY, "HandleFunc": ANY, "All": ANY}
_GROUPS = ("Group", "Route", "PathPrefix", "Subrouter")
MARKS = ('.Group("/', '.GET("/', '.POST("/', '.PUT("/', '.DELETE("/', '.Mount("/')
PACKAGES = {
    "gin-gonic/gin": "Gin",
    "labstack/echo": "Echo",
    "gofiber/fiber": "Fiber",
    "go-chi/chi": "chi",
    "gorilla/mux": "gorilla/mux",
    "julienschmidt/httprouter": "httprouter",
}


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    framework = next((name for package, name in PACKAGES.items() if package in text), "")
    if not framework and '"net/http"' in text:
        framework = "net/http"
    if not framework and not any(mark in text for mark in MARKS):
        return  # with a mark, the manifest shows the framework
    scopes = Functions(tokens, "func")
    for (owner, _), (parent, prefix, at) in dict(_groups(tokens, scopes)).items():
        name = _owner(tokens, owner, at, scopes)
        yield router(name, "", tokens.lines[at], framework)
        yield mount(name, prefix, tokens.lines[at], _owner(tokens, parent, at, scopes), framework)
    for at in tokens.calls():
        yield from _call(tokens, at, scopes, framework)


def _groups(tokens: TokenList, scopes: Functions) -> Iterator[tuple[tuple[str, str], tuple[str, str, int]]]:
    """`v1 := r.Group("/api")`: the name and its function, with its parent and prefix."""
    for at in tokens.calls():
        if tokens.texts[at] not in _GROUPS or not tokens.is_other(at - 1, "."):
            continue
        start = tokens.chain_start(at)
        spans = tokens.arguments(at + 1)
        name = assignee(tokens, start)
        prefix = tokens.literal(spans[0]) if spans else ""
        if name and prefix is not None and tokens.texts[at] != "Route":
            if tokens.texts[at] == "Subrouter":
                prefix = tokens.chained_literal(at, "PathPrefix")
            yield (name, scopes.name(at)), (tokens.source((start, start + 1)), prefix, at)


def _owner(tokens: TokenList, owner: str, at: int, scopes: Functions) -> str:
    """A router parameter is identified by its function, a local one by function and name."""
    function = scopes.around(at)
    if function is None:
        return owner
    name, opening, _ = function
    parameters = [tokens.texts[span[0]] for span in tokens.arguments(opening)]
    return f"{name}()" if owner in parameters else f"{name}.{owner}"


def _call(tokens: TokenList, at: int, scopes: Functions, framework: str) -> Iterator[ArchitectureEvidence]:
    name = tokens.texts[at]
    spans = tokens.arguments(at + 1)
    line = tokens.lines[at]
    dotted = tokens.is_other(at - 1, ".")
    start = tokens.chain_start(at)
    if dotted and name in _VERBS and len(spans) >= 2 and start < at:
        path = tokens.literal(spans[0])
        verb = _VERBS[name]
        if name == "Handle" and path in METHODS and len(spans) >= 3:  # Gin: Handle("GET", "/x", h)
            verb, path, spans = path, tokens.literal(spans[1]), spans[1:]
        if path is None or not _is_path(path, framework):
            return
        if framework == "net/http" or (verb == ANY and " " in path):
            method, _, rest = path.rpartition(" ")
            verb, path = (method, rest) if method in METHODS else (verb, path)
        if framework == "gorilla/mux" or (framework == "net/http" and verb == ANY):
            verbs = _mux_methods(tokens, at) or [verb]
        else:
            verbs = [verb]
        last = spans[1] if framework in ("Echo", "gorilla/mux", "net/http") else spans[-1]
        prefix = _around(tokens, at)
        owner = _owner(tokens, tokens.texts[start], at, scopes)
        if "Group" in [tokens.texts[call] for call in tokens.chain(at)]:
            prefix = join(prefix, _inline_group(tokens, at))
        full = join(prefix, path) if prefix else path
        for method in verbs:
            yield route(method, full, handler_name(tokens, last), line, framework, owner)
    elif spans and start <= at:
        yield from _passed_routers(tokens, at, spans, scopes, framework)


def _is_path(path: str, framework: str) -> bool:
    if framework == "net/http":
        return "/" in path
    return path == "" or path.startswith(("/", "*", ":"))


def _mux_methods(tokens: TokenList, at: int) -> list[str]:
    """`.HandleFunc("/x", h).Methods("GET", "POST")`."""
    place = tokens.partner[at + 1] + 1
    for _ in range(6):
        if place <= 0 or not tokens.is_other(place, ".") or not tokens.is_other(place + 2, "("):
            return []
        end = tokens.partner[place + 2]
        if tokens.texts[place + 1] == "Methods":
            words = [tokens.texts[p].rpartition("Method")[2].upper() for p in range(place + 2, end)]
            return [word for word in words if word in METHODS]
        place = end + 1
    return []


def _around(tokens: TokenList, at: int) -> str:
    """chi: `r.Route("/x", func(r chi.Router) { … })`. The enclosing closures give the prefix."""
    parts: list[str] = []
    for opening in tokens.around(at):
        if tokens.is_call(opening, "Route", "Group"):
            spans = tokens.arguments(opening)
            if len(spans) >= 2 and (prefix := tokens.literal(spans[0])) is not None:
                parts.insert(0, prefix)
    return join(*parts).rstrip("/") if parts else ""


def _inline_group(tokens: TokenList, at: int) -> str:
    parts: list[str] = []
    for call in tokens.chain(at):
        if tokens.texts[call] == "Group" and (spans := tokens.arguments(call + 1)):
            parts.insert(0, tokens.literal(spans[0]) or "")
    return join(*parts)


def _passed_routers(
    tokens: TokenList, at: int, spans: list[Span], scopes: Functions, framework: str
) -> Iterator[ArchitectureEvidence]:
    """A router passed to a function: `users.Register(v1.Group("/users"))`, `h.Register(v1)`, `r.Mount("/x", sub())`."""
    name = tokens.texts[at]
    line = tokens.lines[at]
    start = tokens.chain_start(at)
    if name == "Mount" and len(spans) >= 2 and (prefix := tokens.literal(spans[0])) is not None:
        target = handler_name(tokens, spans[1])
        is_call = tokens.is_other(spans[1][1] - 1, ")")
        owner = _owner(tokens, tokens.texts[start], at, scopes)
        yield mount(f"{target}()" if is_call else f"{scopes.name(at)}.{target}", prefix, line, owner, framework)
        return
    is_library = tokens.texts[start] in ("gin", "echo", "http")
    if is_library or tokens.is_name(at - 1, "func") or name in _VERBS or name in _GROUPS:
        return
    for first, last in spans:
        if tokens.kinds[first] != NAME:
            continue
        owner = _owner(tokens, tokens.texts[first], at, scopes)
        if last - first == 1 and _looks_like_router(tokens.texts[first]):
            yield mount(f"{tokens.source((start, at + 1))}()", "", line, owner, framework)
        elif last - first == 6 and tokens.texts[first + 2] == "Group" and tokens.kinds[first + 4] == STRING:
            yield mount(f"{tokens.source((start, at + 1))}()", tokens.texts[first + 4], line, owner, framework)


def _looks_like_router(name: str) -> bool:
    lower = name.lower()
    return lower in ("r", "e", "v1", "v2", "app", "api", "mux", "g") or lower.endswith(
        ("router", "group", "routes", "engine", "api", "server")
    )
