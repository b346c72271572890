"""What the process takes of its machine. Where a system does not say, the figure is left out."""

import os
import time
from collections.abc import Mapping
from pathlib import Path

from waypost.faces.guard.metrics import Figure, Labels, ReadGauge

_STARTED = time.time()
_PROC = Path("/proc/self")


def figures() -> list[Figure]:
    """By the names that every program has for them."""
    return [
        ReadGauge("process_cpu_seconds_total", "CPU time used.", lambda: {(): time.process_time()}, sort="counter"),
        ReadGauge("process_resident_memory_bytes", "Memory held.", _resident),
        ReadGauge("process_open_fds", "Files and sockets open.", _open_files),
        ReadGauge("process_max_fds", "Files and sockets that may be open.", _most_files),
        ReadGauge("process_start_time_seconds", "When it began, since 1970.", lambda: {(): _STARTED}),
    ]


def _resident() -> Mapping[Labels, float]:
    try:
        pages = int((_PROC / "statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {(): float(pages * os.sysconf("SC_PAGE_SIZE"))}


def _open_files() -> Mapping[Labels, float]:
    try:
        return {(): float(len(os.listdir(_PROC / "fd")))}
    except OSError:
        return {}


def _most_files() -> Mapping[Labels, float]:
    try:
        import resource  # not on Windows
    except ImportError:
        return {}
    return {(): float(resource.getrlimit(resource.RLIMIT_NOFILE)[0])}
