"""What routes share: memories, jobs, stored replies, open streams, locks."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from waypost.model.time import Clock

if TYPE_CHECKING:
    from waypost.faces.rest.jobs import Jobs
    from waypost.faces.rest.replies import Replies
    from waypost.faces.rest.streams import Streams
    from waypost.memory.catalog import Spaces

_STRIPES = 64  # memories that share a lock sometimes wait for each other


class MemoryLocks:
    """Locks for requests that read a memory and then change it."""

    def __init__(self) -> None:
        self._locks = tuple(threading.Lock() for _ in range(_STRIPES))

    @contextmanager
    def of(self, space_id: str, memory_id: str) -> Iterator[None]:
        with self._locks[hash((space_id, memory_id.lower())) % _STRIPES]:
            yield


@dataclass(frozen=True, slots=True)
class Services:
    spaces: "Spaces"
    jobs: "Jobs"
    replies: "Replies"
    streams: "Streams"
    locks: MemoryLocks
    clock: Clock
