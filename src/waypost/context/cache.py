"""Contexts that were made a moment ago.

    cache: ContextCache[ScopeText] = ContextCache(clock)
    token = …                                     # read before the work: whatever differs once a file has changed
    key = context_key(space_id, task, "scope", 500)
    made = cache.get(key, token)
    if made is None:
        made = …
        cache.put(key, made, token)

A change that comes while a context is being made is noticed: its token is older than the next reader's.
"""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from waypost.model.scope import ScopeTask
from waypost.model.time import Clock

LIFETIME = timedelta(seconds=300)
MOST_ENTRIES = 10

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ContextKey:
    space_id: str
    keywords: tuple[str, ...]  # sorted: the order of words in a description does not matter
    task_type: str
    variant: tuple[Hashable, ...]


def context_key(space_id: str, task: ScopeTask, *variant: Hashable) -> ContextKey:
    """What makes two requests the same; `variant` is all else that changes the answer: preset, budget, checkout."""
    return ContextKey(space_id, tuple(sorted(task.keywords)), task.task_type, variant)


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    value: T
    token: Hashable
    made_at: datetime


class ContextCache(Generic[T]):
    """At most ten contexts, the least recently used goes first; each for 300 seconds and until a file changes.

    Safe to use from several threads. The values are shared: they must not be changed.
    """

    def __init__(self, clock: Clock, *, lifetime: timedelta = LIFETIME, most: int = MOST_ENTRIES) -> None:
        self._clock = clock
        self._lifetime = lifetime
        self._most = most
        self._entries: OrderedDict[ContextKey, _Entry[T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: ContextKey, token: Hashable) -> T | None:
        """What was put under this key, while it holds. Another token than the entry's makes the entry void."""
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            if entry.token != token or not self._is_fresh(entry):
                del self._entries[key]
                return None
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: ContextKey, value: T, token: Hashable) -> None:
        """Keep a value made from what `token` stands for."""
        with self._lock:
            self._entries[key] = _Entry(value, token, self._clock())
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)

    def __len__(self) -> int:
        return len(self._entries)

    def _is_fresh(self, entry: _Entry[T]) -> bool:
        age = self._clock() - entry.made_at
        return timedelta(0) <= age < self._lifetime  # a clock that was set back proves nothing
