"""Read one file of a tree, whole and unchanged, and nothing but that file.

No link is followed, in no part of the path: what a tree holds is what lies in it. Pipes and devices are not opened for
waiting. A file that changes while it is read is read again.
"""

import hashlib
import os
import stat
import time
from dataclasses import dataclass
from pathlib import Path

from waypost.code.files.content import magic_reason, written_by_machine
from waypost.code.files.decoding import decode
from waypost.code.files.skip import size_limit, too_large, unsafe_name
from waypost.store.open_databases import is_open_database

_ATTEMPTS = 3
_TICK_NS = 20_000_000  # file systems stamp with the kernel's clock, which goes in steps of up to 10 ms
_COARSE_TICK_NS = 2_000_000_000  # some keep whole seconds only, or every second one
_FILE_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_BINARY", 0)
)
_FOLDER_FLAGS = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
_BY_HANDLE = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")


@dataclass(frozen=True, slots=True)
class FileText:
    """A file's text. Its line ends are all `\\n`: lines are what editors count (`\\n`, `\\r\\n` and a lone `\\r` end one,
    form feeds and Unicode's separators do not), so line numbers are those of the file on disk."""

    text: str
    raw_hash: str  # SHA-256 of the bytes on disk, in hex digits
    size: int
    mtime_ns: int
    encoding: str
    line_count: int
    settled: bool  # False: written so recently that a later write could leave size and time as they are


@dataclass(frozen=True, slots=True)
class Unread:
    reason: str
    missing: bool = False  # the file is gone


def read_source(root: Path, path: str, *, limit: int | None = None, named: bool = False) -> FileText | Unread:
    """Read the file at `path` below `root`, and check what only its contents tell.

    `limit` replaces the size that its kind of file may have. `named`: the user asked for this very file, so that it is
    read although it is generated or minified.
    """
    reason = unsafe_name(path)
    if reason is not None:
        return Unread(reason)
    found = read_bytes(root, path, size_limit(path) if limit is None else limit)
    if isinstance(found, Unread):
        return found
    raw, state = found
    binary = magic_reason(raw)
    if binary is not None:
        return Unread(binary)
    decoded = decode(raw)
    if decoded is None:
        return Unread("binary")
    text = decoded.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not named:
        reason = written_by_machine(path, text)
        if reason is not None:
            return Unread(reason)
    return FileText(
        text=text,
        raw_hash=hashlib.sha256(raw).hexdigest(),
        size=len(raw),
        mtime_ns=state.st_mtime_ns,
        encoding=decoded.encoding,
        line_count=text.count("\n") + (not text.endswith("\n") and text != ""),
        settled=_is_settled(state.st_mtime_ns),
    )


def _is_settled(mtime_ns: int) -> bool:
    tick = _TICK_NS if mtime_ns % 1_000_000_000 else _COARSE_TICK_NS
    return abs(time.time_ns() - mtime_ns) > tick


def read_bytes(root: Path, path: str, limit: int) -> tuple[bytes, os.stat_result] | Unread:
    """The bytes of a regular file below `root` and its state, both of one moment; or why not."""
    try:
        handle = _open_inside(root, path)
    except (FileNotFoundError, NotADirectoryError):
        return Unread("it is gone", missing=True)
    except (OSError, ValueError) as error:  # ValueError: a zero inside the name
        return Unread(_why(error))
    if handle is None:
        return Unread("a symbolic link is on its path, or it is no regular file")
    try:
        return _read_whole(handle, path, limit)
    except OSError as error:
        return Unread(_why(error))
    finally:
        os.close(handle)


def _why(error: OSError | ValueError) -> str:
    return f"cannot be read: {getattr(error, 'strerror', None) or error}"


def _read_whole(handle: int, path: str, limit: int) -> tuple[bytes, os.stat_result] | Unread:
    for _ in range(_ATTEMPTS):
        before = os.fstat(handle)
        if before.st_size > limit:
            large = too_large(path, before.st_size)
            return Unread(large.reason if large else f"too large: {before.st_size:,} bytes, more than {limit:,}")
        os.lseek(handle, 0, os.SEEK_SET)
        raw = _read_up_to(handle, before.st_size + 1)
        after = os.fstat(handle)
        if len(raw) == before.st_size == after.st_size and before.st_mtime_ns == after.st_mtime_ns:
            return raw, after
    return Unread("it kept changing while it was read")


def _read_up_to(handle: int, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0:
        part = os.read(handle, size)
        if not part:
            break
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def _open_inside(root: Path, path: str) -> int | None:
    """A handle of the regular file, reached without following any link; None when there is one, or another thing."""
    names = path.split("/")
    if any(name in {"", ".", ".."} for name in names):
        raise ValueError("a path below the root is expected")
    if not _BY_HANDLE:
        return _open_resolved(root, path)
    folder = os.open(root, _FOLDER_FLAGS)
    try:
        for name in names[:-1]:
            if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                return None
            inner = os.open(name, _FOLDER_FLAGS | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = inner
        state = os.stat(names[-1], dir_fd=folder, follow_symlinks=False)
        if not stat.S_ISREG(state.st_mode) or is_open_database(state):
            return None  # asked before opening: that may already do something to a device, and to locks on a database
        return _regular(os.open(names[-1], _FILE_FLAGS, dir_fd=folder))
    finally:
        os.close(folder)


def _open_resolved(root: Path, path: str) -> int | None:
    """The same where folders have no handles (Windows): the path must be its own true spelling."""
    whole = root.resolve() / path
    if os.path.normcase(whole.resolve(strict=True)) != os.path.normcase(whole) or not whole.is_file():
        return None
    if is_open_database(whole.stat()):
        return None
    return _regular(os.open(whole, _FILE_FLAGS))


def _regular(handle: int) -> int | None:
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return handle
    os.close(handle)
    return None
