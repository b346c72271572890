"""Hooks with few imports: with busy programs beside, what a hook imports is most of its time.

`ask` asks a running process, `leave` leaves a session to the process that keeps sessions. A file in `<home>/run/at` says
which space a folder had last. Those processes find out which one it has now. Anything unusual returns None, and the hook
goes the usual way.
"""

import json
import os
import socket
import stat
import struct
import sys
import time
import zlib

_MOST = 4  # processes that are asked
_CONNECT = 0.2  # seconds
_LARGEST_ANSWER = 1 << 18
_LONGEST = 4096
# Others start a process that saves the session. Below a server, it would be killed with it: Copilot CLI kills whole trees.
_ANSWERED = frozenset(("session-start", "subagent-start", "prompt", "pre-tool", "post-tool"))
_LEFT = frozenset(("turn-end", "session-end"))
NOTED_AT_ONCE = frozenset(("gemini",))  # its answered prompts: it deletes transcripts of killed sessions
_LONGEST_MEMBER = 4096  # characters of a member: a longer one is no path or name
_LARGEST_EVENT = 60_000  # bytes
_FOR_RUNNING = 0.5  # of the time that is left: then the hook answers itself
_AROUND_TOOL = 0.8  # the same around a tool, where it seldom answers itself


class FastAnswer:
    """What to write, and what to do once it is written."""

    def __init__(self, output: str, path: str, lines: bytes) -> None:
        self.output = output
        self._path = path
        self._lines = lines

    def written(self) -> None:
        if not self._path or not self._lines:
            return
        try:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
            os.write(os.open(self._path, flags, 0o600), self._lines)
        except OSError:
            return


def ask(event: str, agent: str, raw: bytes, deadline: float, home: str) -> FastAnswer | None:
    """The answer of a running process, or None. `home`: Waypost's data directory."""
    if os.name != "posix" or event not in _ANSWERED:
        return None
    try:
        given = json.loads(raw)
        cwd = given.get("cwd") or os.getcwd()
        run = os.path.join(home, "run")
        folder = os.path.join(run, _space_of(run, cwd))
        _check_private(run)
        _check_private(folder)
        share = _AROUND_TOOL if event.endswith("-tool") else _FOR_RUNNING
        seconds = share * (deadline - time.monotonic())
        request = {"event": event, "agent": agent, "raw": given, "cwd": os.getcwd(), "seconds": seconds}
        body = json.dumps(request).encode()
        for address in _addresses(folder)[:_MOST]:
            answer = _exchange(address, body, time.monotonic() + seconds)
            if answer is not None:
                return _read(answer, folder)
    except (OSError, ValueError, AttributeError, TypeError, struct.error, RecursionError):
        return None
    return None


def leave(event: str, agent: str, raw: bytes, home: str) -> FastAnswer | None:
    """Leave the event in the folder `sessions` of its space, and start the process that keeps it, unless one runs."""
    if os.name != "posix" or event not in _LEFT or agent in NOTED_AT_ONCE:
        return None
    try:
        given = json.loads(raw)
        cwd = given.get("cwd") or os.getcwd()
        space = os.path.join(home, "memory", _space_of(os.path.join(home, "run"), cwd))
        place = os.path.join(space, "sessions")
        if not os.path.isdir(place):
            os.mkdir(place, 0o700)
        _check_private(place)
        members = {name: value for name, value in given.items() if _is_short(value)}
        body = json.dumps({"event": event, "agent": agent, "raw": members, "cwd": os.getcwd()}).encode()
        if len(body) > _LARGEST_EVENT:
            return None
        _write_event(place, body)
        if not _is_locked(os.path.join(space, "sessions.lock")):
            _start_keeper(space)
    # Odd input, or a system without `setsid` for new processes: the caller keeps the session by itself.
    except (OSError, ValueError, AttributeError, TypeError, RecursionError, NotImplementedError):
        return None
    return FastAnswer("", "", b"")


def _is_short(value: object) -> bool:
    return not isinstance(value, str) or len(value) <= _LONGEST_MEMBER


def _write_event(place: str, body: bytes) -> None:
    path = os.path.join(place, f"{time.time_ns():020}-{os.getpid()}")
    handle = os.open(f"{path}.part", os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        while body:
            body = body[os.write(handle, body) :]
    finally:
        os.close(handle)
    os.replace(f"{path}.part", f"{path}.json")


def _is_locked(path: str) -> bool:
    """Whether a process keeps sessions. It looks once more for events after it has released the lock."""
    import fcntl  # not on every system

    handle = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(handle, fcntl.LOCK_UN)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _start_keeper(space: str) -> None:
    """As `session_end.start_keeping` does, without `subprocess`."""
    command = [sys.executable, "-P", "-m", "waypost.faces.hooks.agent.session_end", space]
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_RDWR, 0) for number in range(3)]
    os.posix_spawn(sys.executable, command, os.environ, file_actions=nowhere, setsid=True)


def mark_path(run: str, cwd: str) -> str:
    """The file that says which space a folder has."""
    return os.path.join(run, "at", f"{zlib.crc32(os.fsencode(cwd)):08x}")


def _space_of(run: str, cwd: str) -> str:
    path = mark_path(run, cwd)
    _check_private(os.path.dirname(path))
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        folder, _, space = os.read(handle, 2 * _LONGEST).decode().rstrip("\n").rpartition("\n")
    finally:
        os.close(handle)
    if folder != cwd or not space.isalnum():
        raise ValueError(path)
    return space


def _check_private(folder: str) -> None:
    state = os.lstat(folder)
    if not stat.S_ISDIR(state.st_mode) or state.st_uid != os.getuid() or state.st_mode & 0o077:
        raise OSError(folder)


def _addresses(folder: str) -> list[str]:
    """Sockets of running processes, newest first."""
    places = []
    for name in os.listdir(folder):
        pid, _, kind = name.partition(".")
        if pid.isdigit() and kind in ("sock", "at"):
            path = os.path.join(folder, name)
            places.append((os.lstat(path).st_mtime_ns, path))
    return [_place(path) for _, path in sorted(places, reverse=True)]


def _place(path: str) -> str:
    if path.endswith(".sock"):
        return path
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    try:
        place = os.fsdecode(os.read(handle, _LONGEST).partition(b"\n")[0])
    finally:
        os.close(handle)
    _check_private(os.path.dirname(place))
    return place


def _exchange(address: str, body: bytes, deadline: float) -> bytes | None:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(_CONNECT)
        connection.connect(address)
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        connection.sendall(struct.pack(">I", len(body)) + body)
        (length,) = struct.unpack(">I", _exactly(connection, 4, deadline))
        return _exactly(connection, length, deadline) if length <= _LARGEST_ANSWER else None
    except (OSError, struct.error):
        return None
    finally:
        connection.close()


def _exactly(connection: socket.socket, size: int, deadline: float) -> bytes:
    pieces = b""
    while len(pieces) < size:
        connection.settimeout(max(0.01, deadline - time.monotonic()))
        piece = connection.recv(size - len(pieces))
        if not piece:
            raise OSError("cut off")
        pieces += piece
    return pieces


def _read(answer: bytes, folder: str) -> FastAnswer | None:
    given = json.loads(answer)
    output, name, keys = given.get("output"), given.get("record", ""), given.get("keys", [])
    if not isinstance(output, str) or os.path.basename(name) != name:
        return None
    lines = "".join(f"{key}\n" for key in keys).encode("ascii")
    return FastAnswer(output, os.path.join(folder, name) if name else "", lines)
