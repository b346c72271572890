"""Which files of an agent set-up changes, and how each of them will read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import Refused
from waypost.faces.setup.agents import Agent, rules_text
from waypost.faces.setup.files import FileLook, look
from waypost.faces.setup.hooks_part import hooks_part
from waypost.faces.setup.jsonc import Malformed
from waypost.faces.setup.part import ConfigPart, ForeignEntry, Made, Merged
from waypost.faces.setup.places import Scope, SetupSystem, place
from waypost.faces.setup.rules_part import RulesPart
from waypost.faces.setup.server_part import server_part


@dataclass(frozen=True, slots=True)
class Target:
    """A file and the parts that go into it. `every`: also those that were left out this time, but may be in it."""

    path: Path
    parts: tuple[ConfigPart, ...]
    every: tuple[ConfigPart, ...]


def targets(
    agent: Agent, system: SetupSystem, scope: Scope, project: Path, *, hooks: bool = True, rules: bool = True
) -> tuple[Target, ...]:
    """The files of this agent in this scope; two parts of one file come together."""
    found: dict[Path, list[ConfigPart]] = {}

    def add(template: str | None, part: ConfigPart) -> None:
        if template is not None:
            found.setdefault(place(system, project, scope, template), []).append(part)

    add(agent.server.files.get(scope), server_part(agent.server, system, scope))
    if agent.hooks is not None:
        add(agent.hooks.files.get(scope), hooks_part(agent, agent.hooks, system, scope))
    add(_rules_file(agent, system, scope, project), RulesPart(rules_text(), agent.rules.heads[scope]))
    wanted = {"server", *(["hooks"] if hooks else []), *(["rules"] if rules else [])}
    every = [
        Target(path, tuple(part for part in parts if part.name in wanted), tuple(parts))
        for path, parts in found.items()
    ]
    return tuple(target for target in every if target.parts)


def _rules_file(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> str | None:
    """Where the agent will look for rules: some files hide others."""
    for template in agent.rules.instead.get(scope, []):
        if place(system, project, scope, template).is_file():
            return template
    return agent.rules.files.get(scope)


@dataclass(frozen=True, slots=True)
class FileStep:
    """A file as it is and as it will be."""

    target: Target
    found: FileLook
    text: str
    made: dict[str, list[list[str]]]
    forced: bool

    @property
    def changes(self) -> bool:
        return self.found.raw is None or self.text != self.found.text


def step_of(target: Target, scope: Scope, project: Path, *, force: bool) -> FileStep:
    """Merge every part into the file. Raises Refused, and changes nothing, where that cannot be done."""
    found = look(target.path, scope, project)
    text, made, forced = found.text, dict[str, list[list[str]]](), False
    for part in target.parts:
        merged = _merged(part, text, found, force)
        text = merged.text
        made[part.name] = [[str(key) for key in path] for path in merged.made]
        forced = forced or merged.forced
    return FileStep(target, found, text, made, forced)


def _merged(part: ConfigPart, text: str, found: FileLook, force: bool) -> Merged:
    try:
        return part.merge(text, force=force)
    except ForeignEntry as error:
        raise Refused(
            f"In {found.real}, {error}.", "Rename or remove it, or add --force to overwrite it. Nothing was changed."
        ) from error
    except Malformed as error:
        raise broken(found.real, error) from error


def taken_out(parts: Sequence[ConfigPart], found: FileLook, made: dict[str, list[list[str]]]) -> str:
    """The text of the file without the parts. Raises Refused where it is broken."""
    text = found.text
    try:
        for part in reversed(parts):
            containers: list[Made] = [tuple(path) for path in made.get(part.name, [])]
            text = part.take_out(text, containers)
    except Malformed as error:
        raise broken(found.real, error) from error
    return text


def present(parts: Sequence[ConfigPart], found: FileLook) -> bool:
    try:
        return any(part.present(found.text) for part in parts)
    except Malformed as error:
        raise broken(found.real, error) from error


def leaves_nothing(parts: Sequence[ConfigPart], text: str) -> bool:
    try:
        return all(part.leaves_nothing(text) for part in parts)
    except Malformed:
        return False


def broken(real: Path, error: Malformed) -> Refused:
    return Refused(f"{real}, {error}.", "Repair the file, then run set-up again. Nothing was changed.")
