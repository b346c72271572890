"""Dependencies of manifests read by line: Maven, Gradle, NuGet, Ruby. Literal forms only."""

import re
from collections.abc import Iterator
from itertools import islice

from waypost.code.architecture.manifests import GEM, GRADLE_PLUGIN

RUNTIME, DEVELOPMENT, OPTIONAL, BUILD, LANGUAGE = "runtime", "development", "optional", "build", "language"
INDIRECT = "indirect"  # needed by a dependency
Requirement = tuple[str, str, str]  # name, versions, group

_ELEMENT = re.compile(r"<(groupId|artifactId|version|scope|optional)>\s{0,20}([^<\s]{0,200})\s{0,20}</")
_BLOCK = re.compile(r"<(parent|dependency|plugin)>")
_PROPERTY = re.compile(r"<(maven\.compiler\.(?:release|source)|java\.version)>\s{0,20}([\w.${}]{1,40})\s{0,20}<")
_PROPERTIES = re.compile(r"<([\w.\-]{1,100})>\s{0,20}([^<\s]{1,100})\s{0,20}</")
_GRADLE_LINE = re.compile(
    r"^[ \t]{0,40}(?:add\()?[\"']?(\w{2,60})[\"']?[ \t(,]{1,4}(?:(?:enforcedPlatform|platform|kotlin)\()?"
    r"['\"]([\w.\-]{1,100}):([\w.\-]{1,100})(?::([^'\"\n]{1,60}))?['\"]"
)
_GRADLE_LANGUAGE = re.compile(
    r"^[ \t]{0,40}(sourceCompatibility|jvmTarget|jvmToolchain)[ \t=(]{1,4}['\"]?([\w.]{1,40})"
)
_NUGET_ITEM = re.compile(r"<(?:PackageReference|PackageVersion|GlobalPackageReference)\s([^>]{1,600}?)/?>")
_NUGET_AFTER = re.compile(r"\s{0,200}<Version>\s{0,20}([^<\n]{1,60})</Version>")
_ATTRIBUTE = re.compile(r"(\w{1,40})=\"([^\"\n]{0,200})\"")
_FRAMEWORK = re.compile(r"<TargetFrameworks?>\s{0,20}([^<\n]{1,120})<")
_LANG_VERSION = re.compile(r"<LangVersion>\s{0,20}([^<\n]{1,40})<")
_RUBY = re.compile(r"^\s{0,20}(?:ruby|\w{1,20}\.required_ruby_version\s{0,4}=)[ \t]{0,4}\(?['\"]([^'\"\n]{1,40})['\"]")
_GROUP = re.compile(r"^\s{0,20}group[ \t(]{1,3}(:[^\n]{1,100}?)\)?[ \t]+do\b")
_GROUP_OPTION = re.compile(r"\bgroups?:\s{0,4}(\[?[:\w, ]{1,80})")
_END = re.compile(r"^\s{0,20}end\b")
_MOST_BLOCKS = 2_000
_LONGEST_BLOCK = 8_000
_LONGEST_LINE = 1_000


def maven(text: str) -> Iterator[Requirement]:
    """Dependencies and plugins, without exclusions. A version may be the name of a property."""
    text = _uncommented(text)
    properties: dict[str, str] = dict(
        _PROPERTIES.findall(text.partition("<properties>")[2].partition("</properties>")[0])
    )
    for match in _PROPERTY.finditer(text):
        yield "java", properties.get(match[2].strip("${}"), match[2]), LANGUAGE
        break
    for match in islice(_BLOCK.finditer(text), _MOST_BLOCKS):
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
        version = tags.get("version", "")
        yield name, properties.get(version.strip("${}"), version), group if kind == "dependency" else BUILD


def _uncommented(text: str) -> str:
    parts: list[str] = []
    position = 0
    while (start := text.find("<!--", position)) >= 0:
        parts.append(text[position:start])
        end = text.find("-->", start)
        position = len(text) if end < 0 else end + 3
    return "".join((*parts, text[position:]))


def gradle(text: str) -> Iterator[Requirement]:
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


def nuget(text: str) -> Iterator[Requirement]:
    text = _uncommented(text)
    if framework := _FRAMEWORK.search(text):
        yield ".NET", framework[1], LANGUAGE
    if framework := _LANG_VERSION.search(text):
        yield "C#", framework[1], LANGUAGE
    for match in _NUGET_ITEM.finditer(text):
        attributes = dict(_ATTRIBUTE.findall(match[1]))
        name = attributes.get("Include") or attributes.get("Update")
        if name:
            after = _NUGET_AFTER.match(text, match.end())
            version = attributes.get("Version") or attributes.get("VersionOverride") or (after[1] if after else "")
            yield name, version, DEVELOPMENT if attributes.get("PrivateAssets", "").lower() == "all" else RUNTIME


def gem(text: str) -> Iterator[Requirement]:
    group = RUNTIME
    for line in (line[:500] for line in text.splitlines()[:3_000]):
        if match := _RUBY.match(line):
            yield "ruby", match[1], LANGUAGE
        elif match := _GROUP.match(line):
            group = _gem_group(match[1])
        elif _END.match(line):
            group = RUNTIME
        elif match := GEM.match(line):
            own = _GROUP_OPTION.search(line)
            is_development = "add_development_dependency" in line
            versions = re.findall(r",\s*['\"]([^'\"\n]{1,40})['\"]", line)
            yield match[1], ", ".join(versions), DEVELOPMENT if is_development else _gem_group(own[1]) if own else group


def _gem_group(names: str) -> str:
    return DEVELOPMENT if "development" in names or "test" in names else RUNTIME if "production" in names else OPTIONAL
