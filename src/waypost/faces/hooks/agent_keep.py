"""At the end of a session, and before its context is compacted: its turns go to the journal, by a process of their own.

`python -m waypost.faces.hooks.agent_keep` reads the event as JSON. Nobody waits for it; what fails is noted in the home.
"""

import json
import subprocess
import sys

from waypost import config
from waypost.config import Settings
from waypost.faces.hooks.agent_formats import HookInput
from waypost.faces.hooks.agent_log import note
from waypost.space.platform import detached, wait_lock

_LARGEST = 1 << 16
_PATIENCE = 600.0  # seconds for the process before us, which may read the same session
_LOCK = "sessions.lock"


def start_keeping(given: HookInput) -> None:
    """Start the process and go on."""
    command = [sys.executable, "-P", "-m", "waypost.faces.hooks.agent_keep"]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **detached(),
    )
    if process.stdin is not None:
        process.stdin.write(json.dumps(given.to_json()).encode())
        process.stdin.close()


def keep(given: HookInput, settings: Settings) -> bool:
    """Append what was said in a session to the journal of its project. False where there is nothing to read or to keep it
    in."""
    from waypost.faces.hooks.agent_answer import project_of
    from waypost.faces.hooks.transcripts import read_transcript
    from waypost.faces.hooks.transcripts_place import transcript_path
    from waypost.memory import Memory
    from waypost.model.memory import Caller

    if not settings.journal.sessions or project_of(given, settings) is None:
        return False
    payload = {"transcript_path": given.transcript, "session_id": given.session}
    path = transcript_path(given.agent, payload, config.user_home())
    if path is None:
        return False
    transcript = read_transcript(path)
    session = given.session or transcript.session
    if not session or not transcript.turns:
        return False
    memory = Memory.open_as(Caller("agent", given.agent), given.cwd, settings=settings)
    with memory, wait_lock(memory.folder / _LOCK, _PATIENCE):
        memory.keep_session(session, transcript.turns, notices=transcript.notices)
    return True


def main() -> None:
    settings = config.load()
    given = None
    try:
        given = HookInput.of(json.loads(sys.stdin.buffer.read(_LARGEST)))
        if given is not None:
            keep(given, settings)
    except Exception as error:  # noqa: BLE001  nobody is here to be told
        note(settings.home, f"Keeping a session of {given.agent if given else 'an agent'}:", error)


if __name__ == "__main__":
    main()
