"""A script of our own that an agent loads, for agents whose hooks are not commands."""

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import ClassVar

from waypost.faces.setup.agent_folders import SetupSystem, hook_program
from waypost.faces.setup.agents import Hooks
from waypost.faces.setup.part import ContainerPath, ForeignEntry, Merged, PartName
from waypost.system.config_file import Scope
from waypost.text.marked_block import newline_of

_BEGIN = "// Written by `waypost setup`: Waypost's hooks. `waypost setup {} --uninstall` removes this file."
_END = "// waypost:end"
_OURS = re.compile(r"\A// Written by `waypost setup`:[\s\S]*?^// waypost:end[ \t]*\r?\n?", re.MULTILINE)
_CONSTANT = re.compile(r"^const (PROGRAM|DATA) = (\".*\")\r?$", re.MULTILINE)
_BLANK = "\ufeff \t\r\n"


@dataclass(frozen=True, slots=True)
class ScriptPart:
    """`events` maps the agent's events to ours."""

    body: str
    agent: str
    events: Mapping[str, str]
    name: ClassVar[PartName] = "hooks"

    def merge(self, text: str, *, force: bool) -> Merged:
        foreign = bool(text.strip(_BLANK)) and not self.present(text)
        if foreign and not force:
            raise ForeignEntry("something is written that is not Waypost's")
        behind = "" if foreign else _OURS.sub("", text)  # what somebody has added
        return Merged(self.body.replace("\n", newline_of(text)) + behind, (), foreign)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  a file has no container
        return _OURS.sub("", text)

    def present(self, text: str) -> bool:
        return _OURS.match(text) is not None

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip(_BLANK)

    def hook_lines(self, text: str) -> Iterator[tuple[str, str]]:
        constants = {match[1]: json.loads(match[2]) for match in _CONSTANT.finditer(text)}
        home = f"env WAYPOST_HOME={shlex.quote(constants['DATA'])} " if constants.get("DATA") else ""
        for name, event in self.events.items():
            yield name, home + shlex.join([constants.get("PROGRAM", ""), event, "--agent", self.agent])


def script_part(hooks: Hooks, system: SetupSystem, scope: Scope) -> ScriptPart:
    scripts = files(__package__) / "scripts"
    template = "".join((scripts / name).read_text("utf-8") for name in ("common.js", hooks.script))
    values = {
        "{agent}": hooks.agent,
        "{program}": hook_program(system, scope),
        "{home}": system.home_variable if scope == "user" else "",
        "{seconds}": {event: hooks.seconds[event] for event in hooks.events.values()},
    }
    for name, value in values.items():
        template = template.replace(name, json.dumps(value, ensure_ascii=False))
    return ScriptPart(f"{_BEGIN.format(hooks.agent)}\n{template}{_END}\n", hooks.agent, hooks.events)
