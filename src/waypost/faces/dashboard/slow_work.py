"""Long work that a page waits for only briefly. It continues in the background, and a later page has its result."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

SECONDS = 4.0  # that a page waits

T = TypeVar("T")


@dataclass(slots=True)
class SlowWork:
    """Runs the work of each name once at a time, for all callers."""

    _running: dict[str, "Future[Any]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, name: str, work: Callable[[], T]) -> T | None:
        """The result or exception of the work, or None if it is still running. A late result is dropped: a later call
        runs the work again, which is fast if it caches."""
        with self._lock:
            future: Future[T] | None = self._running.get(name)
            if future is None:
                future = self._running[name] = Future()
                acting = copy_context()  # with the rights of the first caller
                threading.Thread(
                    target=acting.run, args=(self._run, name, future, work), name=f"page-{name}", daemon=True
                ).start()
        try:
            return future.result(SECONDS)
        except TimeoutError:
            if future.done():  # the work itself raised TimeoutError
                raise
            return None

    def _run(self, name: str, future: "Future[T]", work: Callable[[], T]) -> None:
        try:
            done = work()
        except BaseException as error:  # noqa: BLE001  the waiting callers get it
            self._end(name)
            future.set_exception(error)
        else:
            self._end(name)
            future.set_result(done)

    def _end(self, name: str) -> None:
        with self._lock:
            del self._running[name]
