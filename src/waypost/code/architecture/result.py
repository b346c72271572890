"""The derived architecture of a project. Plain values that become JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from waypost.model.reference import LineRange


@dataclass(frozen=True, slots=True, order=True)
class CodePlace:
    path: str
    line: int = 1
    end_line: int = 0  # 0: only this line

    @property
    def lines(self) -> LineRange:
        return LineRange(self.line, max(self.line, self.end_line))

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class FrameworkUse:
    name: str
    what: str  # "PHP web framework"
    rank: str  # "web", "frontend", "mobile", or a library's purpose
    role: str  # "uses", "implements", or "tests" if only tests and examples use it
    version: str
    confidence: float
    places: tuple[CodePlace, ...]


@dataclass(frozen=True, slots=True)
class ArchitectureFinding:
    """A pattern, design pattern or authentication mechanism, with reasons."""

    name: str
    what: str
    confidence: float
    reasons: tuple[str, ...]
    places: tuple[CodePlace, ...]


@dataclass(frozen=True, slots=True)
class Endpoint:
    method: str  # GET …, ANY, PAGE (of a front end), WEBSOCKET, RPC, LIVE
    path: str
    handler: str  # as the framework names it; "" for a closure
    place: CodePlace  # of the route
    framework: str
    guard: str = ""  # what protects it
    handler_place: CodePlace | None = None

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Layer:
    name: str  # "presentation", "application", "domain", "infrastructure" …
    what: str
    directories: tuple[str, ...]
    files: int
    depends_on: tuple[tuple[str, int], ...] = ()  # other layers, and the number of imports


@dataclass(frozen=True, slots=True)
class Configuration:
    files: tuple[str, ...] = ()
    variables: tuple[tuple[str, tuple[CodePlace, ...]], ...] = ()  # environment variables, and where they are read
    settings: tuple[tuple[str, tuple[CodePlace, ...]], ...] = ()  # kinds of settings, and where


@dataclass(frozen=True, slots=True)
class ArchitectureDocument:
    """What is stored in the collection `architecture` for search."""

    type: str  # "pattern", "framework", "layer", "design_pattern", "authentication", "configuration", "endpoints" …
    name: str
    title: str
    text: str  # plain English sentences
    places: tuple[CodePlace, ...] = ()
    confidence: float = 1.0
    qualifier: str = ""  # distinguishes documents of one name: the handler of an endpoint

    @property
    def key(self) -> str:
        """Unique in a project, and stable when the project is read again."""
        where = f" {self.places[0].path}" if self.type in ("endpoint", "endpoints") and self.places else ""
        return f"{self.type} {self.name} {self.qualifier}{where}".replace("  ", " ")


@dataclass(frozen=True, slots=True)
class Architecture:
    frameworks: tuple[FrameworkUse, ...] = ()
    patterns: tuple[ArchitectureFinding, ...] = ()
    endpoints: tuple[Endpoint, ...] = ()
    authentication: tuple[ArchitectureFinding, ...] = ()
    configuration: Configuration = field(default_factory=Configuration)
    layers: tuple[Layer, ...] = ()
    design_patterns: tuple[ArchitectureFinding, ...] = ()
    entry_points: tuple[tuple[str, CodePlace], ...] = ()
    languages: tuple[tuple[str, int, float], ...] = ()  # name, files, share of code files

    def to_json(self) -> dict[str, Any]:
        return {
            "frameworks": [_to_plain(use) for use in self.frameworks],
            "patterns": [_to_plain(finding) for finding in self.patterns],
            "endpoints": [_to_plain(endpoint) for endpoint in self.endpoints],
            "authentication": [_to_plain(finding) for finding in self.authentication],
            "configuration": {
                "files": list(self.configuration.files),
                "variables": {name: _places(places) for name, places in self.configuration.variables},
                "settings": {name: _places(places) for name, places in self.configuration.settings},
            },
            "layers": [
                {
                    "name": layer.name,
                    "what": layer.what,
                    "directories": list(layer.directories),
                    "files": layer.files,
                    "depends_on": dict(layer.depends_on),
                }
                for layer in self.layers
            ],
            "design_patterns": [_to_plain(finding) for finding in self.design_patterns],
            "entry_points": [{"what": what, **_place(place)} for what, place in self.entry_points],
            "languages": [{"name": name, "files": files, "share": share} for name, files, share in self.languages],
        }


def _place(place: CodePlace) -> dict[str, Any]:
    data: dict[str, Any] = {"path": place.path, "line": place.line}
    if place.end_line:
        data["end_line"] = place.end_line
    return data


def _places(places: Sequence[CodePlace]) -> list[dict[str, Any]]:
    return [_place(place) for place in places]


def _to_plain(value: FrameworkUse | ArchitectureFinding | Endpoint) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for name in value.__slots__:
        content = getattr(value, name)
        if isinstance(content, CodePlace):
            content = _place(content)
        elif isinstance(content, tuple):
            content = [_place(element) if isinstance(element, CodePlace) else element for element in content]
        data[name] = content
    return data
