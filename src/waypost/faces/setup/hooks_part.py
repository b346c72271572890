"""The hooks in an agent's configuration."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from waypost.faces.setup import toml_edit
from waypost.faces.setup.agent_folders import SetupSystem, command_line
from waypost.faces.setup.agents import Hooks
from waypost.faces.setup.jsonc import Path, find, parse, to_python
from waypost.faces.setup.jsonc_edit import add_item, drop, is_bare, put
from waypost.faces.setup.part import ContainerPath, Merged, PartName
from waypost.faces.setup.server_part import prune
from waypost.system.config_file import Scope

_ROOT = ("hooks",)
_OURS = re.compile(r"(?:^|[\s/\\\"'])waypost-hook(?:\.exe)?[\"']?\s+[a-z-]+\s+--agent\s", re.IGNORECASE)
_LONGEST_COMMAND = 10_000


@dataclass(frozen=True, slots=True)
class _OurHook:
    """A hook of ours. `whole` is the path to remove: the whole group if nobody else has a hook in it."""

    event: str
    path: Path
    whole: Path
    command: str


@dataclass(frozen=True, slots=True)
class HooksPart:
    """`entries` maps the agent's events to hooks."""

    entries: Mapping[str, Mapping[str, Any]]
    grouped: bool
    head: Mapping[str, Any]
    matchers: Mapping[str, str]
    name: ClassVar[PartName] = "hooks"

    def merge(self, text: str, *, force: bool) -> Merged:  # noqa: ARG002  hooks never conflict
        made: list[ContainerPath] = []
        if not text.strip("\ufeff \t\r\n"):
            for key, value in self.head.items():
                text = put(text, (key,), value).text
        for event, entry in self.entries.items():
            ours = [hook for hook in self._ours(text) if hook.event == event]
            for spare in reversed(ours[1:]):
                text = drop(text, spare.whole)
            if not ours:
                new = add_item(text, (*_ROOT, event), self._item(event, entry))
                text = new.text
                made += new.made
                continue
            if ours[0].command != entry["command"]:
                text = put(text, (*ours[0].path, "command"), entry["command"]).text
            alone = not self.grouped or ours[0].whole != ours[0].path  # nobody else is in this group
            if event in self.matchers and alone:
                text = put(text, (*ours[0].whole, "matcher"), self.matchers[event]).text
        return Merged(text, tuple(made))

    def _item(self, event: str, entry: Mapping[str, Any]) -> dict[str, Any]:
        matcher = {"matcher": self.matchers[event]} if event in self.matchers else {}
        return {**matcher, "hooks": [dict(entry)]} if self.grouped else {**matcher, **entry}

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:
        while hook := next(self._ours(text), None):
            text = drop(text, hook.whole)
        return prune(text, made)

    def present(self, text: str) -> bool:
        return any(self._ours(text))

    def leaves_nothing(self, text: str) -> bool:
        if not text.strip("\ufeff \t\r\n") or is_bare(text, ()):
            return True
        document = parse(text)
        return not document.comments and to_python(document.root) == dict(self.head)

    def hook_lines(self, text: str) -> Iterator[tuple[str, str]]:
        return ((hook.event, hook.command) for hook in self._ours(text))

    def _ours(self, text: str) -> Iterator[_OurHook]:
        events = to_python(find(parse(text).root, _ROOT))
        for event, items in events.items() if isinstance(events, Mapping) else ():
            for place, item in enumerate(items if isinstance(items, list) else ()):
                at: Path = (*_ROOT, event, place)
                if not self.grouped and _is_ours(item):
                    yield _OurHook(event, at, at, item["command"])
                inner: Any = item.get("hooks") if self.grouped and isinstance(item, Mapping) else None
                for number, hook in enumerate(inner if isinstance(inner, list) else ()):
                    if _is_ours(hook):
                        path = (*at, "hooks", number)
                        yield _OurHook(event, path, path if len(inner) > 1 else at, hook["command"])


@dataclass(frozen=True, slots=True)
class TomlHooksPart:
    """Hooks as a list of TOML tables, each of which names its event."""

    entries: Mapping[str, Mapping[str, Any]]
    name: ClassVar[PartName] = "hooks"

    def merge(self, text: str, *, force: bool) -> Merged:  # noqa: ARG002  hooks never conflict
        for event, entry in self.entries.items():
            ours = [(place, hook) for place, hook in self._ours(text) if hook.get("event") == event]
            for place, _ in reversed(ours[1:]):
                text = toml_edit.drop_item(text, _ROOT, place)
            if not ours:
                text = toml_edit.add_item(text, _ROOT, {"event": event, **entry})
            elif ours[0][1]["command"] != entry["command"]:
                text = toml_edit.set_in_item(text, _ROOT, ours[0][0], "command", entry["command"])
        return Merged(text)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  tables need no container
        for place, _ in reversed(self._ours(text)):
            text = toml_edit.drop_item(text, _ROOT, place)
        return text

    def present(self, text: str) -> bool:
        return bool(self._ours(text))

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip("\ufeff \t\r\n")

    def hook_lines(self, text: str) -> Iterator[tuple[str, str]]:
        return ((str(hook.get("event")), hook["command"]) for _, hook in self._ours(text))

    def _ours(self, text: str) -> list[tuple[int, Mapping[str, Any]]]:
        hooks = enumerate(toml_edit.table_items(text, _ROOT))
        return [(place, hook) for place, hook in hooks if _is_ours(hook)]


def hooks_part(hooks: Hooks, system: SetupSystem, scope: Scope) -> HooksPart | TomlHooksPart:
    entries = {name: _entry(hooks, event, system, scope) for name, event in hooks.events.items()}
    if hooks.format == "toml":
        return TomlHooksPart(entries)
    return HooksPart(entries, hooks.shape == "grouped", hooks.head, hooks.matchers)


def _entry(hooks: Hooks, event: str, system: SetupSystem, scope: Scope) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": f"waypost {event}"} if hooks.named else {}
    if hooks.typed:
        entry["type"] = "command"
    entry["command"] = command_line(system, scope, event, "--agent", hooks.agent)
    if hooks.timed:
        entry["timeout"] = hooks.seconds[event] * hooks.unit
    return {**entry, **hooks.entry}


def _is_ours(hook: Any) -> bool:
    command = hook.get("command") if isinstance(hook, Mapping) else None
    return isinstance(command, str) and bool(_OURS.search(command[:_LONGEST_COMMAND]))
