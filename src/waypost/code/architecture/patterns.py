"""Architecture patterns: groups of signs, several of which must be seen. The table is patterns.toml."""

import fnmatch
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from waypost.code.architecture.evidence import ArchitectureEvidence
from waypost.code.architecture.knowledge import table
from waypost.code.architecture.result import ArchitectureFinding, CodePlace, Endpoint, FrameworkUse
from waypost.code.architecture.roles import role_of

_MAX_PLACES = 6
_SHOWN_FROM = 0.6
# The source of a framework has controllers, events and repositories for others to use; it is not built that way itself.
_IN_A_FRAMEWORK = 0.7
_CLIENT_ROUTERS = ("React Router", "Vue Router", "Angular", "Solid")
_API_PATH = re.compile(r"^/?(?:[\w\-]+/)?(?:api|rest|v\d+)(?:/|$)")


@dataclass(slots=True)
class ProjectSigns:
    """What the signs are looked up in. Only paths and evidence of the product itself, not of tests."""

    evidence: Mapping[str, Sequence[ArchitectureEvidence]]
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
        for path, items in self.evidence.items():
            if role_of(path) != "":
                continue
            for item in items:
                if item.kind == "part":
                    self.parts.setdefault(item.name, []).append((item.value, CodePlace(path, item.line)))
                elif item.kind == "entry":
                    self.entries.setdefault(item.name, []).append(CodePlace(path, item.line))


Sign = tuple[str, list[CodePlace]]  # what was seen, in words, and where; no words when it was not


def patterns_of(project: ProjectSigns) -> tuple[ArchitectureFinding, ...]:
    found = []
    for pattern in table("patterns.toml")["pattern"]:
        finding = _judge(pattern, project)
        if finding is not None:
            found.append(finding)
    return tuple(sorted(found, key=lambda one: (-one.confidence, one.name)))


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
    if not pattern.get("structural") and any(
        use.role == "implements" and use.rank == "web" for use in project.frameworks
    ):
        confidence *= _IN_A_FRAMEWORK
    confidence = round(confidence, 2)
    if len(reasons) < pattern["least"] or confidence < _SHOWN_FROM:
        return None
    return ArchitectureFinding(
        pattern["name"], pattern["what"], confidence, tuple(reasons), tuple(dict.fromkeys(places))[:_MAX_PLACES]
    )


def _group(signs: Sequence[str], project: ProjectSigns) -> Sign:
    """The first sign that is seen; classes before directories, as they stand in the table."""
    for sign in signs:
        kind, _, rest = sign.partition(":")
        name, _, count = rest.rpartition(":") if rest.rpartition(":")[2].isdigit() else (rest, "", "1")
        words, places = _SIGNS[kind](project, name, int(count))
        if words:
            return words, places
    return "", []


def _part(project: ProjectSigns, name: str, count: int) -> Sign:
    found = project.parts.get(name, [])
    if len(found) < count:
        return "", []
    return _some([value for value, _ in found]), [place for _, place in found]


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def _directory(project: ProjectSigns, name: str, count: int) -> Sign:
    found = project.directories.get(name, [])
    if len(found) < count:
        return "", []
    shown = found[0].split("/")
    directory = "/".join(shown[: shown.index(name) + 1])
    return f"directory {directory} with {len(found)} files", [CodePlace(path) for path in found[:2]]


def _use(project: ProjectSigns, name: str, _count: int) -> Sign:
    for use in project.frameworks:
        if use.name == name and use.role == "uses" and use.confidence >= 0.5:
            return name, list(use.places)
    return "", []


def _rank(project: ProjectSigns, name: str, _count: int) -> Sign:
    for use in project.frameworks:
        if use.rank == name and use.role == "uses" and use.confidence >= 0.5:
            return use.name, list(use.places)
    return "", []


@cache
def _glob(pattern: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(pattern))


def _file(project: ProjectSigns, name: str, count: int) -> Sign:
    glob = _glob(name)
    found = []
    for path in project.paths:
        if (glob.match(path) or ("/" not in name and glob.match(path.rpartition("/")[2]))) and role_of(path) == "":
            found.append(path)
            if len(found) >= max(count, 3):
                break
    return (_some(found), [CodePlace(path) for path in found]) if len(found) >= count else ("", [])


def _apis(project: ProjectSigns) -> list[Endpoint]:
    return [
        one for one in project.endpoints if one.method not in ("PAGE", "RPC", "LIVE") and role_of(one.place.path) == ""
    ]


def _endpoints(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = _apis(project)
    return (f"{len(found)} endpoints", [one.place for one in found[:2]]) if len(found) >= count else ("", [])


def _verbs(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = [one for one in _apis(project) if one.method in ("PUT", "PATCH", "DELETE")]
    return (_some([str(one) for one in found]), [one.place for one in found[:2]]) if len(found) >= count else ("", [])


def _api_paths(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = [one for one in _apis(project) if _API_PATH.match(one.path)]
    return (_some([one.path for one in found]), [one.place for one in found[:2]]) if len(found) >= count else ("", [])


def _pages(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = [one for one in project.endpoints if one.method == "PAGE" and one.framework in _CLIENT_ROUTERS]
    return (f"{len(found)} pages", [one.place for one in found[:2]]) if len(found) >= count else ("", [])


def _file_pages(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = [one for one in project.endpoints if one.framework in ("Next", "Nuxt", "SvelteKit", "Remix")]
    return (_some([str(one) for one in found]), [one.place for one in found[:2]]) if len(found) >= count else ("", [])


def _rpc(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = [one for one in project.endpoints if one.method == "RPC"]
    return (f"{len(found)} procedures", [one.place for one in found[:2]]) if len(found) >= count else ("", [])


def _entry(project: ProjectSigns, name: str, count: int) -> Sign:
    found = project.entries.get(name, [])
    return (str(found[0]), found) if len(found) >= count else ("", [])


def _web(project: ProjectSigns, _name: str, _count: int) -> Sign:
    for use in project.frameworks:
        if use.rank == "web" and use.role == "uses":
            return use.name, list(use.places)
    return "", []


def _no_web(project: ProjectSigns, _name: str, _count: int) -> Sign:
    return ("there are no endpoints", []) if not project.endpoints else ("", [])


def _bin(project: ProjectSigns, _name: str, _count: int) -> Sign:
    for path, item in _own_packages(project):
        if item.get("bin"):
            return f"{path} installs a command", [CodePlace(path, item.line)]
    return "", []


def _manifests(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = _own_packages(project)
    return (
        (_some([f"{item.name} in {path}" for path, item in found]), [CodePlace(p, i.line) for p, i in found])
        if len({path.rpartition("/")[0] for path, _ in found}) >= count
        else ("", [])
    )


def _own_packages(project: ProjectSigns) -> list[tuple[str, ArchitectureEvidence]]:
    return [
        (path, item)
        for path, items in project.evidence.items()
        if role_of(path) == ""
        for item in items
        if item.kind == "package"
    ]


def _workspace(project: ProjectSigns, _name: str, _count: int) -> Sign:
    for path, item in _own_packages(project):
        if item.get("workspace"):
            return path, [CodePlace(path, item.line)]
    return "", []


def _services(project: ProjectSigns, _name: str, count: int) -> Sign:
    """Directories with a manifest or a Dockerfile of their own and a program that starts below them."""
    homes = {path.rpartition("/")[0] for path, _ in _own_packages(project)}
    homes |= {path.rpartition("/")[0] for path in project.paths if path.endswith("/Dockerfile")}
    homes.discard("")
    starts = [place.path for kind, places in project.entries.items() if kind != "front end" for place in places]
    found = sorted(home for home in homes if any(start.startswith(home + "/") for start in starts))
    if len(found) < count or not any(
        path.endswith("Dockerfile") or "compose" in path or "AppHost" in path for path in project.paths
    ):
        return "", []
    return _some(found), [CodePlace(path) for path in starts[:2]]


def _compose(project: ProjectSigns, _name: str, count: int) -> Sign:
    for path, items in project.evidence.items():
        for item in items:
            if item.kind == "settings" and item.name == "Docker Compose" and int(item.value or 0) >= count:
                return f"{path} builds {item.value} services", [CodePlace(path, item.line)]
    return "", []


def _plugins(project: ProjectSigns, _name: str, count: int) -> Sign:
    found = [
        CodePlace(path, item.line)
        for path, items in project.evidence.items()
        if role_of(path) == ""
        for item in items
        if item.kind == "settings" and item.name == "plugin discovery"
    ]
    return (str(found[0]), found) if len(found) >= count else ("", [])


def _port(project: ProjectSigns, _name: str, count: int) -> Sign:
    """Interfaces of repositories, services and gateways apart from the classes that implement them."""
    found = [
        (item.value, CodePlace(path, item.line))
        for path, items in project.evidence.items()
        if role_of(path) == ""
        for item in items
        if item.kind == "part"
        and item.get("how") == "interface"
        and item.name in ("repository", "service", "port", "usecase")
    ]
    return (_some([value for value, _ in found]), [place for _, place in found]) if len(found) >= count else ("", [])


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
