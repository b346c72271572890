"""The directory of a space, and the checks that no path leads outside a space or a checkout."""

import os
import posixpath
import re
import stat
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from waypost.config import Settings
from waypost.errors import ForeignFile, InvalidInput, NotFound, SecurityError
from waypost.space.identity import SPACE_ID, Identity
from waypost.space.metadata import METADATA_FILE, Metadata, read_metadata, write_metadata
from waypost.system.platform import make_private_directory

DATABASE_FILE = "memory.db"
LONGEST_PATH = 4096
LONGEST_COMPONENT_BYTES = 255
_OWN_FILES = (DATABASE_FILE, f"{DATABASE_FILE}-wal", f"{DATABASE_FILE}-shm", METADATA_FILE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_WINDOWS_ABSOLUTE = re.compile(r"[A-Za-z]:[\\/]|\\\\")


def marker_file(settings: Settings) -> str:
    """The file whose presence shows that a space has memories on this machine."""
    return METADATA_FILE if settings.store else DATABASE_FILE


def check_claimed_id(identity: Identity, claimed: str) -> None:
    """Raise SecurityError if a caller names a space other than that of its directory."""
    if claimed != identity.space_id:
        raise SecurityError(
            f"This directory's memory is {identity.space_id}, not {claimed[:40]!r}.",
            "Omit the id: it is computed from the directory.",
        )


def space_directory(memory_root: Path, space_id: str) -> Path:
    """The directory of a space, checked but not created.

    Raises SecurityError for an invalid id. Also raises it if the directory, or one of Waypost's files in it, is a link
    or of another type: data could be read from or written to somewhere else.
    """
    if not SPACE_ID.fullmatch(space_id):
        raise SecurityError(f"{space_id[:40]!r} is not the id of a memory.", "An id has 16 digits 0-9, a-f.")
    try:
        directory = memory_root.resolve() / space_id
        _check_type(directory, stat.S_ISDIR, "directory")
        for name in _OWN_FILES:
            _check_type(directory / name, stat.S_ISREG, "plain file")
    except (ValueError, RuntimeError) as error:  # NUL in the path; a loop of symlinks
        raise SecurityError(f"{str(memory_root)!r} cannot hold memories: {error}.", "Check WAYPOST_HOME.") from error
    return directory


def open_space(
    memory_root: Path,
    identity: Identity,
    *,
    clock: Callable[[], datetime],
    model: str = "",
    schema_version: int = 0,
) -> Path:
    """The directory of this identity's space, accessible only to its owner. A new one gets its metadata.

    An existing file is never overwritten. One that cannot be read as metadata raises ForeignFile.
    """
    directory = space_directory(memory_root, identity.space_id)
    make_private_directory(directory.parent)
    make_private_directory(directory)
    try:
        metadata = read_metadata(directory)
    except NotFound:
        fresh = Metadata(identity.name, identity.kind, identity.source, identity.origin, clock(), model, schema_version)
        write_metadata(directory, fresh, replace=False)
        metadata = read_metadata(directory)
    if metadata.kind != identity.kind:
        raise ForeignFile(
            f"{directory} has the memory of a {metadata.kind}, not of a {identity.kind}.",
            "Move that directory away.",
        )
    return directory


def safe_relative_path(root: Path, path: str) -> str:
    """The path of a file in the checkout at `root`, relative and with `/`. The file need not exist.

    Raises SecurityError if it leads outside, by `..`, a symlink or an absolute path. Raises SecurityError also for
    control characters and overlong paths, and InvalidInput if it is empty or not text.
    """
    if not isinstance(path, str) or not path.strip():
        _check_spelling(path)
    inside = root.resolve()
    relative = _relative(root, inside, path)
    _check_spelling(relative)  # the root itself may have any name
    normal = os.path.normpath(inside / relative)
    try:
        # With a symlink before `..`, the path and its normalised form are different places.
        targets = ((inside / path).resolve(), Path(normal).resolve())
    except (OSError, RuntimeError) as error:
        raise SecurityError(f"{path[:200]!r} leads nowhere.", "Check its symlinks.") from error
    if not all(target.is_relative_to(inside) for target in (*targets, Path(normal))):
        raise _outside(path)
    return Path(normal).relative_to(inside).as_posix()


def plain_relative_path(path: str) -> str:
    """The normalised path of a file in a checkout on another machine, where symlinks cannot be checked.

    Raises SecurityError if it leads outside, is absolute, has control characters or is too long. Raises InvalidInput
    if it is empty or not text.
    """
    _check_spelling(path)
    normal = posixpath.normpath(path)
    if posixpath.isabs(path) or os.path.isabs(path) or normal == ".." or normal.startswith("../"):
        raise _outside(path)
    return normal


def _relative(root: Path, inside: Path, path: str) -> str:
    """The path relative to the root. The root may be resolved or not; relative paths are returned unchanged."""
    if not os.path.isabs(path):
        return path
    normal = Path(os.path.normpath(path))
    for base in (inside, Path(os.path.abspath(root))):
        if normal.is_relative_to(base):
            return str(normal.relative_to(base))
    raise _outside(path)


def _check_spelling(path: str) -> None:
    if not path.strip():
        raise InvalidInput("A path is empty.", "Name a file of the project.")
    try:
        path.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InvalidInput(f"{path[:200]!r} is not text.", "Paths must be valid Unicode.") from error
    if _CONTROL.search(path):
        raise SecurityError(f"{path[:200]!r} has control characters.", "Name a file of the project.")
    components = re.split(r"[/\\]", path)
    if len(path) > LONGEST_PATH or any(len(part.encode()) > LONGEST_COMPONENT_BYTES for part in components):
        raise SecurityError(f"The path {path[:40]!r}… is too long.", "Name a file of the project.")
    if os.name != "nt" and (_WINDOWS_ABSOLUTE.match(path) or ("\\" in path and ".." in components)):
        raise _outside(path)  # a harmless file name here, but not if an export is read on Windows


def _outside(path: str) -> SecurityError:
    return SecurityError(f"{path[:200]!r} is outside the project.", "Name a file inside it.")


def _check_type(path: Path, expected: Callable[[int], bool], noun: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    except OSError as error:
        raise SecurityError(f"{path} cannot be examined: {error.strerror}.", "Check its permissions.") from error
    if not expected(mode):
        actual = "a symlink" if stat.S_ISLNK(mode) else "something else"
        raise SecurityError(f"{path} is {actual}, not a {noun}.", "Move it away: it is not Waypost's.")
