"""How many processor cores this process may use."""

import os

_limit: list[int] = []  # set once, by background processes


def cores() -> int:
    """Return how many cores this process may use, at least 1."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([available, *_limit])


def use_cores(most: int) -> None:
    """Use at most `most` cores from now on. Call it before the process starts threads.

    Linux enforces the limit, for child processes too. Elsewhere only code that calls `cores()` respects it.
    """
    _limit[:] = [max(1, most)]
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(allowed)  # so that workers do not all share the first core
        os.sched_setaffinity(0, [*allowed[first:], *allowed[:first]][: max(1, most)])
