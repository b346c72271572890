"""`crash.log`: the traceback of the last unexpected error, for a bug report."""

import contextlib
import traceback
from pathlib import Path

_LOG = "crash.log"


def note_crash(error: BaseException, home: Path) -> None:
    """Write the traceback to `crash.log` in the data directory, without the message, which may quote a memory."""
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        lines = [*traceback.format_tb(error.__traceback__), type(error).__name__]
        (home / _LOG).write_text("".join(lines), encoding="utf-8")
