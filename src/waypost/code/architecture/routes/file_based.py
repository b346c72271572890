"""Endpoints of frameworks with file-based routes: Next, Nuxt, SvelteKit, Remix."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.routes.base import ANY, METHODS, PAGE, join, route

_EXPORTED = re.compile(
    r"^export\s++(?:async\s++)?(?:function\s*+\*?+\s*+|const\s++|let\s++)(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|loader|action|actions)\b",
    re.MULTILINE,
)
_METHOD_CHECK = re.compile(r"\.method\s*={2,3}\s*['\"]([A-Z]{3,7})['\"]|case\s+['\"](GET|POST|PUT|PATCH|DELETE)['\"]")
_SCRIPT = r"\.(?:js|jsx|ts|tsx|mjs)$"
_NUXT_METHOD = re.compile(r"\.(get|post|put|patch|delete)$")


def read(path: str, text: str) -> Iterator[ArchitectureEvidence]:
    """Routes of a file whose path is the endpoint's path.

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
        page = _segments(parts[len(parts) - parts[::-1].index("pages") :])
        yield route(PAGE, page, name, 1, "Nuxt", root=_root(parts, "pages"))
    elif "server" in parts and ("api" in parts or "routes" in parts) and re.search(_SCRIPT, name):
        yield from _nuxt(parts, text)
    elif "routes" in parts and "app" in parts and re.search(_SCRIPT, name):
        yield from _remix(parts, text)


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
        words = dict.fromkeys(first or second for first, second in _METHOD_CHECK.findall(text))
        verbs = [word for word in words if word in METHODS]
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
