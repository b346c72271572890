"""A tree read for its first facts: few files, none of them whole where they are long, none that holds secrets."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.code.architecture import ArchitectureEvidence, find_evidence
from waypost.code.architecture import conclude as conclude_architecture
from waypost.code.files.languages import display_name, is_document, is_test_path, language_of_path
from waypost.code.files.reading import Unread, read_source
from waypost.code.files.walk import walk
from waypost.code.parse import parse
from waypost.code.source import Parsed, SourceFile
from waypost.facts.coldstart.project_facts import DetectedStack
from waypost.facts.coldstart.slots import OBSERVED, STATED, Slot
from waypost.facts.coldstart.tree import ProjectTree
from waypost.facts.domains import Layout, is_outside_source
from waypost.flows.index.init import settle_patterns
from waypost.flows.index.project_analysis import architecture_of
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.text.plural import join_items
from waypost.text.secrets.masking import is_secret_path, mask

_LONGEST = 300_000  # bytes of a file that is read
_LONGEST_PARSED = 60_000  # bytes of a file that is parsed in our own process
_NAMES_COUNT = ("lock file", "generated")  # files that are not worth reading, but whose names tell something
_SAMPLE = 120  # source files that are looked at for imports of frameworks
_TELLING = frozenset(
    [
        "main",
        "app",
        "index",
        "server",
        "settings",
        "urls",
        "routes",
        "router",
        "manage",
        "program",
        "startup",
        "application",
        "cli",
        "api",
        "wsgi",
        "asgi",
    ]
)
_MANIFESTS = (
    *("package.json", "composer.json", "pyproject.toml", "setup.py", "setup.cfg", "Pipfile", "Gemfile", "go.mod"),
    *("Cargo.toml", "pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"),
    *("libs.versions.toml", "Directory.Packages.props", "mix.exs", "pubspec.yaml", "requirements.txt"),
)
_MOST_MANIFESTS = 80
_FRAMEWORK = ("web", "frontend", "mobile")
_SHAPING = ("database", "queue", "ml", "data", "api", "cli", "state", "cqrs", "async", "serverless")
_SURE = 0.6
_LONGEST_VERSION = 16
_BETWEEN = re.compile(r"[^\w.\-/@]+|[=<>~^]+")  # what lies between the words of a line of a manifest
_MAJOR = re.compile(r"/v\d+$")
_LEAST_SHARE = 0.05
_MOSTLY = 0.6
_DIALECTS = {"TSX": "TypeScript", "JSX": "JavaScript"}
_STYLES = frozenset({"CSS", "SCSS", "Sass", "Less", "Stylus"})


@dataclass(frozen=True, slots=True)
class ScannedTree:
    """A tree that was looked at."""

    root: Path
    tree: ProjectTree
    layout: Layout
    sizes: Mapping[str, int]

    def parsed(self, path: str) -> Parsed | None:
        """A file of code, read and parsed; None for one that is long, secret or no code."""
        if self.sizes.get(path, _LONGEST) > _LONGEST_PARSED:
            return None
        text = self.tree.text(path)
        language = language_of_path(path, text)
        return parse(SourceFile(path, language, text)) if text and language else None


def look(space: OpenSpace) -> ScannedTree:
    """Which files there are. None is opened yet."""
    root = tree_of(space)
    patterns = settle_patterns(space, None, None)
    sizes = {}
    for entry in walk(root, include=patterns.include, exclude=patterns.exclude):
        if not entry.path.endswith("/") and (entry.skipped is None or entry.skipped in _NAMES_COUNT):
            sizes[entry.path] = entry.size
    readable = {path for path in sizes if path.isprintable()}
    tree = ProjectTree(readable, lambda path: _read(root, path), lambda path: _told(seen, path), os.path.basename(root))
    seen = ScannedTree(root, tree, Layout.of(readable), sizes)
    return seen


def _read(root: Path, path: str) -> str:
    """The text without its secrets; "" for what holds secrets by its name, and for what cannot be read."""
    if is_secret_path(path):
        return ""
    read = read_source(root, path, limit=_LONGEST, named=True)
    return "" if isinstance(read, Unread) else mask(read.text).text


def _told(seen: ScannedTree, path: str) -> str:
    parsed = seen.parsed(path)
    return parsed.doc if parsed is not None else ""


# --- what the architecture says


def known_of(space: OpenSpace, seen: ScannedTree) -> DetectedStack:
    """Languages, frameworks and libraries: from the index where there is one, else from manifests and some sources."""
    found = architecture_of(space)
    if found is None:
        evidence = dict(_evidence(seen))
        found = conclude_architecture(evidence, sorted(evidence)).to_json()
    sure = [one for one in found["frameworks"] if one["role"] == "uses" and one["confidence"] >= _SURE]
    uses = [one for one in sure if any(not is_outside_source(_folder(place["path"])) for place in one["places"])]
    uses.sort(key=lambda one: min((place["path"].count("/") for place in one["places"]), default=0))  # the root's first
    return DetectedStack(
        languages=_languages(seen),
        frameworks=_named(seen, [one for one in uses if one["rank"] in _FRAMEWORK], 4),
        libraries=_named(seen, [one for one in uses if one["rank"] in _SHAPING], 8),
    )


def _evidence(seen: ScannedTree) -> Iterable[tuple[str, tuple[ArchitectureEvidence, ...]]]:
    manifests = [path for path in seen.tree.paths if _is_manifest(path)]
    manifests.sort(key=lambda path: (is_outside_source(path.rpartition("/")[0]), path.count("/"), path))
    for path in manifests[:_MOST_MANIFESTS]:
        text = seen.tree.text(path)
        yield path, find_evidence(SourceFile(path, language_of_path(path), text), None)
    for path in _sample(seen):
        parsed = seen.parsed(path)
        if parsed is not None:
            yield path, find_evidence(SourceFile(path, parsed.language, seen.tree.text(path)), parsed)


def _is_manifest(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name in _MANIFESTS or name.endswith((".csproj", ".fsproj", ".gemspec"))


def _sample(seen: ScannedTree) -> list[str]:
    """Files that are likely to tell what the code is built with: those where programs begin, and some of each part."""
    code = [path for path in seen.tree.paths if is_code(path)]
    code.sort(key=lambda path: (_stem(path) not in _TELLING, path.count("/"), path))
    first = code[: _SAMPLE // 2]
    rest = code[_SAMPLE // 2 :]
    return first + rest[:: max(1, len(rest) // (_SAMPLE // 2))][: _SAMPLE // 2]


def is_code(path: str) -> bool:
    """Whether a path is code of the product, as far as its name tells."""
    language = language_of_path(path)
    return (
        bool(language) and not is_document(language) and not is_test_path(path) and not is_outside_source(_folder(path))
    )


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _named(seen: ScannedTree, uses: Sequence[Mapping[str, Any]], most: int) -> Slot | None:
    if not uses:
        return None
    names = [f"{one['name']} {one['version']}" if _has_version(seen, one) else one["name"] for one in uses[:most]]
    refs = dict.fromkeys(place["path"] for one in uses[:most] for place in one["places"][:1])
    return Slot(join_items(names, most), tuple(refs), STATED - 0.05)


def _has_version(seen: ScannedTree, use: Mapping[str, Any]) -> bool:
    """Whether a version is that of the framework itself and not of a package that belongs to it."""
    name, version = use["name"].lower().replace(" ", "-"), use["version"]
    if not version or len(version) > _LONGEST_VERSION or "," in version or not version.isascii():
        return False
    for place in use["places"]:
        for line in seen.tree.text_read(place["path"]).split("\n"):
            if version in line and any(_is_package(word, name) for word in _BETWEEN.split(line.lower())):
                return True
    return False


def _is_package(word: str, name: str) -> bool:
    """`react`, `@hotwired/stimulus`, `github.com/go-chi/chi/v5`, `laravel/framework`; not `doctrine/doctrine-bundle`."""
    parts = _MAJOR.sub("", word).split("/")
    return parts[-1] == name or (parts[0] == name and parts[-1].startswith("framework"))


def _languages(seen: ScannedTree) -> Slot | None:
    """In words that stay true when a file is added: mostly this, with some of that."""
    counts: dict[str, int] = {}
    for path in seen.tree.paths:
        if is_code(path):
            name = display_name(language_of_path(path))
            name = _DIALECTS.get(name, name)
            if name not in _STYLES:
                counts[name] = counts.get(name, 0) + 1
    whole = sum(counts.values())
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    shown = [name for name, count in ranked if count >= whole * _LEAST_SHARE][:4]
    if not shown:
        return None
    if len(shown) > 1 and ranked[0][1] >= whole * _MOSTLY:
        return Slot(f"{shown[0]} for the most part, with {join_items(shown[1:])}", (), OBSERVED + 0.05)
    return Slot(join_items(shown), (), OBSERVED + 0.05)
