"""Dependencies of a manifest before and after: which came, which went, which are wanted in other versions.

Lock files are no manifests: what they hold was chosen by a program.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from waypost.code.architecture.manifests import (
    GEM,
    GO,
    GRADLE_PLUGIN,
    REQUIREMENT,
    list_of,
    read_json,
    read_toml,
    table_at,
    version_of,
)
from waypost.model.change import ADDED, MODIFIED, REMOVED, DependencyChange

RUNTIME, DEVELOPMENT, OPTIONAL, BUILD, LANGUAGE = "runtime", "development", "optional", "build", "language"
_Wanted = tuple[str, str, str]  # name, versions, group
_MAX = 1_000_000
_LONGEST = 120
_LONGEST_LINE = 1_000
_LONGEST_BLOCK = 8_000
_DEVELOPMENT = re.compile(r"dev|test|lint|doc|typing|type|style|check|format|ci\b|bench|example", re.IGNORECASE)
_MARKER = re.compile(r"\s*;.*")
_ELEMENT = re.compile(r"<(groupId|artifactId|version|scope|optional)>\s{0,20}([^<\s]{0,200})\s{0,20}</")
_BLOCK = re.compile(r"<(parent|dependency|plugin)>")
_PROPERTY = re.compile(r"<(maven\.compiler\.(?:release|source)|java\.version)>\s{0,20}([\w.]{1,20})\s{0,20}<")
_GRADLE_LINE = re.compile(
    r"^[ \t]{0,40}(?:add\()?[\"']?(\w{2,60})[\"']?[ \t(,]{1,4}(?:(?:enforcedPlatform|platform|kotlin)\()?"
    r"['\"]([\w.\-]{2,100}):([\w.\-]{1,100})(?::([^'\"\n]{1,60}))?['\"]"
)
_GRADLE_LANGUAGE = re.compile(
    r"^[ \t]{0,40}(sourceCompatibility|jvmTarget|jvmToolchain)[ \t=(]{1,4}['\"]?([\w.]{1,40})"
)
_NUGET_ITEM = re.compile(r"<(?:PackageReference|PackageVersion|GlobalPackageReference)\s([^>]{1,600}?)/?>")
_NUGET_AFTER = re.compile(r"\s{0,200}<Version>\s{0,20}([^<\n]{1,60})</Version>")
_ATTRIBUTE = re.compile(r"(\w{1,40})=\"([^\"\n]{0,200})\"")
_FRAMEWORK = re.compile(r"<TargetFrameworks?>\s{0,20}([^<\n]{1,120})<")
_LANG_VERSION = re.compile(r"<LangVersion>\s{0,20}([^<\n]{1,40})<")
_GO_LANGUAGE = re.compile(r"^(go|toolchain)[ \t]+(\S{1,40})", re.MULTILINE)
_RUBY = re.compile(r"^\s{0,20}(?:ruby|\w{1,20}\.required_ruby_version\s{0,4}=)[ \t]{0,4}\(?['\"]([^'\"\n]{1,40})['\"]")
_GROUP = re.compile(r"^\s{0,20}group[ \t(]{1,3}(:[^\n]{1,100}?)\)?[ \t]+do\b")
_GROUP_OPTION = re.compile(r"\bgroups?:\s{0,4}(\[?[:\w, ]{1,80})")
_END = re.compile(r"^\s{0,20}end\b")


def is_manifest(path: str) -> bool:
    return _reader(path) is not None


def dependency_changes(path: str, before: str, after: str) -> Iterator[DependencyChange]:
    """What the two versions of a manifest want differently; nothing for other files. A group that alone changed counts."""
    old, new = dependencies_of(path, before), dependencies_of(path, after)
    for key, (name, wanted, group) in new.items():
        if key not in old:
            yield DependencyChange(name, ADDED, wanted, "", group)
        elif old[key][1:] != (wanted, group):
            yield DependencyChange(name, MODIFIED, wanted, old[key][1], group)
    for key, (name, wanted, group) in old.items():
        if key not in new:
            yield DependencyChange(name, REMOVED, "", wanted, group)


def dependencies_of(path: str, text: str) -> dict[str, _Wanted]:
    """Name as it is compared → name as it is written, versions, group. The first of several counts: runtime is read
    before the rest."""
    reader = _reader(path)
    found: dict[str, _Wanted] = {}
    if reader is None or not text or len(text) > _MAX:
        return found
    is_python = reader in _PYTHON
    for name, wanted, group in reader(text):
        key = re.sub(r"[-_.]+", "-", name).lower() if is_python else name
        key = f"{key} ({LANGUAGE})" if group == LANGUAGE else key
        found.setdefault(key, (name[:_LONGEST], " ".join(wanted.split())[:_LONGEST], group))
    return found


_Read = Callable[[str], Iterator[_Wanted]]


def _reader(path: str) -> _Read | None:
    name = path.rpartition("/")[2]
    if name in _BY_NAME:
        return _BY_NAME[name]
    lower = name.lower()
    if lower.endswith((".csproj", ".fsproj", ".vbproj")):
        return _nuget
    if lower.endswith(".gemspec"):
        return _gem
    folder = path.lower().rpartition("/")[0].rpartition("/")[2]
    if lower.endswith((".txt", ".in")) and ("requirements" in lower or folder == "requirements"):
        return _development_requirements if _DEVELOPMENT.search(lower) else _requirements
    return None


def _group(name: str) -> str:
    return DEVELOPMENT if _DEVELOPMENT.search(name) else OPTIONAL


def _python(value: Any, group: str) -> Iterator[_Wanted]:
    """One requirement of PEP 508: `httpx[http2]>=0.27; python_version < "3.12"`."""
    if not isinstance(value, str) or value.lstrip().startswith(("#", "-")):
        return
    text = value[:_LONGEST_LINE].partition(" #")[0].partition("\t#")[0]
    match = REQUIREMENT.match(text)
    if match and (match[2] or not _MARKER.sub("", text)[match.end() :].strip() or "@" in text):
        wanted = match[2] or ""
        if not wanted and " @ " in text:
            wanted = text.partition(" @ ")[2].partition(";")[0]
        yield match[1], wanted.strip(), group


def _pyproject(text: str) -> Iterator[_Wanted]:
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


def _versions(table: dict[str, Any], group: str) -> Iterator[_Wanted]:
    for name, value in table.items():
        if value is not None:
            yield name, version_of(value), group


def _requirements(text: str) -> Iterator[_Wanted]:
    for line in text.splitlines()[:3_000]:
        yield from _python(line, RUNTIME)


def _development_requirements(text: str) -> Iterator[_Wanted]:
    return ((name, wanted, DEVELOPMENT) for name, wanted, _ in _requirements(text))


def _setup_cfg(text: str) -> Iterator[_Wanted]:
    section = key = ""
    for line in text.splitlines()[:3_000]:
        if line.startswith("["):
            section, key = line.strip("[] \t"), ""
        elif line[:1] not in " \t" and "=" in line:
            key, _, value = (part.strip() for part in line.partition("="))
            yield from _setup_line(section, key, value)
        else:
            yield from _setup_line(section, key, line.strip())


def _setup_line(section: str, key: str, value: str) -> Iterator[_Wanted]:
    if not value:
        return
    if section == "options" and key == "python_requires":
        yield "python", value, LANGUAGE
    elif section == "options" and key in ("install_requires", "setup_requires", "tests_require"):
        group = {"install_requires": RUNTIME, "setup_requires": BUILD, "tests_require": DEVELOPMENT}[key]
        yield from _python(value, group)
    elif section == "options.extras_require":
        yield from _python(value, _group(key))


def _pipfile(text: str) -> Iterator[_Wanted]:
    data = read_toml(text)
    yield from _versions({"python": table_at(data, "requires").get("python_version")}, LANGUAGE)
    yield from _versions(table_at(data, "packages"), RUNTIME)
    yield from _versions(table_at(data, "dev-packages"), DEVELOPMENT)


def _npm(text: str) -> Iterator[_Wanted]:
    data = read_json(text)
    yield from _versions(table_at(data, "engines"), LANGUAGE)
    yield from _versions(table_at(data, "dependencies"), RUNTIME)
    yield from _versions(table_at(data, "peerDependencies"), RUNTIME)
    yield from _versions(table_at(data, "optionalDependencies"), OPTIONAL)
    yield from _versions(table_at(data, "devDependencies"), DEVELOPMENT)


def _composer(text: str) -> Iterator[_Wanted]:
    data = read_json(text)
    for key, group in (("require", RUNTIME), ("require-dev", DEVELOPMENT)):
        for name, value in table_at(data, key).items():
            yield name, version_of(value), LANGUAGE if name == "php" else group


def _cargo(text: str) -> Iterator[_Wanted]:
    data = read_toml(text)
    for package in (table_at(data, "package"), table_at(data, "workspace", "package")):
        yield from _versions({"rust": _plain(package.get("rust-version"))}, LANGUAGE)
        yield from _versions({"rust edition": _plain(package.get("edition"))}, LANGUAGE)
    tables = [data, table_at(data, "workspace"), *table_at(data, "target").values()]
    for key, group in (("dependencies", RUNTIME), ("dev-dependencies", DEVELOPMENT), ("build-dependencies", BUILD)):
        for table in tables:
            for name, value in table_at(table, key).items():
                is_optional = isinstance(value, dict) and value.get("optional") is True
                yield name, version_of(value), OPTIONAL if is_optional else group


def _plain(value: Any) -> str | None:
    return value if isinstance(value, str) else None  # a workspace's is a table


def _go(text: str) -> Iterator[_Wanted]:
    for match in _GO_LANGUAGE.finditer(text):
        yield match[1], match[2], LANGUAGE
    for match in GO.finditer(text):
        line = text[match.start() : text.find("\n", match.end()) if text.find("\n", match.end()) > 0 else None]
        if (
            not line.lstrip().startswith(("replace", "exclude", "//"))
            and "// indirect" not in line
            and "=>" not in line
        ):
            yield match[1], match[2], RUNTIME


def _maven(text: str) -> Iterator[_Wanted]:
    """Blocks of a package; a version may be a property's name. What a plugin or dependency excludes is left out."""
    for match in _PROPERTY.finditer(text):
        yield "java", match[2], LANGUAGE
        break
    for match in _BLOCK.finditer(text):
        kind = match[1]
        end = text.find(f"</{kind}>", match.end(), match.end() + _LONGEST_BLOCK)
        block = text[match.end() : end if end >= 0 else match.end() + _LONGEST_LINE]
        for inner in ("exclusions", "configuration", "executions", "dependencies"):
            block = block.partition(f"<{inner}>")[0] + block.partition(f"</{inner}>")[2]
        tags: dict[str, str] = {}
        for tag in _ELEMENT.finditer(block):
            tags.setdefault(tag[1], tag[2])
        if "artifactId" not in tags:
            continue
        name = f"{tags['groupId']}:{tags['artifactId']}" if "groupId" in tags else tags["artifactId"]
        group = DEVELOPMENT if tags.get("scope") == "test" else OPTIONAL if tags.get("optional") == "true" else RUNTIME
        yield name, tags.get("version", ""), group if kind == "dependency" else BUILD


def _gradle(text: str) -> Iterator[_Wanted]:
    for line in text.splitlines()[:5_000]:
        if match := _GRADLE_LINE.match(line[:500]):
            where = match[1].lower()
            group = DEVELOPMENT if "test" in where else BUILD if where in _GRADLE_BUILD else RUNTIME
            yield f"{match[2]}:{match[3]}", match[4] or "", group
        elif match := _GRADLE_LANGUAGE.match(line[:200]):
            yield "java", match[2], LANGUAGE
        elif (match := GRADLE_PLUGIN.search(line[:500])) and not line.lstrip().startswith(("//", "*")):
            yield match[1], match[2] or "", BUILD


_GRADLE_BUILD = frozenset({"classpath", "annotationprocessor", "kapt", "ksp"})


def _nuget(text: str) -> Iterator[_Wanted]:
    if found := _FRAMEWORK.search(text):
        yield ".NET", found[1], LANGUAGE
    if found := _LANG_VERSION.search(text):
        yield "C#", found[1], LANGUAGE
    for match in _NUGET_ITEM.finditer(text):
        told = dict(_ATTRIBUTE.findall(match[1]))
        name = told.get("Include") or told.get("Update")
        if name:
            after = _NUGET_AFTER.match(text, match.end())
            version = told.get("Version") or told.get("VersionOverride") or (after[1] if after else "")
            yield name, version, DEVELOPMENT if told.get("PrivateAssets", "").lower() == "all" else RUNTIME


def _gem(text: str) -> Iterator[_Wanted]:
    group = RUNTIME
    for line in (line[:500] for line in text.splitlines()[:3_000]):
        if found := _RUBY.match(line):
            yield "ruby", found[1], LANGUAGE
        elif found := _GROUP.match(line):
            group = _gem_group(found[1])
        elif _END.match(line):
            group = RUNTIME
        elif found := GEM.match(line):
            own = _GROUP_OPTION.search(line)
            is_development = "add_development_dependency" in line
            versions = re.findall(r",\s*['\"]([^'\"\n]{1,40})['\"]", line)
            yield found[1], ", ".join(versions), DEVELOPMENT if is_development else _gem_group(own[1]) if own else group


def _gem_group(names: str) -> str:
    return DEVELOPMENT if "development" in names or "test" in names else RUNTIME if "production" in names else OPTIONAL


_PYTHON: frozenset[_Read] = frozenset({_pyproject, _requirements, _development_requirements, _setup_cfg, _pipfile})
_BY_NAME: dict[str, _Read] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "Pipfile": _pipfile,
    "package.json": _npm,
    "composer.json": _composer,
    "Cargo.toml": _cargo,
    "go.mod": _go,
    "pom.xml": _maven,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "Directory.Packages.props": _nuget,
    "Directory.Build.props": _nuget,
    "Gemfile": _gem,
}
