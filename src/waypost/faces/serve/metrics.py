"""The metrics of a server, and the `/metrics` page. Labels come from fixed sets, such as routes and tools."""

import asyncio
import os
import threading
import time
from collections import Counter as Tally
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost import __version__
from waypost.errors import StoreError, WaypostError
from waypost.faces.guard.access_log import Log, LoggedRequest
from waypost.faces.guard.asgi import App, Receive, Scope, Send
from waypost.faces.guard.limits import Monotonic, Processes
from waypost.faces.guard.metrics import CONTENT_TYPE, Counter, Figure, Gauge, Histogram, Labels, ReadGauge, exposition
from waypost.faces.guard.problem import Problem, answer
from waypost.faces.guard.sign_in_page import send_answer
from waypost.memory.team_database import connection_usage

if TYPE_CHECKING:
    from waypost.faces.rest.jobs import Jobs

METRICS = "/metrics"
_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_REFUSALS = {401: "auth", 403: "rights", 413: "size", 429: "rate"}
_STORE_SECONDS = 15.0  # how long figures of the store are reused
_STARTED = time.time()
_PROC = Path("/proc/self")
_PATIENCE_SECONDS = 1.0  # for the store; a later answer counts for the next request

Kinds = Mapping[tuple[str, str], tuple[str, str]]  # method and route → recall or write, and the face
Status = Callable[[], Mapping[str, Any]]


class ServerMetrics:
    def __init__(self, kinds: Kinds | None = None) -> None:
        self.kinds = kinds or {}
        self.requests = Histogram(
            "waypost_http_request_duration_seconds",
            "Time until the whole answer was sent; for a stream, until it began.",
            "waypost_http_requests_total",
            ("method", "route", "status"),
        )
        self.refused = Counter("waypost_refused_total", "Requests and connections refused.", ("reason",))
        self.in_flight = Gauge("waypost_http_requests_in_flight", "Requests being answered, including streams.")
        self.streams = Gauge("waypost_event_streams", "Open event streams.")
        self.recalls = Counter("waypost_recalls_total", "Answered recalls.", ("face",))
        self.writes = Counter("waypost_writes_total", "Successful write requests.", ("face",))
        self.tools = Counter("waypost_tool_calls_total", "Calls of MCP tools.", ("tool", "outcome"))
        self.tool_seconds = Histogram("waypost_tool_duration_seconds", "Duration of MCP tool calls.", "", ("tool",))
        self.upkeep = Counter("waypost_upkeep_total", "Maintenance runs for memories of a team.", ("outcome",))
        self.store_errors = Counter("waypost_store_errors_total", "Errors of the store.", ("error",))

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
    """Metrics of the store, read at most every 15 seconds. If that fails, they are left out and the error is counted."""

    status: Status
    counted: ServerMetrics
    clock: Monotonic = time.monotonic
    _figures: Mapping[str, Any] = field(default_factory=dict)
    _at: float | None = None

    def look(self) -> None:
        if self._at is not None and self.clock() - self._at < _STORE_SECONDS:
            return
        try:
            self._figures = self.status()
        except WaypostError as error:
            self._figures = {}
            if isinstance(error, StoreError):
                self.counted.store_failed(error)
        self._at = self.clock()

    def all(self) -> list[Figure]:
        return [
            ReadGauge(
                "waypost_store_bytes",
                "Size of the memory it was started in; for a team, of its database.",
                lambda: self._single("storage_bytes"),
            ),
            ReadGauge("waypost_memories", "Memories in it.", lambda: self._single("memories")),
            ReadGauge("waypost_vectors_owed", "Memories with pending embeddings.", self._owed, ("engine",)),
        ]

    def _single(self, name: str) -> Mapping[Labels, float]:
        return {(): float(self._figures[name])} if name in self._current else {}

    def _owed(self) -> Mapping[Labels, float]:
        return {(str(name),): float(count) for name, count in self._current.get("pending", {}).items()}

    @property
    def _current(self) -> Mapping[str, Any]:
        """The last figures, unless they are too old."""
        is_old = self._at is None or self.clock() - self._at > 2 * _STORE_SECONDS
        return {} if is_old else self._figures


def of_jobs(jobs: "Jobs") -> Figure:
    def read() -> Mapping[Labels, float]:
        states = ("running", "done", "failed", "cancelled")
        counts = Tally(jobs.states())
        return {(state,): float(counts[state]) for state in states}

    return ReadGauge("waypost_jobs", "Jobs in the memory of this process.", read, ("state",))


def of_database(dsn: str, listens: Callable[[], bool], processes: Processes) -> list[Figure]:
    def used() -> Mapping[Labels, float]:
        return {(state,): float(count) for state, count in connection_usage(dsn).items()}

    return [
        ReadGauge(
            "waypost_store_connections", "Connections in use and idle; threads waiting for one.", used, ("state",)
        ),
        ReadGauge("waypost_listening", "1 while it receives change notifications.", lambda: {(): float(listens())}),
        ReadGauge("waypost_servers", "Servers of the team, at the last count.", lambda: {(): float(processes.count)}),
    ]


def of_log(log: Log) -> Figure:
    return ReadGauge("waypost_log_lines_lost_total", "Lost log lines.", lambda: {(): log.lost}, sort="counter")


def process_metrics() -> list[Figure]:
    """CPU, memory and files of this process, under the usual names. Figures that a system does not have are left out."""
    return [
        ReadGauge("process_cpu_seconds_total", "CPU time used.", lambda: {(): time.process_time()}, sort="counter"),
        ReadGauge("process_resident_memory_bytes", "Resident memory.", _resident),
        ReadGauge("process_open_fds", "Open files and sockets.", _open_files),
        ReadGauge("process_max_fds", "Limit of open files and sockets.", _most_files),
        ReadGauge("process_start_time_seconds", "Start time since 1970.", lambda: {(): _STARTED}),
    ]


def _resident() -> Mapping[Labels, float]:
    try:
        pages = int((_PROC / "statm").read_bytes().split()[1])
    except (OSError, ValueError, IndexError):
        return {}
    return {(): float(pages * os.sysconf("SC_PAGE_SIZE"))}


def _open_files() -> Mapping[Labels, float]:
    try:
        return {(): float(len(os.listdir(_PROC / "fd")))}
    except OSError:
        return {}


def _most_files() -> Mapping[Labels, float]:
    try:
        import resource  # not on Windows
    except ImportError:
        return {}
    return {(): float(resource.getrlimit(resource.RLIMIT_NOFILE)[0])}


def run_in_thread(work: Callable[[], None], name: str) -> "asyncio.Future[None]":
    """A future that is done when the work is, with its exception if it raised one."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def resolve(error: BaseException | None) -> None:
        if not done.done():
            done.set_result(None) if error is None else done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            work()
        except BaseException as raised:  # noqa: BLE001  the waiting caller gets it
            error = raised
        try:
            loop.call_soon_threadsafe(resolve, error)
        except RuntimeError:  # the server has ended
            return

    threading.Thread(target=run, name=name, daemon=True).start()
    return done


def metrics_app(figures: list[Figure], store: StoreFigures) -> App:
    """`/metrics`, with the metrics of the process and the store."""
    metrics = [*figures, *store.all(), *process_metrics()]
    looking: asyncio.Future[None] | None = None
    began = 0.0

    async def refresh() -> None:
        """Wait only briefly for the store, and never ask it twice at once."""
        nonlocal looking, began
        if looking is None or looking.done():
            looking, began = run_in_thread(store.look, "figures"), time.monotonic()
        await asyncio.wait((looking,), timeout=max(0.0, began + _PATIENCE_SECONDS - time.monotonic()))

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] not in {"GET", "HEAD"}:
            allow = ((b"allow", b"GET, HEAD"),)
            await answer(Problem(405, "This page is read-only.", "Use GET.", allow), receive, send)
            return
        await refresh()
        await send_answer(send, 200, exposition(metrics), CONTENT_TYPE)

    return application
