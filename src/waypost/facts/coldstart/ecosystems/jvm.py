"""Java and Kotlin: Maven and Gradle."""

import re

from waypost.facts.coldstart.slots import SEEN, Slot, Slots, code, listed, there
from waypost.facts.coldstart.tree import ProjectTree, join, without
from waypost.facts.domains import is_outside_source

# Parts of a POM that name other artifacts than its own.
_BLOCKS = (
    *("parent", "dependencies", "dependencyManagement", "build", "profiles", "plugins", "reporting"),
    *("distributionManagement", "developers", "contributors", "licenses", "scm", "organization", "issueManagement"),
)
_JAVA = re.compile(
    r"<(?:java\.version|maven\.compiler\.(?:release|source)|release)>\s*([\d.]{1,6})\s*<"
    r"|JavaLanguageVersion\.of\((\d{1,2})\)|jvmToolchain\((\d{1,2})\)"
    r"|(?:source|target)Compatibility\s*=\s*(?:JavaVersion\.VERSION_)?['\"]?(\d[\d_.]{0,5})"
)
_MODULE = re.compile(r"<module>\s*([\w./\-]{1,100})\s*</module>")
_INCLUDE = re.compile(r"^[ \t]*+include\b\s{0,40}+\(?([^\n)]{1,500})", re.MULTILINE)
_INCLUDED = re.compile(r"['\"]:?([\w:.\-/]{1,100})['\"]")
_MAIN = re.compile(r"\bvoid\s+main\s*\(|^fun\s+main\s*\(", re.MULTILINE)
_MAIN_NAME = re.compile(r"(?:^|/)(?:\w*Application|\w*App|Main|\w*Main)\.(?:java|kt)$")
_LONGEST = 200_000
_MOST_READ = 60


def read(tree: ProjectTree, folder: str) -> Slots:
    found = _maven(tree, folder) | _gradle(tree, folder)
    for name, wrapper in (("pom.xml", "mvnw"), ("build.gradle", "gradlew"), ("build.gradle.kts", "gradlew")):
        path = join(folder, name)
        if not tree.has(path):
            continue
        program = f"./{wrapper}" if tree.has(join(folder, wrapper)) else {"mvnw": "mvn", "gradlew": "gradle"}[wrapper]
        goal = "package" if wrapper == "mvnw" else "build"
        found["build_command"] = there(f"{program} {goal}", (path,), SEEN + 0.05)
        if any("/src/test/" in f"/{one}" for one in tree.paths):
            found["test_command"] = there(f"{program} test", (path,), SEEN + 0.05)
        break
    gradle = tree.find(folder, "build.gradle", "build.gradle.kts")
    if gradle and tree.has(join(folder, "pom.xml")):
        found["build_tool"] = there("Maven, and as well with Gradle", (join(folder, "pom.xml"), gradle[0]))
    mains = _mains(tree, folder)
    if mains:
        found["mains"] = there(listed(map(code, mains), 4), tuple(mains))
    return found


def _maven(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "pom.xml")
    text = tree.text(path)[:_LONGEST]
    if not text:
        return {}
    own = without(text, "<!--", "-->")
    for block in _BLOCKS:
        own = without(own, f"<{block}>", f"</{block}>")
    told = {
        "artifact": _tag(own, "artifactId"),
        "purpose": _tag(own, "description"),
        "title": _tag(own, "name"),
        "requires": next((next(filter(None, found)) for found in _JAVA.findall(text)), ""),
        "workspaces": listed(map(code, _MODULE.findall(text)), 12),
        "licence": _licence(text),
    }
    group = _tag(own, "groupId")
    if told["artifact"] and group:
        told["package"] = f"{group}:{told['artifact']}"
    return {slot: Slot(value, (path,)) for slot, value in told.items() if value and "${" not in value}


def _licence(text: str) -> str:
    match = re.search(r"<licenses>.{0,300}?<name>([^<>]{2,200})</name>", text, re.DOTALL)
    return " ".join(match[1].split()) if match else ""


def _tag(text: str, name: str) -> str:
    match = re.search(rf"<{name}>([^<>]{{1,600}})</{name}>", text)
    return " ".join(match[1].split()) if match else ""


def _gradle(tree: ProjectTree, folder: str) -> Slots:
    found: Slots = {}
    for path in tree.find(folder, "build.gradle", "build.gradle.kts"):
        match = _JAVA.search(tree.text(path)[:_LONGEST])
        if match:
            version = next(filter(None, match.groups())).replace("_", ".")
            found["requires"] = Slot(version, (path,))
    for path in tree.find(folder, "settings.gradle", "settings.gradle.kts"):
        text = re.sub(r"(?m)//[^\n]*$", "", tree.text(path)[:_LONGEST])
        name = re.search(r"rootProject\.name\s*=\s*['\"]([\w.\- ]{1,100})['\"]", text)
        if name:
            found["title"] = Slot(name[1], (path,))
        modules = [one for line in _INCLUDE.findall(text) for one in _INCLUDED.findall(line)]
        if modules:
            found["workspaces"] = Slot(listed((code(one.replace(":", "/")) for one in modules), 12), (path,))
    return found


def _mains(tree: ProjectTree, folder: str) -> list[str]:
    """Files with the names that programs have and a `main` inside."""
    prefix = f"{folder}/" if folder else ""
    own = [one for one in tree.paths if one.startswith(prefix) and _MAIN_NAME.search(one)]
    own = [one for one in own if not is_outside_source(one.rpartition("/")[0])]
    return [one for one in own[:_MOST_READ] if _MAIN.search(tree.text(one))]
