"""What a project needs: languages and libraries that came, went or must be newer, and settings worth knowing."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from waypost.facts.learn.change_context import Scene, is_aside
from waypost.facts.learn.vocabulary import has_cue
from waypost.facts.learn.wording import capital, clean, clip, closed, is_nameable, shown
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, REMOVED, DependencyChange, FileChange, SettingChange
from waypost.text.secrets.masking import mask

_MOST = 2  # of one commit
_NUMBER = re.compile(r"\d+")
_VERSION = re.compile(r"(\d+)(?:\.(\d+))?")
_IS_VERSION = re.compile(r"[\s\d.,<>=~^!|&*xv-]{1,60}")  # a build file may have an expression there
_PROGRAM = re.compile(r"\.(?:gradle|gradle\.kts|sbt)$")
_EXPRESSION = re.compile(r"\b(?:JVM|VERSION)_(\d{1,2}(?:_\d{1,2})?)\b")
_OF_THE_ROOT = ("packageManager",)  # the packages below say it once more
_PINNED = re.compile(r"(?:^|/)requirements[^/]{0,40}\.txt$")  # beside a package: the tools of those who work on it
_INDIRECT = frozenset(("indirect", "transitive", "peer"))
_GROUPS = {"development": "for development", "optional": "as an extra", "build": "to build"}
_LONGEST_VALUE = 80


def needs(scene: Scene) -> Iterator[Candidate]:
    """At most a few; a change of many dependencies at once says what changed most."""
    told = 0
    for file in scene.change.files:
        is_new_part = file.change == ADDED and "/" in file.path  # what a new package needs is its own affair
        if is_new_part or is_aside(file.path) or file.change == REMOVED or not scene.is_there(file.path):
            continue
        for one in sorted(file.dependencies, key=_order):
            candidate = _dependency(scene, file, one)
            if candidate is not None:
                yield candidate
                told += 1
            if told >= _MOST:
                return


def is_routine(scene: Scene) -> bool:
    """Whether dependencies are all that changed, none of them worth a note."""
    changed = [one for file in scene.change.files for one in file.dependencies]
    return bool(changed) and not scene.sources


def _order(one: DependencyChange) -> tuple[int, int, str]:
    return (one.group != "language", one.change == "modified", one.name)


def _dependency(scene: Scene, file: FileChange, one: DependencyChange) -> Candidate | None:
    name, wanted, before = clean(one.name, 80), clean(one.wanted, 60), clean(one.wanted_before, 60)
    if not is_nameable(name, 80) or one.group in _INDIRECT or name.startswith("@types/"):
        return None
    if one.group == "language":
        return _language(scene, file, name, wanted, before)
    short = name.rpartition("/")[2].rpartition(":")[2]
    is_told = scene.message.mentions(short)
    is_pinned = _PINNED.search(file.path) is not None and scene.still is not None and scene.is_there("pyproject.toml")
    purpose = _GROUPS["development"] if is_pinned else _GROUPS.get(one.group, "")
    if purpose and not (scene.message.names(short) and one.change == ADDED):
        return None  # tools come and go
    folder = file.path.rpartition("/")[0]
    whose = f"`{folder}`" if folder else "The project"
    text, sure = _need(scene, one.change, f"`{name}`", wanted, before, purpose)
    text = text.replace("The project", whose, 1)
    if not text:
        return None
    return scene.candidate(
        _with_reason(scene, f"{text} ({shown(file.path)}).", name),
        sure + (0.05 if is_told else 0.0),
        topic=f"dependency:{file.path}:{name}",
        refs=[file.path],
        level=1,
        origin="file_change",
        reason="A dependency came, went or made a large step.",
    )


def _need(scene: Scene, change: str, name: str, wanted: str, before: str, purpose: str) -> tuple[str, float]:
    if change in (ADDED, REMOVED) and _moves(scene, name.strip("`")):
        return "", 0.0
    if change == ADDED:
        needs = f"The project needs {name}{_wanted(wanted)}"
        return (f"{needs} {purpose}", 0.68) if purpose else (needs, 0.82)
    if change == REMOVED:
        return f"The project no longer needs {name}", 0.78
    if _is_step(before, wanted):
        return f"The project needs {name}{_wanted(wanted)}; before: {before}", 0.8
    return "", 0.0


def _language(scene: Scene, file: FileChange, name: str, wanted: str, before: str) -> Candidate | None:
    if _PROGRAM.search(file.path):  # several numbers may stand there: of what is compiled, of the tools, of the tests
        wanted, before = _read_version(wanted), _read_version(before)
        if not any(scene.message.mentions(each) for each in _table()["spoken"].get(name.lower(), "").split()):
            return None
    if not _IS_VERSION.fullmatch(wanted) or _minor(wanted) == _minor(before):
        return None
    label = _table()["languages"].get(name.lower(), name)
    number = wanted if not wanted[0].isdigit() else f"≥ {wanted}"
    needs = f"Uses {label} {wanted}" if "edition" in label else f"Needs {label} {number}"
    text = f"{needs} ({shown(file.path)}){f'; before: {before}' if before else ''}."
    return scene.candidate(
        _with_reason(scene, text, name),
        0.88,
        topic=f"language:{file.path}:{name.lower()}",
        refs=[file.path],
        level=0 if "/" not in file.path else 1,
        origin="file_change",
        reason="The manifest asks for another version of the language.",
    )


def _read_version(wanted: str) -> str:
    """ "JvmTarget.JVM_17.target", "JavaVersion.VERSION_1_8": the number in the expression."""
    found = _EXPRESSION.search(wanted)
    return found[1].replace("_", ".") if found else wanted


def _moves(scene: Scene, name: str) -> bool:
    """Whether a dependency went in one place of the manifests and came in another."""
    changes = {one.change for each in scene.change.files for one in each.dependencies if one.name == name}
    return {ADDED, REMOVED} <= changes


def _wanted(wanted: str) -> str:
    return (
        f" {wanted}"
        if wanted and wanted not in ("*", "latest") and "[secret" not in wanted and "$" not in wanted
        else ""
    )


def _is_step(before: str, after: str) -> bool:
    """Another first number, or for a version before 1 another second."""
    old, new = _VERSION.search(before), _VERSION.search(after)
    if not old or not new:
        return False
    return old[1] != new[1]


def _minor(text: str) -> list[str]:
    return _NUMBER.findall(text)[:2]


def _with_reason(scene: Scene, text: str, name: str) -> str:
    message = scene.message
    said = next(
        (
            one
            for one in (
                message.reason,
                *message.body[:4],
                message.subject if has_cue(message.subject, "reason") else "",
            )
            if one and name.lower() in one.lower() and not one.lower().startswith(("bump", "update"))
        ),
        "",
    )
    if not said and message.reason and message.mentions(name):
        said = message.reason
    return f"{text} {closed(capital(clip(said, 150)))}" if said and len(text) < 140 else text


# --- settings


def settings(scene: Scene) -> Iterator[Candidate]:
    told = 0
    for file in scene.change.files:
        is_project = file.role == "manifest" or (file.role == "configuration" and file.path.count("/") <= 2)
        is_new_part = file.change == ADDED and "/" in file.path
        if is_new_part or not is_project or is_aside(file.path) or not scene.is_there(file.path):
            continue
        for one in file.settings[:200]:
            text, sure = _setting(file, one)
            if text and told < _MOST:
                told += 1
                yield scene.candidate(
                    text,
                    sure,
                    topic=f"setting:{file.path}:{one.key}",
                    refs=[file.path],
                    level=1,
                    origin="file_change",
                    reason="A setting that others go by.",
                )


def _setting(file: FileChange, one: SettingChange) -> tuple[str, float]:
    key, value = clean(one.key, 120), clean(one.value, 300).strip("\"'")
    if one.change == REMOVED or not is_nameable(key, 120) or mask(f"{key} = {one.value[:300]}").found:
        return "", 0.0
    table, name = _table(), file.path.rpartition("/")[2]
    scripts = table["scripts"]
    start = next((start for start in scripts["starts"].split() if key.startswith(start)), "")
    if start and name in scripts["manifests"].split():
        short = key.removeprefix(start)
        if (
            one.change != ADDED
            or short in scripts["not"].split()
            or "`" in value
            or not value
            or len(value) > _LONGEST_VALUE
        ):
            return "", 0.0
        run = f"npm run {short}" if name == "package.json" else short
        return f"`{run}` runs `{value}` ({shown(file.path)}).", 0.72
    told: Mapping[str, str] = table["told"]
    end = next((end for end in told if key == end or key.endswith(f".{end}")), "")
    if not end or not value or len(value) > _LONGEST_VALUE or (end in _OF_THE_ROOT and "/" in file.path):
        return "", 0.0
    onoff = "on" if value.lower() in ("true", "yes", "on", "1") else "off"
    return told[end].replace("{onoff}", onoff).replace("{path}", file.path).replace("{value}", value), 0.75


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("waypost.facts.learn").joinpath("data", "settings.toml").read_text(encoding="utf-8"))
