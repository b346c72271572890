"""The REST API as an application, to run behind a `RequestGate`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool

from waypost import __version__
from waypost.faces.rest.answers import JsonAnswer
from waypost.faces.rest.caller import MemoryLocks, Services
from waypost.faces.rest.jobs import Jobs
from waypost.faces.rest.openapi import documented
from waypost.faces.rest.problems import handle_problems
from waypost.faces.rest.replies import Replies
from waypost.faces.rest.routes import (
    code,
    decisions,
    exports,
    jobs,
    journal,
    learning,
    memory,
    recall,
    review,
    shares,
    short_addresses,
    staleness,
)
from waypost.faces.rest.routes import spaces as spaces_routes
from waypost.faces.rest.streams import Holds, Pause, Streams
from waypost.memory.catalog import Spaces
from waypost.model.time import Clock, utc_now

_ROUTERS = tuple(
    module.router
    for module in (
        short_addresses, spaces_routes, memory, recall, code, staleness, review, decisions, learning, journal,
        exports, jobs, shares,
    )
)  # fmt: skip
ROUTES = tuple(route for router in _ROUTERS for route in router.routes if isinstance(route, APIRoute))


def rest_app(
    spaces: Spaces,
    *,
    clock: Clock = utc_now,
    pause: Pause = asyncio.sleep,
    holds: Holds = lambda *_: True,
    replies: Replies | None = None,
) -> FastAPI:
    """The API for these memories. Every request needs a `TokenIdentity` in its scope, as the gate sets it.

    Enter `app.router.lifespan_context(app)` while it is served: jobs end with it.
    `pause` is how event streams wait between two polls. Streams and jobs end when the token is no longer valid.
    `replies` defaults to those in the data directory.
    """
    stored_replies = Replies(spaces.home, clock) if replies is None else replies
    services = Services(spaces, Jobs(clock, spaces.home), stored_replies, Streams(pause, holds), MemoryLocks(), clock)

    @asynccontextmanager
    async def running(_: FastAPI) -> AsyncIterator[None]:
        yield
        await run_in_threadpool(services.jobs.stop)

    app = FastAPI(
        title="Waypost",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        default_response_class=JsonAnswer,
        lifespan=running,
        generate_unique_id_function=lambda route: route.name,
    )
    app.state.services = services
    handle_problems(app, ROUTES)
    for router in _ROUTERS:
        app.include_router(router)
    app.openapi = documented(app, ROUTES)  # type: ignore[method-assign]
    return app
