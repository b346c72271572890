"""How long a stdio server lives: as long as its client. Whatever ends it, it ends within two seconds and leaves nothing.

What runs is abandoned, as by `kill -9`: a transaction is whole or was never there, and the system frees the locks.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial

from waypost.space.platform import peer_process, wait_for_end

LEAVE_WITHIN = 1.6  # seconds, for an end in good order
_LAST_ACTS_WITHIN = 0.5


class Life:
    """Ends the process when its time has come. `at_end`: what must be done even then, such as removing a socket."""

    def __init__(self) -> None:
        self._acts: list[Callable[[], None]] = []
        self._ending = threading.Lock()

    def at_end(self, act: Callable[[], None]) -> None:
        """Do this before the process ends; the last comes first. It must be short, and may be called in any thread."""
        self._acts.append(act)

    def watch(self, source: int) -> None:
        """End on SIGTERM and SIGINT, and when the process that speaks to us through `source` is gone. Main thread only."""
        heard, told = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            # Python may be in the middle of anything here, with locks held: only a byte is written.
            signal.signal(number, partial(_tell, told))
        _start(self._obey, heard)
        _start(self._follow, peer_process(source))

    def end_within_limit(self) -> None:
        """The client has said goodbye: what it asked for may be finished, but not for long."""
        _later(LEAVE_WITHIN, lambda: self.end(0))

    def end(self, code: int) -> None:
        """End now, from any thread."""
        if not self._ending.acquire(blocking=False):
            return
        _later(_LAST_ACTS_WITHIN, lambda: os._exit(code))
        self.last_acts()
        with contextlib.suppress(OSError, ValueError):
            if sys.stderr is not None:  # closed by whoever started us
                sys.stderr.flush()
        os._exit(code)

    def last_acts(self) -> None:
        """Do what `at_end` was given, once."""
        while self._acts:
            with contextlib.suppress(OSError, IndexError):  # another thread may have been faster
                self._acts.pop()()

    def _obey(self, heard: int) -> None:
        self.end(128 + os.read(heard, 1)[0])

    def _follow(self, peer: int) -> None:
        wait_for_end(peer)
        self.end(0)


def _tell(told: int, number: int, _: object) -> None:
    os.write(told, bytes([number]))


def _start(work: Callable[[int], None], what: int) -> None:
    threading.Thread(target=work, args=(what,), daemon=True).start()


def _later(seconds: float, act: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
