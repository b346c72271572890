"""The files of an agent that set-up changes, and their new text."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import Refused
from waypost.faces.setup.agent_folders import SetupSystem, config_path
from waypost.faces.setup.agents import Agent, RulesBlock, ServerEntry
from waypost.faces.setup.hooks_part import hooks_part
from waypost.faces.setup.jsonc import Malformed
from waypost.faces.setup.part import ConfigPart, ContainerPath, ForeignEntry, Merged
from waypost.faces.setup.permissions_part import permissions_part
from waypost.faces.setup.rules_part import MemoriesPart, RulesPart
from waypost.faces.setup.script_part import script_part
from waypost.faces.setup.server_part import server_part
from waypost.system.config_file import ConfigFile, Scope, read_config


@dataclass(frozen=True, slots=True)
class Target:
    """A file and the parts to write into it. `every` includes parts that are left out this time."""

    path: Path
    parts: tuple[ConfigPart, ...]
    every: tuple[ConfigPart, ...]


def targets(
    agent: Agent,
    system: SetupSystem,
    scope: Scope,
    project: Path,
    *,
    hooks: bool = True,
    rules: bool = True,
    permissions: bool = True,
) -> tuple[Target, ...]:
    """The files of this agent in this scope, each with all its parts."""
    parts_of: dict[Path, list[ConfigPart]] = {}

    def add(template: str | None, part: ConfigPart) -> None:
        if template is not None:
            parts_of.setdefault(config_path(system, project, scope, template), []).append(part)

    if agent.server is not None:
        add(_first(agent.server, system, scope, project), server_part(agent.server, system, scope))
    if agent.hooks is not None:
        make = script_part if agent.hooks.script else hooks_part
        add(agent.hooks.files.get(scope), make(agent.hooks, system, scope))
    add(_first(agent.rules, system, scope, project), RulesPart(agent.rules.text, agent.rules.heads[scope]))
    add(agent.memories.get(scope), MemoriesPart(system.memories))
    if agent.permissions is not None:
        add(agent.permissions.files.get(scope), permissions_part(agent.permissions, system.read_tools))
    chosen = {"server": True, "memories": True, "hooks": hooks, "rules": rules, "permissions": permissions}
    wanted = {name for name, is_chosen in chosen.items() if is_chosen}
    every = [
        Target(path, tuple(part for part in parts if part.name in wanted), tuple(parts))
        for path, parts in parts_of.items()
    ]
    return tuple(target for target in every if target.parts)


def _first(part: ServerEntry | RulesBlock, system: SetupSystem, scope: Scope, project: Path) -> str | None:
    """The file that the agent reads: some files hide others."""
    for template in part.instead.get(scope, []):
        if config_path(system, project, scope, template).is_file():
            return template
    usual = part.files.get(scope)
    if usual is None or not isinstance(part, RulesBlock) or not part.made_by_agent:
        return usual
    return usual if config_path(system, project, scope, usual).is_file() else None


@dataclass(frozen=True, slots=True)
class FileStep:
    target: Target
    current: ConfigFile
    text: str
    made: dict[str, list[list[str]]]
    forced: bool

    @property
    def changes(self) -> bool:
        return self.current.raw is None or self.text != self.current.text


def step_of(target: Target, scope: Scope, project: Path, *, force: bool) -> FileStep:
    """Merge every part into the text of the file. Raises Refused if that fails. Writes nothing."""
    current = read_config(target.path, scope, project)
    text, made, forced = current.text, dict[str, list[list[str]]](), False
    for part in target.parts:
        merged = _merge(part, text, current, force)
        text = merged.text
        made[part.name] = [[str(key) for key in path] for path in merged.made]
        forced = forced or merged.forced
    return FileStep(target, current, text, made, forced)


def _merge(part: ConfigPart, text: str, current: ConfigFile, force: bool) -> Merged:
    try:
        return part.merge(text, force=force)
    except ForeignEntry as error:
        raise Refused(
            f"In {current.real}, {error}.", "Rename or remove it, or add --force to overwrite it. Nothing was changed."
        ) from error
    except Malformed as error:
        raise broken(current.real, error) from error


def text_without(parts: Sequence[ConfigPart], current: ConfigFile, made: dict[str, list[list[str]]]) -> str:
    """The text of the file without the parts. Raises Refused for a broken file."""
    text = current.text
    try:
        for part in reversed(parts):
            containers: list[ContainerPath] = [tuple(path) for path in made.get(part.name, [])]
            text = part.remove(text, containers)
    except Malformed as error:
        raise broken(current.real, error) from error
    return text


def present(parts: Sequence[ConfigPart], current: ConfigFile) -> bool:
    try:
        return any(part.present(current.text) for part in parts)
    except Malformed as error:
        raise broken(current.real, error) from error


def leaves_nothing(parts: Sequence[ConfigPart], text: str) -> bool:
    try:
        return all(part.leaves_nothing(text) for part in parts)
    except Malformed:
        return False


def broken(real: Path, error: Malformed) -> Refused:
    return Refused(f"{real}, {error}.", "Repair the file, then run set-up again. Nothing was changed.")
