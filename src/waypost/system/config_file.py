"""Read, replace and restore files that belong to other programs. A file is written whole or not at all."""

import contextlib
import hashlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from waypost.errors import InvalidInput, Refused, SecurityError, StoreReadOnly, WaypostError
from waypost.system.platform import is_alive, place_file, read_small_file, sync_directory, write_failure

Scope = Literal["user", "project"]
SETUP = "setup"  # the folder of set-up in Waypost's data directory
AGENTS_FILE = "agents-md"  # the name of AGENTS.md for `waypost setup`
LARGEST_FILE = 64 << 20  # bytes: some agents keep their history in their settings
_MODES: dict[Scope, int] = {"user": 0o600, "project": 0o644}
_NOTHING = "Nothing was changed."


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file on disk. `real` is the path behind links. A missing file has no `raw` bytes."""

    path: Path
    real: Path
    raw: bytes | None
    text: str
    mode: int

    @property
    def linked(self) -> bool:
        return self.path.is_symlink() or self.path.parent.is_symlink()


def read_config(path: Path, scope: Scope, project: Path) -> ConfigFile:
    """Read a file before changing it. Raises Refused if it cannot be read or written.

    Links in your own configuration are followed. In a project, which may come from somebody else, a link out of the
    project raises SecurityError.
    """
    real = Path(os.path.realpath(path))
    if scope == "project" and not real.is_relative_to(os.path.realpath(project)):
        raise SecurityError(f"{path} is a link that leads out of the project, to {real}.", f"Remove it. {_NOTHING}")
    if not os.path.lexists(real):
        if os.path.lexists(path) and not real.parent.is_dir():
            raise Refused(f"{path} is a link to {real}, which is missing.", f"Repair or remove it. {_NOTHING}")
        _check_folder(real)
        return ConfigFile(path, real, None, "", _MODES[scope])
    raw = _read(real)
    mode = stat.S_IMODE(real.stat().st_mode)
    if not mode & 0o222 or not os.access(real, os.W_OK):
        raise Refused(f"{real} is read-only.", f"Make it writable (`chmod u+w`). {_NOTHING}")
    return ConfigFile(path, real, raw, _decode(real, raw), mode)


def setup_record(state: Path, agent: str, scope: Scope, project: Path) -> Path:
    """Where set-up notes what it wrote for an agent. The file exists as long as the agent is set up."""
    where = "user" if scope == "user" else hashlib.sha256(os.fsencode(project)).hexdigest()[:16]
    return state / f"{agent}-{where}.json"


def keeps_memories(home: Path, project: Path) -> bool:
    """Whether Waypost keeps memories in the project's AGENTS.md: set-up was asked for that, on this machine. Every write asks."""
    return setup_record(home / SETUP, AGENTS_FILE, "project", project).is_file()


def missing_folders(real: Path) -> list[Path]:
    """The folders that the file needs and that do not exist, outer ones first."""
    return [folder for folder in reversed(real.parents) if not folder.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove the empty ones among these folders, inner ones first."""
    for folder in sorted(set(folders), key=lambda path: len(path.parts), reverse=True):
        with contextlib.suppress(OSError):  # not empty, or gone
            folder.rmdir()


def _read(real: Path) -> bytes:
    try:
        return read_small_file(real, LARGEST_FILE)
    except OSError as error:
        raise Refused(
            f"{real} cannot be read: {error.strerror}.", f"Make it readable for this user. {_NOTHING}"
        ) from error
    except InvalidInput as error:
        raise Refused(f"{real} is not a plain file of a usual size.", f"Check what it is. {_NOTHING}") from error


def _decode(real: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Refused(f"{real} is not UTF-8 (line {line}).", f"Save it as UTF-8. {_NOTHING}") from error


def _check_folder(real: Path) -> None:
    existing = next(folder for folder in real.parents if folder.exists())
    if not existing.is_dir():
        raise Refused(f"{existing} is a file where a folder is expected.", f"Move it away. {_NOTHING}")
    if not os.access(existing, os.W_OK):
        raise Refused(f"{existing} is read-only.", f"Make it writable for this user. {_NOTHING}")


@dataclass(slots=True)
class FileTransaction:
    """Changes to several files. `undo` reverts them all."""

    _done: list[tuple[ConfigFile, bool]] = field(default_factory=list)
    folders: dict[Path, list[Path]] = field(default_factory=dict)  # created for a file, outer ones first

    def write(self, current: ConfigFile, content: bytes) -> None:
        """Replace the content. Raises Refused if the file has changed since it was read."""
        self._make_folders(current.real)
        self._done.append((current, False))
        _replace(current, content)
        self._done[-1] = (current, True)

    def remove(self, current: ConfigFile) -> None:
        """Delete the file. Raises Refused if it has changed since it was read."""
        _check_unchanged(current)
        try:
            current.real.unlink(missing_ok=True)
        except OSError as error:
            raise _failure(error, current.real) from error
        self._done.append((current, True))

    def undo(self) -> None:
        for current, changed in reversed(self._done):
            if not changed:
                continue
            with contextlib.suppress(WaypostError, OSError):
                if current.raw is None:
                    current.real.unlink(missing_ok=True)
                else:
                    current.real.parent.mkdir(parents=True, exist_ok=True)
                    _place(current.real, current.raw, current.mode)
        for folders in self.folders.values():
            for folder in reversed(folders):
                with contextlib.suppress(OSError):
                    folder.rmdir()
        self._done.clear()

    def _make_folders(self, real: Path) -> None:
        self.folders[real] = []
        try:
            for folder in missing_folders(real):
                folder.mkdir(mode=0o755)
                self.folders[real].append(folder)
        except OSError as error:
            raise _failure(error, real) from error


def _replace(current: ConfigFile, content: bytes) -> None:
    _check_unchanged(current)
    try:
        _place(current.real, content, current.mode)
    except OSError as error:
        raise _failure(error, current.real) from error


def _place(real: Path, content: bytes, mode: int) -> None:
    _sweep(real)
    temporary = real.with_name(f".{real.name}.waypost-{os.getpid()}-{os.urandom(4).hex()}.tmp")
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    try:
        with open(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        place_file(temporary, real, replace=True)
    finally:
        temporary.unlink(missing_ok=True)
    sync_directory(real.parent)


def _sweep(real: Path) -> None:
    """Remove temporary files of a killed set-up."""
    ours = re.compile(rf"\.{re.escape(real.name)}\.waypost-(\d{{1,9}})-[0-9a-f]{{8}}\.tmp")
    for path in real.parent.iterdir():
        matched = ours.fullmatch(path.name)
        if matched and not is_alive(int(matched[1])):
            path.unlink(missing_ok=True)


def _check_unchanged(current: ConfigFile) -> None:
    """Raise Refused if the agent has written the file meanwhile."""
    try:
        now = read_small_file(current.real, LARGEST_FILE)
    except FileNotFoundError:
        now = None
    except (OSError, InvalidInput) as error:
        raise Refused(f"{current.real} was changed at the same moment.", "Try again.") from error
    if now != current.raw:
        raise Refused(f"{current.real} was changed at the same moment.", "Close the agent, and try again.")


def _failure(error: OSError, path: Path) -> WaypostError:
    failed = write_failure(error, path)
    if isinstance(failed, StoreReadOnly):
        return StoreReadOnly(failed.what, f"Make it writable for this user. {_NOTHING}")
    return failed
