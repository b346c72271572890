"""Endpoints of Flask, FastAPI, Starlette, aiohttp, Tornado and Sanic: decorators, tables, routers and mounts."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.routes.annotations import Annotation, Declaration, declarations
from waypost.code.architecture.routes.base import ANY, METHODS, assignee, handler_name, methods, mount, route, router
from waypost.code.architecture.tokens import STRING, Span, TokenList

# Router constructors: framework, and the argument with the prefix.
_ROUTERS = {
    "Flask": ("Flask", ""),
    "Blueprint": ("Flask", "url_prefix"),
    "APIBlueprint": ("Flask", "url_prefix"),
    "Namespace": ("Flask", "path"),
    "FastAPI": ("FastAPI", ""),
    "APIRouter": ("FastAPI", "prefix"),
    "Starlette": ("Starlette", ""),
    "RouteTableDef": ("aiohttp", ""),
    "Sanic": ("Sanic", ""),
    "Quart": ("Flask", ""),
}
_FRAMEWORKS = (
    ("fastapi", "FastAPI"),
    ("flask", "Flask"),
    ("aiohttp", "aiohttp"),
    ("starlette", "Starlette"),
    ("sanic", "Sanic"),
    ("tornado", "Tornado"),
    ("quart", "Flask"),
    ("litestar", "Litestar"),
)
_VERBS = {method.lower(): method for method in METHODS}
_MOUNTS = {
    "include_router": "prefix",
    "register_blueprint": "url_prefix",
    "add_namespace": "path",
    "blueprint": "url_prefix",
}
_ADD_RESOURCE = re.compile(r"add_(?:\w{1,20}_)?resource")
_GUARDS = re.compile(
    r"login_required|jwt_required|jwt_optional|requires?_auth|auth_required|permission_required|token_required"
)
_CLASS = re.compile(r"^class\s+(\w+)\b", re.MULTILINE)
_CLASS_METHOD = re.compile(
    r"^[ \t]{1,8}(?:async[ \t]+)?def[ \t]+(get|post|put|patch|delete|head|options)\b", re.MULTILINE
)


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    framework = next((name for word, name in _FRAMEWORKS if f"import {word}" in text or f"from {word}" in text), "")
    owners = {}
    for at in tokens.calls():
        name = tokens.texts[at]
        if name in _ROUTERS and (variable := assignee(tokens, tokens.chain_start(at))):
            kind, key = _ROUTERS[name]
            owners[variable] = kind
            prefix = _prefix(tokens, tokens.keyword(at + 1, key)) if key else ""
            yield router(variable, prefix, tokens.lines[at], kind)
    classes = _verbs_of_classes(text)
    for declared in declarations(tokens):
        for annotation in declared.annotations:
            yield from _decorator_routes(tokens, declared, annotation, owners, framework, classes)
    yield from _calls(tokens, text, owners, framework, classes)
    if framework == "Tornado":
        yield from _tornado(tokens, classes)


def _path(tokens: TokenList, span: Span | None) -> str | None:
    """A path, also inside a call: `scoped("/x")`."""
    if span is not None and tokens.is_name(span[0]) and tokens.is_other(span[0] + 1, "("):
        inner = tokens.arguments(span[0] + 1)
        span = inner[0] if len(inner) == 1 else span
    return tokens.literal(span)


def _prefix(tokens: TokenList, span: Span | None) -> str:
    """A prefix as written. A name becomes `{name}`, to be looked up among the project's constants."""
    if span is None:
        return ""
    literal = tokens.literal(span)
    if literal is not None:
        return literal
    written = tokens.source(span, 12)
    return "{" + written + "}" if written.replace(".", "").replace("_", "").isalnum() else ""


def _decorator_routes(
    tokens: TokenList,
    declared: Declaration,
    annotation: Annotation,
    owners: dict[str, str],
    framework: str,
    classes: dict[str, list[str]],
) -> Iterator[ArchitectureEvidence]:
    owner, _, verb = annotation.name.rpartition(".")
    if not owner or annotation.opening < 0:
        return
    spans = tokens.arguments(annotation.opening)
    path = _path(tokens, tokens.keyword(annotation.opening, "path", "rule") or (spans[0] if spans else None))
    if path is None or not (path.startswith("/") or path == ""):
        return
    if verb in _VERBS:
        verbs = [_VERBS[verb]]
    elif verb in ("route", "api_route"):
        stated = methods(tokens, tokens.keyword(annotation.opening, "methods"))
        verbs = stated or (classes.get(declared.name, [ANY]) if declared.is_class else ["GET"])
    elif verb in ("websocket", "websocket_route"):
        verbs = ["WEBSOCKET"]
    else:
        return
    kind = owners.get(owner.removeprefix("self."), framework)
    if not kind:
        return
    guard = next((a.name for a in declared.annotations if _GUARDS.search(a.name)), "")
    if not guard and _GUARDS.search(tokens.source((annotation.opening, tokens.partner[annotation.opening]), 200)):
        guard = "dependency"
    for method in verbs:
        yield route(method, path, declared.name, tokens.lines[annotation.at], kind, owner, guard=guard)


def _calls(
    tokens: TokenList, text: str, owners: dict[str, str], framework: str, classes: dict[str, list[str]]
) -> Iterator[ArchitectureEvidence]:
    for at in tokens.calls():
        name = tokens.texts[at]
        start = tokens.chain_start(at)
        owner = tokens.source((start, at - 1)) if start < at else ""
        spans = tokens.arguments(at + 1)
        line = tokens.lines[at]
        kind = owners.get(owner, framework)
        if name in _MOUNTS and owner and spans:
            yield mount(
                tokens.source(spans[0]), _prefix(tokens, tokens.keyword(at + 1, _MOUNTS[name])), line, owner, kind
            )
        elif name == "mount" and owner and len(spans) >= 2 and (prefix := tokens.literal(spans[0])) is not None:
            yield mount(tokens.source(tokens.split_keyword(spans[1])[1]), prefix, line, owner, kind)
        elif name == "add_url_rule" and spans and (path := tokens.literal(spans[0])) is not None:
            view = tokens.keyword(at + 1, "view_func") or (spans[2] if len(spans) > 2 else None)
            handler = handler_name(tokens, view) if view else ""
            verbs = methods(tokens, tokens.keyword(at + 1, "methods")) or classes.get(handler, ["GET"])
            yield from (route(verb, path, handler, line, kind or "Flask", owner) for verb in verbs)
        elif _ADD_RESOURCE.fullmatch(name) and len(spans) >= 2 and "flask" in text.lower():
            handler = handler_name(tokens, spans[0])
            for path in (literal for span in spans[1:] if (literal := tokens.literal(span)) is not None):
                for verb in classes.get(handler, [ANY]):
                    yield route(verb, path, handler, line, "Flask", owner)
        elif name == "add_api_route" and len(spans) >= 2 and (path := tokens.literal(spans[0])) is not None:
            verbs = methods(tokens, tokens.keyword(at + 1, "methods")) or ["GET"]
            yield from (
                route(verb, path, handler_name(tokens, spans[1]), line, kind or "FastAPI", owner) for verb in verbs
            )
        else:
            yield from _tables(tokens, at, name, owner, framework, spans)


def _tables(
    tokens: TokenList, at: int, name: str, owner: str, framework: str, spans: list[Span]
) -> Iterator[ArchitectureEvidence]:
    """aiohttp: `app.router.add_get("/x", h)`, `web.get("/x", h)`. Starlette: `Route("/x", h)` inside `Mount("/y")`."""
    line = tokens.lines[at]
    if (framework == "aiohttp" or (not framework and name.startswith("add_") and owner.endswith("router"))) and len(
        spans
    ) >= 2:
        verb = name.removeprefix("add_").upper()
        if (owner == "web" and name in _VERBS) or (owner.endswith("router") and verb in METHODS):
            if (path := tokens.literal(spans[0])) is not None:
                yield route(verb, path, handler_name(tokens, spans[1]), line, "aiohttp", "")
        elif name == "add_route" and len(spans) >= 3 and (path := tokens.literal(spans[1])) is not None:
            verb = (tokens.literal(spans[0]) or ANY).upper().replace("*", ANY)
            yield route(verb, path, handler_name(tokens, spans[2]), line, "aiohttp", "")
    elif name in ("Route", "WebSocketRoute") and len(spans) >= 2 and framework in ("Starlette", "FastAPI"):
        path = tokens.literal(tokens.split_keyword(spans[0])[1])
        if path is None:
            return
        handler = handler_name(tokens, tokens.keyword(at + 1, "endpoint") or spans[1])
        verbs = methods(tokens, tokens.keyword(at + 1, "methods")) or ["GET"]
        prefix = ""
        for opening in tokens.around(at):
            if tokens.is_name(opening - 1, "Mount") and (outer := tokens.arguments(opening)):
                prefix = (tokens.literal(outer[0]) or "") + prefix
        for verb in verbs if name == "Route" else ["WEBSOCKET"]:
            yield route(verb, prefix + path, handler, line, "Starlette")


def _tornado(tokens: TokenList, classes: dict[str, list[str]]) -> Iterator[ArchitectureEvidence]:
    """`(r"/x", Handler)` in the table of an application; also `url(r"/x", Handler)`."""
    for at in range(len(tokens)):
        if not tokens.is_other(at, "(") or at + 1 >= len(tokens) or tokens.kinds[at + 1] != STRING:
            continue
        if tokens.is_name(at - 1) and tokens.texts[at - 1] not in ("url", "URLSpec"):
            continue
        spans = tokens.arguments(at)
        path = tokens.literal(spans[0]) if len(spans) >= 2 else None
        if path is None or not path.startswith(("/", "^/")):
            continue
        handler = handler_name(tokens, spans[1])
        if handler[:1].isupper() or "." in handler:
            for verb in classes.get(handler.rpartition(".")[2], [ANY]):
                yield route(verb, path, handler, tokens.lines[at], "Tornado")


def _verbs_of_classes(text: str) -> dict[str, list[str]]:
    """The HTTP methods that the classes of a file answer, by method name."""
    places = [(match.start(), match[1]) for match in _CLASS.finditer(text)]
    verbs_by_class = {}
    for (start, name), (end, _) in zip(places, [*places[1:], (len(text), "")], strict=False):
        verbs = [match[1].upper() for match in _CLASS_METHOD.finditer(text, start, end)]
        if verbs:
            verbs_by_class[name] = list(dict.fromkeys(verbs))
    return verbs_by_class


_FROM = re.compile(
    r"^[ \t]*from[ \t]+([\w.]{1,200})[ \t]+import[ \t]+(?:\(([^()]{1,2000})\)|([^\n(]{1,400}))", re.MULTILINE
)
_IMPORT = re.compile(r"^[ \t]*import[ \t]+([\w.]{1,200})(?:[ \t]+as[ \t]+(\w+))?[ \t]*$", re.MULTILINE)


def links(text: str) -> Iterator[ArchitectureEvidence]:
    """The imports of a file, to follow its mounts."""
    for match in _FROM.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        for part in (match[2] or match[3]).split(","):
            words = part.partition("#")[0].split()
            if words and words[0].isidentifier():
                yield evidence("link", words[-1], match[1], line, member=words[0])
    for match in _IMPORT.finditer(text):
        yield evidence("link", match[2] or match[1], match[1], text.count("\n", 0, match.start()) + 1)
