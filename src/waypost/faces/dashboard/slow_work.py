"""Work that may take long, of which a page waits for a moment only: it goes on by itself, and the next page has it."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import Any, TypeVar

SECONDS = 4.0  # that a person waits for a page without wondering

T = TypeVar("T")


@dataclass(slots=True)
class Patience:
    """One run of each name at a time, whoever asks for it."""

    _running: dict[str, "Future[Any]"] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ask(self, name: str, work: Callable[[], T]) -> T | None:
        """What the work brings, or raises what it raises; None where it still goes on. What comes too late is given to
        nobody: whoever asks again has it done anew, which is quick where the work has left notes."""
        with self._lock:
            found: Future[T] | None = self._running.get(name)
            if found is None:
                found = self._running[name] = Future()
                acting = copy_context()  # it works for whoever came first
                threading.Thread(
                    target=acting.run, args=(self._run, name, found, work), name=f"page-{name}", daemon=True
                ).start()
        try:
            return found.result(SECONDS)
        except TimeoutError:
            if found.done():  # it was the work's own
                raise
            return None

    def _run(self, name: str, found: "Future[T]", work: Callable[[], T]) -> None:
        try:
            done = work()
        except BaseException as error:  # noqa: BLE001  whoever waits gets it
            self._end(name)
            found.set_exception(error)
        else:
            self._end(name)
            found.set_result(done)

    def _end(self, name: str) -> None:
        with self._lock:
            del self._running[name]
