"""Facts about dependencies (languages and libraries that were added, removed or updated) and settings."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any

from waypost.facts.learn.change_context import ChangeContext, is_not_product
from waypost.facts.learn.wording import clean, in_quotes, is_nameable, short_path
from waypost.model.candidate import Candidate
from waypost.model.change import ADDED, REMOVED, DependencyChange, FileChange, SettingChange
from waypost.text.secrets.masking import mask

_MOST = 2  # per commit
_NUMBER = re.compile(r"\d+")
_IS_VERSION = re.compile(r"[\s\d.,<>=~^!|&*xv-]{1,60}")  # a build file may have an expression instead
_PROGRAM = re.compile(r"\.(?:gradle|gradle\.kts|sbt)$")
_EXPRESSION = re.compile(r"\b(?:JVM|VERSION)_(\d{1,2}(?:_\d{1,2})?)\b")
_OF_THE_ROOT = ("packageManager",)  # packages below repeat it
_PINNED = re.compile(r"(?:^|/)requirements[^/]{0,40}\.txt$")  # beside a package: development tools
_INDIRECT = frozenset(("indirect", "transitive", "peer"))
_TOOLS = frozenset(("development", "optional", "build"))
_LONGEST_QUOTE = 160
_LONGEST_VALUE = 80


def dependency_facts(context: ChangeContext) -> Iterator[Candidate]:
    """Facts about changed dependencies, at most a few per commit."""
    facts = (
        _dependency_fact(context, file, dependency)
        for file in _own_files(context)
        if file.change != REMOVED
        for dependency in sorted(file.dependencies, key=_order)
    )
    return islice((fact for fact in facts if fact is not None), _MOST)


def _own_files(context: ChangeContext) -> Iterator[FileChange]:
    for file in context.change.files:
        is_new_part = file.change == ADDED and "/" in file.path  # dependencies of a new package are its own
        if not is_new_part and not is_not_product(file.path) and context.exists(file.path):
            yield file


def is_routine(context: ChangeContext) -> bool:
    """Whether only dependencies changed, and none is worth a note."""
    changed = [dependency for file in context.change.files for dependency in file.dependencies]
    return bool(changed) and not context.sources


def _order(dependency: DependencyChange) -> tuple[int, int, str]:
    return (dependency.group != "language", dependency.change == "modified", dependency.name)


def _dependency_fact(context: ChangeContext, file: FileChange, dependency: DependencyChange) -> Candidate | None:
    name, wanted, before = clean(dependency.name, 80), clean(dependency.wanted, 60), clean(dependency.wanted_before, 60)
    if not is_nameable(name, 80) or dependency.group in _INDIRECT or name.startswith("@types/"):
        return None
    if dependency.group == "language":
        return _language_fact(context, file, name, wanted, before)
    short = name.rpartition("/")[2].rpartition(":")[2]
    is_pinned = _PINNED.search(file.path) and context.exists_today is not None and context.exists("pyproject.toml")
    if is_pinned or dependency.group in _TOOLS or dependency.change not in (ADDED, REMOVED) or _is_moved(context, name):
        return None  # tools and versions change often; the manifest has them
    if context.message.subject and not context.message.mentions(short):
        return None
    lead = (
        f"New dependency `{name}`{_version_suffix(wanted)}"
        if dependency.change == ADDED
        else f"Removed dependency `{name}`"
    )
    return context.candidate(
        _with_quotes(context, f"{lead} ({short_path(file.path)}).", name),
        0.84,
        topic=f"dependency:{file.path}:{name}",
        refs=[file.path],
        level=1,
        origin="file_change",
        reason="A dependency came or went.",
    )


def _language_fact(context: ChangeContext, file: FileChange, name: str, wanted: str, before: str) -> Candidate | None:
    if _PROGRAM.search(file.path):  # it may have several versions: of the code, the tools, the tests
        wanted, before = _read_version(wanted), _read_version(before)
        if not any(map(context.message.mentions, _table()["spoken"].get(name.lower(), "").split())):
            return None
    if not _IS_VERSION.fullmatch(wanted) or _minor(wanted) == _minor(before):
        return None
    label = _table()["languages"].get(name.lower(), name)
    text = f"{'Uses' if 'edition' in label else 'Requires'} {label} {wanted} ({short_path(file.path)}){f'; before: {before}' if before else ''}."
    return context.candidate(
        _with_quotes(context, text, name),
        0.88,
        topic=f"language:{file.path}:{name.lower()}",
        refs=[file.path],
        level=0 if "/" not in file.path else 1,
        origin="file_change",
        reason="The manifest asks for another version of the language.",
    )


def _read_version(wanted: str) -> str:
    """The number in an expression: "JvmTarget.JVM_17.target", "JavaVersion.VERSION_1_8"."""
    expression = _EXPRESSION.search(wanted)
    return expression[1].replace("_", ".") if expression else wanted


def _is_moved(context: ChangeContext, name: str) -> bool:
    """Whether a dependency was removed in one manifest and added in another."""
    dependencies = [dependency for file in context.change.files for dependency in file.dependencies]
    return {ADDED, REMOVED} <= {dependency.change for dependency in dependencies if dependency.name == name}


def _version_suffix(wanted: str) -> str:
    is_version = wanted not in ("", "*", "latest") and "[secret" not in wanted and "$" not in wanted
    return f" {wanted}" if is_version else ""


def _minor(text: str) -> list[str]:
    return _NUMBER.findall(text)[:2]


def _with_quotes(context: ChangeContext, text: str, name: str) -> str:
    """The fact with the subject, if it mentions the dependency, and the reason, if that does."""
    message = context.message
    subject = message.subject if message.names(name.rpartition("/")[2]) else ""
    reason = message.reason if name.lower() in message.reason.lower() else ""
    for quote in (subject, reason):
        text += f" {in_quotes(quote)}{'' if quote.endswith('.') else '.'}" if 0 < len(quote) <= _LONGEST_QUOTE else ""
    return text


# --- settings


def setting_facts(context: ChangeContext) -> Iterator[Candidate]:
    facts = (
        _setting_fact(context, file, setting)
        for file in _own_files(context)
        if file.role == "manifest" or (file.role == "configuration" and file.path.count("/") <= 2)
        for setting in file.settings[:200]
    )
    return islice((fact for fact in facts if fact is not None), _MOST)


def _setting_fact(context: ChangeContext, file: FileChange, setting: SettingChange) -> Candidate | None:
    is_meant = setting.change != ADDED or context.message.names(setting.key.rpartition(".")[2])
    text, confidence = _setting_text(file, setting) if is_meant or not context.change.commit else ("", 0.0)
    if not text:
        return None
    return context.candidate(
        text,
        confidence,
        topic=f"setting:{file.path}:{setting.key}",
        refs=[file.path],
        level=1,
        origin="file_change",
        reason="A setting that others go by.",
    )


def _setting_text(file: FileChange, setting: SettingChange) -> tuple[str, float]:
    key, value = clean(setting.key, 120), clean(setting.value, 300).strip("\"'")
    if setting.change == REMOVED or not is_nameable(key, 120) or mask(f"{key} = {setting.value[:300]}").findings:
        return "", 0.0
    table, name = _table(), file.path.rpartition("/")[2]
    scripts = table["scripts"]
    start = next((start for start in scripts["starts"].split() if key.startswith(start)), "")
    if start and name in scripts["manifests"].split():
        short = key.removeprefix(start)
        is_usable = value and "`" not in value and len(value) <= _LONGEST_VALUE
        if setting.change != ADDED or short in scripts["not"].split() or not is_usable:
            return "", 0.0
        run = f"npm run {short}" if name == "package.json" else short
        return f"`{run}` runs `{value}` ({short_path(file.path)}).", 0.72
    templates: Mapping[str, str] = table["told"]
    end = next((end for end in templates if key == end or key.endswith(f".{end}")), "")
    if not end or not value or len(value) > _LONGEST_VALUE or (end in _OF_THE_ROOT and "/" in file.path):
        return "", 0.0
    onoff = "on" if value.lower() in ("true", "yes", "on", "1") else "off"
    return templates[end].replace("{onoff}", onoff).replace("{path}", file.path).replace("{value}", value), 0.75


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads(files("waypost.facts.learn").joinpath("data", "settings.toml").read_text(encoding="utf-8"))
