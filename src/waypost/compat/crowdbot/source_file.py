"""Markdown files of another tool's folder: regular files only, no links, optionally gzipped, in any encoding."""

import gzip
import os
import re
import stat
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from waypost.code.files.decoding import decode
from waypost.errors import InvalidInput
from waypost.store.open_databases import refuse_open_database

MOST_BYTES = 256 * 1024 * 1024  # of one file, unpacked
_MOST_FILES = 20_000  # of one folder
_PLAIN_NAME = re.compile(r"[^\W_][\w .()+-]{0,100}\.md(?:\.gz)?")


@dataclass(frozen=True, slots=True)
class ReadFile:
    path: Path
    content: bytes
    text: str
    encoding: str
    modified: datetime

    @property
    def stem(self) -> str:
        return self.path.name.removesuffix(".gz").removesuffix(".md")


def read_source(path: Path, *, follow: bool = False) -> ReadFile:
    """Read a file. `follow` allows a link, for a path given by a person. Raises InvalidInput if it cannot be read."""
    try:
        content, state = _content(path, follow)
    except OSError as error:
        raise InvalidInput(f"{path} cannot be read: {error.strerror or error}.", "Check the path.") from error
    except (EOFError, zlib.error) as error:
        raise InvalidInput(f"{path} is damaged: {error}.", "Unpack it yourself, or move it away.") from error
    decoded = decode(content)
    if decoded is None:
        raise InvalidInput(f"{path} is not a text file.", "Name the Markdown file.")
    return ReadFile(path, content, decoded.text, decoded.encoding, datetime.fromtimestamp(state.st_mtime, UTC))


def files_in(root: Path, below: str = "") -> Iterator[Path]:
    """The Markdown files of a folder below `root`, sorted by name. Links are not followed."""
    folder = root
    for part in below.split("/") if below else ():
        folder /= part
        if not is_folder(folder):
            return
    with os.scandir(folder) as entries:
        names = sorted(entry.name for entry in entries if _PLAIN_NAME.fullmatch(entry.name))
    if len(names) > _MOST_FILES:
        raise InvalidInput(f"{folder} has more than {_MOST_FILES:,} files.", "Import it in parts.")
    for name in names:
        is_copy = name.endswith(".gz") and name.removesuffix(".gz") in names
        if not is_copy and stat.S_ISREG(os.lstat(folder / name).st_mode):
            yield folder / name


def is_folder(path: Path) -> bool:
    """Whether it is a folder, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _content(path: Path, follow: bool) -> tuple[bytes, os.stat_result]:
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    refuse_open_database(path)
    with os.fdopen(os.open(path, flags), "rb") as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode) or state.st_size > MOST_BYTES:
            raise InvalidInput(f"{path} is not a plain file of at most {MOST_BYTES:,} bytes.", "Split it.")
        if path.suffix != ".gz":
            return file.read(), state
        with gzip.GzipFile(fileobj=file) as unpacked:
            content = unpacked.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise InvalidInput(f"{path} unpacks to more than {MOST_BYTES:,} bytes.", "Split it.")
        return content, state
