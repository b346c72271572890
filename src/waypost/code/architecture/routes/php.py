"""Endpoints of Laravel, Lumen, CodeIgniter and Slim, WordPress REST routes, and prefixes of Symfony."""

import re
from collections.abc import Iterator

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.routes.base import ANY, METHODS, indices, join, methods, mount, route
from waypost.code.architecture.tokens import STRING, Span, TokenList

_VERBS = {method.lower(): method for method in METHODS} | {"any": ANY, "map": ANY, "cli": "CLI"}
_SYMFONY_PREFIX = re.compile(r"^[ \t]+prefix:[ \t]*['\"]?(/[^'\"\s#]{0,100})", re.MULTILINE)
_OWNERS = {"$router": "Laravel", "$routes": "CodeIgniter", "$app": "Slim", "$group": "Slim", "$api": "Laravel"}
_OTHER = frozenset(
    {"match", "view", "redirect", "permanentRedirect", "resource", "apiResource", "resources"}
    | {"apiResources", "singleton"}
)


def read(tokens: TokenList, text: str) -> Iterator[ArchitectureEvidence]:
    if "register_rest_route" in text:
        yield from _wordpress(tokens)
    for at in tokens.calls():
        name = tokens.texts[at]
        if name not in _VERBS and name not in _OTHER and name not in ("group", "load"):
            continue
        start = tokens.chain_start(at)
        if start == at:
            continue
        owner = tokens.texts[start].rpartition("\\")[2]
        framework = "Laravel" if owner == "Route" else _OWNERS.get(owner, "")
        if framework == "Slim" and "Slim\\" not in text:
            framework = ""
        if framework == "" and owner == "$this" and tokens.is_name(start + 2, "router"):
            framework = "Laravel"
        if not framework:
            continue
        if name == "group":
            yield from _group_file(tokens, at)
        elif name != "load":
            yield from _endpoints(tokens, at, name, framework)


def _endpoints(tokens: TokenList, at: int, name: str, framework: str) -> Iterator[ArchitectureEvidence]:
    spans = tokens.arguments(at + 1)
    line = tokens.lines[at]
    prefix, controller, guard = _context(tokens, at)
    if name in ("resources", "apiResources"):
        for listed, span in _pairs(tokens, spans):
            yield from _resource(tokens, listed, span, name == "apiResources", prefix, line, framework, at, guard)
        return
    if (name == "match" and len(spans) >= 2) or (name == "map" and len(spans) >= 3):
        verbs, spans = methods(tokens, spans[0]) or [ANY], spans[1:]
    else:
        verbs = [_VERBS.get(name, "GET")]
    path = tokens.literal(spans[0]) if spans else None
    if path is None or len(spans) < 2:
        return
    if name in ("resource", "apiResource", "singleton") and framework in ("Laravel", "CodeIgniter"):
        yield from _resource(tokens, path, spans[1], name == "apiResource", prefix, line, framework, at, guard)
        return
    handler = "" if name in ("view", "redirect", "permanentRedirect") else handler_of(tokens, spans[1], controller)
    if name == "view":
        handler = f"view {tokens.literal(spans[1]) or ''}".strip()
    elif name in ("redirect", "permanentRedirect"):
        handler, verbs = f"redirect to {tokens.literal(spans[1]) or ''}".strip(), [ANY]
    for verb in verbs:
        yield route(verb, join(prefix, path), handler, line, framework, guard=guard)


def _pairs(tokens: TokenList, spans: list[Span]) -> Iterator[tuple[str, Span]]:
    if spans and tokens.is_other(spans[0][0], "["):
        for span in tokens.arguments(spans[0][0]):
            name, value = tokens.split_keyword(span)
            if name:
                yield name, value


def _resource(
    tokens: TokenList, path: str, span: Span, api: bool, prefix: str, line: int, framework: str, at: int, guard: str
) -> Iterator[ArchitectureEvidence]:
    """All endpoints of a resource, except those removed by `only` and `except`. `a.b` is nested: a/{a}/b."""
    controller = handler_of(tokens, span, "").removesuffix(".__invoke")
    only, without = _limits(tokens, at)
    parts = path.strip("/").split(".")
    base = "/".join(f"{part}/{{{_singular(part)}}}" for part in parts[:-1])
    base = join(prefix, base, parts[-1])
    parameter = _singular(parts[-1].rpartition("/")[2])
    for action, verb, tail in table("conventions.toml")["resources"]["laravel"]:
        if (api and action in ("create", "edit")) or (only and action not in only) or action in without:
            continue
        whole = base + tail.replace("{id}", f"{{{parameter}}}")
        yield route(verb, whole, f"{controller}.{action}", line, framework, guard=guard)


def _limits(tokens: TokenList, at: int) -> tuple[list[str], list[str]]:
    """`->only(['index'])`, `->except('show')` after a resource, or `['only' => […]]` as its third argument."""
    only: list[str] = []
    without: list[str] = []
    spans = tokens.arguments(at + 1)
    if len(spans) >= 3 and tokens.is_other(spans[2][0], "["):
        only = _texts(tokens, tokens.keyword(spans[2][0], "only"))
        without = _texts(tokens, tokens.keyword(spans[2][0], "except"))
    place = tokens.partner[at + 1] + 1
    for _ in range(20):
        if not tokens.is_other(place, "->") or not tokens.is_other(place + 2, "("):
            break
        inside = (place + 2, max(place + 2, tokens.partner[place + 2]))
        if tokens.texts[place + 1] == "only":
            only = _texts(tokens, inside)
        elif tokens.texts[place + 1] == "except":
            without = _texts(tokens, inside)
        place = tokens.partner[place + 2] + 1
        if place <= 0:
            break
    return only, without


def _texts(tokens: TokenList, span: Span | None) -> list[str]:
    return [tokens.texts[at] for at in indices(span) if tokens.kinds[at] == STRING] if span else []


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _context(tokens: TokenList, at: int) -> tuple[str, str, str]:
    """Prefix, controller and middleware from the enclosing groups and the preceding chain."""
    prefixes: list[str] = []
    controller = guard = ""
    chains = [at]
    for opening in tokens.around(at):
        if tokens.is_other(opening, "(") and tokens.is_name(opening - 1, "group"):
            chains.append(opening - 1)
            prefixes.insert(0, _group_prefix(tokens, opening))
            guard = guard or _group_guard(tokens, opening)
    for depth, end in enumerate(chains):
        prefix_parts: list[str] = []
        for call in tokens.chain(end):
            if not tokens.is_other(call + 1, "("):
                continue
            spans = tokens.arguments(call + 1)
            name = tokens.texts[call]
            if name == "prefix" and spans:
                prefix_parts.insert(0, tokens.literal(spans[0]) or "")
            elif name == "controller" and spans and not controller:
                controller = tokens.texts[spans[0][0]].rpartition("\\")[2]
            elif name == "middleware":
                guard = guard or _auth(_texts(tokens, (call, tokens.partner[call + 1])))
        place = len(chains) - 1 - depth
        prefixes.insert(place if depth else len(prefixes), "/".join(part for part in prefix_parts if part))
    if not guard:
        guard = _auth(_following_middleware(tokens, at))
    return join(*prefixes).rstrip("/"), controller, guard


def _following_middleware(tokens: TokenList, at: int) -> list[str]:
    place = tokens.partner[at + 1] + 1
    for _ in range(10):
        if place <= 0 or not tokens.is_other(place, "->") or not tokens.is_other(place + 2, "("):
            return []
        if tokens.texts[place + 1] == "middleware":
            return _texts(tokens, (place, max(place, tokens.partner[place + 2])))
        place = tokens.partner[place + 2] + 1
    return []


def _auth(words: list[str]) -> str:
    return next((word for word in words if word.split(":")[0] in ("auth", "can", "jwt.auth", "auth.api", "jwt")), "")


def _group_prefix(tokens: TokenList, opening: int) -> str:
    """`Route::group(['prefix' => 'x'], …)`, and CodeIgniter's `$routes->group('x', …)`."""
    spans = tokens.arguments(opening)
    if len(spans) < 2:
        return ""
    if tokens.is_other(spans[0][0], "["):
        return tokens.literal(tokens.keyword(spans[0][0], "prefix")) or ""
    return tokens.literal(spans[0]) or ""


def _group_guard(tokens: TokenList, opening: int) -> str:
    spans = tokens.arguments(opening)
    if len(spans) >= 2 and tokens.is_other(spans[0][0], "["):
        return _auth(_texts(tokens, tokens.keyword(spans[0][0], "middleware")))
    return ""


def _group_file(tokens: TokenList, at: int) -> Iterator[ArchitectureEvidence]:
    """`Route::prefix('api')->group(base_path('routes/api.php'))`."""
    spans = tokens.arguments(at + 1)
    if not spans or not (paths := [text for text in _texts(tokens, spans[-1]) if text.endswith(".php")]):
        return
    if any(tokens.is_name(place, "function") for place in indices(spans[-1])):
        return
    prefix, _, _ = _context(tokens, at)
    yield mount(f"require:/{paths[0].lstrip('/')}", prefix, tokens.lines[at], "", "Laravel")


def handler_of(tokens: TokenList, span: Span, controller: str) -> str:
    """Handlers such as `[UserController::class, 'show']`, `'UserController@show'`, `UserController::class`.

    In a controller group, `'show'` is enough.
    """
    start = span[0]
    if tokens.is_other(start, "["):
        inner = tokens.arguments(start)
        if len(inner) == 2 and (action := tokens.literal(inner[1])) is not None:
            return f"{_class(tokens, inner[0][0])}.{action}"
        uses = tokens.keyword(start, "uses")
        return handler_of(tokens, uses, controller) if uses else ""
    if tokens.kinds[start] == STRING:
        name = tokens.texts[start].rpartition("\\")[2].replace("::", "@")
        if "@" in name:
            return name.replace("@", ".").split("/")[0]
        return f"{controller}.{name}" if controller else name
    if tokens.is_other(start + 1, "::") and tokens.is_name(start + 2, "class"):
        return f"{_class(tokens, start)}.__invoke"
    return ""


def _class(tokens: TokenList, at: int) -> str:
    return tokens.texts[at].rpartition("\\")[2]


def _wordpress(tokens: TokenList) -> Iterator[ArchitectureEvidence]:
    for at in tokens.calls():
        if tokens.texts[at] != "register_rest_route":
            continue
        spans = tokens.arguments(at + 1)
        if len(spans) < 3:
            continue
        space = tokens.literal(spans[0]) or "{" + tokens.source(spans[0]) + "}"
        path = tokens.literal(spans[1])
        if path is None:
            path = "/{" + tokens.source(spans[1], 12) + "}"
        text = tokens.source(spans[2], 200)
        verbs = methods(tokens, spans[2])
        for word, verb in (("READABLE", "GET"), ("CREATABLE", "POST"), ("EDITABLE", "PUT"), ("DELETABLE", "DELETE")):
            if word in text:
                verbs.append(verb)
        handler = next(
            (_callback(tokens, place) for place in indices(spans[2]) if tokens.texts[place] == "callback"), ""
        )
        for verb in dict.fromkeys(verbs or ["GET"]):
            yield route(verb, join("wp-json", space, path), handler, tokens.lines[at], "WordPress")


def _callback(tokens: TokenList, at: int) -> str:
    """The name after `'callback' =>`: a string, or the second of `[$this, 'name']` and `array($this, 'name')`."""
    for place in range(at + 1, min(at + 9, len(tokens))):
        if tokens.kinds[place] == STRING:
            return tokens.texts[place]
    return ""


def read_symfony_prefix(text: str) -> Iterator[ArchitectureEvidence]:
    """config/routes.yaml: the common prefix of all controllers, if the file states one."""
    prefixes = list(_SYMFONY_PREFIX.finditer(text))
    if len(prefixes) == 1 and ("Controller" in text or "routing.controllers" in text):
        yield evidence("prefix", "Symfony", prefixes[0][1], text.count("\n", 0, prefixes[0].start(1)) + 1)
