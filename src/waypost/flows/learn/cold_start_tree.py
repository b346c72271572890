"""Read a repository for its first facts: few files, only the start of long ones, none with secrets."""

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waypost.code.architecture import ArchitectureEvidence, derive_architecture, find_evidence
from waypost.code.files.languages import display_name, is_document, is_test_path, language_of_path
from waypost.code.files.reading import Unread, read_source
from waypost.code.files.walk import walk
from waypost.code.parse import parse
from waypost.code.source import Parsed, SourceFile
from waypost.facts.coldstart.project_facts import DetectedStack
from waypost.facts.coldstart.slots import OBSERVED, STATED, Slot, seen_slot
from waypost.facts.coldstart.tree import ProjectTree
from waypost.facts.coldstart.units import is_own
from waypost.facts.domains import Layout, is_outside_source
from waypost.flows.index.patterns import stored_patterns
from waypost.flows.index.project_analysis import architecture_of
from waypost.flows.open_space import OpenSpace, tree_of
from waypost.text.plural import join_items
from waypost.text.secrets.masking import is_secret_path, mask

_LONGEST = 300_000  # bytes of a file that is read
_LONGEST_PARSED = 60_000  # bytes of a file that is parsed in our own process
_NAMES_COUNT = ("lock file", "generated")  # not worth reading, but their names are evidence
_NOTEBOOK = ".ipynb"  # often too large to read
_SAMPLE = 120  # source files that are searched for imports of frameworks
_TELLING = frozenset((
    "main", "app", "index", "server", "settings", "urls", "routes", "router", "manage", "program", "startup",
    "application", "cli", "api", "wsgi", "asgi",
))  # fmt: skip
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
_BETWEEN = re.compile(r"[^\w.\-/@]+|[=<>~^]+")  # separates the words of a manifest's line
_MAJOR = re.compile(r"/v\d+$")
_TYPES = "@types"  # packages of type declarations, with versions of their own
_LEAST_SHARE = 0.05
_LARGEST_COUNTED = 100_000  # bytes of a file, since larger ones are often generated
_MOSTLY = 0.6
_DIALECTS = {"TSX": "TypeScript", "JSX": "JavaScript"}
_NOT_CODE = frozenset({"CSS", "SCSS", "Sass", "Less", "Stylus", "CMake", "Make", "Makefile", "Dockerfile"})
_CPP = (".cc", ".cpp", ".cxx", ".hpp", ".hh")


@dataclass(frozen=True, slots=True)
class ScannedTree:
    tree: ProjectTree
    layout: Layout
    sizes: Mapping[str, int]

    def parsed(self, path: str) -> Parsed | None:
        """A parsed source file, or None if it is long, secret or not code."""
        if self.sizes.get(path, _LONGEST) > _LONGEST_PARSED:
            return None
        text = self.tree.text(path)
        language = language_of_path(path, text)
        return parse(SourceFile(path, language, text)) if text and language else None


def scan_tree(space: OpenSpace) -> ScannedTree:
    """List the files. Opens none."""
    root = tree_of(space)
    patterns = stored_patterns(space)
    sizes = {}
    for entry in walk(root, include=patterns.include, exclude=patterns.exclude):
        is_named = entry.skipped in _NAMES_COUNT or entry.path.endswith(_NOTEBOOK)
        if not entry.path.endswith("/") and (entry.skipped is None or is_named):
            sizes[entry.path] = entry.size
    readable = {path for path in sizes if path.isprintable()}
    tree = ProjectTree(
        readable, lambda path: _read(root, path), lambda path: _doc_of(seen, path), os.path.basename(root)
    )
    seen = ScannedTree(tree, Layout.of(readable), sizes)
    return seen


def _read(root: Path, path: str) -> str:
    """The text with secrets masked; "" for files named like secrets, and unreadable ones."""
    if is_secret_path(path):
        return ""
    read = read_source(root, path, limit=_LONGEST, named=True)
    return "" if isinstance(read, Unread) else mask(read.text).text


def _doc_of(seen: ScannedTree, path: str) -> str:
    parsed = seen.parsed(path)
    return parsed.doc if parsed is not None else ""


# --- what the architecture says


def known_project_of(space: OpenSpace, seen: ScannedTree) -> DetectedStack:
    """Languages, frameworks and libraries: from the index if there is one, else from manifests and some sources."""
    architecture = architecture_of(space)
    if architecture is None:
        evidence = dict(_evidence(seen))
        architecture = derive_architecture(evidence, sorted(evidence)).to_json()
    sure = [
        framework
        for framework in architecture["frameworks"]
        if framework["role"] == "uses" and framework["confidence"] >= _SURE
    ]
    uses = [
        framework
        for framework in sure
        if any(not is_outside_source(_folder(place["path"])) for place in framework["places"])
    ]
    uses.sort(
        key=lambda framework: min((place["path"].count("/") for place in framework["places"]), default=0)
    )  # the root's first
    return DetectedStack(
        languages=_languages(seen),
        frameworks=_slot_of(seen, [framework for framework in uses if framework["rank"] in _FRAMEWORK], 4),
        libraries=_slot_of(seen, [framework for framework in uses if framework["rank"] in _SHAPING], 8),
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
    """Files that probably show what the code is built with: entry points, and some of each part."""
    code = [path for path in seen.tree.paths if is_code(path)]
    code.sort(key=lambda path: (_stem(path) not in _TELLING, path.count("/"), path))
    first = code[: _SAMPLE // 2]
    rest = code[_SAMPLE // 2 :]
    return first + rest[:: max(1, len(rest) // (_SAMPLE // 2))][: _SAMPLE // 2]


def is_code(path: str) -> bool:
    language = language_of_path(path)
    return bool(language) and not is_document(language) and not is_test_path(path) and is_own(path)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _slot_of(seen: ScannedTree, uses: Sequence[Mapping[str, Any]], most: int) -> Slot | None:
    if not uses:
        return None
    names = [f"{use['name']} {use['version']}" if _has_version(seen, use) else use["name"] for use in uses[:most]]
    refs = dict.fromkeys(place["path"] for use in uses[:most] for place in use["places"][:1])
    return Slot(join_items(names, most), tuple(refs), STATED - 0.05)


def _has_version(seen: ScannedTree, use: Mapping[str, Any]) -> bool:
    """Whether a version is that of the framework itself, not of one of its packages."""
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
    if parts[0] == _TYPES:
        return False
    return parts[-1] == name or (parts[0] == name and parts[-1].startswith("framework"))


def _languages(seen: ScannedTree) -> Slot | None:
    """Languages in words that stay true when a file is added: mostly one, with others."""
    paths: dict[str, list[str]] = {}
    for path in seen.tree.paths:
        if is_code(path):
            name = display_name(language_of_path(path))
            paths.setdefault(_DIALECTS.get(name, name), []).append(path)
    if len(paths.get("C++", ())) and any(path.endswith(_CPP) for path in paths["C++"]):
        headers = [path for path in paths.get("C", ()) if path.endswith(".h")]
        paths["C++"] += headers  # a header may be of either language
        paths["C"] = [path for path in paths.get("C", ()) if not path.endswith(".h")]
    # By size: small scripts around one large file say little.
    sizes = {
        name: sum(min(seen.sizes.get(path, 0), _LARGEST_COUNTED) for path in own)
        for name, own in paths.items()
        if name not in _NOT_CODE and own
    }
    whole = sum(sizes.values())
    ranked = sorted(sizes.items(), key=lambda pair: (-pair[1], pair[0]))
    names = [name for name, size in ranked if size >= whole * _LEAST_SHARE][:4]
    if not names:
        return None
    examples = tuple(paths[name][0] for name in names)
    text = join_items(names)
    if len(names) > 1 and ranked[0][1] >= whole * _MOSTLY:
        text = f"{names[0]} for the most part, with {join_items(names[1:])}"
    return seen_slot(text, examples, OBSERVED + 0.05)
