"""Turns: two requests that look at a memory and then change it do so one after the other."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

_STRIPES = 64  # memories that share one wait for each other now and then, which costs nothing but time


class Turns:
    def __init__(self) -> None:
        self._locks = tuple(threading.Lock() for _ in range(_STRIPES))

    @contextmanager
    def of(self, space_id: str, memory_id: str) -> Iterator[None]:
        with self._locks[hash((space_id, memory_id.lower())) % _STRIPES]:
            yield
