"""Addresses of running processes for hooks: one per process, in a folder that only its owner can enter.

`<home>/run/<space>/<pid>.sock` is the socket itself. If that path is too long, and for Windows pipes, `<pid>.at` contains
the real address.
"""

import contextlib
import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import InvalidInput, SecurityError, StoreError
from waypost.faces.hooks.agent.fast import mark_path
from waypost.system.platform import (
    check_private_directory,
    is_alive,
    make_private_directory,
    read_small_file,
    write_private_file,
)

RUN = "run"
_SHORT = "waypost-"  # followed by the user's number
LONGEST_SOCKET = 100  # bytes; systems allow 104 to 108
_MOST_ADDRESSES = 32  # that a hook tries
_LONGEST_POINTER = 4096
_ADDRESS = re.compile(r"([1-9][0-9]{0,9})\.(sock|at)")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a process listens. `key` is for pipes, whose names are public."""

    pid: int
    place: str
    key: bytes = b""


def run_folder(home: Path, space_id: str) -> Path:
    return home / RUN / space_id


def mark_folder(home: Path, cwd: str, space_id: str) -> None:
    """Note which space a folder has, for `fast.ask`."""
    path, content = Path(mark_path(str(home / RUN), cwd)), f"{cwd}\n{space_id}\n".encode("utf-8", "replace")
    with contextlib.suppress(OSError, SecurityError, InvalidInput, StoreError):
        if os.path.lexists(path) and read_small_file(path, _LONGEST_POINTER) == content:
            return
        prepare_run_folder(path.parent)
        write_private_file(path, content, replace=True)


def prepare_run_folder(folder: Path) -> None:
    """Create the folder for its owner only. Raises SecurityError if something else is in its place."""
    for directory in (folder.parent, folder):
        if not os.path.lexists(directory):
            make_private_directory(directory)
        check_private_directory(directory)


def claim(folder: Path) -> Address:
    """The free address of this process. Creates the folder."""
    prepare_run_folder(folder)
    pid = os.getpid()
    if os.name != "posix":
        place, key = rf"\\.\pipe\waypost-{os.urandom(16).hex()}", os.urandom(32)
        write_private_file(folder / f"{pid}.at", f"{place}\n{key.hex()}\n".encode(), replace=True)
        return Address(pid, place, key)
    direct = folder / f"{pid}.sock"
    if len(os.fsencode(direct)) <= LONGEST_SOCKET:
        direct.unlink(missing_ok=True)  # of an earlier process with the same number
        return Address(pid, str(direct))
    short = _short_path(folder, pid)
    write_private_file(folder / f"{pid}.at", os.fsencode(short) + b"\n\n", replace=True)
    return Address(pid, str(short))


def _short_path(folder: Path, pid: int) -> Path:
    """A short socket path in a private folder of this user below the temporary directory. Removes leftovers."""
    import tempfile  # slow to import and rarely needed

    short = Path(tempfile.gettempdir()) / f"{_SHORT}{os.getuid()}"
    if not os.path.lexists(short):
        make_private_directory(short)
    check_private_directory(short)
    ours = f"{pid}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    for entry in os.listdir(short):
        number = entry.partition("-")[0]
        if entry == ours or (number.isdecimal() and not is_alive(int(number))):
            with contextlib.suppress(OSError):
                (short / entry).unlink()
    return short / ours


def release(folder: Path, address: Address) -> None:
    """Remove the files of an address."""
    with contextlib.suppress(OSError):
        (folder / f"{address.pid}.at").unlink(missing_ok=True)
        (folder / f"{address.pid}.sock").unlink(missing_ok=True)
        socket_path = Path(address.place)
        if os.name == "posix" and socket_path.parent.name == f"{_SHORT}{os.getuid()}":
            socket_path.unlink(missing_ok=True)


def addresses(folder: Path) -> list[Address]:
    """Addresses of live processes, newest first. Removes those of dead ones.

    Raises SecurityError if others can access the folder.
    """
    try:
        check_private_directory(folder.parent)
        check_private_directory(folder)
        names = [name for name in os.listdir(folder) if _ADDRESS.fullmatch(name)]
    except OSError:
        return []
    dated = sorted(((_changed(folder / name), name) for name in names), reverse=True)[:_MOST_ADDRESSES]
    alive = []
    for _, name in dated:
        address = _read(folder, name)
        if address is None:
            continue
        if is_alive(address.pid):
            alive.append(address)
        else:
            release(folder, address)
    return alive


def _changed(path: Path) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _read(folder: Path, name: str) -> Address | None:
    """The address in a file of the folder, or None if it is foreign, a link, or invalid."""
    path, pid = folder / name, int(name.partition(".")[0])
    try:
        if name.endswith(".sock"):
            return Address(pid, str(path)) if _is_our_socket(path) else None
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return None
        place, _, rest = read_small_file(path, _LONGEST_POINTER).partition(b"\n")
        address = Address(pid, os.fsdecode(place), bytes.fromhex(rest.decode("ascii").strip()))
        if os.name == "posix" and is_alive(pid):
            check_private_directory(Path(address.place).parent)
            return address if _is_our_socket(Path(address.place)) else None
    except (OSError, InvalidInput, SecurityError, ValueError):
        return None
    return address


def _is_our_socket(path: Path) -> bool:
    state = os.lstat(path)
    return stat.S_ISSOCK(state.st_mode) and state.st_uid == os.getuid()
