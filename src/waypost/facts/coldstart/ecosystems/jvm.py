"""Java and Kotlin: Maven and Gradle."""

import re

from waypost.facts.coldstart.slots import OBSERVED, Slot, Slots, code, seen_slot, stated_slots
from waypost.facts.coldstart.tree import ProjectTree, join, without_blocks
from waypost.facts.domains import is_outside_source
from waypost.text.plural import join_items

# Blocks of a POM that name other artifacts.
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
    slots = _maven(tree, folder) | _gradle(tree, folder)
    for name, wrapper in (("pom.xml", "mvnw"), ("build.gradle", "gradlew"), ("build.gradle.kts", "gradlew")):
        path = join(folder, name)
        if not tree.has(path):
            continue
        program = f"./{wrapper}" if tree.has(join(folder, wrapper)) else {"mvnw": "mvn", "gradlew": "gradle"}[wrapper]
        goal = "package" if wrapper == "mvnw" else "build"
        slots["build_command"] = seen_slot(f"{program} {goal}", (path,), OBSERVED + 0.05)
        if any("/src/test/" in f"/{test_path}" for test_path in tree.paths):
            slots["test_command"] = seen_slot(f"{program} test", (path,), OBSERVED + 0.05)
        break
    gradle = tree.find(folder, "build.gradle", "build.gradle.kts")
    if gradle and tree.has(join(folder, "pom.xml")):
        slots["build_tool"] = seen_slot("Maven, and as well with Gradle", (join(folder, "pom.xml"), gradle[0]))
    mains = _mains(tree, folder)
    if mains:
        slots["mains"] = seen_slot(join_items(map(code, mains), 4), tuple(mains))
    return slots


def _maven(tree: ProjectTree, folder: str) -> Slots:
    path = join(folder, "pom.xml")
    text = tree.text(path)[:_LONGEST]
    if not text:
        return {}
    own = without_blocks(text, "<!--", "-->")
    for block in _BLOCKS:
        own = without_blocks(own, f"<{block}>", f"</{block}>")
    values = {
        "artifact": _tag(own, "artifactId"),
        "purpose": _tag(own, "description"),
        "title": _tag(own, "name"),
        "requires": next((next(filter(None, versions)) for versions in _JAVA.findall(text)), ""),
        "workspaces": join_items(map(code, _MODULE.findall(text)), 12),
        "licence": _match_text(r"<licenses>.{0,300}?<name>([^<>]{2,200})</name>", text),
    }
    group = _tag(own, "groupId")
    if values["artifact"] and group:
        values["package"] = f"{group}:{values['artifact']}"
    return stated_slots({slot: value for slot, value in values.items() if "${" not in value}, path)


def _tag(text: str, name: str) -> str:
    return _match_text(rf"<{name}>([^<>]{{1,600}})</{name}>", text)


def _match_text(pattern: str, text: str) -> str:
    match = re.search(pattern, text, re.DOTALL)
    return " ".join(match[1].split()) if match else ""


def _gradle(tree: ProjectTree, folder: str) -> Slots:
    slots: Slots = {}
    for path in tree.find(folder, "build.gradle", "build.gradle.kts"):
        match = _JAVA.search(tree.text(path)[:_LONGEST])
        if match:
            version = next(filter(None, match.groups())).replace("_", ".")
            slots["requires"] = Slot(version, (path,))
    for path in tree.find(folder, "settings.gradle", "settings.gradle.kts"):
        text = re.sub(r"(?m)//[^\n]*$", "", tree.text(path)[:_LONGEST])
        name = re.search(r"rootProject\.name\s*=\s*['\"]([\w.\- ]{1,100})['\"]", text)
        if name:
            slots["title"] = Slot(name[1], (path,))
        modules = [module for line in _INCLUDE.findall(text) for module in _INCLUDED.findall(line)]
        if modules:
            slots["workspaces"] = Slot(join_items((code(module.replace(":", "/")) for module in modules), 12), (path,))
    return slots


def _mains(tree: ProjectTree, folder: str) -> list[str]:
    """Files named like programs that contain a `main`."""
    candidates = [path for path in tree.below(folder, ".java", ".kt") if _MAIN_NAME.search(path)]
    own = [path for path in candidates if not is_outside_source(path.rpartition("/")[0])]
    return [path for path in own[:_MOST_READ] if _MAIN.search(tree.text(path))]
