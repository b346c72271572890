"""Hold numpy's matrix products to one thread while an engine runs.

Ours are small, and OpenBLAS's threads wait for each other by spinning: as soon as anything else uses the machine, two
threads are three to six times slower than one (measured on two cores that others used too).
"""

from __future__ import annotations

import ctypes
import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

_FOLDERS = ("../numpy.libs", ".dylibs")  # where numpy's wheels keep the library, seen from the package
_SYMBOLS = ("scipy_openblas_{}_num_threads64_", "scipy_openblas_{}_num_threads", "openblas_{}_num_threads64_")


@functools.cache
def _control() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Read and set the number of threads; None where numpy came with another library (then nothing is limited)."""
    package = Path(np.__file__).parent
    for path in (found for folder in _FOLDERS for found in (package / folder).glob("*openblas*")):
        try:
            library = ctypes.CDLL(str(path))  # numpy has loaded it: this is the same copy
        except OSError:
            continue
        for symbol in _SYMBOLS:
            if hasattr(library, symbol.format("set")):
                return getattr(library, symbol.format("get")), getattr(library, symbol.format("set"))
    return None


class _Limit:
    """Counts those who want one thread: the first sets it, the last restores what was before."""

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
