"""Low priority for background processes."""

import json
import os
import platform
import subprocess
import sys

import pytest

from waypost.config.cores import cores

_SHOW = """
import ctypes, json, os, sys
from waypost.config.cores import cores
from waypost.system.worker_priority import _IOPRIO_SET, _PROCESS, lower_priority
import platform

exec(sys.argv[1])
disk = ctypes.CDLL(None).syscall(_IOPRIO_SET[platform.machine()] + 1, _PROCESS, 0)
print(json.dumps([os.getpriority(os.PRIO_PROCESS, 0), disk >> 13, disk & 7, len(os.sched_getaffinity(0)), cores()]))
"""

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"),
    reason="asks Linux for what was set",
)


def shown(code: str) -> list[int]:
    done = subprocess.run([sys.executable, "-c", _SHOW, code], capture_output=True, text=True, check=True)
    values: list[int] = json.loads(done.stdout)
    return values


def test_a_background_process_has_low_priority_and_one_core() -> None:
    assert shown("lower_priority(1)") == [max(10, os.getpriority(os.PRIO_PROCESS, 0)), 2, 7, 1, 1]


def test_more_cores_can_be_allowed_but_no_more_than_there_are() -> None:
    assert shown("lower_priority(1000)")[3:] == [cores(), cores()]


def test_a_priority_that_is_lower_already_is_not_raised() -> None:
    idle = "import ctypes; ctypes.CDLL(None).syscall(_IOPRIO_SET[platform.machine()], _PROCESS, 0, 3 << 13)"
    assert shown(f"os.nice(19); {idle}; lower_priority(1)")[:2] == [19, 3]


def test_where_a_system_pins_no_process_its_pools_still_get_no_more_than_allowed() -> None:
    assert shown("del os.sched_setaffinity; lower_priority(1)")[4] == 1
