"""What a piece of work costs: time, processor time and memory, of this process and of its children."""

import resource
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_EVERY_SECONDS = 0.05
_PAGE = resource.getpagesize()
_MEGA = 1024 * 1024
_PROC = Path("/proc/self")


@dataclass(slots=True)
class Cost:
    """Filled when the work is done. Children count when they have ended."""

    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mb: float = 0.0  # of this process
    children_mb: float = 0.0  # of all children together, at their highest moment
    samples: list[tuple[float, float, float]] = field(default_factory=list)  # seconds, own MB, children's MB


@contextmanager
def measured(cost: Cost, every: float = _EVERY_SECONDS) -> Iterator[Cost]:
    """Run the body and put what it took into `cost`."""
    ended, began, busy = threading.Event(), time.perf_counter(), cpu_seconds()
    thread = threading.Thread(target=_sample, args=(cost, ended, began, every), daemon=True)
    thread.start()
    try:
        yield cost
    finally:
        cost.wall_s, cost.cpu_s = time.perf_counter() - began, cpu_seconds() - busy
        ended.set()
        thread.join()


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    told = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in told)


def _sample(cost: Cost, ended: threading.Event, began: float, every: float) -> None:
    while True:
        own, children = own_mb(), children_mb()
        cost.peak_mb, cost.children_mb = max(cost.peak_mb, own), max(cost.children_mb, children)
        cost.samples.append((time.perf_counter() - began, own, children))
        if ended.wait(every):
            return


def own_mb() -> float:
    """Resident memory now; where the system does not tell, the highest so far."""
    if _PROC.exists():
        return _resident(_PROC)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (_MEGA if sys.platform == "darwin" else 1024)


def children_mb() -> float:
    """Of all children now. One that has only just been forked still shares all of our memory and does not count."""
    found, own = 0.0, _command(_PROC)
    for task in _PROC.glob("task/*/children"):
        try:
            numbers = task.read_text().split()
        except OSError:  # the thread has ended
            continue
        processes = [Path("/proc", number) for number in numbers]
        found += sum(_resident(process) for process in processes if _command(process) != own)
    return found


def _command(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""


def _resident(process: Path) -> float:
    try:
        return int((process / "statm").read_text().split()[1]) * _PAGE / _MEGA
    except (OSError, IndexError, ValueError):  # it has ended meanwhile
        return 0.0
