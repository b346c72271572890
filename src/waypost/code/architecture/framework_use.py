"""Which frameworks and libraries a project uses, implements, or only tests with."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from waypost.code.architecture.evidence import ArchitectureEvidence, EvidenceByPath
from waypost.code.architecture.frameworks import Framework, framework_of_package, frameworks
from waypost.code.architecture.result import CodePlace, Endpoint, FrameworkUse
from waypost.code.architecture.roles import product_items, role_of, weight_of

_SHOWN_FROM = 0.4  # below this, the package may be there for another purpose
_MAX_PLACES = 8
_GO_MAJOR = re.compile(r"/v\d+$")  # the version at the end of a Go module


@dataclass(slots=True)
class _Case:
    """The evidence for one framework."""

    doubt: float = 1.0
    version: str = ""
    implements: bool = False
    manifest: list[CodePlace] = field(default_factory=list)
    source: list[CodePlace] = field(default_factory=list)
    imports: int = 0

    def add(self, weight: float) -> None:
        self.doubt *= 1.0 - weight


def frameworks_by_directory(evidence: EvidenceByPath) -> dict[str, frozenset[str]]:
    """The frameworks in manifests, by the manifest's directory."""
    by_directory: dict[str, set[str]] = {}
    for path, items in evidence.items():
        for item in items:
            if item.kind == "dependency":
                framework = framework_of_package(item.get("ecosystem"), item.name)
                if framework is not None:
                    by_directory.setdefault(path.rpartition("/")[0], set()).add(framework.name)
    return {directory: frozenset(names) for directory, names in by_directory.items()}


def frameworks_of(evidence: EvidenceByPath, endpoints: Iterable[Endpoint]) -> tuple[FrameworkUse, ...]:
    """Frameworks first, then libraries, by confidence."""
    cases: dict[str, _Case] = {}
    own = _own_frameworks(evidence, cases)
    for path, items in evidence.items():
        for item in items:
            if item.kind == "dependency":
                _add_dependency(path, item, cases, own)
            elif item.kind == "import":
                _add_import(path, item, cases, own)
    for endpoint in endpoints:
        if endpoint.framework in frameworks():
            case = cases.setdefault(endpoint.framework, _Case())
            case.add(0.3)
            if len(case.source) < _MAX_PLACES and endpoint.place.path not in {place.path for place in case.source}:
                case.source.append(endpoint.place)
    for name in list(cases):
        for implied in frameworks()[name].implied:
            case = cases[name]
            if implied not in cases and case.doubt < 0.5:
                cases[implied] = _Case(case.doubt, source=case.source[:2], manifest=case.manifest[:1])
    uses = [_use(frameworks()[name], case) for name, case in cases.items()]
    return tuple(sorted((use for use in uses if use.confidence >= _SHOWN_FROM), key=_order))


def _order(use: FrameworkUse) -> tuple[bool, bool, bool, float, str]:
    is_framework = use.rank in ("web", "frontend", "mobile")
    return use.role != "implements", use.role == "tests", not is_framework, -use.confidence, use.name


def _own_frameworks(evidence: EvidenceByPath, cases: dict[str, _Case]) -> set[str]:
    """Frameworks whose own package this repository provides."""
    implemented = set()
    for path, item in product_items(evidence, "package"):
        name = _GO_MAJOR.sub("", item.name.lower())
        for framework in frameworks().values():
            packages = (package for ecosystem, package in framework.packages if ecosystem == item.get("ecosystem"))
            made = any(package.rstrip("*").lower() in (name, f"{name}:{name}") for package in packages)
            if made or (framework.is_framework and name == framework.name.lower().replace(" ", "-")):
                case = cases.setdefault(framework.name, _Case())
                case.implements, case.doubt = True, 0.02
                case.version = case.version or item.value
                case.manifest.append(CodePlace(path, item.line))
                implemented.add(framework.name)
    return implemented


def _add_dependency(path: str, item: ArchitectureEvidence, cases: dict[str, _Case], own: set[str]) -> None:
    framework = framework_of_package(item.get("ecosystem"), item.name)
    if framework is None or framework.name in own:
        return
    case = cases.setdefault(framework.name, _Case())
    weight = 0.9
    if framework.weak:
        weight = 0.25
    elif item.get("scope") == "dev" and framework.rank == "web":
        weight = 0.4
    case.add(weight * weight_of(path))
    case.version = case.version or (item.value if role_of(path) == "" and any(map(str.isdigit, item.value)) else "")
    if len(case.manifest) < _MAX_PLACES:
        case.manifest.append(CodePlace(path, item.line))


def _add_import(path: str, item: ArchitectureEvidence, cases: dict[str, _Case], own: set[str]) -> None:
    if item.name in own:
        return
    case = cases.setdefault(item.name, _Case())
    case.imports += 1
    case.add((0.4 if case.imports == 1 else 0.1) * weight_of(path))
    if len(case.source) < _MAX_PLACES:
        case.source.append(CodePlace(path, item.line))


def _use(framework: Framework, case: _Case) -> FrameworkUse:
    places = [*case.manifest, *case.source]
    places.sort(key=lambda place: role_of(place.path) != "")
    role = "uses"
    if case.implements:
        role = "implements"
    elif places and all(role_of(place.path) != "" for place in places):
        role = "tests"
    confidence, kept = round(min(0.99, 1.0 - case.doubt), 2), tuple(places[:_MAX_PLACES])
    return FrameworkUse(framework.name, framework.what, framework.rank, role, case.version, confidence, kept)
