"""Which agents are installed on this machine, and whether they are set up."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from waypost.errors import WaypostError
from waypost.faces.setup.agents import Agent, agents
from waypost.faces.setup.files import read_config
from waypost.faces.setup.places import Scope, SetupSystem, config_path
from waypost.faces.setup.plan import present, targets

State = Literal["yes", "partly", "no", "unreadable"]


@dataclass(frozen=True, slots=True)
class Detected:
    """An agent and its state. `sign` is the program or folder that shows it is installed, or empty."""

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
            agent,
            sign_of(agent, system, project),
            _state(agent, system, "user", project),
            _state(agent, system, "project", project),
        )
        for agent in agents().values()
    )


def sign_of(agent: Agent, system: SetupSystem, project: Path) -> str:
    """The program or folder that shows that the agent is installed; empty if there is neither."""
    for program in agent.programs:
        path = system.which(program)
        if path:
            return path
    for template in agent.folders:
        folder = config_path(system, project, "user", template)
        if folder.is_dir():
            return str(folder)
    return ""


def _state(agent: Agent, system: SetupSystem, scope: Scope, project: Path) -> State:
    written: list[bool] = []
    try:
        for target in targets(agent, system, scope, project):
            file = read_config(target.path, scope, project)
            written += [present([part], file) for part in target.parts]
    except WaypostError:
        return "unreadable"
    return "yes" if all(written) else "partly" if any(written) else "no"
