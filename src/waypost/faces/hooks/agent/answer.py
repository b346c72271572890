"""Answer one event of an agent from the memory of its project. A project without a memory gets none."""

import os
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.config import Settings
from waypost.errors import InvalidInput
from waypost.faces.hooks.agent.already_shown import greeted_key, missed_greeting, was_greeted
from waypost.faces.hooks.agent.formats import AGENTS, NOTHING, HookInput, HookOutput, fitting
from waypost.model.time import utc_now
from waypost.space.alias import identify_here
from waypost.space.identity import Identity
from waypost.space.place import marker_file, space_directory

if TYPE_CHECKING:
    from waypost.faces.hooks.agent.context import HookMemory

_MOST_TOLD = 20_000  # versions of memories that a request may name
STARTS_WITHIN = timedelta(seconds=15)  # a later greeting comes too late: the agent no longer waits for it


def project_of(given: HookInput, settings: Settings) -> Identity | None:
    """The project of an event, or None if it has no memory."""
    if not os.path.isabs(given.cwd):
        return None
    try:
        identity = identify_here(Path(given.cwd), settings)
    except InvalidInput:  # no such directory, or a repository that cannot be read
        return None
    folder = space_directory(settings.memory_root, identity.space_id)
    return identity if (folder / marker_file(settings)).is_file() else None


def answer_here(
    given: HookInput, shown_keys: Collection[str], settings: Settings, *, by_keywords: bool = False
) -> HookOutput:
    """The output for an event, made by this process."""
    if not given.takes_context or project_of(given, settings) is None:
        return NOTHING
    from waypost.faces.hooks.agent.context import HookMemory  # what only an answer needs
    from waypost.memory.handle import open_handle
    from waypost.model.memory import Caller

    handle = open_handle(given.cwd, caller=Caller("agent", given.agent), settings=settings)
    memory = HookMemory(handle, by_keywords=by_keywords)
    if given.event == "session-start":
        return fitting(given, _marked(memory.greeting(shown_keys)))
    if given.event == "subagent-start":  # it has a context of its own
        return fitting(given, _marked(memory.greeting()))
    if given.event in ("pre-tool", "post-tool"):
        return fitting(given, _around_tool(memory, given, shown_keys))
    relevant = memory.relevant(given.prompt, shown_keys, given.session) if given.prompt else NOTHING
    is_late = given.greets_at_prompt and not was_greeted(shown_keys)
    if not is_late and not missed_greeting(shown_keys, utc_now() - STARTS_WITHIN):
        return fitting(given, relevant)
    greeting = memory.greeting({*shown_keys, *relevant.keys})
    return fitting(given, _marked(_joined((relevant, greeting))))


def _around_tool(memory: "HookMemory", given: HookInput, shown_keys: Collection[str]) -> HookOutput:
    """Before a tool what is known about its files and commands; after it what its change made stale, and fixes of its error."""
    files, parts = given.files.split("\n") if given.files else [], list[HookOutput]()
    if given.may_brief_subagent and not was_greeted(shown_keys):
        parts.append(_marked(memory.greeting()))
    if files and given.event == "post-tool":
        parts.append(memory.made_stale(files, shown_keys))
    if (files or given.command) and (given.event == "pre-tool" or not AGENTS[given.agent].context.get("pre-tool")):
        keys = {*shown_keys, *(key for part in parts for key in part.keys)}
        parts.append(memory.about(files, given.command, keys, given.session))
    if given.problem:
        parts.append(memory.known_fixes(given.problem, shown_keys))
    return _joined(parts)


def _joined(parts: Sequence[HookOutput]) -> HookOutput:
    text = "\n\n".join(part.text for part in parts if part.text)
    return HookOutput(text, tuple(key for part in parts for key in part.keys), sum(part.memories for part in parts))


def _marked(greeting: HookOutput) -> HookOutput:
    """With the mark of a greeting as the first key: keys of memories that do not fit go from the end."""
    return replace(greeting, keys=(greeted_key(utc_now()), *greeting.keys))


def request_of(given: HookInput, shown_keys: Collection[str]) -> dict[str, Any]:
    return {"input": given.to_json(), "told": sorted(shown_keys)[:_MOST_TOLD]}


def answers_told(settings: Settings) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A function that answers such requests in this process."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        given, keys = HookInput.of(request.get("input")), request.get("told")
        if given is None or not isinstance(keys, list):
            return {"failed": True}
        shown_keys = frozenset(key for key in keys[:_MOST_TOLD] if isinstance(key, str))
        return answer_here(given, shown_keys, settings).to_json()

    return answer
