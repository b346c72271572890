"""Images, recordings and other files of entries, kept in archive/media/ under a hash of their content."""

import hashlib
import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from waypost.errors import InvalidInput, NotFound, SecurityError, WaypostError
from waypost.flows.journal_files.log import note
from waypost.flows.open_space import OpenSpace
from waypost.journal.files import JournalFolder
from waypost.store.open_databases import refuse_open_database
from waypost.system.platform import make_private_directory, write_private_file

MEDIA = "archive/media"
LARGEST = 64 * 1024 * 1024  # bytes
_DIGITS = 24  # of the hash in a name
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,10}")
_NAME = re.compile(rf"{MEDIA}/[0-9a-f]{{{_DIGITS}}}(?:\.[a-z0-9]{{1,10}})?")
# A Markdown file there would be read as a page of the journal.
_RENAMED = {".md": ".markdown", ".gz": ".gzip"}


def keep_media(space: OpenSpace, path: Path) -> str:
    """Copy a file into the journal. Returns the name for an entry's `media`. Equal content is stored once."""
    content = _content(path)
    suffix = path.suffix.lower() if _SUFFIX.fullmatch(path.suffix) else ""
    name = hashlib.sha256(content).hexdigest()[:_DIGITS] + _RENAMED.get(suffix, suffix)
    folder = space.journal.root / MEDIA
    for part in (folder, folder.parent):
        if part.is_symlink():
            raise SecurityError(f"{part} leads out of the journal.", "Put a folder in the place of the link.")
    with space.journal.locked():
        make_private_directory(folder)
        placed = not (folder / name).exists() and write_private_file(folder / name, content, replace=False)
    if placed:
        note(space, "media_kept", file=f"{MEDIA}/{name}", bytes=len(content))
    return f"{MEDIA}/{name}"


def drop_media(space: OpenSpace, names: Iterable[str], *, wait: bool = True) -> list[str]:
    """Remove these files if no entry uses them any more. Returns the removed ones."""
    with space.journal.locked(wait=wait):
        return drop_media_in(space.journal, names)


def drop_media_in(folder: JournalFolder, names: Iterable[str]) -> list[str]:
    """The same in one folder that nobody else writes to now."""
    wanted = {name for name in names if _NAME.fullmatch(name)}
    for path in folder.scan() if wanted else ():
        with suppress(WaypostError):  # removed, or damaged
            text = folder.read(path)
            wanted -= {name for name in wanted if name in text}
    for name in wanted:
        (folder.root / name).unlink(missing_ok=True)
    return sorted(wanted)


def _content(path: Path) -> bytes:
    """The content of a regular file. Links, pipes and devices are refused."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    refuse_open_database(path)
    try:
        handle = os.open(path, flags)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path}.", "Check its name.") from error
    except OSError as error:
        raise InvalidInput(
            f"{path} cannot be read: {error.strerror}.", "Name a plain file, not a link to one."
        ) from error
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise InvalidInput(f"{path} is not a regular file.", "Name an image, a recording or another file.")
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(LARGEST + 1)
    finally:
        os.close(handle)
    if len(content) > LARGEST:
        raise InvalidInput(
            f"{path} has more than {LARGEST // 1024 // 1024} MB.", "Keep it elsewhere and write down where."
        )
    return content
