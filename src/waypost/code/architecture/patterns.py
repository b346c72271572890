"""Architecture patterns: groups of signs, of which several must be present. The table is patterns.toml."""

import fnmatch
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from waypost.code.architecture.evidence import ArchitectureEvidence, EvidenceByPath
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.result import ArchitectureFinding, CodePlace, Endpoint, FrameworkUse
from waypost.code.architecture.roles import product_items, role_of

_MAX_PLACES = 6
_SHOWN_FROM = 0.6
# A framework's source has controllers, events and repositories for its users, but is not built that way.
_IN_A_FRAMEWORK = 0.7
_CLIENT_ROUTERS = ("React Router", "Vue Router", "Angular", "Solid")
_FILE_ROUTERS = ("Next", "Nuxt", "SvelteKit", "Remix")
_API_PATH = re.compile(r"^/?(?:[\w\-]+/)?(?:api|rest|v\d+)(?:/|$)")


@dataclass(slots=True)
class ProjectSigns:
    """Where signs are looked up: only paths and evidence of the product, not of tests."""

    evidence: EvidenceByPath
    paths: Sequence[str]
    code: frozenset[str]
    frameworks: Sequence[FrameworkUse]
    endpoints: Sequence[Endpoint]
    parts: dict[str, list[tuple[str, CodePlace]]] = field(default_factory=dict)
    directories: dict[str, list[str]] = field(default_factory=dict)
    entries: dict[str, list[CodePlace]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for path in self.paths:
            if path in self.code and role_of(path) == "":
                for part in dict.fromkeys(path.split("/")[:-1]):
                    self.directories.setdefault(part, []).append(path)
        for path, item in product_items(self.evidence, "part"):
            self.parts.setdefault(item.name, []).append((item.value, CodePlace(path, item.line)))
        for path, item in product_items(self.evidence, "entry"):
            self.entries.setdefault(item.name, []).append(CodePlace(path, item.line))


Sign = tuple[str, list[CodePlace]]  # what was seen, in words, and where
_ABSENT: Sign = ("", [])


def patterns_of(project: ProjectSigns) -> tuple[ArchitectureFinding, ...]:
    judged = (_judge(pattern, project) for pattern in table("patterns.toml")["pattern"])
    findings = (finding for finding in judged if finding is not None)
    return tuple(sorted(findings, key=lambda finding: (-finding.confidence, finding.name)))


def _judge(pattern: dict[str, Any], project: ProjectSigns) -> ArchitectureFinding | None:
    doubt = 1.0
    reasons: list[str] = []
    places: list[CodePlace] = []
    for group in pattern["groups"]:
        words, where = _group(group["signs"], project)
        if words:
            doubt *= 1.0 - group["weight"]
            reasons.append(f"{group['name']}: {words}")
            places += where[:2]
    confidence = 1.0 - doubt
    is_framework = any(use.role == "implements" and use.rank == "web" for use in project.frameworks)
    if not pattern.get("structural") and is_framework:
        confidence *= _IN_A_FRAMEWORK
    confidence = round(confidence, 2)
    if len(reasons) < pattern["least"] or confidence < _SHOWN_FROM:
        return None
    return ArchitectureFinding(
        pattern["name"], pattern["what"], confidence, tuple(reasons), tuple(dict.fromkeys(places))[:_MAX_PLACES]
    )


def _group(signs: Sequence[str], project: ProjectSigns) -> Sign:
    """The first sign that is present, in table order: classes before directories."""
    for sign in signs:
        kind, _, rest = sign.partition(":")
        name, _, count = rest.rpartition(":") if rest.rpartition(":")[2].isdigit() else (rest, "", "1")
        words, places = _SIGNS[kind](project, name, int(count))
        if words:
            return words, places
    return _ABSENT


def _part(project: ProjectSigns, name: str, count: int) -> Sign:
    return _names_and_places(project.parts.get(name, []), count)


def _names_and_places(signs: Sequence[tuple[str, CodePlace]], count: int) -> Sign:
    enough = len(signs) >= count
    return (_first_names([name for name, _ in signs]), [place for _, place in signs]) if enough else _ABSENT


def _first_names(names: Sequence[str]) -> str:
    listed_names = ", ".join(names[:3])
    return listed_names if len(names) <= 3 else f"{listed_names} and {len(names) - 3} more"


def _directory(project: ProjectSigns, name: str, count: int) -> Sign:
    paths = project.directories.get(name, [])
    if len(paths) < count:
        return _ABSENT
    segments = paths[0].split("/")
    directory = "/".join(segments[: segments.index(name) + 1])
    return f"directory {directory} with {len(paths)} files", [CodePlace(path) for path in paths[:2]]


def _use(project: ProjectSigns, name: str, _count: int) -> Sign:
    return _first_use(project, lambda use: use.name == name and use.confidence >= 0.5)


def _rank(project: ProjectSigns, name: str, _count: int) -> Sign:
    return _first_use(project, lambda use: use.rank == name and use.confidence >= 0.5)


def _web(project: ProjectSigns, _name: str, _count: int) -> Sign:
    return _first_use(project, lambda use: use.rank == "web")


def _first_use(project: ProjectSigns, is_meant: Callable[[FrameworkUse], bool]) -> Sign:
    uses = (use for use in project.frameworks if use.role == "uses" and is_meant(use))
    return next(((use.name, list(use.places)) for use in uses), _ABSENT)


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


def _file(project: ProjectSigns, name: str, count: int) -> Sign:
    glob = _glob(name)
    paths = []
    for path in project.paths:
        if (glob.match(path) or ("/" not in name and glob.match(path.rpartition("/")[2]))) and role_of(path) == "":
            paths.append(path)
            if len(paths) >= max(count, 3):
                break
    return (_first_names(paths), [CodePlace(path) for path in paths]) if len(paths) >= count else _ABSENT


def _apis(project: ProjectSigns) -> list[Endpoint]:
    return [
        endpoint
        for endpoint in project.endpoints
        if endpoint.method not in ("PAGE", "RPC", "LIVE") and role_of(endpoint.place.path) == ""
    ]


def _endpoint_sign(endpoints: Sequence[Endpoint], count: int, words: str = "") -> Sign:
    if len(endpoints) < count:
        return _ABSENT
    return words or _first_names(list(map(str, endpoints))), [endpoint.place for endpoint in endpoints[:2]]


def _endpoints(project: ProjectSigns, _name: str, count: int) -> Sign:
    endpoints = _apis(project)
    return _endpoint_sign(endpoints, count, f"{len(endpoints)} endpoints")


def _verbs(project: ProjectSigns, _name: str, count: int) -> Sign:
    changing = [endpoint for endpoint in _apis(project) if endpoint.method in ("PUT", "PATCH", "DELETE")]
    return _endpoint_sign(changing, count)


def _api_paths(project: ProjectSigns, _name: str, count: int) -> Sign:
    endpoints = [endpoint for endpoint in _apis(project) if _API_PATH.match(endpoint.path)]
    return _endpoint_sign(endpoints, count, _first_names([endpoint.path for endpoint in endpoints]))


def _pages(project: ProjectSigns, _name: str, count: int) -> Sign:
    pages = [page for page in project.endpoints if page.method == "PAGE" and page.framework in _CLIENT_ROUTERS]
    return _endpoint_sign(pages, count, f"{len(pages)} pages")


def _file_pages(project: ProjectSigns, _name: str, count: int) -> Sign:
    return _endpoint_sign([page for page in project.endpoints if page.framework in _FILE_ROUTERS], count)


def _rpc(project: ProjectSigns, _name: str, count: int) -> Sign:
    procedures = [endpoint for endpoint in project.endpoints if endpoint.method == "RPC"]
    return _endpoint_sign(procedures, count, f"{len(procedures)} procedures")


def _entry(project: ProjectSigns, name: str, count: int) -> Sign:
    places = project.entries.get(name, [])
    return (str(places[0]), places) if len(places) >= count else _ABSENT


def _no_web(project: ProjectSigns, _name: str, _count: int) -> Sign:
    return ("there are no endpoints", []) if not project.endpoints else _ABSENT


def _bin(project: ProjectSigns, _name: str, _count: int) -> Sign:
    for path, item in _own_packages(project):
        if item.get("bin"):
            return f"{path} installs a command", [CodePlace(path, item.line)]
    return _ABSENT


def _manifests(project: ProjectSigns, _name: str, count: int) -> Sign:
    packages = _own_packages(project)
    if len({path.rpartition("/")[0] for path, _ in packages}) < count:
        return _ABSENT
    named = [(f"{item.name} in {path}", CodePlace(path, item.line)) for path, item in packages]
    return _names_and_places(named, 0)


def _own_packages(project: ProjectSigns) -> list[tuple[str, ArchitectureEvidence]]:
    return list(product_items(project.evidence, "package"))


def _workspace(project: ProjectSigns, _name: str, _count: int) -> Sign:
    for path, item in _own_packages(project):
        if item.get("workspace"):
            return path, [CodePlace(path, item.line)]
    return _ABSENT


def _services(project: ProjectSigns, _name: str, count: int) -> Sign:
    """Directories with their own manifest or Dockerfile and a program that starts below them."""
    homes = {path.rpartition("/")[0] for path, _ in _own_packages(project)}
    homes |= {path.rpartition("/")[0] for path in project.paths if path.endswith("/Dockerfile")}
    homes.discard("")
    starts = [place.path for kind, places in project.entries.items() if kind != "front end" for place in places]
    services = sorted(home for home in homes if any(start.startswith(home + "/") for start in starts))
    if len(services) < count or not any(
        path.endswith("Dockerfile") or "compose" in path or "AppHost" in path for path in project.paths
    ):
        return _ABSENT
    return _first_names(services), [CodePlace(path) for path in starts[:2]]


def _compose(project: ProjectSigns, _name: str, count: int) -> Sign:
    for path, items in project.evidence.items():
        for item in items:
            if item.kind == "settings" and item.name == "Docker Compose" and int(item.value or 0) >= count:
                return f"{path} builds {item.value} services", [CodePlace(path, item.line)]
    return _ABSENT


def _plugins(project: ProjectSigns, _name: str, count: int) -> Sign:
    settings = product_items(project.evidence, "settings")
    places = [CodePlace(path, item.line) for path, item in settings if item.name == "plugin discovery"]
    return (str(places[0]), places) if len(places) >= count else _ABSENT


def _port(project: ProjectSigns, _name: str, count: int) -> Sign:
    """Interfaces of repositories, services and gateways, separate from their implementations."""
    interfaces = [
        (item.value, CodePlace(path, item.line))
        for path, item in product_items(project.evidence, "part")
        if item.get("how") == "interface" and item.name in ("repository", "service", "port", "usecase")
    ]
    return _names_and_places(interfaces, count)


_SIGNS: dict[str, Callable[[ProjectSigns, str, int], Sign]] = {
    "part": _part,
    "dir": _directory,
    "use": _use,
    "rank": _rank,
    "file": _file,
    "endpoints": _endpoints,
    "verbs": _verbs,
    "apipaths": _api_paths,
    "pages": _pages,
    "filepages": _file_pages,
    "rpc": _rpc,
    "entry": _entry,
    "web": _web,
    "noweb": _no_web,
    "bin": _bin,
    "manifests": _manifests,
    "workspace": _workspace,
    "services": _services,
    "compose": _compose,
    "plugins": _plugins,
    "port": _port,
}
