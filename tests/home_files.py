"""What the files of a folder hold, read by a child process: a test may have a database open that lies there, and then
nothing but SQLite may open its files in this process."""

import bz2
import gzip
import io
import subprocess
import tarfile
from pathlib import Path


def contents(folder: Path) -> dict[Path, bytes]:
    """Every plain file below the folder, by its path, in the order of their names."""
    command = ["tar", "--hard-dereference", "-C", str(folder), "-cf", "-", "."]
    packed = subprocess.run(command, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        members = sorted((one for one in archive.getmembers() if one.isfile()), key=lambda one: one.name)
        files = [(folder / one.name, archive.extractfile(one)) for one in members]
        return {path: file.read() for path, file in files if file is not None}


def unpacked(place: Path, content: bytes) -> bytes:
    """What a file says, without its packing. A bundle's text is the files in it, one after the other."""
    unpack = {".gz": gzip.decompress, ".bz2": bz2.decompress}.get(place.suffix)
    return unpack(content) if unpack else content


def files_with(folder: Path, word: str | bytes) -> list[Path]:
    """The files in whose bytes the word stands."""
    wanted = word.encode() if isinstance(word, str) else word
    return [path for path, content in contents(folder).items() if wanted in content]
