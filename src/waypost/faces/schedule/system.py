"""All that touches the system from here: programs are run, files are placed. Tests bring a system of their own."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from waypost import config
from waypost.config import Settings
from waypost.errors import InvalidInput, WaypostError
from waypost.space.platform import read_small_file, write_failure, write_private_file

_PATIENCE = 20.0  # seconds: a manager that is starting up may need some
_LARGEST_FILE = 1_000_000
_SEAL = re.compile(r"Waypost schedule, seal ([0-9a-f]{32})")

Author = Literal["nobody", "waypost", "edited", "somebody"]


@dataclass(frozen=True, slots=True)
class Ran:
    """How a program ended; -1 when it could not be started or did not end."""

    code: int
    out: bytes = b""
    err: bytes = b""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def complaint(self) -> str:
        return (self.err or self.out).decode("utf-8", "replace").strip().partition("\n")[0][:300]


Run = Callable[[Sequence[str], bytes], Ran]


@dataclass(frozen=True, slots=True)
class ScheduleSystem:
    platform: str  # as sys.platform
    home: Path  # of the person
    state: Path  # a folder of Waypost's own
    user_id: int
    run: Run
    which: Callable[[str], str | None]


def this_system(settings: Settings) -> ScheduleSystem:
    user = os.getuid() if hasattr(os, "getuid") else 0
    return ScheduleSystem(
        sys.platform, config.user_home().absolute(), settings.home / "schedule", user, run, shutil.which
    )


def run(command: Sequence[str], given: bytes = b"") -> Ran:
    """Run a program to its end, in plain English, with a time-out. It never raises."""
    words = ["env", "LC_ALL=C", *command] if os.name == "posix" else list(command)
    try:
        done = subprocess.run(words, input=given, capture_output=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return Ran(-1, b"", f"{command[0]} did not answer within {_PATIENCE:g} s.".encode())
    except OSError as error:
        return Ran(-1, b"", f"{command[0]}: {error.strerror}".encode())
    return Ran(done.returncode, done.stdout, done.stderr)


def sealed(text: str, comment: tuple[str, str] = ("# ", "")) -> str:
    """The text with a line, in the place of `@SEAL@`, by which we know later that nobody has changed it."""
    mark = f"Waypost schedule, seal {_seal(text)}"
    return text.replace("@SEAL@", f"{comment[0]}{mark}{comment[1]}", 1)


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def author(path: Path, comment: tuple[str, str] = ("# ", "")) -> Author:
    """Who wrote the file at this place: nobody, we, somebody into one of ours, or somebody else."""
    text = text_of(path)
    if text is None:
        return "somebody" if os.path.lexists(path) else "nobody"
    found = _SEAL.search(text)
    if path.is_symlink() or found is None:
        return "somebody"
    plain = text.replace(f"{comment[0]}{found[0]}{comment[1]}", "@SEAL@", 1)
    return "waypost" if _seal(plain) == found[1] else "edited"


def text_of(path: Path) -> str | None:
    """What the file says; None when there is none that could be ours."""
    try:
        return read_small_file(path, _LARGEST_FILE).decode("utf-8")
    except (OSError, InvalidInput, UnicodeDecodeError):
        return None


def place(path: Path, text: str) -> None:
    """Write the file whole or not at all, and the folders to it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_failure(error, path.parent) from error
    write_private_file(path, text.encode("utf-8"), replace=True)


def remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise write_failure(error, path) from error


def failed(what: str, ran: Ran, remedy: str) -> WaypostError:
    return WaypostError(f"{what}: {ran.complaint or f'it ended with {ran.code}'}", remedy)
