"""Limits: the numbers, token buckets for rates, and slots for concurrent requests."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

Monotonic = Callable[[], float]
_LEAST_BURST = 20


@dataclass(frozen=True, slots=True)
class ServerLimits:
    """The limits of one server. They bound all memory that a client can make it use."""

    body_bytes: int = 4 << 20  # per request; enough for a batch of memories
    open_body_bytes: int = 16 << 10  # per request without a token, where that is allowed
    buffered_bytes: int = 64 << 20  # of all concurrent requests
    body_seconds: float = 30.0  # until the whole body has arrived
    header_count: int = 100
    header_bytes: int = 16 << 10
    target_bytes: int = 8 << 10  # path and query
    concurrent: int = 256  # requests; each MCP client keeps one open for notifications
    concurrent_each: int = 192  # per caller, so that others still get in
    rate: float = 500.0  # requests a second per caller, on average
    burst: float = 1000.0  # and at once
    write_rate: float = 200.0  # of these, writes
    write_burst: float = 400.0
    failure_rate: float = 1.0  # failed sign-ins a second per address
    failure_burst: float = 20.0


def limits_of(requests_per_minute: int, writes_per_minute: int) -> ServerLimits:
    return ServerLimits(
        rate=requests_per_minute / 60,
        burst=_burst(requests_per_minute),
        write_rate=writes_per_minute / 60,
        write_burst=_burst(writes_per_minute),
    )


def _burst(per_minute: int) -> float:
    """Two seconds' worth, but enough for the files of a page."""
    return min(per_minute, max(_LEAST_BURST, per_minute / 30))


@dataclass(slots=True)
class Processes:
    """The number of processes that share the rate limits of the same tokens."""

    count: int = 1


class Buckets:
    """Token buckets by key: `burst` at once, `rate` a second on average. Keeps the `most` recently used keys."""

    def __init__(
        self,
        rate: float,
        burst: float,
        clock: Monotonic = time.monotonic,
        most: int = 4096,
        processes: Processes | None = None,
    ) -> None:
        self._all, self._at_once, self._clock, self._most = rate, burst, clock, most
        self._processes = Processes() if processes is None else processes
        self._levels: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # level and time by key

    @property
    def _rate(self) -> float:
        return self._all / self._processes.count

    @property
    def _burst(self) -> float:
        return max(1.0, self._at_once / self._processes.count)

    def take(self, key: Hashable) -> float:
        """Take a token. Returns 0, or the seconds until there is one."""
        now = self._clock()
        level = self._level(key, now)
        wait = 0.0 if level >= 1 else (1 - level) / self._rate
        self._levels[key] = (level if wait else level - 1, now)
        self._levels.move_to_end(key)
        while len(self._levels) > self._most:
            self._levels.popitem(last=False)
        return wait

    def wait(self, key: Hashable) -> float:
        """What `take` would return, without taking."""
        level = self._level(key, self._clock())
        return 0.0 if level >= 1 else (1 - level) / self._rate

    def _level(self, key: Hashable, now: float) -> float:
        level, then = self._levels.get(key, (self._burst, now))
        return min(self._burst, level + max(0.0, now - then) * self._rate)

    def __len__(self) -> int:
        return len(self._levels)


class Slots:
    """Limits concurrent requests, in total and per caller."""

    def __init__(self, total: int, each: int) -> None:
        self._total, self._each = total, each
        self._held: Counter[Hashable] = Counter()

    @contextmanager
    def slot(self, key: Hashable) -> Iterator[bool]:
        """Take a slot for the block; yields whether there was one."""
        granted = self._held.total() < self._total and self._held[key] < self._each
        if granted:
            self._held[key] += 1
        try:
            yield granted
        finally:
            if granted:
                self._held[key] -= 1
            if not self._held[key]:
                del self._held[key]
