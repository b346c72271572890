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
_MAX = 1_000_000
_COMMANDS = ('"bin":', "[project.scripts]", "[tool.poetry.scripts]", "console_scripts", "[[bin]]", ".executables")
_WORKSPACE = ('"workspaces"', "[workspace]", "<modules>", "[tool.uv.workspace]")
REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][\w.\-]{0,100})(?:\[[^\]\n]{0,200}\])?\s*([=<>!~^][^;#\n]{0,100})?")
GEM = re.compile(
    r"^[ \t]*+(?:gem|\w{1,60}\.add_(?:runtime_|development_)?dependency)[\s(]{1,40}['\"]([\w\-]{1,100})['\"](?:,\s{0,40}['\"]([^'\"\n]{1,40})['\"])?",
    re.MULTILINE,
)
GO = re.compile(
    r"^[ \t]*+(?:require[ \t]++)?([a-z0-9.\-]{1,60}\.[a-z]{2,10}/[\w./\-]{1,200})[ \t]++(v[\w.\-+]{1,80})", re.MULTILINE
)
_GO_MODULE = re.compile(r"^module\s+(\S{1,200})", re.MULTILINE)
_MAVEN = re.compile(r"<(groupId|artifactId|version|scope|parent|dependency|plugin)>\s*([^<\s]{0,200})")
_GRADLE = re.compile(r"['\"]([\w.\-]{2,100}):([\w.\-]{1,100})(?::([\w.\-]{1,60}))?['\"]")
GRADLE_PLUGIN = re.compile(r"\bid[\s(]{1,3}['\"]([\w.\-]{2,100})['\"]\)?(?:\s+version\s+['\"]([\w.\-]{1,40})['\"])?")
NUGET = re.compile(
    r"<(?:PackageReference|PackageVersion)\s[^>\n]{0,300}?(?:Include|Update)=\"([^\"\n]{1,100})\"(?:[^>\n]{0,200}?Version=\"([^\"\n]{1,60})\")?"
)
_NUGET_SDK = re.compile(r"<Project\s[^>\n]{0,80}?Sdk=\"([^\"\n]{1,100})\"")
_HEX = re.compile(r"\{\s*:(\w{1,60})\s*,\s*(?:\"([^\"\n]{1,40})\")?")
_HEX_APP = re.compile(r"\bapp:\s*:(\w{1,60})")
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
    if (
        ecosystem == "nuget"
        and own is None
        and ("Sdk.Web" in text or "Sdk.Worker" in text or "<OutputType>Exe" in text)
    ):
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


_Read = Callable[[str], _Manifest]


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


def _npm(text: str) -> _Manifest:
    data = read_json(text)
    packages = _packages(table_at(data, "dependencies"))
    packages += _packages(table_at(data, "peerDependencies"))
    packages += _packages(table_at(data, "devDependencies"), "dev")
    own = data.get("name")
    return ((own, version_of(data.get("version"))) if isinstance(own, str) else None), packages


def _composer(text: str) -> _Manifest:
    data = read_json(text)
    packages = _packages(table_at(data, "require"))
    packages += _packages(table_at(data, "require-dev"), "dev")
    own = data.get("name")
    return ((own, version_of(data.get("version"))) if isinstance(own, str) else None), packages


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
    packages += _packages(table_at(poetry, "dependencies"))
    packages += _packages(table_at(poetry, "dev-dependencies"), "dev")
    for group in table_at(poetry, "group").values():
        packages += _packages(table_at(group, "dependencies"), "dev")
    own = table_at(data, "project").get("name") or poetry.get("name")
    version = table_at(data, "project").get("version") or poetry.get("version")
    return ((own, version_of(version)) if isinstance(own, str) else None), packages


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
    data = read_toml(text)
    packages = _packages(table_at(data, "packages"))
    return None, packages + _packages(table_at(data, "dev-packages"), "dev")


def _gem(text: str) -> _Manifest:
    own = re.search(r"\w\.name\s*=\s*['\"]([\w\-]{1,100})['\"]", text)
    return ((own[1], "") if own else None), [(match[1], match[2] or "", "") for match in GEM.finditer(text)]


def _go(text: str) -> _Manifest:
    own = _GO_MODULE.search(text)
    return ((own[1], "") if own else None), [(match[1], match[2], "") for match in GO.finditer(text)]


def _cargo(text: str) -> _Manifest:
    data = read_toml(text)
    packages: list[_Package] = []
    for table in (data, table_at(data, "workspace")):
        packages += _packages(table_at(table, "dependencies"))
    packages += _packages(table_at(data, "dev-dependencies"), "dev")
    own = table_at(data, "package").get("name")
    return ((own, version_of(table_at(data, "package").get("version"))) if isinstance(own, str) else None), packages


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


def _gradle_settings(text: str) -> _Manifest:
    own = re.search(r"rootProject\.name\s*=\s*['\"]([\w.\-]{1,100})['\"]", text)
    return ((own[1], "") if own else None), []


def _nuget(text: str) -> _Manifest:
    packages = [(match[1], match[2] or "", "") for match in NUGET.finditer(text)]
    return None, packages + [(match[1], "", "") for match in _NUGET_SDK.finditer(text)]


def _hex(text: str) -> _Manifest:
    own = _HEX_APP.search(text)
    return ((own[1], "") if own else None), [(match[1], match[2] or "", "") for match in _HEX.finditer(text)]


def _pub(text: str) -> _Manifest:
    own = re.search(r"^name:\s*(\w{1,60})", text, re.MULTILINE)
    return ((own[1], "") if own else None), [(match[1], match[2], "") for match in _PUB.finditer(text)]


_BY_NAME: dict[str, tuple[str, _Read]] = {
    "package.json": ("npm", _npm),
    "composer.json": ("composer", _composer),
    "pyproject.toml": ("pypi", _pyproject),
    "setup.py": ("pypi", _setup),
    "setup.cfg": ("pypi", _setup),
    "Pipfile": ("pypi", _pipfile),
    "Gemfile": ("gem", _gem),
    "go.mod": ("go", _go),
    "Cargo.toml": ("cargo", _cargo),
    "pom.xml": ("maven", _maven),
    "build.gradle": ("maven", _gradle),
    "build.gradle.kts": ("maven", _gradle),
    "settings.gradle": ("maven", _gradle_settings),
    "settings.gradle.kts": ("maven", _gradle_settings),
    "libs.versions.toml": ("maven", _gradle),
    "Directory.Packages.props": ("nuget", _nuget),
    "mix.exs": ("hex", _hex),
    "pubspec.yaml": ("pub", _pub),
}
