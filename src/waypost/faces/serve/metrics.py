"""The figures of a server, and the page that tells them. Labels come from fixed sets: routes, tools, words of ours."""

import asyncio
import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from waypost import __version__
from waypost.errors import StoreError, WaypostError
from waypost.faces.guard.access_log import Log, LoggedRequest
from waypost.faces.guard.asgi import App, Receive, Scope, Send
from waypost.faces.guard.limits import Monotonic, Processes
from waypost.faces.guard.metrics import CONTENT_TYPE, Counter, Figure, Gauge, Histogram, Labels, ReadGauge, exposition
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.sign_in_page import send_answer
from waypost.faces.serve import process
from waypost.faces.serve.threads import run_in_thread
from waypost.memory.team_database import connection_usage

if TYPE_CHECKING:
    from waypost.faces.rest.jobs import Jobs

METRICS = "/metrics"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REFUSALS = {401: "auth", 403: "rights", 413: "size", 429: "rate"}
_STORE_SECONDS = 15.0  # that a look at the store is good for
_PATIENCE_SECONDS = 1.0  # for a look; what it brings later is told the next time

Kinds = Mapping[tuple[str, str], tuple[str, str]]  # method and route: whether it recalls or writes, and on which face
Status = Callable[[], Mapping[str, Any]]


@dataclass(slots=True)
class ServerMetrics:
    """What is counted while requests are answered."""

    kinds: Kinds = field(default_factory=dict)
    requests: Histogram = field(
        default_factory=lambda: Histogram(
            "waypost_http_request_duration_seconds",
            "Time until the whole answer was sent; of a stream, until it began.",
            "waypost_http_requests_total",
            ("method", "route", "status"),
        )
    )
    refused: Counter = field(
        default_factory=lambda: Counter("waypost_refused_total", "Requests and connections refused.", ("reason",))
    )
    in_flight: Gauge = field(
        default_factory=lambda: Gauge("waypost_http_requests_in_flight", "Requests being answered, streams too.")
    )
    streams: Gauge = field(default_factory=lambda: Gauge("waypost_event_streams", "Streams of events that are open."))
    recalls: Counter = field(
        default_factory=lambda: Counter("waypost_recalls_total", "Questions that were answered.", ("face",))
    )
    writes: Counter = field(
        default_factory=lambda: Counter(
            "waypost_writes_total", "Requests to change something that were done.", ("face",)
        )
    )
    tools: Counter = field(
        default_factory=lambda: Counter("waypost_tool_calls_total", "Calls of MCP tools.", ("tool", "outcome"))
    )
    tool_seconds: Histogram = field(
        default_factory=lambda: Histogram(
            "waypost_tool_duration_seconds", "Time that a call of a tool took.", "", ("tool",)
        )
    )
    upkeep: Counter = field(
        default_factory=lambda: Counter(
            "waypost_upkeep_total", "How often a memory of a team was looked after.", ("outcome",)
        )
    )
    store_errors: Counter = field(
        default_factory=lambda: Counter("waypost_store_errors_total", "Errors of the store.", ("error",))
    )

    def answered(self, seen: LoggedRequest, method: str, status: int, seconds: float) -> None:
        method = method if method in _METHODS else "other"
        self.requests.observe(seconds, method, seen.route, str(status))
        if status >= 400:
            if reason := seen.refused or _REFUSALS.get(status, ""):
                self.refused.add(reason)
        elif seen.refused:
            self.refused.add(seen.refused)
        elif kind := self.kinds.get((method, seen.route)):
            (self.recalls if kind[0] == "recall" else self.writes).add(kind[1])

    def store_failed(self, error: StoreError) -> None:
        self.store_errors.add(type(error).__name__)

    def all(self) -> list[Figure]:
        return [
            ReadGauge("waypost_build_info", "The version.", lambda: {(__version__,): 1.0}, ("version",)),
            *(self.requests, self.refused, self.in_flight, self.streams),
            *(self.recalls, self.writes, self.tools, self.tool_seconds, self.store_errors, self.upkeep),
        ]


@dataclass(slots=True)
class StoreFigures:
    """What is read from the store, not more often than every 15 seconds. Where it cannot be read, the figures are left
    out and the error is counted."""

    status: Status
    counted: ServerMetrics
    clock: Monotonic = time.monotonic
    _found: Mapping[str, Any] = field(default_factory=dict)
    _at: float | None = None

    def look(self) -> None:
        if self._at is not None and self.clock() - self._at < _STORE_SECONDS:
            return
        try:
            self._found = self.status()
        except WaypostError as error:
            self._found = {}
            if isinstance(error, StoreError):
                self.counted.store_failed(error)
        self._at = self.clock()

    def all(self) -> list[Figure]:
        return [
            ReadGauge(
                "waypost_store_bytes",
                "Size of the memory that it was started in; of a team, of its database.",
                lambda: self._one("storage_bytes"),
            ),
            ReadGauge("waypost_memories", "Memories in it.", lambda: self._one("memories")),
            ReadGauge("waypost_vectors_owed", "Memories that an engine has yet to embed.", self._owed, ("engine",)),
        ]

    def _one(self, name: str) -> Mapping[Labels, float]:
        return {(): float(self._found[name])} if name in self._known else {}

    def _owed(self) -> Mapping[Labels, float]:
        return {(str(name),): float(count) for name, count in self._known.get("pending", {}).items()}

    @property
    def _known(self) -> Mapping[str, Any]:
        """Nothing that is older than the look that did not come back."""
        is_old = self._at is None or self.clock() - self._at > 2 * _STORE_SECONDS
        return {} if is_old else self._found


def of_jobs(jobs: "Jobs") -> Figure:
    def read() -> Mapping[Labels, float]:
        states = ("running", "done", "failed", "cancelled")
        found = Tally(jobs.states())
        return {(state,): float(found[state]) for state in states}

    return ReadGauge("waypost_jobs", "Jobs that this process remembers.", read, ("state",))


def of_database(dsn: str, listens: Callable[[], bool], processes: Processes) -> list[Figure]:
    """Of the database that all memories are in."""

    def used() -> Mapping[Labels, float]:
        return {(state,): float(count) for state, count in connection_usage(dsn).items()}

    return [
        ReadGauge(
            "waypost_store_connections",
            "Connections lent to threads, kept idle; threads that wait for one.",
            used,
            ("state",),
        ),
        ReadGauge("waypost_listening", "1 while it hears what others change.", lambda: {(): float(listens())}),
        ReadGauge("waypost_servers", "Servers of the team, as counted last.", lambda: {(): float(processes.count)}),
    ]


def of_log(log: Log) -> Figure:
    return ReadGauge(
        "waypost_log_lines_lost_total", "Lines of the log that nobody took.", lambda: {(): log.lost}, sort="counter"
    )


def metrics_app(figures: list[Figure], store: StoreFigures) -> App:
    """`/metrics`, with the figures of the process and the store besides."""
    told = [*figures, *store.all(), *process.figures()]
    looking: asyncio.Future[None] | None = None
    began = 0.0

    async def looked() -> None:
        """Nobody waits for a store that does not answer, nor is it asked twice at once."""
        nonlocal looking, began
        if looking is None or looking.done():
            looking, began = run_in_thread(store.look, "figures"), time.monotonic()
        await asyncio.wait((looking,), timeout=max(0.0, began + _PATIENCE_SECONDS - time.monotonic()))

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            allow = ((b"allow", b"GET, HEAD"),)
            await answer(Problem(405, "This is only to look at.", "Use GET.", allow), receive, send)
            return
        await looked()
        await send_answer(send, 200, exposition(told), CONTENT_TYPE)

    return application
