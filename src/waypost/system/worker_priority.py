"""Low priority for background processes."""

import contextlib
import os
import platform
import sys

from waypost.config.cores import use_cores

# Not the lowest, since other processes wait while we lock the database. On a busy machine, nice 10 gets a tenth of the
# CPU time of others, nice 19 a hundredth. For the same reason, the disk priority is not idle.
_NICE = 10
_BEST_EFFORT_LAST = (2 << 13) | 7  # Linux: class 2, level 7 of 0 to 7
_IDLE_CLASS = 3
_PROCESS = 1
_IOPRIO_SET = {"x86_64": 251, "aarch64": 30, "riscv64": 30, "armv7l": 314, "i686": 289, "ppc64le": 273, "s390x": 282}
_DISK, _WHOLE_PROCESS, _UTILITY = 0, 0, 4  # macOS: `setiopolicy_np`
_BELOW_NORMAL = 0x4000  # Windows: `SetPriorityClass`


def lower_priority(cores: int) -> None:
    """Run with low CPU and disk priority on at most `cores` cores, for the rest of this process.

    Call it before the process has threads. Settings that the system refuses stay as they are.
    """
    with contextlib.suppress(OSError):
        use_cores(cores)
    with contextlib.suppress(OSError, AttributeError):
        if sys.platform == "win32":
            import ctypes

            kernel = ctypes.windll.kernel32
            kernel.SetPriorityClass(kernel.GetCurrentProcess(), _BELOW_NORMAL)
            return
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICE, os.getpriority(os.PRIO_PROCESS, 0)))
        _lower_disk_priority()


def _lower_disk_priority() -> None:
    import ctypes  # only background processes need it

    library = ctypes.CDLL(None, use_errno=True)
    if sys.platform == "darwin":
        library.setiopolicy_np(_DISK, _WHOLE_PROCESS, _UTILITY)
    elif sys.platform.startswith("linux"):
        number = _IOPRIO_SET.get(platform.machine())
        if number is None or library.syscall(number + 1, _PROCESS, 0) >> 13 == _IDLE_CLASS:  # ioprio_get: already lower
            return
        library.syscall(number, _PROCESS, 0, _BEST_EFFORT_LAST)
