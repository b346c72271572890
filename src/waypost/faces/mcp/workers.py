"""Threads in which tools run: the core is synchronous, and a slow call must not block others."""

import asyncio
import queue
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

MOST = 8  # further calls are queued; a call blocked on the user's answer does not count
_ASIDE = 64  # calls that can be blocked on the user at once; further ones count

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _Job:
    work: Callable[[], Any]
    loop: asyncio.AbstractEventLoop
    answer: "asyncio.Future[Any]"


class Workers:
    """A few threads, started on demand. They are daemons: when the client has gone, unfinished work may be dropped."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._jobs: queue.SimpleQueue[_Job] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        self._busy = 0
        self._aside = 0

    async def run(self, work: Callable[[], _T]) -> _T:
        """What `work` returns or raises. If the caller is cancelled, the thread runs on until its next report."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[_T] = loop.create_future()
        with self._lock:
            self._busy += 1
            self._grow()
        self._jobs.put(_Job(work, loop, answer))
        return await answer

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Let another thread run while this one is blocked on the user's answer."""
        with self._lock:
            self._aside += 1
            self._grow()
        try:
            yield
        finally:
            with self._lock:
                self._aside -= 1

    def _room(self) -> int:
        return self._most + min(self._aside, _ASIDE)

    def _grow(self) -> None:
        if self._threads < min(self._busy, self._room()):
            self._threads += 1
            threading.Thread(target=self._serve, name=f"tool-{self._threads}", daemon=True).start()

    def _serve(self) -> None:
        while True:
            job = self._jobs.get()
            outcome, error = None, None
            if not job.answer.cancelled():
                try:
                    outcome = job.work()
                except BaseException as raised:  # noqa: BLE001  the caller gets it
                    error = raised
            with self._lock:
                self._busy -= 1
                is_spare = self._threads > self._room()
                self._threads -= is_spare
            try:
                job.loop.call_soon_threadsafe(_resolve, job.answer, outcome, error)
            except RuntimeError:  # the loop and its caller have ended
                return
            del job, outcome, error  # so that an idle thread keeps nothing alive
            if is_spare:
                return


def _resolve(answer: "asyncio.Future[Any]", outcome: Any, error: BaseException | None) -> None:
    if answer.cancelled():
        return
    if error is not None:
        answer.set_exception(error)
    else:
        answer.set_result(outcome)
