"""The folder of a journal on disk: read with or without gzip, written whole or not at all, one writer at a time.

Nothing is followed out of the folder: a link where a file or folder of the journal should be is left alone. Bytes that
are no UTF-8 survive reading and writing.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from pathlib import Path

from waypost.config import JournalSettings
from waypost.errors import InvalidInput, NotFound, SecurityError, StoreError
from waypost.journal.layout import ARCHIVE, DNA, FOLDERS, INDEX, day_path
from waypost.space.platform import (
    make_private_directory,
    sync_directory,
    wait_lock,
    write_failure,
    write_private_file,
)

PACKED = ".gz"
MAX_FILE = (
    32 * 1024 * 1024
)  # bytes of a file, unpacked: reading it takes fourteen times as much; a larger one is no journal
_LOOKED_AT = 8192  # bytes at the beginning of a file that is written to, to tell whether it is text
_MOST_TRIES = 20  # to append to a file that an editor keeps replacing
_LONGEST_SAVE, _LOOKS_EVERY = 1.0, 0.002  # seconds
_depth = threading.local()


@dataclass(frozen=True, slots=True)
class FileStamp:
    """By which one can tell that a file has not changed."""

    size: int
    mtime: int  # in nanoseconds
    gzipped: bool = False


class JournalFolder:
    """Logical paths are relative to the root, with `/`, and never end in `.gz`."""

    def __init__(
        self,
        root: Path,
        lock: Path,
        settings: JournalSettings,
        wait_seconds: float = 60.0,
        part: Callable[[], str] | None = None,
    ) -> None:
        self.root = root
        self.settings = settings
        self.lock = lock
        self.wait_seconds = wait_seconds
        self._part = part  # in a repository: what tells the files apart that different branches write

    def day_path(self, day: date) -> str:
        """The file that new entries of a day are written to."""
        return day_path(day, "" if self._part is None else self._part())

    # -- time

    @property
    def zone(self) -> tzinfo | None:
        """By which days begin; None: that of this machine."""
        if not self.settings.timezone:
            return None
        from zoneinfo import ZoneInfo  # only where one is named

        return ZoneInfo(self.settings.timezone)

    def local(self, at: datetime) -> datetime:
        return at.astimezone(self.zone)

    def today(self, now: datetime) -> date:
        return self.local(now).date()

    # -- reading

    def need_files(self) -> None:
        """Raises NotFound where they are on another machine."""

    def scan(self, *, archive: bool = True) -> dict[str, FileStamp]:
        """Every file of the journal, in the order of the paths; with or without those of the archive."""
        found: dict[str, FileStamp] = {}
        for folder in ("", *FOLDERS):
            if folder.startswith(ARCHIVE) and not archive:
                continue
            if not _is_plain_folder(self.root / folder):
                continue
            with os.scandir(self.root / folder) as entries:
                for entry in entries:
                    logical = _logical(folder, entry.name)
                    if logical is None or (not folder and entry.name not in (DNA, INDEX)):
                        continue
                    gzipped = entry.name.endswith(".gz")
                    if gzipped and logical in found:  # a kill while it was packed left both
                        continue
                    try:
                        state = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # it went while we looked
                        continue
                    if stat.S_ISREG(state.st_mode):
                        found[logical] = FileStamp(state.st_size, state.st_mtime_ns, gzipped)
        return dict(sorted(found.items()))

    def links(self) -> list[str]:
        """Folders and files that are links in the place of the journal's own. They are not followed, so nothing in them is
        read or written."""
        found = [folder for folder in (ARCHIVE, *FOLDERS) if (self.root / folder).is_symlink()]
        for folder in ("", *FOLDERS):
            place = self.root / folder
            if _is_plain_folder(place):
                names = [name for name in os.listdir(place) if folder or name in (DNA, INDEX)]
                found += [f"{folder}/{name}".lstrip("/") for name in names if _is_linked_page(place, folder, name)]
        return sorted(found)

    def stamp(self, path: str) -> FileStamp | None:
        for place in self._places(path):
            try:
                state = os.lstat(place)
            except (FileNotFoundError, NotADirectoryError):
                continue
            if stat.S_ISREG(state.st_mode):
                return FileStamp(state.st_size, state.st_mtime_ns, place.suffix == ".gz")
        return None

    def exists(self, path: str) -> bool:
        return self.stamp(path) is not None

    def read(self, path: str) -> str:
        """What the file says, unpacked."""
        for place in self._places(path):
            try:
                content = _bytes_of(place)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                if place.is_symlink():
                    raise _linked(place) from error
                raise StoreError(f"{place} cannot be read: {error.strerror}.", "Check its permissions.") from error
            return content.decode("utf-8", "surrogateescape")
        raise NotFound(f"There is no {path} in the journal.", "`waypost journal timeline` shows what there is.")

    def wait_for_save(self, path: str) -> None:
        """An editor empties a file before it writes it: give it the time to. One that stays empty is meant to be."""
        given_up = time.monotonic() + _LONGEST_SAVE
        while (stamp := self.stamp(path)) is not None and not stamp.size and time.monotonic() < given_up:
            time.sleep(_LOOKS_EVERY)

    # -- writing, inside `locked`

    @contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[None]:
        """One writer at a time, among threads and processes. May be entered again by who has it. Too long a wait for another,
        or without `wait` any, raises StoreBusy."""
        held: dict[Path, int] = _depth.__dict__.setdefault("held", {})
        if held.get(self.lock):
            held[self.lock] += 1
            try:
                yield
            finally:
                held[self.lock] -= 1
            return
        with wait_lock(self.lock, self.wait_seconds if wait else 0.0):
            held[self.lock] = 1
            try:
                yield
            finally:
                held.pop(self.lock)

    def append(self, path: str, text: str) -> int:
        """Add text at the end of a plain file, after a blank line, in the line ends of the file; on disk when this returns.
        Returns how many bytes were added.

        A write that fails half-way is taken back. An editor may put another file into the place of the one we write to:
        then it is written to the new one. A packed file is unpacked first. What is no text is not written to.
        """
        place, packed = self._places(path)
        self._make_folder(place.parent)
        _unpack_beside(packed, place)
        for _ in range(_MOST_TRIES):
            try:
                if added := self._append_once(place, text):
                    return added
            except OSError as error:
                if place.is_symlink():
                    raise _linked(place) from error
                raise write_failure(error, place) from error
        raise StoreError(f"{place} is replaced again and again.", "Close the editor that holds it, and try again.")

    def replace(self, path: str, text: str, *, expected: str | None) -> bool:
        """Write a file whole or not at all. No: it does not say any more what was expected (None: it was not to be there)."""
        place, packed = self._places(path)
        self._make_folder(place.parent)
        if expected is None:
            return not self.exists(path) and write_private_file(place, _encoded(text), replace=False)
        try:
            if self.read(path) != expected:
                return False
        except NotFound:
            return False
        if place.exists():
            return write_private_file(place, _encoded(text), replace=True)
        return write_private_file(packed, pack(_encoded(text)), replace=True)

    def remove(self, path: str) -> None:
        for place in self._places(path):
            try:
                place.unlink(missing_ok=True)
                if place.parent.is_dir():
                    sync_directory(place.parent)
            except OSError as error:
                raise write_failure(error, place) from error

    def compress(self, path: str) -> None:
        """Put the packed file beside the plain one, and then take that away. Harmless when it was done before."""
        plain, packed = self._places(path)
        if not plain.exists():
            return
        write_private_file(packed, pack(_bytes_of(plain)), replace=True)
        plain.unlink()
        sync_directory(plain.parent)

    # -- places

    def _append_once(self, place: Path, text: str) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(place, flags, 0o600)
        try:
            state = os.fstat(handle)
            _check_text(_read_at(handle, 0, _LOOKED_AT), place)
            addition = _joined(handle, state.st_size, text)
            try:
                _write_all(handle, addition)
            except OSError:
                if os.fstat(handle).st_size - state.st_size <= len(addition):
                    os.ftruncate(handle, state.st_size)
                raise
            os.fsync(handle)
            if not state.st_size:
                sync_directory(place.parent)
            try:
                now = os.lstat(place)
            except FileNotFoundError:
                return 0
            return len(addition) if (now.st_dev, now.st_ino) == (state.st_dev, state.st_ino) else 0
        finally:
            os.close(handle)

    def _places(self, path: str) -> tuple[Path, Path]:
        place = self._place(path)
        return place, place.with_name(place.name + ".gz")

    def _place(self, path: str) -> Path:
        parts = path.split("/")
        if not path.endswith(".md") or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
            raise SecurityError(f"{path[:80]!r} is no file of the journal.", "Name one such as daily/2026-01-30.md.")
        for depth in range(len(parts)):
            if (self.root / "/".join(parts[:depth])).is_symlink():
                raise SecurityError(f"{path} leads out of the journal.", "Put a folder in the place of the link.")
        return self.root / path

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            make_private_directory(folder)


def _logical(folder: str, name: str) -> str | None:
    if name.startswith(".") or not name.endswith((".md", ".md.gz")):
        return None
    path = f"{folder}/{name}" if folder else name
    return path.removesuffix(".gz")


def _is_linked_page(place: Path, folder: str, name: str) -> bool:
    return _logical(folder, name) is not None and (place / name).is_symlink()


def _linked(place: Path) -> StoreError:
    return StoreError(f"{place} is a symlink, which the journal does not follow.", "Put a plain file in its place.")


def _is_plain_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _bytes_of(place: Path) -> bytes:
    handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode) or state.st_size > MAX_FILE:
            raise InvalidInput(f"{place} is not a plain file of at most {MAX_FILE:,} bytes.", "Move it away.")
        content = file.read() if place.suffix != ".gz" else unpack(file.read(), place)
    _check_text(content, place)
    return content


def _check_text(content: bytes, place: Path) -> None:
    """A picture or a program holds zero bytes, an entry never does. Where entries stand nevertheless, they are read."""
    if b"\0" in content and b"### " not in content:
        raise InvalidInput(f"{place} is no text in UTF-8.", "Move it away, or save it as UTF-8.")


def _unpack_beside(packed: Path, plain: Path) -> None:
    """Somebody has packed a file that is written to: were a plain one begun beside it, it would not be read any more."""
    if plain.exists() or not packed.is_file():
        return
    write_private_file(plain, _bytes_of(packed), replace=False)
    packed.unlink()
    sync_directory(plain.parent)


def unpack(content: bytes, place: Path, most: int | None = None) -> bytes:
    """What a packed file holds, at most so many bytes, or those of a file of the journal; `place` is told if it cannot be known."""
    import gzip  # only where something is packed
    import io
    import zlib

    most = MAX_FILE if most is None else most
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
            found = unpacked.read(most + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StoreError(f"{place} is damaged: {error}.", "Put an older copy of it in its place.") from error
    if len(found) > most:
        raise InvalidInput(f"{place} unpacks to more than {most:,} bytes.", "Move it away.")
    return found


def pack(content: bytes) -> bytes:
    import gzip

    return gzip.compress(content, 9, mtime=0)  # the same bytes for the same words


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _joined(handle: int, size: int, text: str) -> bytes:
    """The text as it is to follow what is there: after a blank line, with the line ends that the file has."""
    addition = _encoded(text)
    if not size:
        return addition
    start, end = _read_at(handle, 0, 65_536), _read_at(handle, max(0, size - 4), 4)
    if b"\r\n" in start:
        addition = addition.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        gap = b"" if end.endswith(b"\r\n\r\n") else b"\r\n" if end.endswith(b"\n") else b"\r\n\r\n"
    else:
        gap = b"" if end.endswith(b"\n\n") else b"\n" if end.endswith(b"\n") else b"\n\n"
    return gap + addition


def _read_at(handle: int, offset: int, length: int) -> bytes:
    os.lseek(handle, offset, os.SEEK_SET)
    return os.read(handle, length)


def _write_all(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]
