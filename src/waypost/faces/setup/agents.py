"""The agents that set-up knows, read from `agents.toml`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from waypost.errors import InvalidInput
from waypost.system.config_file import Scope

Shape = Literal["grouped", "flat"]


@dataclass(frozen=True, slots=True)
class ServerEntry:
    """Where the entry of the MCP server goes. `entry` has its other keys besides command and arguments.

    `instead`: the agent reads the first of these that exists instead. `one_list`: the command includes the arguments.
    """

    files: Mapping[Scope, str]
    format: Literal["json", "toml"]
    path: tuple[str, ...]
    args: tuple[str, ...]
    entry: Mapping[str, Any]
    instead: Mapping[Scope, list[str]]
    one_list: bool


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where hooks go. `events` maps the agent's events to ours. `grouped`: each hook in a group, as in Claude Code.

    `script`: the agent loads a script of ours, and reads no commands.
    """

    files: Mapping[Scope, str]
    agent: str  # its name for our hooks
    format: Literal["json", "toml"]
    shape: Shape
    events: Mapping[str, str]
    seconds: Mapping[str, int]
    unit: int  # of the time-out, in parts of a second
    timed: bool
    typed: bool
    named: bool
    entry: Mapping[str, Any]
    head: Mapping[str, Any]
    matchers: Mapping[str, str]  # of groups: for which tools or reasons an event counts
    script: str  # a file in `scripts`


@dataclass(frozen=True, slots=True)
class RulesBlock:
    """Where the block of rules goes, and its text. `heads`: the first lines of a new file."""

    files: Mapping[Scope, str]
    heads: Mapping[Scope, str]
    instead: Mapping[Scope, list[str]]  # the agent reads the first of these that exists instead
    text: str
    made_by_agent: bool  # the agent writes the file itself when it starts first, unless there is one


@dataclass(frozen=True, slots=True)
class Permissions:
    """Where an agent reads which tools it may use without asking: items of a list, or a file of their own."""

    files: Mapping[Scope, str]
    path: tuple[str, ...]  # of the list
    item: str
    text: str  # of the file


@dataclass(frozen=True, slots=True)
class Agent:
    name: str
    title: str
    programs: tuple[str, ...]
    folders: tuple[str, ...]  # signs that it is installed
    list_command: tuple[str, ...]  # the agent's own command that lists servers
    next: str  # what to do after set-up
    server: ServerEntry | None
    hooks: Hooks | None
    rules: RulesBlock
    memories: Mapping[Scope, str]  # where the block of memories goes
    permissions: Permissions | None
    notes: Mapping[Scope, str] = field(default_factory=dict)
    npm: str = ""  # the package that installs it

    @property
    def is_file(self) -> bool:
        """Whether this is no program, but a file that many agents read."""
        return bool(self.memories)

    @property
    def is_briefed(self) -> bool:
        """Whether the agent gets rules and decisions by a hook: at the start of a session, or with its first prompt."""
        return self.hooks is not None and not {"session-start", "prompt"}.isdisjoint(self.hooks.events.values())

    @property
    def needs_file(self) -> bool:
        """Whether rules and decisions reach the agent only by AGENTS.md: no hook briefs it, and it works in a project."""
        is_personal = self.server is not None and "--person" in self.server.args
        return not (self.is_file or self.is_briefed or is_personal)

    @property
    def how_to_install(self) -> str:
        if self.npm:
            return f"Install it: npm install -g {self.npm}. If it is installed, add the folder of its program to PATH."
        return f"Install {self.title} from its website, and start it once."


@cache
def agents() -> Mapping[str, Agent]:
    table = tomllib.loads((files(__package__) / "agents.toml").read_text("utf-8"))
    return {name: _agent(name, given, table["seconds"]) for name, given in table["agents"].items()}


def agent_of(name: str) -> Agent:
    if name not in agents():
        raise InvalidInput(
            f"There is no set-up for {name[:40]!r}.{_meant(name)}", f"Known agents: {', '.join(agents())}."
        )
    return agents()[name]


def _meant(name: str) -> str:
    """A hint after a typing error or the beginning of a name."""
    wanted = name.casefold()
    near = [agent for agent in agents() if wanted and agent.startswith(wanted)]
    near = near or get_close_matches(wanted[:40], agents(), n=2)
    return f" Did you mean {' or '.join(near)}?" if near else ""


def rules_text(name: str = "block.md") -> str:
    return (files(__package__) / name).read_text("utf-8").strip()


def _agent(name: str, given: Mapping[str, Any], seconds: Mapping[str, int]) -> Agent:
    return Agent(
        name,
        given["title"],
        tuple(given["programs"]),
        tuple(given["folders"]),
        tuple(given.get("list", ())),
        given["next"],
        _server(given["server"]) if "server" in given else None,
        _hooks(name, given["hooks"], seconds) if "hooks" in given else None,
        _rules(given.get("rules", {})),
        _files(given.get("memories", {})),
        _permissions(given["permissions"]) if "permissions" in given else None,
        given.get("notes", {}),
        given.get("npm", ""),
    )


def _server(given: Mapping[str, Any]) -> ServerEntry:
    return ServerEntry(
        _files(given),
        _format(given),
        tuple(given["path"]),
        tuple(given["args"]),
        given.get("entry", {}),
        given.get("instead", {}),
        given.get("one_list", False),
    )


def _hooks(name: str, given: Mapping[str, Any], seconds: Mapping[str, int]) -> Hooks:
    shape: Shape = "grouped" if given.get("shape") == "grouped" else "flat"
    return Hooks(
        _files(given),
        given.get("agent", name),
        _format(given),
        shape,
        given["events"],
        {**seconds, **given.get("seconds", {})},
        given.get("unit", 1),
        given.get("timed", True),
        given.get("typed", shape == "grouped"),
        given.get("named", False),
        given.get("entry", {}),
        given.get("head", {}),
        given.get("matchers", {}),
        given.get("script", ""),
    )


def _format(given: Mapping[str, Any]) -> Literal["json", "toml"]:
    return "toml" if given.get("format") == "toml" else "json"


def _rules(given: Mapping[str, Any]) -> RulesBlock:
    shared = given.get("head", "")
    heads: dict[Scope, str] = {"user": given.get("head_user", shared), "project": given.get("head_project", shared)}
    text = rules_text(given.get("text", "block.md"))
    return RulesBlock(_files(given), heads, given.get("instead", {}), text, given.get("made_by_agent", False))


def _permissions(given: Mapping[str, Any]) -> Permissions:
    return Permissions(_files(given), tuple(given.get("path", ())), given.get("item", ""), given.get("text", ""))


def _files(given: Mapping[str, Any]) -> dict[Scope, str]:
    scopes: tuple[Scope, ...] = ("user", "project")
    return {scope: given[scope] for scope in scopes if scope in given}
