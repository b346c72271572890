"""Files in one compressed file: the originals of a month in `archive/2026-01.tar.bz2`, and copies of the index page.

Conversations of a month repeat each other's words, so together they take about half of what each takes alone. It is a
plain tar: `tar xjf archive/2026-01.tar.bz2` in the journal's folder gives the files back, byte for byte.

Its first part is compressed alone and lists the files, so that listing a bundle does not unpack it.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from waypost.errors import InvalidInput, StoreError
from waypost.journal import layout
from waypost.store.journal import FileStamp
from waypost.system.platform import remove_file, write_private_file

if TYPE_CHECKING:
    import tarfile

CONTENTS = "CONTENTS"
MAX_BUNDLE = 1024 * 1024 * 1024  # bytes, unpacked: a month of files of the largest size that is read
_MOST_CONTENTS = 64 * 1024  # bytes of a compressed list; one of a month takes about 500


class _State(NamedTuple):
    """What changes when a bundle is written again."""

    inode: int
    size: int
    mtime: int


_listed: dict[str, tuple[_State, dict[str, FileStamp]]] = {}  # by the bundle's place
_last_read: dict[str, tuple[_State, dict[str, bytes]]] = {}  # of one bundle: files are read month by month


def bundles_in(archive: str) -> list[Path]:
    """The bundles of the archive's folder."""
    try:
        names = sorted(os.listdir(archive))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [Path(archive, name) for name in names if layout.month_of_bundle(name) is not None]


def stamps_in(place: Path) -> dict[str, FileStamp]:
    """The files of a bundle, by path.

    A file has no time of its own there: its stamp has the checksum of its content instead. Of a bundle that cannot be
    read, every file that its month could have counts as there: nothing was removed, and reading it says what is wrong.
    """
    state = _state_of(place)
    if state is None:
        return {}
    listed = _listed.get(str(place))
    if listed is None or listed[0] != state:
        try:
            listed = (state, _stamps(place))
        except (StoreError, InvalidInput, OSError, ValueError, EOFError):
            month = layout.month_of_bundle(place.name)
            assert month is not None
            listed = (state, {path: FileStamp(0, 0, True) for path in layout.archived_paths(month)})
        _listed[str(place)] = listed
    return listed[1]


def read_bundle(place: Path) -> dict[str, bytes]:
    """The files of a bundle with their contents. Empty if there is no bundle."""
    state = _state_of(place)
    if state is None:
        return {}
    last = _last_read.get(str(place))
    if last is None or last[0] != state:
        last = (state, _unpack(_bytes_of(place), place))
        _last_read.clear()
        _last_read[str(place)] = last
    return dict(last[1])


def write_bundle(place: Path, files: Mapping[str, bytes]) -> None:
    """Write these files in place of those in the bundle. Without files, there is no bundle."""
    forget_bundle(place)
    if files:
        write_private_file(place, pack_bundle(files), replace=True)
    else:
        remove_file(place)


def forget_bundle(place: Path) -> None:
    """Keep nothing of a bundle in memory that is about to be written again."""
    _last_read.pop(str(place), None)
    _listed.pop(str(place), None)


def pack_bundle(files: Mapping[str, bytes]) -> bytes:
    """The same bytes for the same files."""
    import bz2  # this and the next are needed only for bundles
    import io
    import tarfile
    import zlib

    lines = [f"{len(content)} {zlib.crc32(content)} {path}\n" for path, content in sorted(files.items())]
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.GNU_FORMAT) as bundle:
        _add(bundle, CONTENTS, "".join(lines).encode())
        first = plain.tell()
        for path, content in sorted(files.items()):
            _add(bundle, path, content)
    whole = plain.getvalue()
    return bz2.compress(whole[:first], 9) + bz2.compress(whole[first:], 9)


def _add(bundle: "tarfile.TarFile", path: str, content: bytes) -> None:
    import io
    import tarfile

    entry = tarfile.TarInfo(path)
    entry.size, entry.mode = len(content), 0o600
    bundle.addfile(entry, io.BytesIO(content))


def _unpack(content: bytes, place: Path) -> dict[str, bytes]:
    """The files of the journal in a tar that Waypost or a person made."""
    import bz2
    import io
    import tarfile

    try:
        with bz2.BZ2File(io.BytesIO(content)) as packed:
            plain = packed.read(MAX_BUNDLE + 1)
        if len(plain) > MAX_BUNDLE:
            raise InvalidInput(f"{place} unpacks to more than {MAX_BUNDLE:,} bytes.", "Move it away.")
        files: dict[str, bytes] = {}
        with tarfile.open(fileobj=io.BytesIO(plain), mode="r:") as bundle:
            for entry in bundle:
                path = entry.name.removeprefix("./")
                file = bundle.extractfile(entry) if layout.bundle_of(path) == _name_of(place) else None
                if file is not None:
                    files[path] = file.read()
    except (OSError, EOFError, ValueError, tarfile.TarError) as error:
        raise StoreError(f"{place} is damaged: {error}.", "Restore an older copy of it.") from error
    return files


def _stamps(place: Path) -> dict[str, FileStamp]:
    contents = _contents(place)
    if contents is None:  # packed by a person
        import zlib

        return {path: FileStamp(len(text), zlib.crc32(text), True) for path, text in read_bundle(place).items()}
    stamps = {}
    for line in contents.splitlines():
        size, checksum, path = line.split(" ", 2)
        if layout.bundle_of(path) == _name_of(place):
            stamps[path] = FileStamp(int(size), int(checksum), True)
    return stamps


def _contents(place: Path) -> str | None:
    """The list that is the first part of a bundle by Waypost."""
    import bz2
    import tarfile

    part = bz2.BZ2Decompressor()
    plain = part.decompress(_bytes_of(place, _MOST_CONTENTS), 100 * _MOST_CONTENTS)
    if not part.eof:
        return None
    entry = tarfile.TarInfo.frombuf(plain[: tarfile.BLOCKSIZE], "utf-8", "strict")
    text = plain[tarfile.BLOCKSIZE : tarfile.BLOCKSIZE + entry.size]
    return text.decode() if entry.name == CONTENTS and len(text) == entry.size else None


def _name_of(place: Path) -> str:
    return f"{place.parent.name}/{place.name}"


def _state_of(place: Path) -> _State | None:
    """None if there is no such file, or something else in its place."""
    try:
        state = os.lstat(place)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return _State(state.st_ino, state.st_size, state.st_mtime_ns) if stat.S_ISREG(state.st_mode) else None


def _bytes_of(place: Path, most: int = -1) -> bytes:
    handle = os.open(place, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        return file.read(most)
