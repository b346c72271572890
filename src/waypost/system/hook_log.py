"""`hook.log`: problems of agent hooks, whose other output nobody reads. Never contains the text of a memory."""

import contextlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.model.time import format_time, parse_time, utc_now
from waypost.system.platform import PRIVATE_FILE

NAME = "hook.log"
_LARGEST = 64_000  # bytes; a larger file loses its older half
_LONGEST_NOTE = 2_000
TOO_LATE = "no answer in time."
ANSWERS_AGAIN = "answers in time again."
_LATE_OR_AGAIN = re.compile(
    rf"(\S+) ([a-z-]{{1,40}}) of ([a-z-]{{1,40}}): ({re.escape(TOO_LATE)}|{re.escape(ANSWERS_AGAIN)})"
)


@dataclass(frozen=True, slots=True)
class LateHook:
    """A hook that did not answer its agent in time."""

    at: datetime
    event: str
    agent: str


def note(home: Path, what: str, error: BaseException | None = None) -> None:
    """Add a line to `<home>/hook.log`, with the traceback of an error but not its message. Never creates the home."""
    if not home.is_dir():
        return
    line = " ".join((format_time(utc_now()), what, *_trace(error))).replace("\n", " ")[:_LONGEST_NOTE] + "\n"
    path = home / NAME
    with contextlib.suppress(OSError):
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        handle = os.open(path, flags, PRIVATE_FILE)
        with open(handle, "rb+", buffering=0) as file:
            size = os.fstat(handle).st_size
            if size > _LARGEST:
                newer = os.pread(handle, _LARGEST // 2, size - _LARGEST // 2) if hasattr(os, "pread") else b""
                file.truncate(0)
                file.write(newer.partition(b"\n")[2])
            file.write(line.encode("utf-8", "replace"))


def late_hooks(home: Path) -> list[LateHook]:
    """The hooks that did not answer in time, oldest first, without those that have answered since."""
    late: list[LateHook] = []
    for line in _lines(home / NAME):
        match = _LATE_OR_AGAIN.fullmatch(line)
        if match is None:
            continue
        at, event, agent, what = match.groups()
        if what == ANSWERS_AGAIN:
            late = [hook for hook in late if (hook.event, hook.agent) != (event, agent)]
        else:
            with contextlib.suppress(InvalidInput):  # an edited line
                late.append(LateHook(parse_time(at, NAME), event, agent))
    return late


def log_size(home: Path) -> int:
    try:
        return os.lstat(home / NAME).st_size
    except OSError:
        return 0


def notes_since(home: Path, size: int) -> list[str]:
    """The lines that were added after the log had this size, without their times."""
    added = log_size(home) - size
    lines = list(_lines(home / NAME, added)) if added > 0 else []
    return [line.partition(" ")[2] for line in lines]


def _lines(path: Path, newest: int = 2 * _LARGEST) -> Iterator[str]:
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:
            file.seek(max(0, os.fstat(handle).st_size - newest))
            yield from file.read(2 * _LARGEST).decode("utf-8", "replace").splitlines()


def _trace(error: BaseException | None) -> list[str]:
    """The type of an error and its last code lines, innermost last."""
    if error is None:
        return []
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return [type(error).__name__, "at", " > ".join(places[-8:])]
