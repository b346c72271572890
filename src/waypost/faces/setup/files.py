"""Reading and writing files that belong to other programs: looked at first, written whole or not at all, put back."""

import contextlib
import os
import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from waypost.errors import InvalidInput, Refused, SecurityError, StoreReadOnly, WaypostError
from waypost.faces.setup.places import Scope
from waypost.space.platform import is_alive, place_file, read_small_file, sync_directory, write_failure

LARGEST_FILE = 64 << 20  # bytes: some agents keep their history beside their settings
_MODES: dict[Scope, int] = {"user": 0o600, "project": 0o644}
_NOTHING = "Nothing was changed."


@dataclass(frozen=True, slots=True)
class FileLook:
    """A file as it stands: `real` is where links lead. `raw` is None where there is none."""

    path: Path
    real: Path
    raw: bytes | None
    text: str
    mode: int

    @property
    def linked(self) -> bool:
        return self.path.is_symlink() or self.path.parent.is_symlink()


def look(path: Path, scope: Scope, project: Path) -> FileLook:
    """Read a file that is to be changed. Raises Refused where it cannot be read or must not be written.

    A link that a person has made for themselves is followed. In a project, which may come from somebody else, it must
    not lead out: SecurityError.
    """
    real = Path(os.path.realpath(path))
    if scope == "project" and not real.is_relative_to(os.path.realpath(project)):
        raise SecurityError(f"{path} is a link that leads out of the project, to {real}.", f"Remove it. {_NOTHING}")
    if not os.path.lexists(real):
        if os.path.lexists(path) and not real.parent.is_dir():
            raise Refused(f"{path} is a link to {real}, which is not there.", f"Repair or remove it. {_NOTHING}")
        _check_folder(real)
        return FileLook(path, real, None, "", _MODES[scope])
    raw = _read(real)
    mode = stat.S_IMODE(real.stat().st_mode)
    if not mode & 0o222 or not os.access(real, os.W_OK):
        raise Refused(f"{real} is read-only.", f"Make it writable (`chmod u+w`), or leave it be. {_NOTHING}")
    return FileLook(path, real, raw, _decoded(real, raw), mode)


def missing_folders(real: Path) -> list[Path]:
    """What has to be made before the file can be; the outer ones first."""
    return [folder for folder in reversed(real.parents) if not folder.exists()]


def remove_empty(folders: Iterable[Path]) -> None:
    """Remove those of the folders that hold nothing, the inner ones first."""
    for folder in sorted(set(folders), key=lambda one: len(one.parts), reverse=True):
        with contextlib.suppress(OSError):  # not empty, or gone
            folder.rmdir()


def _read(real: Path) -> bytes:
    try:
        return read_small_file(real, LARGEST_FILE)
    except OSError as error:
        raise Refused(f"{real} cannot be read: {error.strerror}.", f"Let this user read it. {_NOTHING}") from error
    except InvalidInput as error:
        raise Refused(f"{real} is not a plain file of a usual size.", f"Look what it is. {_NOTHING}") from error


def _decoded(real: Path, raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise Refused(f"{real} is not UTF-8 (line {line}).", f"Save it as UTF-8. {_NOTHING}") from error


def _check_folder(real: Path) -> None:
    there = next(folder for folder in real.parents if folder.exists())
    if not there.is_dir():
        raise Refused(f"{there} is a file where a folder is expected.", f"Move it away. {_NOTHING}")
    if not os.access(there, os.W_OK):
        raise Refused(f"{there} is read-only.", f"Let this user write into it. {_NOTHING}")


@dataclass(slots=True)
class FileTransaction:
    """Changes to several files: either all of them are made, or `undo` makes them unmade."""

    _done: list[tuple[FileLook, bool]] = field(default_factory=list)
    folders: dict[Path, list[Path]] = field(default_factory=dict)  # made for a file, the outer ones first

    def write(self, found: FileLook, content: bytes) -> None:
        """Let the file have this content. Raises Refused when somebody has changed it since it was looked at."""
        self._make_folders(found.real)
        self._done.append((found, False))
        _replace(found, content)
        self._done[-1] = (found, True)

    def remove(self, found: FileLook) -> None:
        """Delete the file."""
        _check_unchanged(found)
        try:
            found.real.unlink(missing_ok=True)
        except OSError as error:
            raise _failure(error, found.real) from error
        self._done.append((found, True))

    def undo(self) -> None:
        for found, changed in reversed(self._done):
            if not changed:
                continue
            with contextlib.suppress(WaypostError, OSError):
                if found.raw is None:
                    found.real.unlink(missing_ok=True)
                else:
                    found.real.parent.mkdir(parents=True, exist_ok=True)
                    _place(found.real, found.raw, found.mode)
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


def _replace(found: FileLook, content: bytes) -> None:
    _check_unchanged(found)
    try:
        _place(found.real, content, found.mode)
    except OSError as error:
        raise _failure(error, found.real) from error


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
    """Remove what a killed set-up has left beside the file."""
    ours = re.compile(rf"\.{re.escape(real.name)}\.waypost-(\d{{1,9}})-[0-9a-f]{{8}}\.tmp")
    for path in real.parent.iterdir():
        found = ours.fullmatch(path.name)
        if found and not is_alive(int(found[1])):
            path.unlink(missing_ok=True)


def _check_unchanged(found: FileLook) -> None:
    """Agents write their files too: what was read must be what is replaced."""
    try:
        now = read_small_file(found.real, LARGEST_FILE)
    except FileNotFoundError:
        now = None
    except (OSError, InvalidInput) as error:
        raise Refused(f"{found.real} was changed at the same moment.", "Try again.") from error
    if now != found.raw:
        raise Refused(f"{found.real} was changed at the same moment.", "Close the agent, and try again.")


def _failure(error: OSError, path: Path) -> WaypostError:
    failed = write_failure(error, path)
    if isinstance(failed, StoreReadOnly):
        return StoreReadOnly(failed.what, f"Make it writable for this user. {_NOTHING}")
    return failed
