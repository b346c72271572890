"""What is done with one event of an agent, and what the agent is answered."""

import json
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waypost import config
from waypost.config import Settings
from waypost.faces.hooks.agent.already_shown import ShownRecord, has_just_started, prune, starts_key
from waypost.faces.hooks.agent.answer import STARTS_WITHIN, answer_here, answers_told, project_of, request_of
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
from waypost.faces.hooks.socket.place import addresses, mark_folder, run_folder
from waypost.model.time import utc_now
from waypost.space.identity import Identity
from waypost.space.place import space_directory
from waypost.system.hook_log import TOO_LATE, note

_FOR_RUNNING = 0.35  # of the time that is left: what a process that hangs may cost before we answer ourselves
ANSWERING = "waypost-answer"  # the threads of a prompt hook
_AROUND_TOOL = 2.2  # seconds that a process has which runs; usually it needs a twentieth
_BY_MEANING = 0.5  # of the time that is left then, before keywords are tried too


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to write, and the keys of memories to record once it is written."""

    output: str = ""
    record: ShownRecord | None = None
    keys: tuple[str, ...] = ()

    def written(self) -> None:
        if self.record is not None:
            self.record.add(self.keys)


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


def answers(settings: Settings) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A function for `serve_hooks` that answers requests in this process: of `fast.ask`, and of `request_of`."""
    answer_told = answers_told(settings)

    def answer(request: dict[str, Any]) -> dict[str, Any]:
        return _answer_raw(request, settings) if "raw" in request else answer_told(request)

    return answer


def _answer_raw(request: dict[str, Any], settings: Settings) -> dict[str, Any]:
    event = next((name for name in EVENTS if name == request.get("event")), None)
    agent, cwd, seconds = str(request.get("agent")), request.get("cwd"), request.get("seconds")
    if event is None or agent not in AGENTS or not isinstance(cwd, str) or not isinstance(seconds, float):
        return {"failed": True}
    raw, deadline = json.dumps(request["raw"]).encode(), time.monotonic() + seconds
    outcome = _handle(event, agent, raw, deadline, settings, cwd=cwd, here=True)
    record = outcome.record.name if outcome.record is not None else ""
    return {"output": outcome.output, "record": record, "keys": list(outcome.keys)}


def _handle(
    event: Event, agent: str, raw: bytes, deadline: float, settings: Settings, *, cwd: str = "", here: bool = False
) -> Outcome:
    """`cwd`: of the hook, for agents that do not name it. `here`: ask no other process."""
    given = read_input(event, agent, raw)
    if given is None:
        note(settings.home, f"{event} of {agent}: {len(raw)} bytes that are no JSON object.")
        return NOTHING
    given = given if given.cwd else replace(given, cwd=cwd or os.getcwd())
    project = project_of(given, settings)
    if project is None:
        return NOTHING
    folder = run_folder(settings.home, project.space_id)
    if not here:
        mark_folder(settings.home, given.cwd, project.space_id)
    record = ShownRecord(folder, agent, given.context_id)
    if given.starts_afresh:
        record.forget(utc_now())
    if event in ("turn-end", "session-end") or given.compacts:
        _keep(given, project, settings)
    elif event in {"pre-tool", "post-tool"}:
        return _note(given, record, folder, settings, here=here)
    elif given.takes_context:
        return _brief(given, project, record, None if here else folder, deadline, settings)
    return NOTHING


def _note(given: HookInput, record: ShownRecord, folder: Path, settings: Settings, *, here: bool) -> Outcome:
    """Around a tool. Only a process that runs answers: an agent uses many tools, and must not wait for each. The first
    tools of a session may come before its server listens: these are answered here."""
    if not given.takes_context or not (given.files or given.command or given.problem or given.may_brief_subagent):
        return NOTHING
    shown_keys = record.keys()
    if here:
        return _outcome(given, answer_here(given, shown_keys, settings), record)
    answer = ask_running(folder, request_of(given, shown_keys), _AROUND_TOOL)
    if answer is not None:
        return _outcome(given, read_telling(answer, given), record)
    if not has_just_started(shown_keys, utc_now() - STARTS_WITHIN):
        if addresses(folder):  # it runs, and was too slow
            note(settings.home, f"{given.event} of {given.agent}: {TOO_LATE}")
        return NOTHING
    return _outcome(given, answer_here(given, shown_keys, settings, by_keywords=True), record)


def _outcome(given: HookInput, telling: HookOutput | None, record: ShownRecord) -> Outcome:
    """What to write; what is shown is recorded once it is written, or at once if there is nothing to write."""
    if telling is None:
        return NOTHING
    output = render_answer(
        given.event,
        given.agent,
        telling.text,
        event_name=given.event_name,
        memories=telling.memories,
        tool_input=given.tool_input,
    )
    if not output:
        record.add(telling.keys)
    return Outcome(output, record, telling.keys)


def _brief(
    given: HookInput,
    project: Identity,
    record: ShownRecord,
    folder: Path | None,
    deadline: float,
    settings: Settings,
) -> Outcome:
    """`folder`: of running processes to ask; None: this is one."""
    if given.event == "session-start":
        record.add([starts_key(utc_now())])
        prune(run_folder(settings.home, project.space_id))
    if given.event != "subagent-start":
        _keep_watch(given, project, settings)
    if given.event == "prompt" and not given.prompt:
        return NOTHING
    telling = _telling(given, record.keys(), folder, deadline, settings)
    if given.event == "subagent-start" and not given.subagent:  # what it sees, its agent does not
        telling = replace(telling, keys=())
    return _outcome(given, telling, record)


def _telling(
    given: HookInput, shown_keys: frozenset[str], folder: Path | None, deadline: float, settings: Settings
) -> HookOutput:
    """From a process that runs, if one answers soon; else from here. If that takes long, keywords answer a prompt."""
    seconds = _FOR_RUNNING * (deadline - time.monotonic())
    answer = None if folder is None else ask_running(folder, request_of(given, shown_keys), seconds)
    telling = None if answer is None else read_telling(answer, given)
    if telling is not None:
        return telling
    if given.event != "prompt":
        return answer_here(given, shown_keys, settings)
    return first_of(
        lambda: answer_here(given, shown_keys, settings),
        lambda: answer_here(given, shown_keys, settings, by_keywords=True),
        _BY_MEANING * (deadline - time.monotonic()),
    )


def first_of(work: Callable[[], HookOutput], instead: Callable[[], HookOutput], seconds: float) -> HookOutput:
    """What `work` returns. After so many seconds, `instead` starts too, and the first to be ready counts."""
    import queue
    import threading

    ready: queue.SimpleQueue[HookOutput | Exception] = queue.SimpleQueue()

    def run(task: Callable[[], HookOutput]) -> None:
        try:
            ready.put(task())
        except Exception as error:  # noqa: BLE001  raised again by the thread that waits
            ready.put(error)

    def start(task: Callable[[], HookOutput]) -> None:
        threading.Thread(target=run, args=(task,), name=ANSWERING, daemon=True).start()

    start(work)
    try:
        outcome = ready.get(timeout=max(0.0, seconds))
    except queue.Empty:
        start(instead)
        outcome = ready.get()
        if isinstance(outcome, Exception):
            outcome = ready.get()
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def _keep(given: HookInput, project: Identity, settings: Settings) -> None:
    from waypost.faces.hooks.agent.session_end import start_keeping

    if settings.journal.sessions and AGENTS[given.agent].transcript:
        start_keeping(given, space_directory(settings.memory_root, project.space_id))


def _keep_watch(given: HookInput, project: Identity, settings: Settings) -> None:
    """Note that the session is open. At the start of one, keep those that were open when their agent was killed."""
    from waypost.faces.hooks.agent.open_sessions import note_open, unkept

    if not settings.journal.sessions or not AGENTS[given.agent].transcript:
        return
    folder = space_directory(settings.memory_root, project.space_id)
    note_open(given, folder)
    if given.event == "session-start":
        for session in unkept(folder, given, config.user_home()):
            _keep(session, project, settings)
