"""The architecture as documents in plain English, so that questions find them."""

from collections.abc import Iterator, Sequence

from waypost.code.architecture.result import (
    Architecture,
    ArchitectureDocument,
    ArchitectureFinding,
    CodePlace,
    Endpoint,
    FrameworkUse,
    Layer,
)

_MAX_ENDPOINTS = 4000  # with a document each; a project with more generates them
_GROUP_SIZE = 25
_KINDS = {"web": "web framework", "frontend": "front-end framework", "mobile": "application framework"}
_ROLE = {
    "uses": "This project uses {name}, a {what}",
    "implements": "This repository is {name} itself, a {what}: it implements it rather than uses it",
    "tests": "Only tests, examples or documentation of this project use {name}, a {what}",
}
_VERBS = {"pattern": "follows", "design_pattern": "uses the design pattern"}
_VERBS |= {"authentication": "uses for authentication"}
_METHODS = {
    "ANY": "requests of any method to",
    "PAGE": "the page",
    "WEBSOCKET": "WebSocket connections to",
    "RPC": "calls of",
    "LIVE": "the live view",
}


def documents_of(architecture: Architecture) -> tuple[ArchitectureDocument, ...]:
    """The documents to store: one for each framework, pattern, layer, mechanism … and endpoint."""
    documents = (
        *_overview(architecture),
        *(_framework(use) for use in architecture.frameworks),
        *(_finding("pattern", "Architecture pattern", finding) for finding in architecture.patterns),
        *(_layer(layer, architecture.layers) for layer in architecture.layers),
        *(_finding("design_pattern", "Design pattern", finding) for finding in architecture.design_patterns),
        *(_finding("authentication", "Authentication", finding) for finding in architecture.authentication),
        *_configuration(architecture),
        *_groups(architecture.endpoints),
        *(_endpoint(endpoint) for endpoint in architecture.endpoints[:_MAX_ENDPOINTS]),
    )
    # A route that a file states twice is one document.
    return tuple({document.key: document for document in reversed(documents)}.values())[::-1]


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _place_list(places: Sequence[CodePlace], limit: int = 5) -> str:
    return ", ".join(str(place) for place in places[:limit])


def _overview(architecture: Architecture) -> Iterator[ArchitectureDocument]:
    sentences = []
    if architecture.languages:
        shares = [f"{name} ({share:.0%} of the source files)" for name, _, share in architecture.languages[:4]]
        sentences.append(f"The project is written in {_list(shares)}.")
    main = [use for use in architecture.frameworks if use.rank in _KINDS and use.role != "tests"]
    own = [use.name for use in main if use.role == "implements"]
    used = [use.name for use in main if use.role == "uses"]
    if own:
        sentences.append(f"It is the source of {_list(own)}.")
    if used:
        sentences.append(f"It is built with {_list(used[:6])}.")
    if architecture.patterns:
        sentences.append(f"Its architecture: {_list([finding.name for finding in architecture.patterns])}.")
    if architecture.endpoints:
        sentences.append(f"It has {len(architecture.endpoints)} endpoints and pages.")
    if architecture.authentication:
        mechanisms = [finding.name for finding in architecture.authentication[:5]]
        sentences.append(f"Users are authenticated by {_list(mechanisms)}.")
    if architecture.entry_points:
        starts = [f"{place.path} ({what})" for what, place in architecture.entry_points[:5]]
        sentences.append(f"It starts in {_list(starts)}.")
    if sentences:
        places = tuple(place for _, place in architecture.entry_points[:5])
        title = "Architecture of the project"
        yield ArchitectureDocument("overview", "architecture", title, " ".join(sentences), places)
    if architecture.entry_points:
        lines = [f"{what}: {place}." for what, place in architecture.entry_points[:20]]
        all_places = tuple(place for _, place in architecture.entry_points[:20])
        text = "The program starts here (entry points, main): " + " ".join(lines)
        yield ArchitectureDocument("entry_points", "entry points", "Entry points", text, all_places)


def _framework(use: FrameworkUse) -> ArchitectureDocument:
    kind = _KINDS.get(use.rank, "library")
    text = _ROLE[use.role].format(name=use.name, what=use.what)
    if use.version:
        text += f", in version {use.version}"
    text += f". Seen in {_place_list(use.places)}."
    title = f"{kind.capitalize()}: {use.name}"
    return ArchitectureDocument("framework", use.name, title, text, use.places, use.confidence)


def _finding(kind: str, title: str, finding: ArchitectureFinding) -> ArchitectureDocument:
    about = f" ({finding.what})" if finding.what else ""
    sure = "clearly" if finding.confidence >= 0.85 else "probably" if finding.confidence >= 0.7 else "possibly"
    reasons = " ".join(f"{reason}." for reason in finding.reasons)
    text = f"The project {sure} {_VERBS[kind]} {finding.name}{about}. {reasons}"
    title = f"{title}: {finding.name}"
    return ArchitectureDocument(kind, finding.name, title, text, finding.places, finding.confidence)


def _layer(layer: Layer, layers: Sequence[Layer]) -> ArchitectureDocument:
    text = f"The {layer.name} layer is {layer.what}: {layer.files} files in {_list(layer.directories)}."
    if layer.depends_on:
        text += f" It depends on {_list([f'{name} ({count} imports)' for name, count in layer.depends_on])}."
    callers = [other.name for other in layers if any(name == layer.name for name, _ in other.depends_on)]
    if callers:
        text += f" It is used by {_list(callers)}."
    places = tuple(CodePlace(directory) for directory in layer.directories)
    return ArchitectureDocument("layer", layer.name, f"Layer: {layer.name}", text, places)


def _configuration(architecture: Architecture) -> Iterator[ArchitectureDocument]:
    configuration = architecture.configuration
    if configuration.files or configuration.settings:
        text = f"The project is configured in {_list(configuration.files[:20])}." if configuration.files else ""
        for name, places in configuration.settings:
            text += f" {name}: {_place_list(places)}."
        where = tuple(place for _, places in configuration.settings for place in places[:2])
        where = where or tuple(CodePlace(path) for path in configuration.files[:8])
        title = "Configuration files and settings"
        yield ArchitectureDocument("configuration", "configuration", title, text.strip(), where)
    for start in range(0, len(configuration.variables), _GROUP_SIZE):
        part = configuration.variables[start : start + _GROUP_SIZE]
        text = "Environment variables that are read: "
        text += " ".join(f"{name} ({_place_list(places, 2)})." for name, places in part)
        name = f"environment variables {part[0][0]} to {part[-1][0]}"
        where = tuple(places[0] for _, places in part)
        yield ArchitectureDocument("configuration", name, "Environment variables", text, where)


def _group_key(endpoint: Endpoint) -> str:
    controller = endpoint.handler.replace("#", ".").rpartition(".")[0]
    return controller or endpoint.place.path


def _groups(endpoints: Sequence[Endpoint]) -> Iterator[ArchitectureDocument]:
    groups: dict[tuple[str, str], list[Endpoint]] = {}
    for endpoint in endpoints:
        groups.setdefault((_group_key(endpoint), endpoint.place.path), []).append(endpoint)
    for (key, path), members in groups.items():
        if len(members) < 2:
            continue
        for start in range(0, len(members), _GROUP_SIZE):
            part = members[start : start + _GROUP_SIZE]
            name = key if start == 0 else f"{key} ({start // _GROUP_SIZE + 1})"
            text = f"{part[0].framework} endpoints of {key}, declared in {path}: "
            lines = [f"{endpoint} ({endpoint.handler})" if endpoint.handler else str(endpoint) for endpoint in part]
            text += "; ".join(lines) + "."
            places = tuple(dict.fromkeys(endpoint.place for endpoint in part))
            yield ArchitectureDocument("endpoints", name, f"Endpoints of {key}", text, places)


def _endpoint(endpoint: Endpoint) -> ArchitectureDocument:
    subject = f"{_METHODS[endpoint.method]} {endpoint.path}" if endpoint.method in _METHODS else str(endpoint)
    plural = endpoint.method in ("ANY", "WEBSOCKET", "RPC")
    verb = "are" if plural else "is"
    text = f"{subject[:1].upper()}{subject[1:]} {verb} "
    if endpoint.handler:
        own, place = endpoint.handler_place, endpoint.place
        text += f"handled by {endpoint.handler} " + (f"({own}), declared in {place}" if own else f"({place})")
    else:
        text += f"handled in {endpoint.place}"
    text += f" with {endpoint.framework}."
    if endpoint.guard:
        text += f" Protected by {endpoint.guard}."
    places = (endpoint.handler_place, endpoint.place) if endpoint.handler_place else (endpoint.place,)
    return ArchitectureDocument("endpoint", str(endpoint), str(endpoint), text, places, qualifier=endpoint.handler)
