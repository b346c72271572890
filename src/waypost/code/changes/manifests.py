"""Dependencies of a manifest before and after: added, removed or with other versions.

Lock files are not manifests: a program wrote them.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from waypost.code.architecture.manifests import GO, REQUIREMENT, list_of, read_json, read_toml, table_at, version_of
from waypost.code.changes import build_files
from waypost.code.changes.build_files import BUILD, DEVELOPMENT, INDIRECT, LANGUAGE, OPTIONAL, RUNTIME, Requirement
from waypost.model.change import ADDED, MODIFIED, REMOVED, DependencyChange

_MAX = 1_000_000
_LONGEST = 120
_LONGEST_LINE = 1_000
_DEVELOPMENT = re.compile(
    r"(?<![a-z])(?:dev(?:el|elopment)?|tests?|testing|lint(?:ers?|ing)?|docs?|documentation|typing|types|mypy|style"
    r"|checks?|ci|bench(?:marks?)?|examples?|coverage|release)(?![a-z])",
    re.IGNORECASE,
)
_MARKER = re.compile(r"(?<!\s)\s*+;.*")
_GO_LANGUAGE = re.compile(r"^(go|toolchain)[ \t]+(\S{1,40})", re.MULTILINE)


def is_manifest(path: str) -> bool:
    return _reader(path) is not None


def dependency_changes(path: str, before: str, after: str) -> Iterator[DependencyChange]:
    """Differences between two versions of a manifest. A changed group counts; other files have none.

    What others need is no dependency of the project's own: such a line says only that one is not gone.
    """
    old, new = dependencies_of(path, before), dependencies_of(path, after)
    for key, (name, wanted, group) in new.items():
        if group == INDIRECT:
            continue
        if key not in old or old[key][2] == INDIRECT:
            yield DependencyChange(name, ADDED, wanted, "", group)
        elif old[key][1:] != (wanted, group):
            yield DependencyChange(name, MODIFIED, wanted, old[key][1], group)
    for key, (name, wanted, group) in old.items():
        if key not in new and group != INDIRECT:
            yield DependencyChange(name, REMOVED, "", wanted, group)


def dependencies_of(path: str, text: str) -> dict[str, Requirement]:
    """By normalised name: the name as written, versions and group.

    Of several entries the first counts: runtime dependencies are read first.
    """
    reader = _reader(path)
    dependencies: dict[str, Requirement] = {}
    if reader is None or not text or len(text) > _MAX:
        return dependencies
    is_python = reader in _PYTHON
    for name, wanted, group in reader(text):
        key = re.sub(r"[-_.]+", "-", name).lower() if is_python else name
        key = f"{key} ({LANGUAGE})" if group == LANGUAGE else key
        dependencies.setdefault(key, (name[:_LONGEST], " ".join(wanted.split())[:_LONGEST], group))
    return dependencies


_Read = Callable[[str], Iterator[Requirement]]


def _reader(path: str) -> _Read | None:
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    lower = name.lower()
    if lower.endswith((".csproj", ".fsproj", ".vbproj")):
        return build_files.nuget
    if lower.endswith(".gemspec"):
        return build_files.gem
    folder = path.lower().rpartition("/")[0].rpartition("/")[2]
    if lower.endswith((".txt", ".in")) and ("requirements" in lower or folder == "requirements"):
        return _development_requirements if _DEVELOPMENT.search(lower) else _requirements
    return None


def _group(name: str) -> str:
    return DEVELOPMENT if _DEVELOPMENT.search(name) else OPTIONAL


def _python(value: Any, group: str) -> Iterator[Requirement]:
    """One PEP 508 requirement: `httpx[http2]>=0.27; python_version < "3.12"`."""
    if not isinstance(value, str) or value.lstrip().startswith(("#", "-")):
        return
    text = value[:_LONGEST_LINE].partition(" #")[0].partition("\t#")[0]
    match = REQUIREMENT.match(text)
    if match and (match[2] or not _MARKER.sub("", text)[match.end() :].strip() or "@" in text):
        wanted = match[2] or ""
        if not wanted and " @ " in text:
            wanted = text.partition(" @ ")[2].partition(";")[0]
        yield match[1], wanted.strip(), group


def _pyproject(text: str) -> Iterator[Requirement]:
    data = read_toml(text)
    project, poetry = table_at(data, "project"), table_at(data, "tool", "poetry")
    yield from _versions({"python": project.get("requires-python")}, LANGUAGE)
    for item in list_of(project.get("dependencies")):
        yield from _python(item, RUNTIME)
    for name, value in table_at(poetry, "dependencies").items():
        yield name, version_of(value), LANGUAGE if name == "python" else RUNTIME
    for name, items in table_at(project, "optional-dependencies").items():
        for item in list_of(items):
            yield from _python(item, _group(name))
    for items in table_at(data, "dependency-groups").values():
        for item in list_of(items):
            yield from _python(item, DEVELOPMENT)
    for item in list_of(table_at(data, "tool", "uv").get("dev-dependencies")):
        yield from _python(item, DEVELOPMENT)
    yield from _versions(table_at(poetry, "dev-dependencies"), DEVELOPMENT)
    for name, table in table_at(poetry, "group").items():
        yield from _versions(table_at(table, "dependencies"), DEVELOPMENT if name == "main" else _group(name))
    for item in list_of(table_at(data, "build-system").get("requires")):
        yield from _python(item, BUILD)


def _versions(table: dict[str, Any], group: str) -> Iterator[Requirement]:
    for name, value in table.items():
        if value is not None:
            yield name, version_of(value), group


def _requirements(text: str) -> Iterator[Requirement]:
    for line in text.splitlines()[:3_000]:
        yield from _python(line, RUNTIME)


def _development_requirements(text: str) -> Iterator[Requirement]:
    return ((name, wanted, DEVELOPMENT) for name, wanted, _ in _requirements(text))


def _setup_cfg(text: str) -> Iterator[Requirement]:
    section = key = ""
    for line in text.splitlines()[:3_000]:
        if line.startswith("["):
            section, key = line.strip("[] \t"), ""
        elif line[:1] not in " \t" and "=" in line:
            key, _, value = (part.strip() for part in line.partition("="))
            yield from _setup_line(section, key, value)
        else:
            yield from _setup_line(section, key, line.strip())


def _setup_line(section: str, key: str, value: str) -> Iterator[Requirement]:
    if not value:
        return
    if section == "options" and key == "python_requires":
        yield "python", value, LANGUAGE
    elif section == "options" and key in ("install_requires", "setup_requires", "tests_require"):
        group = {"install_requires": RUNTIME, "setup_requires": BUILD, "tests_require": DEVELOPMENT}[key]
        yield from _python(value, group)
    elif section == "options.extras_require":
        yield from _python(value, _group(key))


def _pipfile(text: str) -> Iterator[Requirement]:
    data = read_toml(text)
    yield from _versions({"python": table_at(data, "requires").get("python_version")}, LANGUAGE)
    yield from _versions(table_at(data, "packages"), RUNTIME)
    yield from _versions(table_at(data, "dev-packages"), DEVELOPMENT)


def _npm(text: str) -> Iterator[Requirement]:
    data = read_json(text)
    yield from _versions(table_at(data, "engines"), LANGUAGE)
    yield from _versions(table_at(data, "dependencies"), RUNTIME)
    yield from _versions(table_at(data, "peerDependencies"), RUNTIME)
    yield from _versions(table_at(data, "optionalDependencies"), OPTIONAL)
    yield from _versions(table_at(data, "devDependencies"), DEVELOPMENT)


def _composer(text: str) -> Iterator[Requirement]:
    data = read_json(text)
    for key, group in (("require", RUNTIME), ("require-dev", DEVELOPMENT)):
        for name, value in table_at(data, key).items():
            yield name, version_of(value), LANGUAGE if name == "php" else group


def _cargo(text: str) -> Iterator[Requirement]:
    data = read_toml(text)
    for package in (table_at(data, "package"), table_at(data, "workspace", "package")):
        yield from _versions({"rust": _text_or_none(package.get("rust-version"))}, LANGUAGE)
        yield from _versions({"rust edition": _text_or_none(package.get("edition"))}, LANGUAGE)
    tables = [data, table_at(data, "workspace"), *table_at(data, "target").values()]
    for key, group in (("dependencies", RUNTIME), ("dev-dependencies", DEVELOPMENT), ("build-dependencies", BUILD)):
        for table in tables:
            for name, value in table_at(table, key).items():
                is_optional = isinstance(value, dict) and value.get("optional") is True
                yield name, version_of(value), OPTIONAL if is_optional else group


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) else None  # a workspace value is a table


def _go(text: str) -> Iterator[Requirement]:
    for match in _GO_LANGUAGE.finditer(text):
        yield match[1], match[2], LANGUAGE
    for match in GO.finditer(text):
        line = text[match.start() : text.find("\n", match.end()) if text.find("\n", match.end()) > 0 else None]
        if not line.lstrip().startswith(("replace", "exclude", "//")) and "=>" not in line:
            yield match[1], match[2], INDIRECT if "// indirect" in line else RUNTIME


_PYTHON: frozenset[_Read] = frozenset({_pyproject, _requirements, _development_requirements, _setup_cfg, _pipfile})
_BY_NAME: dict[str, _Read] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "Pipfile": _pipfile,
    "package.json": _npm,
    "composer.json": _composer,
    "Cargo.toml": _cargo,
    "go.mod": _go,
    "pom.xml": build_files.maven,
    "build.gradle": build_files.gradle,
    "build.gradle.kts": build_files.gradle,
    "Directory.Packages.props": build_files.nuget,
    "Directory.Build.props": build_files.nuget,
    "Gemfile": build_files.gem,
}
