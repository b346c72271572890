"""Errors of the last worker. It has no terminal: they go to a file, which the next worker empties."""

import contextlib
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from waypost.errors import InvalidInput
from waypost.flows.open_space import OpenSpace
from waypost.model.time import format_minute
from waypost.system.platform import read_small_file

_ERROR = "error: "  # the prefix of errors on the command line
_LARGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class WorkerFailure:
    at: datetime
    what: str

    @property
    def notice(self) -> str:
        return f"The background worker failed at {format_minute(self.at)}: {self.what}"


@contextmanager
def error_stream(space: OpenSpace) -> Iterator[int]:
    """An empty file for the errors of a new worker, or DEVNULL if it cannot be created."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(_place(space), flags, 0o600)
    except OSError:
        yield subprocess.DEVNULL
        return
    try:
        yield handle
    finally:
        os.close(handle)


def last_failure(space: OpenSpace) -> WorkerFailure | None:
    """Why the last worker of this checkout failed, or None if it did not."""
    try:
        lines = read_small_file(_place(space), _LARGEST).decode("utf-8", "replace").splitlines()
        at = datetime.fromtimestamp(_place(space).stat().st_mtime, UTC)
    except (OSError, InvalidInput):
        return None
    errors = [line.removeprefix(_ERROR) for line in lines if line.startswith(_ERROR)]
    return WorkerFailure(at, errors[-1]) if errors else None


def clear_failure(space: OpenSpace) -> None:
    with contextlib.suppress(OSError):
        _place(space).unlink()


def worker_notices(space: OpenSpace) -> tuple[str, ...]:
    failed = last_failure(space)
    return () if failed is None else (failed.notice,)


def _place(space: OpenSpace) -> Path:
    return space.folder / f"worker-{space.identity.checkout_id or 'person'}.log"
