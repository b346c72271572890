"""Read one file of a tree safely.

No symbolic link in the path is followed. Pipes and devices never block. A file that changes while it is read is read
again.
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
_TICK_NS = 20_000_000  # file times come from the kernel's clock, which has steps of up to 10 ms
_COARSE_TICK_NS = 2_000_000_000  # some file systems keep only one or two seconds
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
    """A file's text with `\\n` line ends.

    Line numbers are those of an editor: `\\n`, `\\r\\n` and a lone `\\r` end a line; form feeds and Unicode separators do not.
    """

    text: str
    raw_hash: str  # SHA-256 of the bytes on disk, in hex
    size: int
    mtime_ns: int
    encoding: str
    line_count: int
    settled: bool  # False: so recent that another write could leave size and time unchanged


@dataclass(frozen=True, slots=True)
class Unread:
    reason: str
    missing: bool = False  # the file is gone


def read_source(root: Path, path: str, *, limit: int | None = None, named: bool = False) -> FileText | Unread:
    """Read the file at `path` below `root` and check its content.

    `limit` replaces the size limit of its kind of file. `named`: the user asked for this file, so it is read even if
    it is generated or minified.
    """
    reason = unsafe_name(path)
    if reason is not None:
        return Unread(reason)
    content = read_bytes(root, path, size_limit(path) if limit is None else limit)
    if isinstance(content, Unread):
        return content
    raw, state = content
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
    """The bytes and the state of a regular file below `root`, from one moment; or the reason why not."""
    try:
        handle = _open_inside(root, path)
    except (FileNotFoundError, NotADirectoryError):
        return Unread("it is gone", missing=True)
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
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
    """Open a regular file without following links. None for a link or anything else."""
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
            return None  # before opening, which may affect devices and database locks
        return _regular(os.open(names[-1], _FILE_FLAGS, dir_fd=folder))
    finally:
        os.close(folder)


def _open_resolved(root: Path, path: str) -> int | None:
    """The same on Windows, where folders have no handles: the path must already be resolved."""
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
