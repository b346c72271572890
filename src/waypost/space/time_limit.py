"""A limit for work in our own process on somebody else's file: what is no code but a riddle must not keep everybody waiting.

Counted in processor time, so that a busy machine gives up on nothing. The limit ends Python code and regular expressions;
a parser written in C ends by itself or runs in a child (`flows.crew`). Only the main thread can be ended this way.
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class OutOfTime(Exception):
    """It took longer than it was given."""


def can_limit() -> bool:
    """Whether work can be limited here: in the main thread, on a system with timers, when nobody else uses this one."""
    return (
        hasattr(signal, "setitimer")
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGVTALRM) in (signal.SIG_DFL, _end)
    )


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise OutOfTime inside the block after that much processor time. Without effect where `can_limit` is False, and
    inside another limit."""
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


def renew(seconds: float) -> None:
    """Count anew inside a limit: the next file has its own time."""
    if can_limit() and signal.getitimer(signal.ITIMER_VIRTUAL)[0] and signal.getsignal(signal.SIGVTALRM) is _end:
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds)


def _end(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime
