"""Sessions that have begun and not ended, so that one whose agent is killed is kept too.

Each has a small file in the folder `open-sessions` of the space. It is older than the transcript while something is
not kept yet. If the agent deletes transcripts of killed sessions, the file also has the prompt that is not answered yet.
"""

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.faces.hooks.agent.formats import AGENTS, HookInput
from waypost.faces.hooks.transcripts.place import transcript_path
from waypost.model.time import format_time
from waypost.system.platform import make_private_directory, read_small_file, write_private_file

_FOLDER = "open-sessions"
_LARGEST = 1 << 16
_MOST = 200  # files; older ones are removed
_LONGEST = 30 * 86_400.0  # seconds without a change of the transcript
_STARTS = 5.0  # seconds: by then, an agent that lives has written its transcript


def session_file(given: HookInput) -> str:
    """A file name of our own making for a session."""
    parts = (given.agent, given.session, given.cwd)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def note_open(given: HookInput, folder: Path) -> None:
    """Note that a session is open."""
    place = folder / _FOLDER / session_file(given)
    waits = given.event == "prompt" and AGENTS[given.agent].loses_killed
    if not given.session or (place.exists() and not waits):
        return
    with contextlib.suppress(OSError):
        make_private_directory(place.parent)
        _write(place, given, given.prompt if waits else "")
        if not waits:
            os.utime(place, (0, 0))  # nothing is kept yet


def note_kept(given: HookInput, folder: Path) -> None:
    """Note that a session is being kept as it is now, or that it has ended."""
    place = folder / _FOLDER / session_file(given)
    with contextlib.suppress(OSError):
        if given.event == "session-end":
            place.unlink(missing_ok=True)
        elif AGENTS[given.agent].loses_killed and place.exists():
            _write(place, given, "")
        else:
            os.utime(place)


def _write(place: Path, given: HookInput, prompt: str) -> None:
    content = replace(given, event="turn-end", prompt=prompt, source="").to_json()
    write_private_file(place, json.dumps(content).encode(), replace=True)


def unkept(folder: Path, starting: HookInput, home: Path) -> Iterator[HookInput]:
    """Open sessions other than this one whose transcript has changed since they were kept. Removes old files.

    `home`: the person's home directory, for transcripts in an agent's usual folder.
    """
    ours = session_file(starting)
    try:
        with os.scandir(folder / _FOLDER) as entries:
            dated = sorted(
                ((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries), reverse=True
            )
    except OSError:
        return
    for number, (kept_at, path) in enumerate(dated):
        session = _read(Path(path))
        changed_at = None if session is None else _changed(session, home)
        if session is not None and changed_at is not None and changed_at > kept_at and Path(path).name != ours:
            yield session
        is_lost = session is not None and session.prompt and changed_at is None and time.time() - kept_at >= _STARTS
        if session is not None and is_lost and Path(path).name != ours:
            yield replace(session, at=format_time(datetime.fromtimestamp(kept_at, UTC)))
        is_old = changed_at is not None and time.time() - changed_at > _LONGEST
        if session is None or is_lost or is_old or number >= _MOST:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _read(path: Path) -> HookInput | None:
    try:
        return HookInput.of(json.loads(read_small_file(path, _LARGEST)))
    except (OSError, InvalidInput, ValueError):
        return None


def _changed(session: HookInput, home: Path) -> float | None:
    given = {"transcript_path": session.transcript, "session_id": session.session}
    try:
        path = transcript_path(session.agent, given, home)
        return None if path is None else os.lstat(path).st_mtime
    except (OSError, ValueError):
        return None
