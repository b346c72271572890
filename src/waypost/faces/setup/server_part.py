"""The entry of the MCP server in an agent's configuration."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from waypost.faces.setup import toml_edit
from waypost.faces.setup.agent_folders import SetupSystem, server_program
from waypost.faces.setup.agents import ServerEntry
from waypost.faces.setup.jsonc import find, parse, to_python
from waypost.faces.setup.jsonc_edit import drop, is_bare, put
from waypost.faces.setup.part import ContainerPath, ForeignEntry, Merged, PartName
from waypost.system.config_file import Scope

_OURS = re.compile(r"(?:.*[/\\])?waypost(?:\.exe|\.cmd)?", re.IGNORECASE | re.DOTALL)
_VARIABLES = ("env", "environment")  # what agents call the variables of a server


def wanted_entry(server: ServerEntry, system: SetupSystem, scope: Scope) -> dict[str, Any]:
    program = server_program(system, scope)
    command = (
        {"command": [program, *server.args]} if server.one_list else {"command": program, "args": list(server.args)}
    )
    entry = {**server.entry, **command}
    if system.home_variable and scope == "user":
        entry["environment" if server.one_list else "env"] = {"WAYPOST_HOME": system.home_variable}
    return entry


def server_part(server: ServerEntry, system: SetupSystem, scope: Scope) -> "JsonServer | TomlServer":
    entry = wanted_entry(server, system, scope)
    return TomlServer(server.path, entry) if server.format == "toml" else JsonServer(server.path, entry)


def is_ours(entry: Any) -> bool:
    """Whether an entry starts our server, wherever it is installed."""
    if not isinstance(entry, Mapping):
        return False
    program, *words = _command(entry) or [None]
    by_python = "waypost" in words
    return "mcp" in words and isinstance(program, str) and (bool(_OURS.fullmatch(program)) or by_python)


def _words(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []


def _command(entry: Mapping[str, Any]) -> list[Any]:
    """Program and arguments: some agents want them as one list."""
    command = entry.get("command")
    return command if isinstance(command, list) else [command, *_words(entry.get("args"))]


def _line(entry: Any) -> tuple[Sequence[str], Mapping[str, str]]:
    given = entry if isinstance(entry, Mapping) else {}
    added: Mapping[Any, Any] = next((given[name] for name in _VARIABLES if isinstance(given.get(name), Mapping)), {})
    return [str(word) for word in _command(given)], {str(name): str(value) for name, value in added.items()}


def _is_foreign(entry: Any, path: Sequence[str], force: bool) -> bool:
    """Whether an existing entry is not ours. Raises ForeignEntry unless `force` allows to overwrite it."""
    if is_ours(entry):
        return False
    if not force:
        command = entry.get("command", entry.get("url", "")) if isinstance(entry, Mapping) else entry
        raise ForeignEntry(f"{'.'.join(path)!r} already exists and is not Waypost's ({str(command)[:80]!r})")
    return True


@dataclass(frozen=True, slots=True)
class JsonServer:
    path: tuple[str, ...]
    entry: Mapping[str, Any]
    name: ClassVar[PartName] = "server"

    def merge(self, text: str, *, force: bool) -> Merged:
        node = find(parse(text).root, self.path)
        forced = node is not None and _is_foreign(to_python(node), self.path, force)
        if node is None or forced:
            new = put(text, self.path, dict(self.entry))
            return Merged(new.text, new.made, forced)
        for name, value in self.entry.items():
            leaves = value.items() if isinstance(value, Mapping) else [("", value)]
            for key, leaf in leaves:
                text = put(text, (*self.path, name, *([key] if key else [])), leaf).text
        return Merged(text)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:
        if self.present(text):
            text = drop(text, self.path)
        return prune(text, made)

    def present(self, text: str) -> bool:
        return is_ours(to_python(find(parse(text).root, self.path)))

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip("\ufeff \t\r\n") or is_bare(text, ())

    def server_line(self, text: str) -> tuple[Sequence[str], Mapping[str, str]]:
        return _line(to_python(find(parse(text).root, self.path)))


@dataclass(frozen=True, slots=True)
class TomlServer:
    path: tuple[str, ...]
    entry: Mapping[str, Any]
    name: ClassVar[PartName] = "server"

    def merge(self, text: str, *, force: bool) -> Merged:
        entry = toml_edit.value_at(toml_edit.read(text), self.path)
        forced = entry is not None and _is_foreign(entry, self.path, force)
        if forced:
            text = toml_edit.drop_table(text, self.path)
        return Merged(toml_edit.put_table(text, self.path, self.entry), (), forced)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  tables need no container
        return toml_edit.drop_table(text, self.path) if self.present(text) else text

    def present(self, text: str) -> bool:
        return is_ours(toml_edit.value_at(toml_edit.read(text), self.path))

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip("\ufeff \t\r\n")

    def server_line(self, text: str) -> tuple[Sequence[str], Mapping[str, str]]:
        return _line(toml_edit.value_at(toml_edit.read(text), self.path))


def prune(text: str, made: Sequence[ContainerPath]) -> str:
    """Remove the empty ones among these containers, inner ones first."""
    for path in sorted(made, key=len, reverse=True):
        if is_bare(text, tuple(path)):
            text = drop(text, tuple(path))
    return text
