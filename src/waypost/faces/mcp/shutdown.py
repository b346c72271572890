"""Ends a stdio server with its client, within two seconds and without leftovers.

Running work is abandoned as with `kill -9`: transactions are atomic, and the system releases locks.
"""

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable

from waypost.system.platform import peer_process, wait_for_end

LEAVE_WITHIN = 1.6  # seconds for an orderly end
_ACTIONS_WITHIN = 0.5


class Shutdown:
    """Ends the process. `at_end` registers what must be done even then, such as removing a socket."""

    def __init__(self) -> None:
        self._actions: list[Callable[[], None]] = []
        self._ending = threading.Lock()

    def at_end(self, action: Callable[[], None]) -> None:
        """Run this before the process ends, last registered first, in any thread. It must be short."""
        self._actions.append(action)

    def watch(self, source: int) -> None:
        """End on SIGTERM and SIGINT, and when the process at the other end of `source` is gone. Main thread only."""
        read_end, write_end = os.pipe()
        for number in (signal.SIGTERM, signal.SIGINT):
            # Python may hold any lock here, so the handler only writes a byte.
            signal.signal(number, lambda number, _: os.write(write_end, bytes([number])))
        _start(lambda handle: self.end(128 + os.read(handle, 1)[0]), read_end)
        _start(self._end_with_peer, peer_process(source))

    def end_within_limit(self) -> None:
        """End soon: the client has closed its end, but running requests may finish."""
        _later(LEAVE_WITHIN, lambda: self.end(0))

    def end(self, code: int) -> None:
        """End now, from any thread."""
        if not self._ending.acquire(blocking=False):
            return
        _later(_ACTIONS_WITHIN, lambda: os._exit(code))
        self.run_exit_actions()
        with contextlib.suppress(OSError, ValueError):
            if sys.stderr is not None:  # may be closed
                sys.stderr.flush()
        os._exit(code)

    def run_exit_actions(self) -> None:
        """Run each action registered with `at_end` once."""
        while self._actions:
            with contextlib.suppress(OSError, IndexError):  # another thread may be emptying the list
                self._actions.pop()()

    def _end_with_peer(self, peer: int) -> None:
        wait_for_end(peer)
        self.end(0)


def _start(work: Callable[[int], None], handle: int) -> None:
    threading.Thread(target=work, args=(handle,), daemon=True).start()


def _later(seconds: float, act: Callable[[], None]) -> None:
    timer = threading.Timer(seconds, act)
    timer.daemon = True
    timer.start()
