"""The forms for macOS and Windows, run here against stand-ins for what only those systems have."""

import ctypes
import fcntl
import os
import select
import socket
import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from waypost.system.platform import canonical, detached_process_options, same_user, try_lock, wait_for_end
from waypost.system.process_lock import try_claim
from waypost.system.worker_priority import lower_priority


class Calls:
    """Records calls as a C library or a kernel gets them. `results` are the return values by name; others return 1."""

    def __init__(self, **results: Any) -> None:
        self.log: list[tuple[Any, ...]] = []
        self._results = results

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            self.log.append((name, *arguments))
            return self._results.get(name, 1)

        return call


def module(name: str, **contents: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(contents)
    return made


def windows_kernel(monkeypatch: pytest.MonkeyPatch, **results: Any) -> Calls:
    kernel = Calls(**results)
    monkeypatch.setattr(ctypes, "windll", SimpleNamespace(kernel32=kernel), raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    return kernel


def test_on_macos_a_path_is_spelled_as_on_the_disk(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    on_disk = os.fsencode(tmp_path / "Project")

    def ask_kernel(_handle: int, request: int, buffer: bytes) -> bytes:
        assert request == 50
        return on_disk.ljust(len(buffer), b"\0")

    monkeypatch.setattr(fcntl, "F_GETPATH", 50, raising=False)
    monkeypatch.setattr(fcntl, "fcntl", ask_kernel)
    monkeypatch.setattr(sys, "platform", "darwin")
    assert canonical(tmp_path) == tmp_path / "Project"


def test_on_windows_a_lock_is_a_range_of_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    locked: list[tuple[int, int]] = []

    def locking(_handle: int, mode: int, size: int) -> None:
        if locked:
            raise OSError("locked by another process")
        locked.append((mode, size))

    monkeypatch.setitem(sys.modules, "msvcrt", module("msvcrt", locking=locking, LK_NBLCK=2))
    monkeypatch.setattr(os, "name", "nt")
    with try_lock(tmp_path / "lock") as first, try_lock(tmp_path / "lock") as second:
        assert (first, second) == (True, False)
    assert locked == [(2, 1)]


def test_on_windows_a_claim_is_a_file_that_is_shared_with_nobody(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    taken: list[str] = []

    def create_file(path: str, _access: int, sharing: int, *_: int) -> int:
        assert sharing == 0
        if taken:
            raise OSError("in use by another process")
        taken.append(path)
        return os.open(path, os.O_CREAT | os.O_RDWR)

    winapi = module("_winapi", CreateFile=create_file, GENERIC_READ=1, GENERIC_WRITE=2)
    monkeypatch.setitem(sys.modules, "_winapi", winapi)
    monkeypatch.setitem(sys.modules, "msvcrt", module("msvcrt", open_osfhandle=lambda handle, _: handle))
    monkeypatch.setattr(sys, "platform", "win32")
    with try_claim(tmp_path / "lock") as first, try_claim(tmp_path / "lock") as second:
        assert first is not None
        assert second is None


def test_on_macos_the_kernel_reports_the_end_of_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    watched: list[Any] = []

    class Queue:
        def __enter__(self) -> "Queue":
            return self

        def __exit__(self, *_: object) -> None: ...

        def control(self, events: list[Any], _count: int) -> None:
            watched.extend(events)

    monkeypatch.setattr(select, "kqueue", Queue, raising=False)
    monkeypatch.setattr(select, "kevent", lambda process, what, fflags: (process, what, fflags), raising=False)
    monkeypatch.setattr(select, "KQ_FILTER_PROC", -5, raising=False)
    monkeypatch.setattr(select, "KQ_NOTE_EXIT", 1 << 31, raising=False)
    monkeypatch.setattr(sys, "platform", "darwin")
    wait_for_end(4711)
    assert watched == [(4711, -5, 1 << 31)]


@pytest.mark.parametrize("handle", [7, 0])
def test_on_windows_the_end_of_a_process_is_awaited_by_its_handle(monkeypatch: pytest.MonkeyPatch, handle: int) -> None:
    kernel = windows_kernel(monkeypatch, OpenProcess=handle)
    wait_for_end(4711)
    assert ("OpenProcess", 0x00100000, False, 4711) in kernel.log
    assert (("WaitForSingleObject", handle, -1) in kernel.log) == bool(handle)


@pytest.mark.parametrize(("user", "expected"), [(os.getuid(), True), (0, True), (os.getuid() + 1, False)])
def test_on_macos_the_other_end_of_a_socket_names_its_user(
    monkeypatch: pytest.MonkeyPatch, user: int, expected: bool
) -> None:
    connection: Any = SimpleNamespace(getsockopt=lambda *_: struct.pack("II", 0, user).ljust(76, b"\0"))
    monkeypatch.delattr(socket, "SO_PEERCRED")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert same_user(connection) is expected


def test_on_windows_a_worker_stays_when_its_terminal_closes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subprocess, "DETACHED_PROCESS", 8, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 512, raising=False)
    monkeypatch.setattr(sys, "platform", "win32")
    assert detached_process_options() == {"creationflags": 520, "close_fds": True}


def test_on_windows_a_background_process_runs_below_normal_priority(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waypost.system.worker_priority.use_cores", lambda _: None)
    kernel = windows_kernel(monkeypatch, GetCurrentProcess=-1)
    lower_priority(1)
    assert kernel.log == [("GetCurrentProcess",), ("SetPriorityClass", -1, 0x4000)]


def test_on_macos_a_background_process_gives_way_at_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    library = Calls()
    monkeypatch.setattr("waypost.system.worker_priority.use_cores", lambda _: None)
    monkeypatch.setattr(os, "setpriority", lambda *_: None)
    monkeypatch.setattr(ctypes, "CDLL", lambda *_, **__: library)
    monkeypatch.setattr(sys, "platform", "darwin")
    lower_priority(1)
    assert library.log == [("setiopolicy_np", 0, 0, 4)]
