"""One event of an agent, answered from the memory of its project. Where nothing is remembered, nothing is made."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

from waypost.config import Settings
from waypost.errors import InvalidInput
from waypost.faces.hooks.agent.formats import HookInput
from waypost.faces.hooks.agent.output import NOTHING, HookOutput, fitting
from waypost.space.alias import identify_here
from waypost.space.identity import Identity
from waypost.space.place import marker_file, space_directory

_MOST_TOLD = 20_000  # versions of memories that a request may name


def project_of(given: HookInput, settings: Settings) -> Identity | None:
    """The project that an event is about, if something is remembered of it."""
    if not os.path.isabs(given.cwd):
        return None
    try:
        identity = identify_here(Path(given.cwd), settings)
    except InvalidInput:  # no such directory, or a repository that cannot be read
        return None
    folder = space_directory(settings.memory_root, identity.space_id)
    return identity if (folder / marker_file(settings)).is_file() else None


def answer_here(given: HookInput, told: Collection[str], settings: Settings) -> HookOutput:
    """What an agent is told, by this process."""
    if not given.takes_context or project_of(given, settings) is None:
        return NOTHING
    from waypost.faces.hooks.agent.context import HookMemory  # what only an answer needs
    from waypost.memory.handle import open_handle
    from waypost.model.memory import Caller

    memory = HookMemory(open_handle(given.cwd, caller=Caller("agent", given.agent), settings=settings))
    if given.event == "session-start":
        return fitting(given, memory.greeting(told))
    if given.event == "prompt" and given.prompt:
        return fitting(given, memory.relevant(given.prompt, told, given.session))
    return NOTHING


def request_of(given: HookInput, told: Collection[str]) -> dict[str, Any]:
    """What a hook asks a running process."""
    return {"input": given.to_json(), "told": sorted(told)[:_MOST_TOLD]}


def answers(settings: Settings) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """What `serve_hooks` takes: such requests, answered by this process."""

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        given, told = HookInput.of(request.get("input")), request.get("told")
        if given is None or not isinstance(told, list):
            return {"failed": True}
        known = frozenset(one for one in told[:_MOST_TOLD] if isinstance(one, str))
        return answer_here(given, known, settings).to_json()

    return answer
