"""Which agents are on this machine, and which of them know Waypost."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from waypost.errors import WaypostError
from waypost.faces.setup.agents import Agent, agents
from waypost.faces.setup.files import look
from waypost.faces.setup.places import Scope, SetupSystem, place
from waypost.faces.setup.plan import present, targets

State = Literal["yes", "partly", "no", "unreadable"]


@dataclass(frozen=True, slots=True)
class Detected:
    """An agent: the program or folder that shows it is there, empty where nothing does, and whether it is set up."""

    agent: Agent
    sign: str
    user: State
    project: State

    def to_json(self) -> dict[str, Any]:
        return {
            "agent": self.agent.name,
            "title": self.agent.title,
            "installed": bool(self.sign),
            "sign": self.sign,
            "user": self.user,
            "project": self.project,
        }


def detect(system: SetupSystem, project: Path) -> tuple[Detected, ...]:
    return tuple(
        Detected(
            one,
            sign_of(one, system, project),
            _state(one, system, "user", project),
            _state(one, system, "project", project),
        )
        for one in agents().values()
    )


def sign_of(agent: Agent, system: SetupSystem, project: Path) -> str:
    """The program or folder that shows that the agent is there; empty where nothing does."""
    for program in agent.programs:
        found = system.which(program)
        if found:
            return found
    for template in agent.folders:
        folder = place(system, project, "user", template)
        if folder.is_dir():
            return str(folder)
    return ""


def _state(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> State:
    found = []
    try:
        for target in targets(agent, system, scope, project):
            file = look(target.path, scope, project)
            found += [present([part], file) for part in target.parts]
    except WaypostError:
        return "unreadable"
    return "yes" if all(found) else "partly" if any(found) else "no"
