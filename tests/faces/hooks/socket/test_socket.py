"""A hook asks a running process over a private socket: what comes back, and what hostile or broken ends can do."""

import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from waypost.errors import SecurityError
from waypost.faces.hooks.socket.client import ask_running
from waypost.faces.hooks.socket.place import addresses, claim, prepare_run_folder, release
from waypost.faces.hooks.socket.server import HookServer, serve_hooks

LONG = 20.0  # seconds; reached only by a test that fails
SHORT = 0.2


@pytest.fixture
def folder() -> Iterator[Path]:
    """With a short name, as homes have and folders of tests have not."""
    with tempfile.TemporaryDirectory(prefix="wp", dir="/tmp") as home:
        yield Path(home) / "run" / "0123456789abcdef"


def echo(request: dict[str, Any]) -> dict[str, Any]:
    return {"heard": request}


@pytest.fixture
def server(folder: Path) -> Iterator[HookServer]:
    with serve_hooks(echo, folder) as running:
        yield running


Behaviour = Callable[[socket.socket], object]


@contextlib.contextmanager
def a_peer(folder: Path, behaviour: Behaviour, name: str = "1") -> Iterator[Path]:
    """Somebody who listens where a process of ours would, and does something else with a connection."""
    prepare_run_folder(folder)
    path = folder / f"{name}.sock"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        done = threading.Event()

        def serve() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, contextlib.suppress(OSError):
                        behaviour(connection)
                        done.wait(LONG)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield path
        done.set()
        listener.shutdown(socket.SHUT_RDWR)
        thread.join(LONG)
    path.unlink(missing_ok=True)


def test_a_question_is_answered(server: HookServer, folder: Path) -> None:
    assert ask_running(folder, {"a": "ü\n", "b": [1]}, LONG) == {"heard": {"a": "ü\n", "b": [1]}}


def test_socket_and_folder_are_for_their_owner_only(server: HookServer, folder: Path) -> None:
    assert Path(server.address.place) == folder / f"{os.getpid()}.sock"
    assert os.stat(server.address.place).st_mode & 0o777 == 0o600
    assert folder.stat().st_mode & 0o777 == 0o700
    assert folder.parent.stat().st_mode & 0o777 == 0o700


def test_where_nobody_listens_nobody_answers(folder: Path) -> None:
    assert ask_running(folder, {}, LONG) is None
    assert not folder.exists()


def test_closing_takes_the_address_away(folder: Path) -> None:
    server = serve_hooks(echo, folder)
    server.close()
    server.close()
    assert not list(folder.iterdir())
    assert ask_running(folder, {}, LONG) is None


def test_several_hooks_are_answered_at_once(folder: Path) -> None:
    both = threading.Barrier(2)

    def together(request: dict[str, Any]) -> dict[str, Any]:
        both.wait(LONG)
        return request

    answers: list[Any] = []
    with serve_hooks(together, folder):
        threads = [
            threading.Thread(target=lambda n=n: answers.append(ask_running(folder, {"n": n}, LONG))) for n in range(2)
        ]
        for one in threads:
            one.start()
        for one in threads:
            one.join(LONG)
    assert sorted(one["n"] for one in answers) == [0, 1]


def test_a_home_with_a_long_name_has_its_socket_elsewhere(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 30) / "run" / "0123456789abcdef"
    folder.parent.parent.mkdir()
    with serve_hooks(echo, folder) as server:
        place = Path(server.address.place)
        assert len(str(place)) < 104
        assert place.parent.stat().st_mode & 0o777 == 0o700
        assert [one.name for one in folder.iterdir()] == [f"{os.getpid()}.at"]
        assert ask_running(folder, {"a": 1}, LONG) == {"heard": {"a": 1}}
    assert not place.exists()
    assert not list(folder.iterdir())


def test_a_short_folder_of_somebody_else_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("long" * 30) / "run" / "0123456789abcdef"
    folder.parent.parent.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    short = tmp_path / f"waypost-{os.getuid()}"
    short.mkdir(mode=0o777)
    short.chmod(0o777)
    with pytest.raises(SecurityError):
        serve_hooks(echo, folder)
    assert not list(short.iterdir())


def test_what_dead_processes_left_is_taken_away(folder: Path, tmp_path: Path) -> None:
    short = folder
    long = tmp_path / ("long" * 30) / "run" / "0123456789abcdef"
    long.parent.parent.mkdir()
    program = (
        "import sys, os; from pathlib import Path; from waypost.faces.hooks.socket.server import serve_hooks\n"
        "for folder in sys.argv[1:]: print(serve_hooks(dict, Path(folder)).address.place)\n"
        "sys.stdout.flush(); os._exit(9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(short), str(long)], capture_output=True, text=True, check=False
    )
    places = [Path(line) for line in done.stdout.splitlines()]
    assert len(places) == 2 and all(place.exists() for place in places)
    assert [addresses(folder) for folder in (short, long)] == [[], []]
    assert not any(place.exists() for place in places)
    assert not list(short.iterdir()) and not list(long.iterdir())


def test_a_socket_that_nobody_listens_at_is_taken_away_though_its_number_lives(folder: Path) -> None:
    address = claim(folder)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(address.place)
    assert ask_running(folder, {}, LONG) is None
    assert not Path(address.place).exists()


def test_the_newest_process_is_asked_first(folder: Path, server: HookServer) -> None:
    asked: list[str] = []

    def hang(connection: socket.socket) -> None:
        asked.append("newer")

    with a_peer(folder, hang) as path:
        later = time.time() + 100
        os.utime(path, (later, later))
        assert ask_running(folder, {"a": 1}, 2 * SHORT) == {"heard": {"a": 1}}
    assert asked == ["newer"]


# -- hostile and broken servers ---------------------------------------------------------------------------------


def _garbage(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n" + os.urandom(1000))


def _no_json(connection: socket.socket) -> None:
    connection.sendall(struct.pack(">I", 4) + b"\xff{]:")


def _no_object(connection: socket.socket) -> None:
    connection.sendall(struct.pack(">I", 2) + b"[]")


def _deep(connection: socket.socket) -> None:
    connection.sendall(struct.pack(">I", 200_000) + b"[" * 200_000)


def _closes(connection: socket.socket) -> None:
    connection.sendall(struct.pack(">I", 1000) + b"{")
    connection.shutdown(socket.SHUT_RDWR)


def _failed(connection: socket.socket) -> None:
    body = json.dumps({"failed": True}).encode()
    connection.sendall(struct.pack(">I", len(body)) + body)


def _a_gigabyte(connection: socket.socket) -> None:
    connection.sendall(struct.pack(">I", 1 << 30))
    connection.settimeout(LONG)
    for _ in range(1024):
        connection.sendall(b" " * (1 << 20))


@pytest.mark.parametrize("behaviour", [_garbage, _no_json, _no_object, _deep, _closes, _failed, _a_gigabyte])
def test_what_is_no_answer_is_left_at_once(folder: Path, behaviour: Behaviour) -> None:
    with a_peer(folder, behaviour):
        started = time.monotonic()
        assert ask_running(folder, {}, LONG) is None
        assert time.monotonic() - started < LONG / 4


def _never(connection: socket.socket) -> None:
    pass


def _drips(connection: socket.socket) -> None:
    connection.sendall(struct.pack(">I", 1000))
    with contextlib.suppress(OSError):
        while True:
            connection.sendall(b" ")
            time.sleep(0.01)


@pytest.mark.parametrize("behaviour", [_never, _drips])
def test_a_server_that_hangs_costs_no_more_than_it_may(folder: Path, behaviour: Behaviour) -> None:
    ours, above = str(os.getpid()), str(os.getppid())  # numbers of processes that live
    with a_peer(folder, behaviour), a_peer(folder, behaviour, ours), a_peer(folder, behaviour, above):
        started = time.monotonic()
        assert ask_running(folder, {}, SHORT) is None
        assert time.monotonic() - started < SHORT + 0.5


def test_a_socket_of_somebody_else_is_not_spoken_to(
    folder: Path, server: HookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: ours + 1)
    assert ask_running(folder, {}, LONG) is None  # the folder is not ours
    monkeypatch.setattr("waypost.faces.hooks.socket.place.check_private_directory", lambda _: None)
    assert ask_running(folder, {}, LONG) is None  # the socket is not ours
    monkeypatch.undo()
    assert ask_running(folder, {}, LONG) is not None


def test_a_process_of_somebody_else_is_neither_asked_nor_answered(
    folder: Path, server: HookServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waypost.faces.hooks.socket.client.same_user", lambda _: False)
    assert ask_running(folder, {}, LONG) is None
    monkeypatch.undo()
    monkeypatch.setattr("waypost.faces.hooks.socket.server.same_user", lambda _: False)
    assert ask_running(folder, {}, LONG) is None


def test_a_folder_that_is_a_link_or_open_to_others_is_not_used(folder: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    folder.parent.mkdir(mode=0o700)
    folder.symlink_to(elsewhere)
    with pytest.raises(SecurityError):
        serve_hooks(echo, folder)
    folder.unlink()
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    with pytest.raises(SecurityError):
        serve_hooks(echo, folder)
    assert ask_running(folder, {}, LONG) is None
    assert not list(elsewhere.iterdir())


@pytest.fixture
def open_to_all(folder: Path) -> Iterator[Path]:
    """Outside of the home, on the same disk."""
    with tempfile.TemporaryDirectory(prefix="wp", dir=folder.parents[2]) as made:
        Path(made).chmod(0o777)
        yield Path(made)


def test_links_and_pointers_to_other_places_are_not_followed(
    folder: Path, open_to_all: Path, server: HookServer
) -> None:
    with a_peer(folder, _never, name="4" * 5) as path:
        os.rename(path, open_to_all / "hooks")
        (folder / "1.sock").symlink_to(open_to_all / "hooks")
        (folder / f"{os.getppid()}.at").write_bytes(os.fsencode(open_to_all / "hooks") + b"\n\n")
        (folder / "12.at").mkdir()
        os.mkfifo(folder / "13.at")
        (folder / "x.sock").write_text("")
        assert [one.place for one in addresses(folder)] == [server.address.place]


# -- hostile and broken hooks -----------------------------------------------------------------------------------


def _spoken_to(server: HookServer, said: bytes) -> bytes:
    with socket.socket(socket.AF_UNIX) as hook:
        hook.settimeout(LONG)
        hook.connect(server.address.place)
        with contextlib.suppress(OSError):
            hook.sendall(said)
            hook.shutdown(socket.SHUT_WR)
        with contextlib.suppress(ConnectionResetError):
            return hook.recv(1000)
    return b""


@pytest.mark.parametrize(
    "said", [b"", b"GET / HTTP/1.1\r\n\r\n", struct.pack(">I", 1 << 31), struct.pack(">I", 10) + b"{", b"\0\0\0\2[]"]
)
def test_who_is_no_hook_is_sent_away_and_the_next_is_answered(server: HookServer, folder: Path, said: bytes) -> None:
    assert _spoken_to(server, said) == b""
    assert ask_running(folder, {"a": 1}, LONG) == {"heard": {"a": 1}}


def test_an_answer_that_fails_is_none(folder: Path) -> None:
    def fail(_: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("the words of a memory")

    with serve_hooks(fail, folder):
        assert ask_running(folder, {}, LONG) is None


def test_more_hooks_than_can_be_answered_are_sent_away(folder: Path) -> None:
    busy = threading.Semaphore(0)
    go_on = threading.Event()

    def wait(_: dict[str, Any]) -> dict[str, Any]:
        busy.release()
        go_on.wait(LONG)
        return {}

    with serve_hooks(wait, folder):
        threads = [threading.Thread(target=ask_running, args=(folder, {}, LONG)) for _ in range(8)]
        for one in threads:
            one.start()
        for _ in threads:
            assert busy.acquire(timeout=LONG)
        started = time.monotonic()
        assert ask_running(folder, {}, LONG) is None
        assert time.monotonic() - started < LONG / 4
        go_on.set()
        for one in threads:
            one.join(LONG)


def test_what_was_claimed_can_be_given_back(folder: Path) -> None:
    address = claim(folder)
    release(folder, address)
    release(folder, address)
    assert not list(folder.iterdir())
