"""Limit numpy's matrix products to one thread while an engine runs.

Our products are small, and OpenBLAS's threads spin while they wait for each other. On a busy machine with two cores,
two threads are three to six times slower than one.
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_FOLDERS = ("../numpy.libs", ".dylibs")  # of the library in numpy's wheels, relative to the package
_SYMBOLS = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_")


@functools.cache
def _control() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Functions to read and set the number of threads; None, and no limit, if numpy has another library."""
    package = Path(np.__file__).parent
    for path in (path for folder in _FOLDERS for path in (package / folder).glob("*openblas*")):
        try:
            library = ctypes.CDLL(str(path))  # the copy that numpy has already loaded
        except OSError:
            continue
        for symbol in _SYMBOLS:
            if hasattr(library, symbol.format("set")):
                return getattr(library, symbol.format("get")), getattr(library, symbol.format("set"))
    return None


class _Limit:
    """Counts its users: the first sets the limit, the last restores the previous number of threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._before = 0

    @contextmanager
    def hold(self) -> Iterator[None]:
        control = _control()
        if control is None:
            yield
            return
        get, set_to = control
        with self._lock:
            if self._users == 0:
                self._before = get()
                set_to(1)
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if self._users == 0:
                    set_to(self._before)


one_thread = _Limit().hold
