"""A lock that goes from a process to the child it starts."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from waypost.system.process_lock import try_claim

pytestmark = pytest.mark.skipif(os.name != "posix", reason="starts and kills processes as POSIX does")

_WAIT = "import signal; signal.pause()"
_TAKE = """
import subprocess, sys
from pathlib import Path
from waypost.system.process_lock import inherited_handle, try_claim

inherited = inherited_handle()
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], stdout=subprocess.DEVNULL)
with try_claim(Path(sys.argv[1]), inherited) as held:
    print("owned" if held else "taken", child.pid, flush=True)
    sys.stdin.readline()
"""


def start(path: Path, code: str, *arguments: str) -> subprocess.Popen[str]:
    """A child that gets the lock of this file from us."""
    with try_claim(path) as lock:
        assert lock is not None
        child = subprocess.Popen(
            [sys.executable, "-c", code, *arguments], stdin=lock.handle, stdout=subprocess.PIPE, text=True
        )
        lock.hand_over()
    return child


def is_free(path: Path) -> bool:
    with try_claim(path) as lock:
        return lock is not None


def test_a_lock_is_held_by_one_and_free_afterwards(tmp_path: Path) -> None:
    path = tmp_path / "worker.lock"
    with try_claim(path) as lock:
        assert lock is not None
        assert not is_free(path)
    assert is_free(path)


def test_a_child_has_the_lock_before_it_has_done_anything_and_until_it_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "worker.lock"
    child = start(path, _WAIT)
    assert not is_free(path)
    child.send_signal(signal.SIGKILL)
    child.communicate()
    assert is_free(path)


def test_a_child_that_never_started_leaves_the_lock_free(tmp_path: Path) -> None:
    path = tmp_path / "worker.lock"
    with pytest.raises(FileNotFoundError), try_claim(path) as lock:
        assert lock is not None
        subprocess.Popen([tmp_path / "no such program"], stdin=lock.handle)
    assert is_free(path)


def test_a_child_knows_the_lock_it_was_given_and_its_own_children_do_not_keep_it(tmp_path: Path) -> None:
    path = tmp_path / "worker.lock"
    child = start(path, _TAKE, str(path))
    assert child.stdout is not None
    word, grandchild = child.stdout.readline().split()
    child.communicate()  # its input is empty now: it ends by itself
    try:
        assert word == "owned"
        assert is_free(path)
    finally:
        os.kill(int(grandchild), signal.SIGKILL)


def test_what_is_not_the_lock_of_this_file_counts_for_nothing(tmp_path: Path) -> None:
    other = os.open(tmp_path / "other", os.O_CREAT | os.O_RDWR)
    with try_claim(tmp_path / "worker.lock", other) as lock:
        assert lock is not None
        assert not is_free(tmp_path / "worker.lock")
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(other)


def test_a_file_given_by_somebody_who_does_not_hold_its_lock_is_no_lock(tmp_path: Path) -> None:
    path = tmp_path / "worker.lock"
    with try_claim(path) as lock:
        assert lock is not None
        with try_claim(path, os.open(path, os.O_RDWR)) as second:
            assert second is None


def test_a_terminal_or_a_pipe_is_no_inherited_lock() -> None:
    code = "from waypost.system.process_lock import inherited_handle; print(inherited_handle())"
    done = subprocess.run([sys.executable, "-c", code], input="text", capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"
