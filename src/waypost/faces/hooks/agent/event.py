"""What is done with one event of an agent, and what the agent is answered."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.faces.hooks.agent.already_shown import ShownRecord, prune
from waypost.faces.hooks.agent.answer import answer_here, project_of, request_of
from waypost.faces.hooks.agent.formats import (
    AGENTS,
    EVENTS,
    Event,
    HookInput,
    HookOutput,
    read_input,
    read_telling,
    render_answer,
)
from waypost.faces.hooks.socket.client import ask_running
from waypost.faces.hooks.socket.place import run_folder
from waypost.model.time import utc_now
from waypost.space.identity import Identity
from waypost.space.place import space_directory
from waypost.system.hook_log import TOO_LATE, note

_FOR_RUNNING = 0.35  # of the time that is left: what a process that hangs may cost before we answer ourselves


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to write, and what to do once it is written."""

    output: str = ""
    written: Callable[[], None] = lambda: None


NOTHING = Outcome()


def handle(event: str, agent: str, raw: bytes, deadline: float) -> Outcome:
    """Answer one event, before `deadline` of the monotonic clock if that can be. What goes wrong is noted in the home."""
    settings = config.load()
    _homes.append(settings.home)
    named = next((name for name in EVENTS if name == event), None)
    if named is None or agent not in AGENTS:
        note(settings.home, f"No agent is called {agent[:40]!r}, or no event {event[:40]!r}.")
        return NOTHING
    try:
        return _handle(named, agent, raw, deadline, settings)
    except Exception as error:  # noqa: BLE001  the last wall before the agent, which must go on
        note(settings.home, f"{named} of {agent}:", error)
        return NOTHING


_homes: list[Path] = []  # of what was handled in this process


def gave_up(event: str, agent: str) -> bool:
    """Note that an event took too long to be answered. False: the settings are not read yet, so nobody knows where."""
    if _homes:
        note(_homes[-1], f"{event} of {agent}: {TOO_LATE}")
    return bool(_homes)


def _handle(event: Event, agent: str, raw: bytes, deadline: float, settings: Settings) -> Outcome:
    given = read_input(event, agent, raw)
    if given is None:
        note(settings.home, f"{event} of {agent}: {len(raw)} bytes that are no JSON object.")
        return NOTHING
    given = given if given.cwd else replace(given, cwd=os.getcwd())
    project = project_of(given, settings)
    if project is None:
        return NOTHING
    folder = run_folder(settings.home, project.space_id)
    record = ShownRecord(folder, agent, given.session)
    if given.starts_afresh:
        record.forget(utc_now())
    if event in ("session-end", "pre-compact"):
        _keep(given, project, settings)
        return NOTHING
    if event == "session-start":
        prune(folder)
    if not given.takes_context or (event == "prompt" and not given.prompt):
        return NOTHING
    telling = _telling(given, record.keys(), folder, deadline, settings)
    output = render_answer(event, agent, telling.text)
    return Outcome(output, lambda: record.add(telling.keys))


def _telling(
    given: HookInput, shown_keys: frozenset[str], folder: Path, deadline: float, settings: Settings
) -> HookOutput:
    """From a process that runs, if one answers soon; else from here."""
    seconds = _FOR_RUNNING * (deadline - time.monotonic())
    answer = ask_running(folder, request_of(given, shown_keys), seconds)
    telling = None if answer is None else read_telling(answer, given)
    return answer_here(given, shown_keys, settings) if telling is None else telling


def _keep(given: HookInput, project: Identity, settings: Settings) -> None:
    from waypost.faces.hooks.agent.session_end import start_keeping

    if settings.journal.sessions:
        start_keeping(given, space_directory(settings.memory_root, project.space_id))
