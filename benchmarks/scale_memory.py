"""The highest memory that a server holds while something is done with it."""

import os
import threading
from collections.abc import Callable
from typing import Self

import psutil

_EVERY_SECONDS = 0.5
_MEGA = 1e6
Megabytes = Callable[[], float]


class Peak:
    """Looks on from a thread until the block ends."""

    def __init__(self, held: Megabytes) -> None:
        self._held, self._most = held, held()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def lap(self) -> dict[str, float]:
        """The highest since the last call, and what is held now."""
        now = self._held()
        most, self._most = max(self._most, now), now
        return {"server_peak_mb": most, "server_mb": now}

    def _look(self) -> None:
        while not self._ended.wait(_EVERY_SECONDS):
            self._most = max(self._most, self._held())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()


def of_tree(process_id: int) -> Megabytes:
    """Of a process and its children. What several of them share, such as PostgreSQL's buffers, counts once."""
    top = psutil.Process(process_id)

    def held() -> float:
        found = 0
        for one in (top, *_children(top)):
            try:
                found += int(one.memory_full_info().pss)
            except psutil.Error:  # it has ended meanwhile
                continue
        return found / _MEGA

    return held


def own() -> float:
    """Of this process."""
    return float(psutil.Process(os.getpid()).memory_info().rss) / _MEGA


def _children(top: psutil.Process) -> list[psutil.Process]:
    try:
        return top.children(recursive=True)
    except psutil.Error:
        return []
