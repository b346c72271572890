"""Where running processes can be reached by hooks: one address each, in a folder that only its owner may enter.

`<home>/run/<space>/<pid>.sock` is the socket itself; where that path would be too long for a socket, and for the pipes
of Windows, `<pid>.at` says where to go instead.
"""

import contextlib
import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from waypost.errors import InvalidInput, SecurityError
from waypost.space.platform import (
    check_private_directory,
    is_alive,
    make_private_directory,
    read_small_file,
    write_private_file,
)

RUN = "run"
_SHORT = "waypost-"  # and the number of the user
LONGEST_SOCKET = 100  # bytes; systems allow 104 to 108
_MOST_ADDRESSES = 32  # that a hook looks at: more servers than anybody has
_LONGEST_POINTER = 4096
_ADDRESS = re.compile(r"([1-9][0-9]{0,9})\.(sock|at)")


@dataclass(frozen=True, slots=True)
class Address:
    """Where a process listens. `key` is for pipes, whose names anybody may know."""

    pid: int
    place: str
    key: bytes = b""


def run_folder(home: Path, space_id: str) -> Path:
    return home / RUN / space_id


def prepare_run_folder(folder: Path) -> None:
    """Make the folder, for its owner only. Raises SecurityError where somebody has put something else there."""
    for one in (folder.parent, folder):
        if not os.path.lexists(one):
            make_private_directory(one)
        check_private_directory(one)


def claim(folder: Path) -> Address:
    """The address of this process, free to be listened at. The folder is made."""
    prepare_run_folder(folder)
    pid = os.getpid()
    if os.name != "posix":
        place, key = rf"\\.\pipe\waypost-{os.urandom(16).hex()}", os.urandom(32)
        write_private_file(folder / f"{pid}.at", f"{place}\n{key.hex()}\n".encode(), replace=True)
        return Address(pid, place, key)
    direct = folder / f"{pid}.sock"
    if len(os.fsencode(direct)) <= LONGEST_SOCKET:
        direct.unlink(missing_ok=True)  # of a process that had our number before us
        return Address(pid, str(direct))
    short = _elsewhere(folder, pid)
    write_private_file(folder / f"{pid}.at", os.fsencode(short) + b"\n\n", replace=True)
    return Address(pid, str(short))


def _elsewhere(folder: Path, pid: int) -> Path:
    """A short place for a socket: in a folder of this user among the temporary ones, cleared of what the dead left."""
    import tempfile  # rarely needed, and a hook has no time for it

    short = Path(tempfile.gettempdir()) / f"{_SHORT}{os.getuid()}"
    if not os.path.lexists(short):
        make_private_directory(short)
    check_private_directory(short)
    ours = f"{pid}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    for left in os.listdir(short):
        number = left.partition("-")[0]
        if left == ours or (number.isdecimal() and not is_alive(int(number))):
            with contextlib.suppress(OSError):
                (short / left).unlink()
    return short / ours


def release(folder: Path, address: Address) -> None:
    """Take away what leads to an address."""
    with contextlib.suppress(OSError):
        (folder / f"{address.pid}.at").unlink(missing_ok=True)
        (folder / f"{address.pid}.sock").unlink(missing_ok=True)
        elsewhere = Path(address.place)
        if os.name == "posix" and elsewhere.parent.name == f"{_SHORT}{os.getuid()}":
            elsewhere.unlink(missing_ok=True)


def addresses(folder: Path) -> list[Address]:
    """Of processes that live, the newest first; what dead ones left behind is taken away.

    Raises SecurityError where the folder is not ours alone.
    """
    try:
        check_private_directory(folder.parent)
        check_private_directory(folder)
        names = [name for name in os.listdir(folder) if _ADDRESS.fullmatch(name)]
    except OSError:
        return []
    dated = sorted(((_changed(folder / name), name) for name in names), reverse=True)[:_MOST_ADDRESSES]
    found = []
    for _, name in dated:
        address = _read(folder, name)
        if address is None:
            continue
        if is_alive(address.pid):
            found.append(address)
        else:
            release(folder, address)
    return found


def _changed(path: Path) -> int:
    try:
        return os.lstat(path).st_mtime_ns
    except OSError:
        return 0


def _read(folder: Path, name: str) -> Address | None:
    """What an entry of the folder says; None for what is not ours, a link, or cannot be understood."""
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
