"""What a server takes while something is done with it: the highest memory, and processor time."""

import os
import threading
import time
from collections.abc import Callable
from typing import Self

import psutil

_EVERY_SECONDS = 0.5
_MEGA = 1e6
Megabytes = Callable[[], float]


class Peak:
    """Looks on from a thread until the block ends."""

    def __init__(self, process_id: int | None = None) -> None:
        """Of a server by its number, else of this process."""
        self._process_id = process_id
        self._held = own if process_id is None else of_tree(process_id)
        self._most = self._held()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def lap(self) -> dict[str, float]:
        """The highest since the last call, and what is held now."""
        now = self._held()
        most, self._most = max(self._most, now), now
        return {"server_peak_mb": most, "server_mb": now}

    def cpu(self) -> float:
        """Processor time so far, with that of this process."""
        return cpu_seconds(self._process_id)

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


def cpu_seconds(process_id: int | None = None) -> float:
    """Processor time so far of this process and, with its number, of a server with all children it ever had. It depends
    least on who else uses the machine."""
    spent = time.process_time()
    if process_id is not None:
        top = psutil.Process(process_id)
        ended = top.cpu_times()
        spent += ended.children_user + ended.children_system
        for one in (top, *_children(top)):
            try:
                used = one.cpu_times()
            except psutil.Error:
                continue
            spent += used.user + used.system
    return spent


def own() -> float:
    """Of this process."""
    return float(psutil.Process(os.getpid()).memory_info().rss) / _MEGA


def _children(top: psutil.Process) -> list[psutil.Process]:
    try:
        return top.children(recursive=True)
    except psutil.Error:
        return []
