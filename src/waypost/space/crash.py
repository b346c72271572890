"""Keeping where something unexpected happened, for a report."""

import contextlib
import traceback
from pathlib import Path

_LOG = "crash.log"


def note_crash(error: BaseException, home: Path) -> None:
    """Write the place into `crash.log` of the home; not the message, which may hold the words of a memory."""
    with contextlib.suppress(OSError):
        home.mkdir(parents=True, exist_ok=True)
        lines = [*traceback.format_tb(error.__traceback__), type(error).__name__]
        (home / _LOG).write_text("".join(lines), encoding="utf-8")
