"""Assembles the parts of a server: its faces, and what the operator watches."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from waypost import __version__
from waypost.config import ServeSettings
from waypost.errors import StoreError
from waypost.faces.guard.access_log import Log
from waypost.faces.guard.csrf import csrf_token
from waypost.faces.guard.health import Readiness, health_app
from waypost.faces.guard.limits import Buckets, Processes, ServerLimits
from waypost.faces.mcp.session import ServedProject
from waypost.faces.mcp.tool import Tool
from waypost.faces.serve.app import Faces, Operations, Running
from waypost.faces.serve.change_events import ListeningState, listen_for_changes
from waypost.faces.serve.maintenance import ServerMaintenance
from waypost.faces.serve.metrics import ServerMetrics, StoreFigures, metrics_app, of_database, of_jobs, of_log
from waypost.faces.serve.routes import routes_of
from waypost.faces.serve.team import Team
from waypost.faces.serve.tool_calls import tool_calls
from waypost.memory.catalog import Spaces
from waypost.memory.team_database import wait_for_database_until
from waypost.model.memory import Caller
from waypost.system.crash_log import note_crash

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

    from waypost.faces.rest.streams import Holds

_READER = Caller("agent", "health")  # only reads


@dataclass(frozen=True, slots=True)
class Parts:
    faces: Faces
    operating: Operations
    readiness: Readiness
    upkeep: ServerMaintenance | None = None  # for a team
    store: str = ""  # the database's address, if there is one

    def ending(self) -> None:
        """Stop accepting requests. Waits for an unavailable database no longer than running requests may take."""
        self.wait_until(time.monotonic() + self.operating.settings.shutdown_seconds)
        self.readiness.ending = True
        self.operating.ending.begin()
        self.operating.log.event("stopping")

    def wait_until(self, moment: float) -> None:
        if self.store:
            wait_for_database_until(self.store, moment)


def assemble(
    spaces: Spaces,
    project: ServedProject,
    tools: Sequence[Tool],
    settings: ServeSettings,
    limits: ServerLimits,
    writes: Buckets,
    log: Log,
    *,
    holds: "Holds" = lambda *_: True,
    team: Team | None = None,
    processes: Processes | None = None,
) -> Parts:
    """`writes`: the write limits, shared with the gate. `holds`: whether the token with a key is valid and opens a memory.
    `processes`: the number of servers; a team's server counts them itself."""
    from waypost.faces.dashboard.app import dashboard_app
    from waypost.faces.mcp.http import mcp_app
    from waypost.faces.mcp.server import build_server
    from waypost.faces.rest.app import ROUTES, rest_app

    rest = rest_app(spaces, clock=spaces.now, holds=holds, replies=None if team is None else team.replies())
    dashboard = dashboard_app(spaces, csrf_token=csrf_token)
    routes = routes_of("" if spaces.here_is_callers else spaces.here, ROUTES, dashboard.routes)
    figures = ServerMetrics(routes.kinds)
    server = build_server(tools, project)
    mcp = mcp_app(server, tools, limits=limits)
    server.middleware.append(tool_calls(tools, figures, writes))
    _count_store_errors(rest, figures)
    services = rest.state.services
    readiness = _readiness(spaces, figures, log, team)
    store = StoreFigures(lambda: _status(spaces, team), figures)
    all_figures, listening = [*figures.all(), of_jobs(services.jobs), of_log(log)], ListeningState()
    processes = processes or Processes()
    if spaces.store:
        all_figures += of_database(spaces.store, lambda: listening.is_listening, processes)
    upkeep = None if team is None else ServerMaintenance(spaces, team, log, figures, processes)
    operating = Operations(
        log=log,
        health=health_app(readiness, __version__),
        metrics=metrics_app(all_figures, store),
        note_crash=lambda error: note_crash(error, spaces.home),
        figures=figures,
        routes=routes,
        settings=settings,
    )
    lifespans = (lambda: rest.router.lifespan_context(rest), lambda: dashboard.router.lifespan_context(dashboard))
    running: tuple[Running, ...] = (mcp.running, *lifespans, lambda: listen_for_changes(spaces, services, listening))
    if upkeep is not None:
        running = (*running, upkeep.running)
    return Parts(Faces(rest, dashboard, mcp, running), operating, readiness, upkeep, spaces.store)


def _status(spaces: Spaces, team: Team | None) -> Mapping[str, Any]:
    if team is not None:  # the server role sees only the size of the database
        return {"storage_bytes": team.database.size_bytes()}
    return spaces.memory(_READER).status()


def _readiness(spaces: Spaces, figures: ServerMetrics, log: Log, team: Team | None) -> Readiness:
    def read() -> None:
        if team is not None:
            team.database.check()
            return
        spaces.memory(_READER).admin.audit(None, 1)

    def report(reason: str, error: BaseException) -> None:
        if isinstance(error, StoreError):
            figures.store_failed(error)
        log.event("not ready", "warning", reason=reason, error=type(error).__name__)

    return Readiness(read, spaces.home, on_failure=report)


def _count_store_errors(rest: "FastAPI", figures: ServerMetrics) -> None:
    from waypost.faces.rest.problems import answer_of, problem_of

    async def counted(_: "Request", error: Exception) -> "Response":
        assert isinstance(error, StoreError)
        figures.store_failed(error)
        return answer_of(problem_of(error))

    rest.add_exception_handler(StoreError, counted)
