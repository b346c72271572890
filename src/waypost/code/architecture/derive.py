"""Derive the architecture of a project from the evidence of all files."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from waypost.code.architecture.endpoints import endpoints_of, handlers_of
from waypost.code.architecture.evidence import EvidenceByPath
from waypost.code.architecture.framework_use import frameworks_by_directory, frameworks_of
from waypost.code.architecture.frameworks import table
from waypost.code.architecture.layers import layers_of
from waypost.code.architecture.marks import auth_words
from waypost.code.architecture.patterns import ProjectSigns, patterns_of
from waypost.code.architecture.result import Architecture, ArchitectureFinding, CodePlace, Configuration, Endpoint
from waypost.code.architecture.roles import product_items, role_of, weight_of
from waypost.code.files.languages import display_name, is_document, language_of_path

_MAX_PLACES = 10
_MAX_CONFIGURATION_FILES = 60
_CONFIGURATION = re.compile(
    r"(?:^|/)(?:\.env[\w.\-]*|[\w.\-]*settings\.(?:py|json|ya?ml|toml)|settings/[\w\-]+\.py|config\.(?:py|rb|php|js|ts|go|rs|json|ya?ml|toml|exs)"
    r"|application[\w.\-]*\.(?:ya?ml|properties)|appsettings[\w.\-]*\.json|config/[\w./\-]{1,300}\.(?:php|rb|ya?ml|json|js|ts|exs|toml|xml)"
    r"|docker-compose[\w.\-]*\.ya?ml|compose[\w.\-]*\.ya?ml|Dockerfile[\w.\-]*|[\w\-]+\.config\.(?:js|ts|mjs|cjs)|angular\.json|nx\.json"
    r"|wrangler\.toml|serverless\.ya?ml|alembic\.ini|phpunit\.xml[\w.]*|Procfile|nginx[\w.\-]*\.conf|environments?(?:\.\w+)?\.ts|logback[\w.\-]*\.xml)$"
)


def derive_architecture(
    evidence: EvidenceByPath, paths: Sequence[str], relations: Iterable[tuple[str, str]] = ()
) -> Architecture:
    """The architecture of the project with these `paths`. Deterministic.

    `evidence` is the result of `find_evidence` by path; paths without any may be missing. `relations` are imports
    between files as (importer, imported), which give the dependencies between layers.
    """
    evidence = {path: evidence[path] for path in sorted(evidence)}
    paths = sorted(paths)
    languages = {path: language_of_path(path) for path in paths}
    code = frozenset(path for path, language in languages.items() if language and not is_document(language))
    endpoints = endpoints_of(evidence, frameworks_by_directory(evidence), handlers_of(evidence))
    frameworks = frameworks_of(evidence, endpoints)
    return Architecture(
        frameworks=frameworks,
        patterns=patterns_of(ProjectSigns(evidence, paths, code, frameworks, endpoints)),
        endpoints=endpoints,
        authentication=_authentication(evidence, endpoints),
        configuration=_configuration(evidence, paths),
        layers=layers_of(paths, code, relations),
        design_patterns=_designs(evidence),
        entry_points=_entries(evidence),
        languages=_languages({path: languages[path] for path in paths if path in code}),
    )


def _languages(languages: Mapping[str, str]) -> tuple[tuple[str, int, float], ...]:
    counts = Counter(display_name(language) for language in languages.values())
    total = sum(counts.values())
    return tuple((name, count, round(count / total, 3)) for name, count in counts.most_common())


def _authentication(evidence: EvidenceByPath, endpoints: Sequence[Endpoint]) -> tuple[ArchitectureFinding, ...]:
    words = auth_words()
    seen: dict[str, list[tuple[str, CodePlace]]] = {}
    for path, item in product_items(evidence, "auth"):
        seen.setdefault(item.name, []).append((item.value, CodePlace(path, item.line)))
    guards = Counter(endpoint.guard for endpoint in endpoints if endpoint.guard)
    for endpoint in endpoints:
        if endpoint.guard:
            seen.setdefault("guards", []).append((endpoint.guard, endpoint.place))
    findings = []
    for name, hits in seen.items():
        marks = list(dict.fromkeys(mark.strip() for mark, _ in hits))
        reasons = [f"{mark} at {next(place for word, place in hits if word.strip() == mark)}" for mark in marks[:6]]
        if name == "guards" and guards:
            reasons.append(f"{sum(guards.values())} endpoints are protected by {', '.join(list(guards)[:4])}")
        confidence = round(min(0.95, 1.0 - 0.5 ** len(hits) * 0.8), 2)
        places = tuple(dict.fromkeys(place for _, place in hits))[:_MAX_PLACES]
        findings.append(ArchitectureFinding(name, words.get(name, ""), confidence, tuple(reasons), places))
    return tuple(sorted(findings, key=lambda finding: (-finding.confidence, finding.name)))


def _configuration(evidence: EvidenceByPath, paths: Sequence[str]) -> Configuration:
    variables: dict[str, list[CodePlace]] = {}
    settings: dict[str, list[CodePlace]] = {}
    for path, item in product_items(evidence, "env", "settings"):
        if item.name != "plugin discovery" or item.kind == "env":
            places_by_name = variables if item.kind == "env" else settings
            places_by_name.setdefault(item.name, []).append(CodePlace(path, item.line))
    files = [path for path in paths if _CONFIGURATION.search(path) and role_of(path) == ""]
    return Configuration(
        tuple(files[:_MAX_CONFIGURATION_FILES]),
        tuple((name, tuple(places[:_MAX_PLACES])) for name, places in sorted(variables.items())),
        tuple((name, tuple(places[:_MAX_PLACES])) for name, places in sorted(settings.items())),
    )


def _designs(evidence: EvidenceByPath) -> tuple[ArchitectureFinding, ...]:
    """Design patterns of the product. A strategy needs two variants; a mark alone counts less."""
    seen: dict[str, list[tuple[str, CodePlace, float]]] = {}
    for path, item in product_items(evidence, "design"):
        place = CodePlace(path, item.line, int(item.get("end") or 0))
        is_mark = item.get("how") == "mark"
        words = f"{item.value.strip()} is used" if is_mark else f"{item.value}: {item.get('why')}"
        weight = (0.35 if is_mark else 0.55) * weight_of(path)
        seen.setdefault(item.name, []).append((words, place, weight))
    findings = []
    for name, hits in seen.items():
        if name == "strategy" and len({words.rpartition(" of ")[2] for words, _, _ in hits}) == len(hits):
            continue
        doubt = 1.0
        for _, _, weight in hits[:8]:
            doubt *= 1.0 - weight
        hits.sort(key=lambda hit: -hit[2])
        reasons = tuple(f"{words} ({place})" for words, place, _ in hits[:8])
        places = tuple(place for _, place, _ in hits[:_MAX_PLACES])
        what, confidence = table("conventions.toml")["designs"].get(name, ""), round(min(0.95, 1.0 - doubt), 2)
        findings.append(ArchitectureFinding(name, what, confidence, reasons, places))
    return tuple(sorted(findings, key=lambda finding: (-finding.confidence, finding.name)))


def _entries(evidence: EvidenceByPath) -> tuple[tuple[str, CodePlace], ...]:
    """Where programs of the product start, shortest paths first."""
    entries = [(item.name, CodePlace(path, item.line)) for path, item in product_items(evidence, "entry")]
    entries.sort(key=lambda pair: (pair[1].path.count("/"), pair[1]))
    return tuple(entries[:40])
