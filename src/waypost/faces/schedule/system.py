"""Run programs and write files for the schedulers. Tests pass their own `ScheduleSystem`."""

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
from waypost.errors import InvalidInput, Refused, WaypostError
from waypost.system.platform import read_small_file, write_failure, write_private_file

_PATIENCE = 20.0  # seconds: a service manager may still be starting
_LARGEST_FILE = 1_000_000
_SEAL = re.compile(r"Waypost schedule, seal ([0-9a-f]{32})")

Author = Literal["nobody", "waypost", "edited", "somebody"]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of a program. The code is -1 if it did not start or did not end."""

    code: int
    out: bytes = b""
    err: bytes = b""

    @property
    def ok(self) -> bool:
        return self.code == 0

    @property
    def complaint(self) -> str:
        return (self.err or self.out).decode("utf-8", "replace").strip().partition("\n")[0][:300]


Run = Callable[[Sequence[str], bytes], CommandResult]


@dataclass(frozen=True, slots=True)
class ScheduleSystem:
    platform: str  # as sys.platform
    home: Path  # home directory of the person
    state: Path  # a folder in Waypost's data directory
    user_id: int
    run: Run
    which: Callable[[str], str | None]


def this_system(settings: Settings) -> ScheduleSystem:
    user = os.getuid() if hasattr(os, "getuid") else 0
    return ScheduleSystem(
        sys.platform, config.user_home().absolute(), settings.home / "schedule", user, run, shutil.which
    )


def run(command: Sequence[str], given: bytes = b"") -> CommandResult:
    """Run a program in the C locale, with a time-out. Never raises."""
    words = ["env", "LC_ALL=C", *command] if os.name == "posix" else list(command)
    try:
        done = subprocess.run(words, input=given, capture_output=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return CommandResult(-1, b"", f"{command[0]} did not answer within {_PATIENCE:g} s.".encode())
    except OSError as error:
        return CommandResult(-1, b"", f"{command[0]}: {error.strerror}".encode())
    return CommandResult(done.returncode, done.stdout, done.stderr)


def sealed(text: str, comment: tuple[str, str] = ("# ", "")) -> str:
    """Replace `@SEAL@` by a line with a hash, which later shows whether somebody edited the text."""
    mark = f"Waypost schedule, seal {_seal(text)}"
    return text.replace("@SEAL@", f"{comment[0]}{mark}{comment[1]}", 1)


def _seal(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def author(path: Path, comment: tuple[str, str] = ("# ", "")) -> Author:
    """Who wrote a file: "waypost", "edited" (ours, then changed), "somebody" else, or "nobody" if it is missing."""
    text = read_text(path)
    if text is None:
        return "somebody" if os.path.lexists(path) else "nobody"
    seal = _SEAL.search(text)
    if path.is_symlink() or seal is None:
        return "somebody"
    unsealed = text.replace(f"{comment[0]}{seal[0]}{comment[1]}", "@SEAL@", 1)
    return "waypost" if _seal(unsealed) == seal[1] else "edited"


def refuse_foreign(path: Path, comment: tuple[str, str] = ("# ", "")) -> None:
    """Raise Refused if the file is edited or not from Waypost."""
    who = author(path, comment)
    if who in {"edited", "somebody"}:
        what = "was edited" if who == "edited" else "is not from Waypost"
        raise Refused(f"{path} {what}.", "Move it away and install again.")


def run_or_raise(system: ScheduleSystem, command: Sequence[str], remedy: str) -> None:
    """Run a program. Raises WaypostError if it fails."""
    result = system.run(command, b"")
    if not result.ok:
        raise command_error(f"`{' '.join(command)}` failed", result, remedy)


def read_text(path: Path) -> str | None:
    """The text of a file; None if it is missing, not a small plain file, or not UTF-8."""
    try:
        return read_small_file(path, _LARGEST_FILE).decode("utf-8")
    except (OSError, InvalidInput, UnicodeDecodeError):
        return None


def write_file(path: Path, text: str) -> None:
    """Write the file atomically, with its folders."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_failure(error, path.parent) from error
    write_private_file(path, text.encode("utf-8"), replace=True)


def remove_file(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise write_failure(error, path) from error


def command_error(what: str, result: CommandResult, remedy: str) -> WaypostError:
    return WaypostError(f"{what}: {result.complaint or f'it ended with {result.code}'}", remedy)
