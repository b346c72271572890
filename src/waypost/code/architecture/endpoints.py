"""Endpoints of a project: the routes of all files, with the prefixes from other files."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from operator import eq

from waypost.code.architecture.evidence import ArchitectureEvidence, EvidenceByPath
from waypost.code.architecture.mounts import Node, RouterIndex, resolve
from waypost.code.architecture.result import CodePlace, Endpoint
from waypost.code.architecture.roles import product_items, role_of
from waypost.code.architecture.routes.base import ANY, METHODS, PAGE, join
from waypost.code.architecture.routes.django import ON_COLLECTION, VIEWSET_METHODS

_MAX_PREFIXES = 8  # per router: with more, a program sets them
_MAX_DEPTH = 12
_NAMED = re.compile(r"\{([\w.]{1,80})\}")
_BY_FILES = ("Next", "Nuxt", "SvelteKit", "Remix")
_GUESSABLE = ("Express", "Koa", "Fastify", "Hono", "Gin", "Echo", "Fiber", "chi")


@dataclass(slots=True)
class _Graph:
    parents: dict[Node, list[tuple[Node, str, bool]]] = field(default_factory=dict)
    own: dict[Node, str] = field(default_factory=dict)

    def prefixes(self, node: Node, seen: tuple[Node, ...] = ()) -> list[str]:
        """The prefixes of a router's routes."""
        own = self.own.get(node, "")
        if node not in self.parents or node in seen or len(seen) > _MAX_DEPTH:
            return [own]
        prefixes: dict[str, None] = {}
        for parent, prefix, replaces in self.parents[node]:
            mine = "" if replaces and prefix else own
            for outer in self.prefixes(parent, (*seen, node)):
                prefixes[_join_raw(outer, prefix, mine)] = None
                if len(prefixes) >= _MAX_PREFIXES:
                    return list(prefixes)
        return list(prefixes)


def _join_raw(*parts: str) -> str:
    """Join parts with exactly one `/` between them."""
    whole = ""
    for part in parts:
        if not part:
            continue
        whole = whole.rstrip("/") + "/" + part.lstrip("/") if whole else part
    return whole


def endpoints_of(
    evidence: EvidenceByPath, used: Mapping[str, frozenset[str]], handlers: Mapping[str, Sequence[CodePlace]]
) -> tuple[Endpoint, ...]:
    """All endpoints, ordered by file and line.

    `used` has the frameworks in manifests by the manifest's directory. `handlers` has the places of methods. Routes of
    tests, examples and documentation count only if there are no others.
    """
    routes = RouterIndex.of(evidence)
    graph = _graph(routes)
    constants = _constants(evidence)
    views = _views(evidence)
    endpoints: dict[tuple[str, str, str, int], Endpoint] = {}
    for path, items in evidence.items():
        for item in items:
            if item.kind == "route":
                for endpoint in _route_endpoints(path, item, graph, used, views, evidence, constants):
                    key = (endpoint.method, endpoint.path, endpoint.place.path, endpoint.place.line)
                    endpoints.setdefault(key, endpoint)
    own = [endpoint for endpoint in endpoints.values() if role_of(endpoint.place.path) == ""]
    kept = own or [endpoint for endpoint in endpoints.values() if role_of(endpoint.place.path) == "example"]
    return tuple(
        _with_handler(endpoint, handlers)
        for endpoint in sorted(kept, key=lambda item: (item.place, item.path, item.method))
    )


def _constants(evidence: EvidenceByPath) -> dict[str, str]:
    """Named prefixes with only one value in the project."""
    values_by_name: dict[str, set[str]] = {}
    for _, item in product_items(evidence, "prefix"):
        if item.name.startswith("constant "):
            values_by_name.setdefault(item.name.removeprefix("constant "), set()).add(item.value)
    return {name: next(iter(values)) for name, values in values_by_name.items() if len(values) == 1}


def _fill_constants(path: str, constants: Mapping[str, str]) -> str:
    """`{settings.API_V1_STR}/users` with the constant's value."""
    if "{" not in path or not constants:
        return path
    return _NAMED.sub(lambda match: constants.get(match[1].rpartition(".")[2], match[0]).strip("/"), path)


def _graph(routes: RouterIndex) -> _Graph:
    graph = _Graph()
    for path, items in routes.routers.items():
        for item in items:
            if item.value or (path, item.name) not in graph.own:
                graph.own[(path, item.name)] = item.value
    for path, items in routes.mounts.items():
        for item in items:
            for node in resolve(item.name, path, routes):
                if role_of(path) != role_of(node[0]):
                    continue  # a test may mount the product's routers anywhere
                parent = (path, item.get("owner"))
                if node != parent:
                    graph.parents.setdefault(node, []).append((parent, item.value, item.get("framework") == "Flask"))
    return graph


def _views(evidence: EvidenceByPath) -> dict[str, list[tuple[str, str, str]]]:
    views: dict[str, list[tuple[str, str, str]]] = {}
    for path, items in evidence.items():
        for item in items:
            if item.kind == "viewset":
                views.setdefault(item.name, []).append((path, item.value, item.get("lookup")))
    return views


def _route_endpoints(
    path: str,
    item: ArchitectureEvidence,
    graph: _Graph,
    used: Mapping[str, frozenset[str]],
    views: Mapping[str, list[tuple[str, str, str]]],
    evidence: EvidenceByPath,
    constants: Mapping[str, str],
) -> Iterator[Endpoint]:
    framework = item.get("framework") or _nearest_framework(path, used, _GUESSABLE)
    if not framework or (framework in _BY_FILES and framework not in _frameworks_at(item.get("root"), used)):
        return
    prefixes = graph.prefixes((path, item.get("owner"))) if item.get("owner") or framework == "Laravel" else [""]
    if framework == "Laravel":
        prefixes = _laravel(path, graph)
    elif framework == "Fastify" and prefixes == [""] and _declared_prefix(evidence, "Fastify") != [""]:
        prefixes = [_below_routes(path)]
    elif framework in ("Nest", "Symfony"):
        prefixes = _declared_prefix(evidence, framework)
    place = CodePlace(path, item.line)
    for prefix in prefixes:
        whole = _fill_constants(_join_raw(prefix, item.name), constants)
        for method, full, handler in _expand_methods(item, whole, views, path):
            yield Endpoint(method, join(full) if full.strip("/") else "/", handler, place, framework, item.get("guard"))


def _expand_methods(
    item: ArchitectureEvidence, whole: str, views: Mapping[str, list[tuple[str, str, str]]], path: str
) -> Iterator[tuple[str, str, str]]:
    """The methods that a view states, or the actions of a viewset."""
    method = item.get("method")
    if method not in ("VIEWSET", ANY) or not item.get("framework").startswith(("Django", "Flask")):
        yield method, whole, item.value
        return
    answers, lookup = _answers(item.value, views, path)
    if method == ANY:
        verbs = [word.upper() for word in answers if word.upper() in METHODS]
        for verb in verbs or [ANY]:
            yield verb, whole, item.value
        return
    base = whole.rstrip("/")
    for action in answers or list(VIEWSET_METHODS):
        if action in VIEWSET_METHODS:
            tail = "/" if action in ON_COLLECTION else f"/<{lookup}>/"
            yield VIEWSET_METHODS[action], base + tail, f"{item.value}.{action}"
        elif action.startswith("+"):
            name, tail, on, listed, *_ = [*action[1:].split("|"), "", "", ""]
            middle = f"/<{lookup}>/" if on == "detail" else "/"
            for verb in listed.split(","):
                yield verb.upper(), f"{base}{middle}{tail}/", f"{item.value}.{name}"


def _answers(handler: str, views: Mapping[str, list[tuple[str, str, str]]], path: str) -> tuple[list[str], str]:
    """What a view answers, and its lookup parameter. Of several with one name, the nearest path wins."""
    candidates = views.get(handler.rpartition(".")[2], [])
    if not candidates:
        return [], "pk"
    best = max(candidates, key=lambda view: sum(takewhile(bool, map(eq, view[0].split("/"), path.split("/")))))
    return best[1].split(), best[2] or "pk"


def _frameworks_at(root: str, used: Mapping[str, frozenset[str]]) -> frozenset[str]:
    """The frameworks of the manifest in a directory or the nearest above it."""
    while True:
        if root in used:
            return used[root]
        if not root:
            return frozenset()
        root = root.rpartition("/")[0]


def _nearest_framework(path: str, used: Mapping[str, frozenset[str]], names: Sequence[str]) -> str:
    here = _frameworks_at(path.rpartition("/")[0], used)
    return next((name for name in names if name in here), "")


def _laravel(path: str, graph: _Graph) -> list[str]:
    """A routes file is mounted as a whole; by convention routes/api.php is under /api."""
    node = (path, "")
    if node in graph.parents:
        return graph.prefixes(node)
    return ["/api"] if path.endswith("routes/api.php") else [""]


def _below_routes(path: str) -> str:
    """Routes loaded by directory have the folders below `routes` as prefix."""
    parts = path.split("/")[:-1]
    return "/".join(parts[parts.index("routes") + 1 :]) if "routes" in parts else ""


def _declared_prefix(evidence: EvidenceByPath, framework: str) -> list[str]:
    return [item.value for _, item in product_items(evidence, "prefix") if item.name == framework][:1] or [""]


def _with_handler(endpoint: Endpoint, handlers: Mapping[str, Sequence[CodePlace]]) -> Endpoint:
    """The endpoint with its handler's place, if one class of that name has such a method."""
    if not endpoint.handler or endpoint.method == PAGE:
        return endpoint
    by_method = handlers.get(_key(f"{endpoint.handler}.{endpoint.method.lower()}"))
    place = _handler_place(by_method or handlers.get(_key(endpoint.handler), ()), endpoint.place)
    if place is None:
        return endpoint
    return replace(endpoint, handler_place=place)


def _handler_place(places: Sequence[CodePlace], route: CodePlace) -> CodePlace | None:
    """The only place; of several, the first after the route in its own file."""
    if len(places) == 1:
        return places[0]
    after = [place for place in places if place.path == route.path and place.line >= route.line]
    return min(after, default=None)


def _key(handler: str) -> str:
    """One key for `api/v1/users#show` and `UsersController.show`: usersshow."""
    controller, _, action = handler.replace("#", ".").rpartition(".")
    if "#" in handler:
        controller = "".join(part.replace("_", "") for part in controller.split("/")) + "controller"
    else:
        controller = controller.rpartition(".")[2].rpartition("::")[2]
    return f"{controller.lower()}.{action.lower()}"


def handlers_of(evidence: EvidenceByPath) -> dict[str, list[CodePlace]]:
    """Where the methods of controllers are, by class and method."""
    places: dict[str, list[CodePlace]] = {}
    for path, item in product_items(evidence, "part"):
        if methods := item.get("methods"):
            places.setdefault(f".{item.value.rpartition('.')[2].lower()}", []).append(CodePlace(path, item.line))
            owners = {item.value.rpartition(".")[2].lower(), item.value.replace(".", "").replace("::", "").lower()}
            for word in methods.split():
                name, _, line = word.rpartition(":")
                for owner in owners:
                    places.setdefault(f"{owner}.{name.lower()}", []).append(CodePlace(path, int(line)))
    return places
