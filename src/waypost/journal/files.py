"""The folder of a journal on disk. Files may be gzipped, are written whole or not at all, by one writer at a time.

Links are not followed: a link in place of a journal file or folder is left alone. Bytes that are not UTF-8 survive
reading and writing.
"""

import os
import stat
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, tzinfo
from pathlib import Path

from waypost.config import JournalSettings
from waypost.errors import InvalidInput, NotFound, SecurityError, StoreError
from waypost.journal.bundle import bundles_in, forget_bundle, read_bundle, stamps_in, write_bundle
from waypost.journal.layout import ARCHIVE, DNA, FOLDERS, INDEX, bundle_of, day_path
from waypost.store.journal import FileStamp
from waypost.system.platform import (
    make_private_directory,
    remove_file,
    sync_directory,
    wait_lock,
    write_failure,
    write_private_file,
)

PACKED = ".gz"
MAX_FILE = 32 * 1024 * 1024  # bytes, unpacked; reading takes fourteen times as much memory
_BYTES_CHECKED = 8192  # at the beginning of a file before writing, to see whether it is text
_LARGE = 1024 * 1024  # bytes: a file that is larger when packed stays alone, so that a bundle fits into memory
_FIRST_TIME = 2**32  # nanoseconds: stamps below it are checksums of files in bundles
_MOST_TRIES = 20  # to append to a file that an editor keeps replacing
_LONGEST_SAVE, _LOOKS_EVERY = 1.0, 0.002  # seconds
_depth = threading.local()


class JournalFolder:
    """Reads and writes the journal's files by logical path: relative to the root, with `/`, never ending in `.gz`."""

    def __init__(
        self,
        root: Path,
        lock: Path,
        settings: JournalSettings,
        wait_seconds: float = 60.0,
        part: Callable[[], str] | None = None,
        *,
        bundles: bool = True,
    ) -> None:
        self.root = root
        self.bundles = bundles  # of the archive's months; not in a repository, which could not merge them
        self.settings = settings
        self.lock = lock
        self.wait_seconds = wait_seconds
        self._part = part  # in a repository: distinguishes the files of different branches

    def day_path(self, day: date) -> str:
        """The file for new entries of a day."""
        return day_path(day, "" if self._part is None else self._part())

    # -- time

    @property
    def zone(self) -> tzinfo | None:
        """The zone in which days begin, or None for that of this machine."""
        if not self.settings.timezone:
            return None
        from zoneinfo import ZoneInfo  # needed only if a zone is set

        return ZoneInfo(self.settings.timezone)

    def local(self, at: datetime) -> datetime:
        return at.astimezone(self.zone)

    def today(self, now: datetime) -> date:
        return self.local(now).date()

    # -- reading

    def need_files(self) -> None:
        """Raise NotFound if the files are on another machine."""

    def scan(self, *, archive: bool = True) -> dict[str, FileStamp]:
        """All files of the journal, sorted by path, with or without the archive."""
        stamps: dict[str, FileStamp] = {}
        root = str(self.root)
        for folder in ("", *FOLDERS):
            if folder.startswith(ARCHIVE) and not archive:
                continue
            directory = f"{root}{os.sep}{folder}"  # before every answer: pathlib is slow
            if not _is_plain_folder(directory):
                continue
            with os.scandir(directory) as entries:
                for entry in entries:
                    logical = _logical(folder, entry.name)
                    if logical is None or (not folder and entry.name not in (DNA, INDEX)):
                        continue
                    gzipped = entry.name.endswith(".gz")
                    if gzipped and logical in stamps:  # both exist if packing was interrupted
                        continue
                    try:
                        state = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:  # removed meanwhile
                        continue
                    if stat.S_ISREG(state.st_mode):
                        stamps[logical] = FileStamp(state.st_size, state.st_mtime_ns, gzipped)
        for place in self._bundle_places() if archive else ():
            stamps = stamps_in(place) | stamps  # a file beside its bundle hides what the bundle has
        return dict(sorted(stamps.items()))

    def disk_sizes(self) -> dict[str, int]:
        """Bytes on disk by path. The files of a bundle share its size by their length."""
        stamps = self.scan()
        sizes = {path: stamp.size for path, stamp in stamps.items()}
        for place in self._bundle_places():
            inside = {path: stamp for path, stamp in stamps_in(place).items() if stamps.get(path) == stamp}
            length = sum(stamp.size for stamp in inside.values())
            packed = place.stat().st_size
            sizes |= {path: packed * stamp.size // length if length else 0 for path, stamp in inside.items()}
        return sizes

    def is_packed(self, stamp: FileStamp) -> bool:
        """Whether compressing the file would change nothing."""
        return stamp.gzipped and (not self.bundles or stamp.mtime < _FIRST_TIME or stamp.size > _LARGE)

    def links(self) -> list[str]:
        """Links in place of the journal's folders and files. Nothing in them is read or written."""
        links = [folder for folder in (ARCHIVE, *FOLDERS) if (self.root / folder).is_symlink()]
        for folder in ("", *FOLDERS):
            directory = self.root / folder
            if _is_plain_folder(directory):
                names = [name for name in os.listdir(directory) if folder or name in (DNA, INDEX)]
                pages = [name for name in names if _logical(folder, name) is not None]
                links += [f"{folder}/{name}".lstrip("/") for name in pages if (directory / name).is_symlink()]
        return sorted(links)

    def stamp(self, path: str) -> FileStamp | None:
        for file_path in self._disk_paths(path):
            try:
                state = os.lstat(file_path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            if stat.S_ISREG(state.st_mode):
                return FileStamp(state.st_size, state.st_mtime_ns, file_path.suffix == ".gz")
        bundle = self._bundle_place(path)
        return stamps_in(bundle).get(path) if bundle else None

    def exists(self, path: str) -> bool:
        return self.stamp(path) is not None

    def read(self, path: str) -> str:
        """The file's text, unpacked."""
        for file_path in self._disk_paths(path):
            try:
                content = _bytes_of(file_path)
            except (FileNotFoundError, NotADirectoryError):
                continue
            except OSError as error:
                if file_path.is_symlink():
                    raise _link_error(file_path) from error
                raise StoreError(f"{file_path} cannot be read: {error.strerror}.", "Check its permissions.") from error
            return content.decode("utf-8", "surrogateescape")
        bundle = self._bundle_place(path)
        if bundle and (content_in_bundle := read_bundle(bundle).get(path)) is not None:
            return content_in_bundle.decode("utf-8", "surrogateescape")
        raise NotFound(f"There is no {path} in the journal.", "Run `waypost journal timeline` to list the journal.")

    def read_or_none(self, path: str) -> str | None:
        """The file's text, or None if it does not exist."""
        try:
            return self.read(path)
        except NotFound:
            return None

    def wait_for_save(self, path: str) -> None:
        """Wait up to a second while a file is empty, since editors empty a file before writing it."""
        deadline = time.monotonic() + _LONGEST_SAVE
        while (stamp := self.stamp(path)) is not None and not stamp.size and time.monotonic() < deadline:
            time.sleep(_LOOKS_EVERY)

    # -- writing, inside `locked`

    @contextmanager
    def locked(self, *, wait: bool = True) -> Iterator[None]:
        """Hold the journal's lock, which threads and processes share. The holder may enter it again.

        Raises StoreBusy after too long a wait, or at once without `wait`.
        """
        depths: dict[Path, int] = _depth.__dict__.setdefault("held", {})
        if depths.get(self.lock):
            depths[self.lock] += 1
            try:
                yield
            finally:
                depths[self.lock] -= 1
            return
        with wait_lock(self.lock, self.wait_seconds if wait else 0.0):
            depths[self.lock] = 1
            try:
                yield
            finally:
                depths.pop(self.lock)

    def append(self, path: str, text: str) -> int:
        """Add text at the end of a plain file, after a blank line, with the file's line ends. Return the bytes added.

        The text is on disk when this returns; a partial write is undone. If an editor replaces the file meanwhile, the
        text goes to the new one. A packed file is unpacked first. A file that is not text is refused.
        """
        plain, packed = self._disk_paths(path)
        self._make_folder(plain.parent)
        _unpack_beside(packed, plain)
        self._unbundle(path, plain)
        for _ in range(_MOST_TRIES):
            try:
                if added := self._append_once(plain, text):
                    return added
            except OSError as error:
                if plain.is_symlink():
                    raise _link_error(plain) from error
                raise write_failure(error, plain) from error
        raise StoreError(f"{plain} keeps being replaced.", "Close the editor that holds it, and try again.")

    def replace(self, path: str, text: str, *, expected: str | None) -> bool:
        """Write a file whole or not at all. False if its text is not `expected` (None: it must not exist)."""
        plain, packed = self._disk_paths(path)
        self._make_folder(plain.parent)
        if expected is None:
            return not self.exists(path) and write_private_file(plain, _encode(text), replace=False)
        try:
            if self.read(path) != expected:
                return False
        except NotFound:
            return False
        if plain.exists():
            self._remove_hidden(path)
            return write_private_file(plain, _encode(text), replace=True)
        if packed.exists():
            self._remove_from_bundle(path)
            return write_private_file(packed, pack(_encode(text)), replace=True)
        bundle = self._bundle_place(path)
        assert bundle is not None  # it was read from there
        write_bundle(bundle, read_bundle(bundle) | {path: _encode(text)})
        return True

    def remove(self, path: str) -> None:
        plain, _ = self._disk_paths(path)
        self._remove_hidden(path)  # first: it would come back
        remove_file(plain)

    def compress(self, paths: Iterable[str]) -> None:
        """Put archived files into the bundles of their months, or pack each alone. Safe to repeat."""
        by_bundle: dict[Path, dict[str, bytes]] = {}
        for path in paths:
            plain, packed = self._disk_paths(path)
            bundle = self._bundle_place(path) if self.bundles else None
            if not plain.exists() and (bundle is None or not packed.exists()):
                continue
            content = _bytes_of(plain if plain.exists() else packed)
            alone = pack(content)
            if bundle is not None and len(alone) <= _LARGE:
                by_bundle.setdefault(bundle, {})[path] = content
            else:
                write_private_file(packed, alone, replace=True)
                remove_file(plain)
        for bundle, contents in by_bundle.items():
            write_bundle(bundle, read_bundle(bundle) | contents)
            for path in contents:
                plain, packed = self._disk_paths(path)
                remove_file(packed)
                remove_file(plain)

    def unbundle(self) -> None:
        """Pack the files of all bundles one by one, such as before the journal moves to a repository."""
        for bundle in self._bundle_places():
            for path, content in read_bundle(bundle).items():
                plain, packed = self._disk_paths(path)
                if not plain.exists():
                    self._make_folder(packed.parent)
                    write_private_file(packed, pack(content), replace=False)
            forget_bundle(bundle)
            remove_file(bundle)

    # -- paths on disk

    def _append_once(self, file_path: Path, text: str) -> int:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        handle = os.open(file_path, flags, 0o600)
        try:
            state = os.fstat(handle)
            _check_text(_read_at(handle, 0, _BYTES_CHECKED), file_path)
            addition = _addition(handle, state.st_size, text)
            try:
                _write_all(handle, addition)
            except OSError:
                if os.fstat(handle).st_size - state.st_size <= len(addition):
                    os.ftruncate(handle, state.st_size)
                raise
            os.fsync(handle)
            if not state.st_size:
                sync_directory(file_path.parent)
            try:
                now = os.lstat(file_path)
            except FileNotFoundError:
                return 0
            return len(addition) if (now.st_dev, now.st_ino) == (state.st_dev, state.st_ino) else 0
        finally:
            os.close(handle)

    def _disk_paths(self, path: str) -> tuple[Path, Path]:
        plain = self._disk_path(path)
        return plain, plain.with_name(plain.name + ".gz")

    def _disk_path(self, path: str) -> Path:
        parts = path.split("/")
        if not path.endswith(".md") or any(part in ("", ".", "..") or "\\" in part or "\0" in part for part in parts):
            raise SecurityError(f"{path[:80]!r} is not a journal file.", "Use a path such as daily/2026-01-30.md.")
        for depth in range(len(parts)):
            if (self.root / "/".join(parts[:depth])).is_symlink():
                raise SecurityError(f"{path} leads out of the journal.", "Replace the link with a folder.")
        return self.root / path

    # -- bundles

    def _bundle_places(self) -> list[Path]:
        archive = self.root / ARCHIVE
        return bundles_in(str(archive)) if _is_plain_folder(archive) else []

    def _bundle_place(self, path: str) -> Path | None:
        name = bundle_of(path)
        return self.root / name if name and _is_plain_folder(self.root / ARCHIVE) else None

    def _unbundle(self, path: str, plain: Path) -> None:
        """Move a file out of its bundle before it grows."""
        bundle = self._bundle_place(path)
        if bundle is None or path not in stamps_in(bundle):
            return
        if not plain.exists():
            write_private_file(plain, read_bundle(bundle)[path], replace=False)
        self._remove_from_bundle(path)

    def _remove_hidden(self, path: str) -> None:
        """Remove the packed copies of a file, which a kill may have left beside it."""
        self._remove_from_bundle(path)
        remove_file(self._disk_paths(path)[1])

    def _remove_from_bundle(self, path: str) -> None:
        bundle = self._bundle_place(path)
        if bundle is not None and path in stamps_in(bundle):
            write_bundle(bundle, {name: text for name, text in read_bundle(bundle).items() if name != path})

    def _make_folder(self, folder: Path) -> None:
        if not folder.is_dir():
            make_private_directory(folder)


def _logical(folder: str, name: str) -> str | None:
    if name.startswith(".") or not name.endswith((".md", ".md.gz")):
        return None
    path = f"{folder}/{name}" if folder else name
    return path.removesuffix(".gz")


def _link_error(path: Path) -> StoreError:
    return StoreError(f"{path} is a symlink, which the journal does not follow.", "Replace it with a plain file.")


def _is_plain_folder(path: Path | str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _bytes_of(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode) or state.st_size > MAX_FILE:
            raise InvalidInput(f"{path} is not a plain file of at most {MAX_FILE:,} bytes.", "Move it away.")
        content = file.read() if path.suffix != ".gz" else unpack(file.read(), path)
    _check_text(content, path)
    return content


def _check_text(content: bytes, path: Path) -> None:
    """Raise InvalidInput for a picture or program, which contains zero bytes. A file with entries is read anyway."""
    if b"\0" in content and b"### " not in content:
        raise InvalidInput(f"{path} is not UTF-8 text.", "Move it away, or save it as UTF-8.")


def _unpack_beside(packed: Path, plain: Path) -> None:
    """Unpack a packed file before writing. A new plain file beside it would hide it."""
    if plain.exists() or not packed.is_file():
        return
    write_private_file(plain, _bytes_of(packed), replace=False)
    remove_file(packed)


def unpack(content: bytes, path: Path, limit: int | None = None) -> bytes:
    """The content of a packed file of at most `limit` bytes (by default MAX_FILE). `path` appears in errors."""
    import gzip  # needed only for packed files
    import io
    import zlib

    limit = MAX_FILE if limit is None else limit
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as unpacked:
            unpacked_content = unpacked.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise StoreError(f"{path} is damaged: {error}.", "Restore an older copy of it.") from error
    if len(unpacked_content) > limit:
        raise InvalidInput(f"{path} unpacks to more than {limit:,} bytes.", "Move it away.")
    return unpacked_content


def pack(content: bytes) -> bytes:
    import gzip

    return gzip.compress(content, 9, mtime=0)  # the same bytes for the same text


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _addition(handle: int, size: int, text: str) -> bytes:
    content = _encode(text)
    if not size:
        return content
    start, end = _read_at(handle, 0, 65_536), _read_at(handle, max(0, size - 4), 4)
    if b"\r\n" in start:
        content = content.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        gap = b"" if end.endswith(b"\r\n\r\n") else b"\r\n" if end.endswith(b"\n") else b"\r\n\r\n"
    else:
        gap = b"" if end.endswith(b"\n\n") else b"\n" if end.endswith(b"\n") else b"\n\n"
    return gap + content


def _read_at(handle: int, offset: int, length: int) -> bytes:
    os.lseek(handle, offset, os.SEEK_SET)
    return os.read(handle, length)


def _write_all(handle: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
