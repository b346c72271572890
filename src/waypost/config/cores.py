"""How many processor cores this process may use."""

import os

_limit: list[int] = []  # set once, by a process that does not want them all


def cores() -> int:
    """The cores that this process may use, at least 1."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([there, *_limit])


def use_cores(most: int) -> None:
    """Use at most so many cores from now on. Call it before the process has threads.

    Linux enforces it, for child processes too. Elsewhere it holds for whoever asks `cores()`: the embedding models and the
    processes that read files.
    """
    _limit[:] = [max(1, most)]
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        first = os.getpid() % len(allowed)  # else all workers of this machine would share the first core
        os.sched_setaffinity(0, [*allowed[first:], *allowed[:first]][: max(1, most)])
