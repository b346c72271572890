"""Endpoints of Express, Koa, Fastify and Hono, and pages of React Router, Vue Router and Angular."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.routes.base import (
    ANY,
    METHODS,
    PAGE,
    assignee,
    handler_name,
    indices,
    join,
    methods,
    mount,
    route,
)
from waypost.code.architecture.routes.base import router as router_of
from waypost.code.architecture.tokens import NAME, OTHER, STRING, Span, TokenList

_VERBS = {method.lower(): method for method in METHODS} | {"del": "DELETE", "all": ANY}
_CONSTRUCTORS = frozenset(
    ["express", "Router", "Hono", "OpenAPIHono", "fastify", "Fastify", "Koa", "KoaRouter", "Elysia", "polka", "restana"]
)
# Usual parameter names of a router that the file does not construct.
_USUAL = re.compile(r"(?:app|router|server|routes?|fastify|instance|\w+Router|\w+Routes|\w*[aA]pp)$")
_PACKAGES = (
    ("@koa/router", "Koa"),
    ("koa-router", "Koa"),
    ("fastify", "Fastify"),
    ("hono", "Hono"),
    ("@hono/zod-openapi", "Hono"),
    ("express", "Express"),
    ("koa", "Koa"),
)
_LINK = re.compile(
    r"import\s{1,9}+(?:type\s{1,9}+)?(?P<names>[\w$*{][\w$*{}\s,]{0,600}?)\s{1,9}+from\s{0,9}+['\"](?P<from>[^'\"\n]{1,200})['\"]"
    r"|(?:const|let|var)\s{1,9}+(?P<vars>\w{1,80}+|\{[\w$\s,:]{1,400}+\})\s{0,9}+=\s{0,9}+(?:await\s{1,9}+)?"
    r"require\(\s{0,9}+['\"](?P<module>[^'\"\n]{1,200})['\"]"
)
_GUARD = re.compile(
    r"(?:require|ensure|is|check|verify|must|needs?)_?(?:auth|login|logged|admin|jwt|token)|auth\w{0,60}\.required|passport\.|authenticat|authoriz|^auth\w*$|^(?:jwt|secured?|protected?)$",
    re.IGNORECASE,
)
_PAGE_ROUTERS = {"vue-router": "Vue Router", "@angular/router": "Angular", "react-router": "React Router"}
_PAGE_ROUTERS |= {"@solidjs/router": "Solid"}
_PAGE_KEYS = (
    *("component", "components", "element", "loadComponent", "lazy", "Component", "redirectTo", "redirect"),
    *("children", "loadChildren"),
)


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    framework = next((name for key, name in _PACKAGES if f"'{key}'" in text or f'"{key}"' in text), "")
    owners: dict[str, str] = {}
    for at in tokens.calls():
        if tokens.texts[at] in _CONSTRUCTORS and (name := assignee(tokens, tokens.chain_start(at))):
            prefix = tokens.literal(_prefix_option(tokens, at + 1))
            owners[name] = framework
            yield router_of(name, prefix or "", tokens.lines[at], framework)
    mounted = False
    for at in tokens.calls():
        for item in _call(tokens, at, owners, framework):
            mounted = mounted or item.kind == "mount"
            yield item
    if "@fastify/autoload" in text:
        yield evidence("prefix", "Fastify", "by directories", text.count("\n", 0, text.find("@fastify/autoload")) + 1)
    if mounted:
        yield from links(text)


def _call(tokens: TokenList, at: int, owners: dict[str, str], framework: str) -> Iterator[ArchitectureEvidence]:
    name = tokens.texts[at]
    if not tokens.is_other(at - 1, "."):
        return
    start = tokens.chain_start(at)
    owner = tokens.texts[start]
    if owner == "this" and tokens.is_name(start + 2):
        owner = tokens.texts[start + 2]
    if owner in _CONSTRUCTORS or tokens.is_name(start + 2, "Router"):
        # A router built in one expression, often the file's export.
        owner = assignee(tokens, start) or "default"
    elif owner not in owners and not _USUAL.match(owner):
        return
    spans = tokens.arguments(at + 1)
    line = tokens.lines[at]
    if name in _VERBS:
        path = tokens.literal(spans[0]) if spans else None
        if path is None or not _is_path(path) or len(spans) < 2:
            chained = _route_path(tokens, at)
            if chained is None or not spans:
                return
            path, handlers = chained, spans
        else:
            handlers = spans[1:]
        guard = next((word for span in handlers[:-1] if _GUARD.search(word := tokens.source(span))), "")
        handler = handler_name(tokens, handlers[-1])
        yield route(_VERBS[name], path, handler, line, framework, owner, guard=guard[:60])
    elif name in ("use", "register", "route") and spans:
        yield from _mounts(tokens, name, spans, owner, line, framework)
    elif name in ("prefix", "basePath") and spans and (path := tokens.literal(spans[0])):
        yield router_of(owner, path, line, framework)


def _is_path(path: str) -> bool:
    return path.startswith(("/", "*", "${", ":", "^")) or path == ""


def _route_path(tokens: TokenList, at: int) -> str | None:
    """`router.route("/x").get(h).post(h)`."""
    for before in tokens.chain(at):
        if tokens.texts[before] == "route" and tokens.is_other(before + 1, "("):
            spans = tokens.arguments(before + 1)
            return tokens.literal(spans[0]) if spans else None
    return None


def _mounts(
    tokens: TokenList, name: str, spans: list[Span], owner: str, line: int, framework: str
) -> Iterator[ArchitectureEvidence]:
    if name == "route" and tokens.is_other(spans[0][0], "{"):  # Fastify: route({ method, url, handler })
        opening = spans[0][0]
        path = tokens.literal(tokens.keyword(opening, "url", "path"))
        handler = tokens.keyword(opening, "handler")
        if path is not None:
            for verb in methods(tokens, tokens.keyword(opening, "method")) or [ANY]:
                yield route(verb, path, handler_name(tokens, handler) if handler else "", line, framework, owner)
        return
    prefix = tokens.literal(spans[0])
    if name == "register":
        prefix = tokens.literal(_prefix_option(tokens, spans[1][0])) if len(spans) > 1 else ""
        target = _target(tokens, spans[0])
    elif len(spans) == 1 and prefix is None:
        target = _target(tokens, spans[0])
    elif prefix is not None and len(spans) > 1:
        target = _target(tokens, spans[-1])
    else:
        return
    if target:
        yield mount(target, prefix or "", line, owner, framework)


def _target(tokens: TokenList, span: Span) -> str:
    """A router as written: a name, or `require:./x` if it is required or imported in place."""
    start, end = span
    if tokens.texts[start] in ("require", "import") and tokens.is_other(start + 1, "("):
        inner = tokens.arguments(start + 1)
        literal = tokens.literal(inner[0]) if inner else None
        return f"require:{literal}" if literal else ""
    if tokens.kinds[start] != NAME or tokens.texts[start] in ("function", "async"):
        return ""
    if any(tokens.is_other(at, "=>") for at in range(start, min(end, start + 4))):
        return ""
    at = start
    while at + 2 < end and tokens.is_other(at + 1, ".") and tokens.is_name(at + 2):
        at += 2
    written = tokens.source((start, at + 1))
    if at + 1 < end and tokens.is_other(at + 1, "(") and not written.endswith((".routes", ".middleware")):
        return ""
    return written.removesuffix(".routes").removesuffix(".middleware")


def _prefix_option(tokens: TokenList, opening: int) -> Span | None:
    """`{ prefix: "/x" }` as an argument or as the bracket itself."""
    if tokens.is_other(opening, "("):
        spans = tokens.arguments(opening)
        opening = next((start for start, _ in spans if tokens.is_other(start, "{")), -1)
    if opening < 0 or not tokens.is_other(opening, "{"):
        return None
    return tokens.keyword(opening, "prefix")


def links(text: str) -> Iterator[ArchitectureEvidence]:
    """The imports of a file, to follow its mounts."""
    for match in _LINK.finditer(text):
        module = match["from"] or match["module"]
        line = text.count("\n", 0, match.start()) + 1
        for name in (match["names"] or match["vars"]).replace("{", ",").replace("}", ",").split(","):
            words = name.replace(":", " as ").split()
            words = [word for word in words if word not in ("type", "default")]
            if words:
                yield evidence("link", words[-1], module, line, member=words[0])


def pages(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    """Front-end pages: objects `{ path: "x", component: X }`, and `<Route path="x" component={X}>`."""
    framework = next((name for mark, name in _PAGE_ROUTERS.items() if mark in text), "")
    if not framework:
        return
    for at in range(len(tokens) - 3):
        page = None
        if tokens.is_name(at, "path") and tokens.kinds[at + 2] == STRING:
            if tokens.is_other(at + 1, ":"):
                page = _page_object(tokens, at)
            elif tokens.is_other(at + 1, "="):
                page = _page_element(tokens, at)
        if page is None:
            continue
        path, component, lazy = page
        if lazy:
            yield mount(f"require:{lazy}", path, tokens.lines[at], "pages", framework)
        else:
            yield route(PAGE, path, component, tokens.lines[at], framework, "pages")


def _page_object(tokens: TokenList, at: int) -> tuple[str, str, str] | None:
    """The path, the component, and the file with the pages below it."""
    opening = tokens.above[at]
    if opening < 0 or not tokens.is_other(opening, "{"):
        return None
    names = {tokens.split_keyword(span)[0]: tokens.split_keyword(span)[1] for span in tokens.arguments(opening)}
    if not any(key in names for key in _PAGE_KEYS):
        return None
    parts = [tokens.texts[at + 2]]
    for around in tokens.around(opening):
        if tokens.is_other(around, "{") and (outer := tokens.literal(tokens.keyword(around, "path"))) is not None:
            parts.insert(0, outer)
    absolute = [place for place, part in enumerate(parts) if part.startswith("/")]
    parts = parts[absolute[-1] :] if absolute else parts
    key = next((key for key in _PAGE_KEYS if key in names and key != "redirect"), None)
    if key == "children":
        return None  # a group of pages, not a page
    path = join(*parts).rstrip("/") or "/"
    component_name = _component(tokens, names[key]) if key else ""
    return (path, "", component_name) if key == "loadChildren" else (path, component_name, "")


def _component(tokens: TokenList, span: Span) -> str:
    """The component of a page; for a lazy one, its file."""
    if span[1] - span[0] == 1 and tokens.kinds[span[0]] == NAME:
        return tokens.texts[span[0]]
    for at in indices(span):
        if tokens.is_other(at, "<") and tokens.is_name(at + 1):
            return tokens.texts[at + 1]
    for at in indices(span):
        if tokens.kinds[at] == STRING:
            return tokens.texts[at]
    return ""


def _page_element(tokens: TokenList, at: int) -> tuple[str, str, str] | None:
    start = at
    while start > max(0, at - 30) and not tokens.is_other(start, "<"):
        start -= 1
    if not tokens.is_name(start + 1) or not tokens.texts[start + 1].endswith("Route"):
        return None
    for place in range(start, min(len(tokens) - 3, at + 40)):
        if tokens.kinds[place] == OTHER and tokens.texts[place] == "/" and tokens.is_other(place + 1, ">"):
            break
        if tokens.is_name(place) and tokens.texts[place] in ("component", "element", "Component"):
            inner = place + 2
            name = inner + 2 if tokens.is_other(inner + 1, "<") else inner + 1
            return join(tokens.texts[at + 2]), tokens.texts[name] if tokens.is_name(name) else "", ""
    return join(tokens.texts[at + 2]), "", ""
