"""Endpoints of ASP.NET minimal APIs, Phoenix and gRPC, and of frameworks with file-based routes."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.routes.base import ANY, METHODS, PAGE, assignee, handler_name, join, mount, route
from waypost.code.architecture.tokens import NAME, STRING, SYMBOL, Span, TokenList

_MAPS = {f"Map{method.capitalize()}": method for method in METHODS}
_RPC = re.compile(r"^[ \t]*(?:(package)[ \t]+([\w.]+)|(service)[ \t]+(\w+)|(rpc)[ \t]+(\w+)[ \t]*\()", re.MULTILINE)
_EXPORTED = re.compile(
    r"^export\s++(?:async\s++)?(?:function\s*+\*?+\s*+|const\s++|let\s++)(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|loader|action|actions)\b",
    re.MULTILINE,
)
_ASKED = re.compile(r"\.method\s*={2,3}\s*['\"]([A-Z]{3,7})['\"]|case\s+['\"](GET|POST|PUT|PATCH|DELETE)['\"]")
_SCRIPT = r"\.(?:js|jsx|ts|tsx|mjs)$"
_NUXT_METHOD = re.compile(r"\.(get|post|put|patch|delete)$")


def read_csharp(tokens: TokenList, _text: str) -> Iterator[ArchitectureEvidence]:
    """`app.MapGet("/x", Handler)`, `var group = app.MapGroup("/x")`."""
    for at in tokens.calls():
        name = tokens.texts[at]
        spans = tokens.arguments(at + 1)
        if not spans or not tokens.is_other(at - 1, "."):
            continue
        start = tokens.chain_start(at)
        owner = tokens.texts[start]
        if name in _MAPS and len(spans) >= 2 and (path := tokens.literal(spans[0])) is not None:
            prefix = _inline(tokens, at)
            handler = handler_name(tokens, spans[1])
            yield route(_MAPS[name], join(prefix, path), handler, tokens.lines[at], "ASP.NET Core", owner)
        elif name == "MapGroup" and (variable := assignee(tokens, start)):
            yield mount(variable, tokens.literal(spans[0]) or "", tokens.lines[at], owner, "ASP.NET Core")


def _inline(tokens: TokenList, at: int) -> str:
    for call in tokens.chain(at):
        if tokens.texts[call] == "MapGroup" and (spans := tokens.arguments(call + 1)):
            return tokens.literal(spans[0]) or ""
    return ""


_PHOENIX = (
    ("index", "GET", ""),
    ("edit", "GET", "/:id/edit"),
    ("new", "GET", "/new"),
    ("show", "GET", "/:id"),
    ("create", "POST", ""),
    ("update", "PATCH", "/:id"),
    ("update", "PUT", "/:id"),
    ("delete", "DELETE", "/:id"),
)
_ELIXIR_VERBS = {method.lower(): method for method in METHODS} | {"live": "LIVE"}


def read_elixir(tokens: TokenList, _text: str) -> Iterator[ArchitectureEvidence]:
    """Phoenix: `scope "/api", Web do … get "/x", Controller, :action … resources "/y", Controller`."""
    for at in range(len(tokens) - 2):
        word = tokens.texts[at]
        first = at == 0 or tokens.lines[at - 1] < tokens.lines[at]
        if tokens.kinds[at] != NAME or not first or not (word in _ELIXIR_VERBS or word == "resources"):
            continue
        start = at + 2 if tokens.is_other(at + 1, "(") else at + 1
        if tokens.kinds[start] != STRING:
            continue
        line = tokens.lines[at]
        end = start
        while (
            end < len(tokens)
            and (tokens.lines[end] == line or tokens.is_other(end - 1, ","))
            and not tokens.is_name(end, "do")
        ):
            end += 1
        prefix = _phoenix_prefix(tokens, at)
        names = [
            place for place in range(start, end) if tokens.kinds[place] == NAME and tokens.texts[place][0].isupper()
        ]
        controller = ""
        if names:
            last = names[0]
            while tokens.is_other(last + 1, ".") and last + 2 in names:
                last += 2
            controller = tokens.source((names[0], last + 1))
        path = tokens.texts[start]
        if word == "resources":
            yield from _phoenix_resource(tokens, (start, end), join(prefix, path).rstrip("/"), controller, line)
        else:
            actions = [tokens.texts[place] for place in range(start, end) if tokens.kinds[place] == SYMBOL]
            handler = f"{controller}.{actions[0]}" if actions else controller
            yield route(_ELIXIR_VERBS[word], join(prefix, path), handler, line, "Phoenix")


def _phoenix_resource(
    tokens: TokenList, span: Span, path: str, controller: str, line: int
) -> Iterator[ArchitectureEvidence]:
    limits: dict[str, list[str]] = {}
    for at in range(*span):
        if tokens.texts[at] in ("only", "except") and tokens.is_other(at + 1, ":") and tokens.is_other(at + 2, "["):
            inside = range(at + 2, max(at + 2, tokens.partner[at + 2]))
            limits[tokens.texts[at]] = [tokens.texts[place] for place in inside if tokens.kinds[place] == SYMBOL]
    for action, verb, tail in _PHOENIX:
        if ("only" in limits and action not in limits["only"]) or action in limits.get("except", ()):
            continue
        yield route(verb, path + tail, f"{controller}.{action}", line, "Phoenix")


def _phoenix_prefix(tokens: TokenList, at: int) -> str:
    parts: list[str] = []
    for opening in tokens.around(at):
        if not tokens.is_name(opening, "do"):
            continue
        line = tokens.lines[opening]
        start = opening
        while start > 0 and tokens.lines[start - 1] == line and start > opening - 40:
            start -= 1
        literal = next((place for place in range(start, opening) if tokens.kinds[place] == STRING), None)
        if tokens.texts[start] == "scope" and literal is not None:
            parts.insert(0, tokens.texts[literal])
        elif tokens.texts[start] == "resources" and literal is not None:
            singular = tokens.texts[literal].strip("/").rpartition("/")[2].removesuffix("s")
            parts.insert(0, f"{tokens.texts[literal]}/:{singular}_id")
    return join(*parts) if parts else ""


def read_proto(text: str) -> Iterator[ArchitectureEvidence]:
    """gRPC: the procedures of the services in a .proto file."""
    package = service = ""
    for match in _RPC.finditer(text):
        if match[1]:
            package = match[2]
        elif match[3]:
            service = match[4]
        elif match[5] and service:
            line = text.count("\n", 0, match.start(5)) + 1
            full = f"{package}.{service}" if package else service
            yield route("RPC", f"/{full}/{match[6]}", f"{service}.{match[6]}", line, "gRPC")


_SYMFONY_PREFIX = re.compile(r"^[ \t]+prefix:[ \t]*['\"]?(/[^'\"\s#]{0,100})", re.MULTILINE)
_RAZOR_PAGE = re.compile(r"^\ufeff?@page(?:[ \t]+\"([^\"\n]{0,200})\")?", re.MULTILINE)


def read_symfony_routes(text: str) -> Iterator[ArchitectureEvidence]:
    """config/routes.yaml: the common prefix of all controllers, if the file states one."""
    prefixes = list(_SYMFONY_PREFIX.finditer(text))
    if len(prefixes) == 1 and ("Controller" in text or "routing.controllers" in text):
        yield evidence("prefix", "Symfony", prefixes[0][1], text.count("\n", 0, prefixes[0].start(1)) + 1)


def read_razor(path: str, text: str) -> Iterator[ArchitectureEvidence]:
    """Razor pages and Blazor components: `@page "/x"`, or the path below `Pages`."""
    match = _RAZOR_PAGE.search(text)
    if match is None:
        return
    parts = path.split("/")
    own = match[1] or ""
    if not own.startswith("/"):
        place = _last(parts, "Pages") + 1 if "Pages" in parts else len(parts) - 1
        inner = [part for part in (*parts[place:-1], parts[-1].split(".")[0]) if part != "Index"]
        area = parts[parts.index("Areas") + 1] if "Areas" in parts[:-2] else ""
        own = join(area, *inner, own)
    yield route(PAGE, own, parts[-1], text.count("\n", 0, match.start()) + 1, "ASP.NET Core")


def read_files(path: str, text: str) -> Iterator[ArchitectureEvidence]:
    """Next, Nuxt, SvelteKit, Remix: the file's path is the endpoint's path.

    Reads only path and exports. Dependencies decide later whether the project uses the framework.
    """
    parts = path.split("/")
    name = parts[-1]
    if "node_modules" in parts or name.endswith((".d.ts", ".test.ts", ".test.tsx", ".spec.ts", ".stories.tsx")):
        return
    if "app" in parts and re.search(r"^(?:route|page)" + _SCRIPT, name):
        yield from _next_app(parts, text)
    elif "pages" in parts and re.search(_SCRIPT, name):
        yield from _next_pages(parts, text)
    elif "routes" in parts and name.startswith(("+page.svelte", "+server.", "+page.server.")):
        yield from _svelte(parts, text)
    elif "pages" in parts and name.endswith(".vue"):
        yield route(PAGE, _segments(parts[_last(parts, "pages") + 1 :]), name, 1, "Nuxt", root=_root(parts, "pages"))
    elif "server" in parts and ("api" in parts or "routes" in parts) and re.search(_SCRIPT, name):
        yield from _nuxt(parts, text)
    elif "routes" in parts and "app" in parts and re.search(_SCRIPT, name):
        yield from _remix(parts, text)


def _last(parts: list[str], word: str) -> int:
    return len(parts) - 1 - parts[::-1].index(word)


def _root(parts: list[str], word: str) -> str:
    return "/".join(parts[: parts.index(word)])


def _segments(parts: list[str]) -> str:
    """`users/[id]/index.tsx` is /users/[id]. Groups in round brackets are left out."""
    parts = [*parts[:-1], parts[-1].split(".")[0]]
    return join(*(part for part in parts if part != "index" and not (part.startswith("(") and part.endswith(")"))))


def _exports(text: str) -> list[tuple[str, int]]:
    exports = [(match[1], text.count("\n", 0, match.start()) + 1) for match in _EXPORTED.finditer(text)]
    return list({name: (name, line) for name, line in exports}.values())


def _next_app(parts: list[str], text: str) -> Iterator[ArchitectureEvidence]:
    root = _root(parts, "app")
    inner = [part for part in parts[parts.index("app") + 1 : -1] if not part.startswith("@")]
    path = _segments([*inner, "index.ts"])
    if parts[-1].startswith("page"):
        yield route(PAGE, path, _default_export(text), 1, "Next", root=root)
        return
    for verb, line in _exports(text):
        if verb in METHODS:
            yield route(verb, path, verb, line, "Next", root=root)


def _next_pages(parts: list[str], text: str) -> Iterator[ArchitectureEvidence]:
    place = parts.index("pages")
    inner = parts[place + 1 :]
    root = _root(parts, "pages")
    if inner[-1].startswith("_") or "export" not in text:
        return
    if inner[0] == "api" or inner == ["api"]:
        verbs = [
            verb for verb in dict.fromkeys(first or second for first, second in _ASKED.findall(text)) if verb in METHODS
        ]
        for verb in verbs or [ANY]:
            yield route(verb, _segments(inner), _default_export(text) or "default", 1, "Next", root=root)
    elif "export default" in text:
        yield route(PAGE, _segments(inner), _default_export(text), 1, "Next", root=root)


def _default_export(text: str) -> str:
    match = re.search(r"export\s++default\s++(?:async\s++)?(?:function\b\s*+\*?+\s*+|class\s++)?(\w+)", text)
    return match[1] if match and match[1] not in ("function", "async", "class") else ""


def _svelte(parts: list[str], text: str) -> Iterator[ArchitectureEvidence]:
    inner = parts[parts.index("routes") + 1 : -1]
    path = _segments([*inner, "index.ts"])
    root = _root(parts, "routes")
    if parts[-1].startswith("+page.svelte"):
        yield route(PAGE, path, "+page.svelte", 1, "SvelteKit", root=root)
    for name, line in _exports(text):
        if name in METHODS:
            yield route(name, path, name, line, "SvelteKit", root=root)
        elif name == "actions":
            yield route("POST", path, "actions", line, "SvelteKit", root=root)


def _nuxt(parts: list[str], text: str) -> Iterator[ArchitectureEvidence]:
    if "defineEventHandler" not in text and "eventHandler" not in text and "EventHandler(" not in text:
        return
    place = parts.index("server")
    inner = parts[place + 1 :]
    inner = inner[1:] if inner[0] == "routes" else inner
    stem = inner[-1].rpartition(".")[0]
    verb = _NUXT_METHOD.search(stem)
    yield route(verb[1].upper() if verb else ANY, _segments(inner), "", 1, "Nuxt", root="/".join(parts[:place]))


def _remix(parts: list[str], text: str) -> Iterator[ArchitectureEvidence]:
    inner = parts[parts.index("routes") + 1 :]
    stem = inner[-1].rpartition(".")[0]
    pieces = [*inner[:-1], *stem.split(".")]
    pieces = ["" if piece in ("_index", "index", "route") or piece.startswith("_") else piece for piece in pieces]
    path = join(*(":" + piece[1:] if piece.startswith("$") else piece.rstrip("_") for piece in pieces))
    root = _root(parts, "routes").removesuffix("app").strip("/")
    names = dict(_exports(text))
    if "export default" in text:
        yield route(PAGE, path, _default_export(text), 1, "Remix", root=root)
    if "loader" in names and "export default" not in text:
        yield route("GET", path, "loader", names["loader"], "Remix", root=root)
    if "action" in names:
        yield route("POST", path, "action", names["action"], "Remix", root=root)
