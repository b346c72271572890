"""The architecture as documents: plain English sentences, so that a question about it finds them."""

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

_MAX_ENDPOINTS = 4000  # documents of their own; a project with more has made them by a program
_GROUP_SIZE = 25
_KINDS = {"web": "web framework", "frontend": "front-end framework", "mobile": "application framework"}
_ROLE = {
    "uses": "This project uses {name}, a {what}",
    "implements": "This repository is {name} itself, a {what}: it implements it rather than uses it",
    "tests": "Only tests, examples or documentation of this project use {name}, a {what}",
}
_METHODS = {
    "ANY": "requests of any method to",
    "PAGE": "the page",
    "WEBSOCKET": "WebSocket connections to",
    "RPC": "calls of",
    "LIVE": "the live view",
}


def documents_of(architecture: Architecture) -> tuple[ArchitectureDocument, ...]:
    found = (
        *_overview(architecture),
        *(_framework(use) for use in architecture.frameworks),
        *(_finding("pattern", "Architecture pattern", one) for one in architecture.patterns),
        *(_layer(layer, architecture.layers) for layer in architecture.layers),
        *(_finding("design_pattern", "Design pattern", one) for one in architecture.design_patterns),
        *(_finding("authentication", "Authentication", one) for one in architecture.authentication),
        *_configuration(architecture),
        *_groups(architecture.endpoints),
        *(_endpoint(one) for one in architecture.endpoints[:_MAX_ENDPOINTS]),
    )
    # A route that a file states twice is one document.
    return tuple({document.key: document for document in reversed(found)}.values())[::-1]


def _list(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}" if names else ""


def _shown(places: Sequence[CodePlace], limit: int = 5) -> str:
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
        sentences.append(f"Its architecture: {_list([one.name for one in architecture.patterns])}.")
    if architecture.endpoints:
        sentences.append(f"It has {len(architecture.endpoints)} endpoints and pages.")
    if architecture.authentication:
        sentences.append(f"Users are authenticated by {_list([one.name for one in architecture.authentication[:5]])}.")
    if architecture.entry_points:
        starts = [f"{place.path} ({what})" for what, place in architecture.entry_points[:5]]
        sentences.append(f"It starts in {_list(starts)}.")
    if sentences:
        places = tuple(place for _, place in architecture.entry_points[:5])
        yield ArchitectureDocument(
            "overview", "architecture", "Architecture of the project", " ".join(sentences), places
        )
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
    text += f". Seen in {_shown(use.places)}."
    return ArchitectureDocument(
        "framework", use.name, f"{kind.capitalize()}: {use.name}", text, use.places, use.confidence
    )


def _finding(kind: str, title: str, one: ArchitectureFinding) -> ArchitectureDocument:
    about = f" ({one.what})" if one.what else ""
    sure = "clearly" if one.confidence >= 0.85 else "probably" if one.confidence >= 0.7 else "possibly"
    verb = {
        "pattern": "follows",
        "design_pattern": "uses the design pattern",
        "authentication": "uses for authentication",
    }
    text = f"The project {sure} {verb[kind]} {one.name}{about}. " + " ".join(f"{reason}." for reason in one.reasons)
    return ArchitectureDocument(kind, one.name, f"{title}: {one.name}", text, one.places, one.confidence)


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
    found = architecture.configuration
    if found.files or found.settings:
        text = f"The project is configured in {_list(found.files[:20])}." if found.files else ""
        for name, places in found.settings:
            text += f" {name}: {_shown(places)}."
        where = tuple(place for _, places in found.settings for place in places[:2])
        where = where or tuple(CodePlace(path) for path in found.files[:8])
        yield ArchitectureDocument(
            "configuration", "configuration", "Configuration files and settings", text.strip(), where
        )
    for start in range(0, len(found.variables), _GROUP_SIZE):
        part = found.variables[start : start + _GROUP_SIZE]
        text = "Environment variables that are read: "
        text += " ".join(f"{name} ({_shown(places, 2)})." for name, places in part)
        name = f"environment variables {part[0][0]} to {part[-1][0]}"
        yield ArchitectureDocument(
            "configuration", name, "Environment variables", text, tuple(places[0] for _, places in part)
        )


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
            text += "; ".join(str(one) + (f" ({one.handler})" if one.handler else "") for one in part) + "."
            yield ArchitectureDocument(
                "endpoints", name, f"Endpoints of {key}", text, tuple(dict.fromkeys(one.place for one in part))
            )


def _endpoint(one: Endpoint) -> ArchitectureDocument:
    subject = f"{_METHODS[one.method]} {one.path}" if one.method in _METHODS else str(one)
    plural = one.method in ("ANY", "WEBSOCKET", "RPC")
    verb = "are" if plural else "is"
    text = f"{subject[:1].upper()}{subject[1:]} {verb} "
    if one.handler:
        text += f"handled by {one.handler}"
        text += f" ({one.handler_place}), declared in {one.place}" if one.handler_place else f" ({one.place})"
    else:
        text += f"handled in {one.place}"
    text += f" with {one.framework}."
    if one.guard:
        text += f" Protected by {one.guard}."
    places = (one.handler_place, one.place) if one.handler_place else (one.place,)
    return ArchitectureDocument("endpoint", str(one), str(one), text, places, qualifier=one.handler)
