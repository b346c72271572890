"""Figures of a process in the text format of Prometheus: counters, gauges and histograms that any thread may change.

A figure takes values for its labels. They come from fixed sets; where more appear than a figure holds, the rest counts
together under `other`, so that no client can make the server hold or tell more.
"""

import math
import threading
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

CONTENT_TYPE = b"text/plain; version=0.0.4; charset=utf-8"
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
OTHER = "other"
_MOST = 2000  # different labels of one figure

Labels = tuple[str, ...]
Read = Callable[[], Mapping[Labels, float]]


@dataclass(slots=True)
class Counter:
    """Only rises."""

    name: str
    told: str
    labels: Labels = ()
    most: int = _MOST
    _values: dict[Labels, float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, *values: str, by: float = 1) -> None:
        with self._lock:
            known = self._values
            if values not in known and len(known) >= self.most:
                values = (OTHER,) * len(self.labels)
            known[values] = known.get(values, 0) + by

    def get(self, *values: str) -> float:
        with self._lock:
            return self._values.get(values, 0)

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.told, "counter")
        with self._lock:
            found = sorted(self._values.items())
        for values, value in found or ([((), 0.0)] if not self.labels else []):
            yield f"{self.name}{_braces(self.labels, values)} {_number(value)}"


@dataclass(slots=True)
class Gauge:
    """Rises and falls."""

    name: str
    told: str
    _value: float = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, by: float) -> None:
        with self._lock:
            self._value += by

    @property
    def value(self) -> float:
        return self._value

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.told, "gauge")
        yield f"{self.name} {_number(self._value)}"


@dataclass(frozen=True, slots=True)
class ReadGauge:
    """Read when somebody asks. What cannot be read is left out."""

    name: str
    told: str
    read: Read
    labels: Labels = ()
    sort: str = "gauge"

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.told, self.sort)
        for values, value in sorted(self.read().items()):
            yield f"{self.name}{_braces(self.labels, values)} {_number(value)}"


@dataclass(slots=True)
class Histogram:
    """How long things take. `counter`, where it has a name, is told too: how many there were."""

    name: str
    told: str
    counter: str
    labels: Labels = ()
    bounds: Sequence[float] = SECONDS
    most: int = _MOST
    _series: dict[Labels, tuple[list[int], list[float]]] = field(default_factory=dict)  # in each bucket; the sum
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def observe(self, value: float, *values: str) -> None:
        place = bisect_left(self.bounds, value)
        with self._lock:
            found = self._series.get(values) or self._begin(values)
            found[0][place] += 1
            found[1][0] += value

    def _begin(self, values: Labels) -> tuple[list[int], list[float]]:
        if len(self._series) >= self.most:
            values = (OTHER,) * len(self.labels)
        return self._series.setdefault(values, ([0] * (len(self.bounds) + 1), [0.0]))

    def lines(self) -> Iterator[str]:
        with self._lock:
            found = sorted((values, list(counts), total[0]) for values, (counts, total) in self._series.items())
        if self.counter:
            yield from _head(self.counter, "How many there were.", "counter")
        for values, counts, _ in found if self.counter else ():
            yield f"{self.counter}{_braces(self.labels, values)} {sum(counts)}"
        yield from _head(self.name, self.told, "histogram")
        for values, counts, total in found:
            yield from self._one(values, counts, total)

    def _one(self, values: Labels, counts: Sequence[int], total: float) -> Iterator[str]:
        so_far, braces = 0, _braces(self.labels, values)
        start = f"{self.name}_bucket{braces[:-1]}," if braces else f"{self.name}_bucket{{"
        for bound, count in zip((*self.bounds, math.inf), counts, strict=True):
            so_far += count
            yield f'{start}le="{_number(bound)}"}} {so_far}'
        yield f"{self.name}_sum{braces} {_number(total)}"
        yield f"{self.name}_count{braces} {so_far}"


Figure = Counter | Gauge | ReadGauge | Histogram


def exposition(figures: Iterable[Figure]) -> bytes:
    """All of them as text."""
    return "".join(f"{line}\n" for figure in figures for line in figure.lines()).encode()


def _head(name: str, told: str, sort: str) -> tuple[str, str]:
    words = told.replace("\\", "\\\\").replace("\n", "\\n")
    return f"# HELP {name} {words}", f"# TYPE {name} {sort}"


def _braces(labels: Labels, values: Labels) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_quoted(value)}"' for name, value in zip(labels, values, strict=True)) + "}"


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))
