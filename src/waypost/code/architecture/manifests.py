"""Package manifests: the project's own name and its dependencies, with lines."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

from waypost.code.architecture.evidence import ArchitectureEvidence, evidence
from waypost.code.architecture.frameworks import framework_of_package

_Package = tuple[str, str, str]  # package, requested version, scope ("dev" or "")
_Manifest = tuple[tuple[str, str] | None, list[_Package]]  # own name and version, dependencies
_Read = Callable[[str], _Manifest]
_MAX = 1_000_000
_COMMANDS = ('"bin":', "[project.scripts]", "[tool.poetry.scripts]", "console_scripts", "[[bin]]", ".executables")
_DOTNET_PROGRAMS = ("Sdk.Web", "Sdk.Worker", "<OutputType>Exe")
_WORKSPACE = ('"workspaces"', "[workspace]", "<modules>", "[tool.uv.workspace]")
REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.\-]{0,100})(?:\[[^\]\n]{0,200}\])?\s*([=<>!~^][^;#\n]{0,100})?")
GEM = re.compile(
    r"^[ \t]*+(?:gem|\w{1,60}\.add_(?:runtime_|development_)?dependency)[\s(]{1,40}['\"]([\w\-]{1,100})['\"](?:,\s{0,40}['\"]([^'\"\n]{1,40})['\"])?",
    re.MULTILINE,
)
GO = re.compile(
    r"^[ \t]*+(?:require[ \t]++)?([a-z0-9.\-]{1,60}\.[a-z]{2,10}/[\w./\-]{1,200})[ \t]++(v[\w.\-+]{1,80})", re.MULTILINE
)
_MAVEN = re.compile(r"<(groupId|artifactId|version|scope|parent|dependency|plugin)>\s*([^<\s]{0,200})")
_GRADLE = re.compile(r"['\"]([\w.\-]{2,100}):([\w.\-]{1,100})(?::([\w.\-]{1,60}))?['\"]")
GRADLE_PLUGIN = re.compile(r"\bid[\s(]{1,3}['\"]([\w.\-]{2,100})['\"]\)?(?:\s+version\s+['\"]([\w.\-]{1,40})['\"])?")
NUGET = re.compile(
    r"<(?:PackageReference|PackageVersion)\s[^>\n]{0,300}?(?:Include|Update)=\"([^\"\n]{1,100})\"(?:[^>\n]{0,200}?Version=\"([^\"\n]{1,60})\")?"
)
_NUGET_SDK = re.compile(r"<Project\s[^>\n]{0,80}?Sdk=\"([^\"\n]{1,100})\"")
_HEX = re.compile(r"\{\s*:(\w{1,60})\s*,\s*(?:\"([^\"\n]{1,40})\")?")
_PUB = re.compile(r"^ {2}(\w{1,60}):[ \t]*([^\n#]{0,60})", re.MULTILINE)
_SETUP_NAME = re.compile(r"\bname\s*=\s*['\"]([\w.\-]{1,100})['\"]")
_QUOTED = re.compile(r"['\"]([A-Za-z0-9][\w.\-]{1,60})(?:\[[^\]'\"]{0,60}\])?\s*([=<>!~][^'\"\n]{0,40})?['\"]")


def read_manifest(path: str, text: str) -> Iterator[ArchitectureEvidence]:
    """What the manifest says. Nothing for other files."""
    reader = _reader(path.rpartition("/")[2])
    if reader is None or len(text) > _MAX:
        return
    ecosystem, read = reader
    own, wanted = read(text)
    if ecosystem == "nuget" and any(mark in text for mark in _DOTNET_PROGRAMS):
        own = (path.rpartition("/")[2].rpartition(".")[0], "")  # a .NET program is named after its file
    if own is None and any(mark in text for mark in _WORKSPACE):
        own = (path.rpartition("/")[0] or "workspace", "")
    if own is not None:
        name, version = own
        installs = "yes" if any(mark in text for mark in _COMMANDS) else ""
        workspace = "yes" if any(mark in text for mark in _WORKSPACE) else ""
        yield evidence(
            "package", name, version, _line(text, name), ecosystem=ecosystem, workspace=workspace, bin=installs
        )
    seen = set()
    for name, version, scope in wanted:
        key = name.lower().replace("_", "-") if ecosystem == "pypi" else name
        if key not in seen and framework_of_package(ecosystem, key) is not None:
            seen.add(key)
            yield evidence("dependency", key, version.strip()[:60], _line(text, name), ecosystem=ecosystem, scope=scope)


def _line(text: str, name: str) -> int:
    """The line of a package: as a key, or else where its name stands alone."""
    for wanted in (f'"{name}":', f'"{name}"'):
        if (at := text.find(wanted)) >= 0:
            return text.count("\n", 0, at) + 1
    alone = re.search(rf"(?<![\w\-./]){re.escape(name.rpartition(':')[2])}(?![\w\-])", text)
    return text.count("\n", 0, alone.start()) + 1 if alone else 1


def _reader(name: str) -> tuple[str, _Read] | None:
    if name in _BY_NAME:
        return _BY_NAME[name]
    lower = name.lower()
    if lower.endswith((".csproj", ".fsproj", ".vbproj")):
        return "nuget", _nuget
    if lower.endswith(".gemspec"):
        return "gem", _gem
    if lower.endswith(".txt") and "requirements" in lower:
        return "pypi", _requirements
    return None


def read_json(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def read_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError):
        return {}


def table_at(data: Any, *keys: str) -> dict[str, Any]:
    for key in keys:
        data = data.get(key) if isinstance(data, dict) else None
    return data if isinstance(data, dict) else {}


def list_of(data: Any) -> list[Any]:
    return data if isinstance(data, list) else []


def version_of(value: Any) -> str:
    if isinstance(value, dict):
        value = value.get("version", "")
    return value if isinstance(value, str) else ""


def _packages(dependencies: dict[str, Any], scope: str = "") -> list[_Package]:
    return [(name, version_of(value), scope) for name, value in dependencies.items()]


def _sections(data: dict[str, Any], *sections: tuple[str, str]) -> list[_Package]:
    """The packages of several tables of a manifest, given with their scopes."""
    return [package for key, scope in sections for package in _packages(table_at(data, key), scope)]


def _own(name: Any, version: Any) -> tuple[str, str] | None:
    return (name, version_of(version)) if isinstance(name, str) else None


def _npm(text: str) -> _Manifest:
    data = read_json(text)
    packages = _sections(data, ("dependencies", ""), ("peerDependencies", ""), ("devDependencies", "dev"))
    return _own(data.get("name"), data.get("version")), packages


def _composer(text: str) -> _Manifest:
    data = read_json(text)
    return _own(data.get("name"), data.get("version")), _sections(data, ("require", ""), ("require-dev", "dev"))


def _requirement(text: Any, scope: str = "") -> list[_Package]:
    match = REQUIREMENT.match(text) if isinstance(text, str) else None
    return [(match[1], match[2] or "", scope)] if match else []


def _pyproject(text: str) -> _Manifest:
    data = read_toml(text)
    packages: list[_Package] = []
    for item in list_of(table_at(data, "project").get("dependencies")):
        packages += _requirement(item)
    for group in table_at(data, "project", "optional-dependencies").values():
        packages += [requirement for item in list_of(group) for requirement in _requirement(item)]
    for group in table_at(data, "dependency-groups").values():
        packages += [requirement for item in list_of(group) for requirement in _requirement(item, "dev")]
    poetry = table_at(data, "tool", "poetry")
    packages += _sections(poetry, ("dependencies", ""), ("dev-dependencies", "dev"))
    for group in table_at(poetry, "group").values():
        packages += _packages(table_at(group, "dependencies"), "dev")
    project = table_at(data, "project")
    return _own(project.get("name") or poetry.get("name"), project.get("version") or poetry.get("version")), packages


def _requirements(text: str) -> _Manifest:
    return None, [requirement for line in text.splitlines()[:3000] for requirement in _requirement(line)]


def _setup(text: str) -> _Manifest:
    own = _SETUP_NAME.search(text)
    packages = [(match[1], match[2] or "", "") for match in _QUOTED.finditer(text)]
    # setup.cfg has one requirement per line
    packages += [
        requirement for line in text.splitlines()[:2000] if line[:1] in " \t" for requirement in _requirement(line)
    ]
    if own is None:
        named = re.search(r"^name\s*=\s*([\w.\-]{1,100})", text, re.MULTILINE)
        return ((named[1], "") if named else None), packages
    return (own[1], ""), packages


def _pipfile(text: str) -> _Manifest:
    return None, _sections(read_toml(text), ("packages", ""), ("dev-packages", "dev"))


def _by_patterns(own: str, *patterns: re.Pattern[str]) -> _Read:
    """A reader by patterns: one for the project's own name, the others for packages and versions."""

    def read(text: str) -> _Manifest:
        name = re.search(own, text, re.MULTILINE) if own else None
        matches = (match for pattern in patterns for match in pattern.finditer(text))
        packages = [(match[1], (match[2] if match.re.groups > 1 else "") or "", "") for match in matches]
        return ((name[1], "") if name else None), packages

    return read


_gem = _by_patterns(r"\w\.name\s*=\s*['\"]([\w\-]{1,100})['\"]", GEM)
_nuget = _by_patterns("", NUGET, _NUGET_SDK)
_gradle_settings = _by_patterns(r"rootProject\.name\s*=\s*['\"]([\w.\-]{1,100})['\"]")


def _cargo(text: str) -> _Manifest:
    data = read_toml(text)
    packages: list[_Package] = []
    for table in (data, table_at(data, "workspace")):
        packages += _packages(table_at(table, "dependencies"))
    packages += _packages(table_at(data, "dev-dependencies"), "dev")
    package = table_at(data, "package")
    return _own(package.get("name"), package.get("version")), packages


def _maven(text: str) -> _Manifest:
    """Tags in order: a group and the next artifact form a package. The first outside all blocks is the own one."""
    packages: list[_Package] = []
    own: tuple[str, str] | None = None
    group, inside = "", ""
    for match in _MAVEN.finditer(text):
        tag, value = match[1], match[2]
        if tag in ("parent", "dependency", "plugin"):
            inside = tag
        elif tag == "groupId":
            group = value
        elif tag == "artifactId":
            if inside:
                packages.append((f"{group}:{value}", "", ""))
            elif own is None:
                own = (value, "")
            if inside == "parent" and own is None:
                inside = ""
        elif tag == "version" and packages and not packages[-1][1] and not value.startswith("${"):
            packages[-1] = (packages[-1][0], value, packages[-1][2])
        elif tag == "scope" and packages and value == "test":
            packages[-1] = (packages[-1][0], packages[-1][1], "dev")
    return own, packages


def _gradle(text: str) -> _Manifest:
    packages = [(f"{match[1]}:{match[2]}", match[3] or "", "") for match in _GRADLE.finditer(text)]
    packages += [(match[1], match[2] or "", "") for match in GRADLE_PLUGIN.finditer(text)]
    return None, packages


_BY_NAME: dict[str, tuple[str, _Read]] = {
    "package.json": ("npm", _npm),
    "composer.json": ("composer", _composer),
    "pyproject.toml": ("pypi", _pyproject),
    "setup.py": ("pypi", _setup),
    "setup.cfg": ("pypi", _setup),
    "Pipfile": ("pypi", _pipfile),
    "Gemfile": ("gem", _gem),
    "go.mod": ("go", _by_patterns(r"^module\s+(\S{1,200})", GO)),
    "Cargo.toml": ("cargo", _cargo),
    "pom.xml": ("maven", _maven),
    "build.gradle": ("maven", _gradle),
    "build.gradle.kts": ("maven", _gradle),
    "settings.gradle": ("maven", _gradle_settings),
    "settings.gradle.kts": ("maven", _gradle_settings),
    "libs.versions.toml": ("maven", _gradle),
    "Directory.Packages.props": ("nuget", _nuget),
    "mix.exs": ("hex", _by_patterns(r"\bapp:\s*:(\w{1,60})", _HEX)),
    "pubspec.yaml": ("pub", _by_patterns(r"^name:\s*(\w{1,60})", _PUB)),
}
