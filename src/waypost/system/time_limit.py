"""A limit on the CPU time spent on one untrusted file in this process.

CPU time, so that a busy machine does not cause timeouts. The limit interrupts Python code and regular expressions. A C
parser ends by itself or runs in a child process (`flows.index.digest_pool`). Only the main thread can be interrupted.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(Exception):
    """The work took longer than its limit."""


def can_limit() -> bool:
    """Whether `time_limit` works here: in the main thread, on a system with timers, if the timer is free."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGVTALRM) in (signal.SIG_DFL, _end)
    )


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime in the block after this much CPU time. No effect inside another limit or without `can_limit`."""
    if not can_limit() or signal.getitimer(signal.ITIMER_VIRTUAL)[0]:
        yield
        return
    before = signal.signal(signal.SIGVTALRM, _end)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def restart_limit(seconds: float) -> None:
    """Restart the current limit, for the next file."""
    if can_limit() and signal.getitimer(signal.ITIMER_VIRTUAL)[0] and signal.getsignal(signal.SIGVTALRM) is _end:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime
