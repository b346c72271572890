"""Which memories an agent has seen in a session, so that it does not get them twice. Their text is not stored.

Each session has one small file in the space's folder for running processes. Hooks append whole lines, so several hooks at
once lose nothing. Long files are cut, and unused ones are removed after some days.
"""

import contextlib
import hashlib
import os
import re
import time
from collections.abc import Collection, Iterable
from datetime import datetime
from pathlib import Path

from waypost.errors import InvalidInput, SecurityError, StoreError
from waypost.faces.hooks.socket.place import prepare_run_folder
from waypost.model.time import from_micros, to_micros
from waypost.system.platform import (
    PRIVATE_FILE,
    check_private_directory,
    read_small_file,
    wait_lock,
    write_private_file,
)

_LARGEST = 256_000  # bytes: some six thousand memories, more than a session gets before it is compacted
_MOST_SESSIONS = 200
_LONGEST_UNUSED = 7 * 86_400.0  # seconds
_LOCK_SECONDS = 0.2
_NAME = re.compile(r"told-[0-9a-f]{32}")
_KEY = re.compile(r"[0-9A-Za-z_-]{1,64}")


_MARK = re.compile(r"(lost|starts|greeted)-([0-9a-f]{1,14})")  # lines that name no memory: what happened, and when


def told_key(memory_id: str, recorded_at: datetime) -> str:
    """Identifies one version of a memory: a corrected one is shown again."""
    return f"{memory_id}-{to_micros(recorded_at):x}"


def stale_key(memory_id: str, recorded_at: datetime) -> str:
    """Identifies that a version of a memory was shown as stale."""
    return f"stale-{told_key(memory_id, recorded_at)}"


def starts_key(now: datetime) -> str:
    """Marks that a session starts, before its greeting is made."""
    return f"starts-{to_micros(now):x}"


def greeted_key(now: datetime) -> str:
    """Marks that the agent got its greeting, if there was something to say."""
    return f"greeted-{to_micros(now):x}"


def lost_at(keys: Iterable[str]) -> datetime | None:
    """When the agent lost the context of this session, or None if it has not."""
    return _latest("lost", keys)


def missed_greeting(keys: Collection[str], before: datetime) -> bool:
    """Whether the session started before this time, and its greeting never came."""
    starts, greeted = _latest("starts", keys), _latest("greeted", keys)
    return starts is not None and starts < before and (greeted is None or greeted < starts)


def was_greeted(keys: Iterable[str]) -> bool:
    """Whether the agent got its greeting, or there was nothing to say."""
    return _latest("greeted", keys) is not None


def has_just_started(keys: Iterable[str], since: datetime) -> bool:
    """Whether the session started after this time."""
    starts = _latest("starts", keys)
    return starts is not None and starts >= since


def _latest(what: str, keys: Iterable[str]) -> datetime | None:
    marks = [mark for key in keys if (mark := _MARK.fullmatch(key)) and mark[1] == what]
    return max((from_micros(int(mark[2], 16)) for mark in marks), default=None)


def is_anything_told(keys: Iterable[str]) -> bool:
    return any(not _MARK.fullmatch(key) for key in keys)


class ShownRecord:
    """The record of one session, on disk once something was shown. Failures to write it are ignored."""

    def __init__(self, run_folder: Path, agent: str, session: str) -> None:
        self._folder = run_folder
        # Whatever a session is called, its file has a name of our own making.
        digest = hashlib.sha256(f"{agent}\0{session}".encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._path = run_folder / f"told-{digest}" if session else None

    @property
    def name(self) -> str:
        """The name of its file, or "" for a session without an id."""
        return "" if self._path is None else self._path.name

    def keys(self) -> frozenset[str]:
        """Keys of the memories shown already."""
        if self._path is None:
            return frozenset()
        try:
            check_private_directory(self._folder)
            content = read_small_file(self._path, 4 * _LARGEST)
        except (OSError, InvalidInput, SecurityError):
            return frozenset()
        return frozenset(line for line in content.decode("ascii", "replace").split("\n") if _KEY.fullmatch(line))

    def add(self, keys: Iterable[str]) -> None:
        """Record the memories shown now."""
        lines = "".join(f"{key}\n" for key in keys if _KEY.fullmatch(key)).encode("ascii")
        if self._path is None or not lines:
            return
        with contextlib.suppress(OSError, StoreError, SecurityError):
            prepare_run_folder(self._folder)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            handle = os.open(self._path, flags, PRIVATE_FILE)
            try:
                os.write(handle, lines)
                long = os.fstat(handle).st_size > _LARGEST
            finally:
                os.close(handle)
            if long:
                self._cut()

    def forget(self, now: datetime) -> None:
        """The agent has lost its context: everything may be shown again."""
        if self._path is not None:
            with contextlib.suppress(OSError, StoreError, SecurityError):
                prepare_run_folder(self._folder)
                write_private_file(self._path, f"lost-{to_micros(now):x}\n".encode("ascii"), replace=True)

    def _cut(self) -> None:
        """Keep the newer half. Memories appended meanwhile may be shown once more."""
        if self._path is None:
            return
        with wait_lock(self._folder / "told.lock", _LOCK_SECONDS), contextlib.suppress(InvalidInput):
            content = read_small_file(self._path, 4 * _LARGEST)
            if len(content) > _LARGEST:
                newer = content[-_LARGEST // 2 :].partition(b"\n")[2]
                write_private_file(self._path, newer, replace=True)


def prune(run_folder: Path, now: float | None = None) -> None:
    """Remove records that were unused for days, and the oldest if there are too many."""
    moment = time.time() if now is None else now
    with contextlib.suppress(OSError, SecurityError):
        check_private_directory(run_folder)
        with os.scandir(run_folder) as entries:
            dated = [
                (entry.stat(follow_symlinks=False).st_mtime, entry.path)
                for entry in entries
                if _NAME.fullmatch(entry.name)
            ]
        dated.sort(reverse=True)
        for place, (changed, path) in enumerate(dated):
            if place >= _MOST_SESSIONS or moment - changed > _LONGEST_UNUSED:
                os.unlink(path)
