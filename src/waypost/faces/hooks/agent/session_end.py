"""After a turn, at the end of a session, and before its context is compacted: turns go to the journal, in the background.

A hook leaves the event in the folder `sessions` of the space and starts `python -m waypost.faces.hooks.agent.session_end FOLDER`,
unless one runs: it takes all that lies there. Nobody waits for it; what fails is noted in the home.
"""

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from waypost import config
from waypost.config import Settings
from waypost.errors import InvalidInput
from waypost.faces.hooks.agent.formats import AGENTS, EVENTS, HookInput, read_input
from waypost.faces.hooks.agent.open_sessions import note_kept
from waypost.system.hook_log import note
from waypost.system.platform import (
    detached_process_options,
    make_private_directory,
    read_small_file,
    write_private_file,
)
from waypost.system.process_lock import inherited_handle, try_claim
from waypost.system.worker_priority import lower_priority

_LARGEST = 1 << 16
_FOLDER, _LOCK = "sessions", "sessions.lock"
_NEW, _TAKEN = ".json", ".taken"  # taken: somebody reads it, or was killed at it


def start_keeping(given: HookInput, folder: Path) -> None:
    """Leave the event to the process that keeps sessions of this space, start it unless it runs, and go on."""
    place = folder / _FOLDER
    make_private_directory(place)
    note_kept(given, folder)  # before the transcript is read: what is written meanwhile counts as not kept
    name = hashlib.sha256("\0".join((given.agent, given.session, given.cwd, given.transcript)).encode()).hexdigest()[
        :32
    ]
    write_private_file(place / f"{name}{_NEW}", json.dumps(given.to_json()).encode(), replace=True)
    with try_claim(folder / _LOCK) as claim:
        if claim is not None:
            command = [sys.executable, "-P", "-m", "waypost.faces.hooks.agent.session_end", os.fspath(folder)]
            nowhere = subprocess.DEVNULL
            subprocess.Popen(command, stdin=claim.handle, stdout=nowhere, stderr=nowhere, **detached_process_options())
            claim.hand_over()


def keep_all(folder: Path, settings: Settings, *, inherited: int | None = None) -> None:
    """Keep every session whose end was left here. Returns at once where another process is at it."""
    while _waiting(folder):  # looked at again without the lock: who came just before saw it taken, and left
        with try_claim(folder / _LOCK, inherited) as claim:
            inherited = None
            if claim is None:
                return
            while waiting := _waiting(folder):
                _keep_one(waiting[0], settings)


def _waiting(folder: Path) -> list[Path]:
    """What was taken by somebody who was killed comes first: it is older."""
    place = folder / _FOLDER
    return [*sorted(place.glob(f"*{_TAKEN}")), *sorted(place.glob(f"*{_NEW}"))]


def _keep_one(path: Path, settings: Settings) -> None:
    """Keep one session and remove its file. After a crash, the next process takes the file over."""
    taken = path.with_suffix(_TAKEN)  # the same session may end again while we read
    os.replace(path, taken)
    given = None
    try:
        with contextlib.suppress(ValueError):
            given = _event(json.loads(read_small_file(taken, _LARGEST)))
        if given is None:
            raise InvalidInput(f"{taken.name} is not the end of a session.", "")
        note_kept(given, taken.parent.parent)  # before the transcript is read, as in `start_keeping`
        keep(given, settings)
    except Exception as error:  # noqa: BLE001  nobody is here to be told
        note(settings.home, f"Keeping a session of {given.agent if given else 'an agent'}:", error)
    taken.unlink(missing_ok=True)


def _event(content: object) -> HookInput | None:
    """What `start_keeping` or `fast.leave` left; None for anything else."""
    if not isinstance(content, dict) or "raw" not in content:
        return HookInput.of(content)
    event, agent = next((name for name in EVENTS if name == content.get("event")), None), str(content.get("agent"))
    if event is None or agent not in AGENTS:
        return None
    given = read_input(event, agent, json.dumps(content["raw"]).encode())
    return None if given is None else replace(given, cwd=given.cwd or str(content.get("cwd")))


def keep(given: HookInput, settings: Settings) -> bool:
    """Append what was said in a session to the journal of its project. False where there is nothing to read or to keep it
    in."""
    from waypost.faces.hooks.agent.answer import project_of
    from waypost.faces.hooks.transcripts.place import transcript_path
    from waypost.faces.hooks.transcripts.read import prompt_only, read_transcript
    from waypost.memory import Memory
    from waypost.model.memory import Caller
    from waypost.model.time import parse_time

    if not settings.journal.sessions or project_of(given, settings) is None:
        return False
    payload = {"transcript_path": given.transcript, "session_id": given.session}
    path = transcript_path(given.agent, payload, config.user_home())
    if given.at and (path is None or not path.exists()):
        transcript = prompt_only(given.prompt, parse_time(given.at, "at"))
    elif path is not None and (path.exists() or given.event == "turn-end"):
        transcript = read_transcript(path)  # Claude Code ends sessions without a turn, which have no transcript
    else:
        return False
    session = given.session or transcript.session
    if not session or not transcript.turns:
        return False
    with Memory.open(given.cwd, caller=Caller("agent", given.agent), settings=settings) as memory:
        memory.journal.add_session(session, transcript.turns, notices=transcript.notices)
    return True


def main() -> None:
    inherited = inherited_handle()
    settings = config.load()
    lower_priority(settings.worker_cores)
    keep_all(Path(sys.argv[1]), settings, inherited=inherited)


if __name__ == "__main__":
    main()
