"""Where a hook notes what went wrong: nobody reads its other words. Never what a memory says."""

import contextlib
import os
from pathlib import Path

from waypost.space.platform import PRIVATE_FILE

NAME = "hook.log"
_LARGEST = 64_000  # bytes; then the older half goes
_LONGEST_NOTE = 2_000


def note(home: Path, what: str, error: BaseException | None = None) -> None:
    """Add a line to `<home>/hook.log`, with where an error came from but not its message. Makes no home."""
    if not home.is_dir():
        return
    lines = " ".join((_now(), what, *_trace(error))).replace("\n", " ")[:_LONGEST_NOTE] + "\n"
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
            file.write(lines.encode("utf-8", "replace"))


def _trace(error: BaseException | None) -> list[str]:
    """The kind of an error and the lines of ours that it went through, innermost last."""
    if error is None:
        return []
    places, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        places.append(f"{os.path.basename(code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return [type(error).__name__, "at", " > ".join(places[-8:])]


def _now() -> str:
    from waypost.model.time import format_time, utc_now

    return format_time(utc_now())
