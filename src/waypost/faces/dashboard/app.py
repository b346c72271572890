"""The dashboard as an ASGI application. Importing it imports Starlette and Jinja."""

from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from waypost.errors import InvalidInput, NotFound, SecurityError, WaypostError
from waypost.faces.dashboard.pages import PAGES
from waypost.faces.dashboard.render import Renderer
from waypost.faces.dashboard.request_context import PageRequest, PageRoute, Redirect, address
from waypost.faces.dashboard.slow_work import SlowWork
from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.memory.catalog import Spaces
from waypost.system.crash_log import note_crash

_FIELDS = 5000  # per form
_STATUS: Mapping[type[WaypostError], int] = {NotFound: 404, SecurityError: 403, InvalidInput: 400}

CsrfToken = Callable[[Any], str]  # the token that forms of this request must send back


def dashboard_app(
    spaces: Spaces, *, csrf_token: CsrfToken = lambda _: "", places: Iterable[PageRoute] = PAGES
) -> Starlette:
    """To run behind the gate, which sets a `TokenIdentity` on every request and checks for forged ones."""
    renderer, slow_work = Renderer(spaces, csrf_token), SlowWork()
    page_routes = [
        Route(f"/s/{{space}}{route.path}", _answering(spaces, renderer, slow_work, route), methods=list(route.methods))
        for route in places
    ]
    routes: list[BaseRoute] = [
        Route("/", _home(spaces, renderer)),
        Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        *page_routes,
    ]

    async def missing(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        what = "Page not found." if status == 404 else "This page does not support that."
        remedy = "Go back, or start at the overview."
        return await run_in_threadpool(renderer.error, request, _identity(request), what, remedy, status)

    return Starlette(routes=routes, exception_handlers={404: missing, 405: missing})


def _home(spaces: Spaces, renderer: Renderer) -> Callable[[Request], Response]:
    def home(request: Request) -> Response:
        identity = _identity(request)
        try:
            _refuse_agents(identity)
            return RedirectResponse(address(identity.space or spaces.here), status_code=303)
        except (NotFound, SecurityError) as error:  # no membership, or an agent
            return renderer.error(request, identity, error.what, error.remedy, _STATUS[type(error)])

    return home


def _answering(
    spaces: Spaces, renderer: Renderer, slow_work: SlowWork, route: PageRoute
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        form = _form(await request.body()) if request.method == "POST" else {}
        return await run_in_threadpool(work, request, form)

    def work(request: Request, form: Mapping[str, tuple[str, ...]]) -> Response:
        identity = _identity(request)
        try:
            page_request = _page_request(spaces, slow_work, request, identity, route, form)
            if request.method == "POST":
                page_request.need_person()
            result = route.show(page_request)
            if isinstance(result, Redirect):
                return RedirectResponse(result.to, status_code=303)
            return renderer.page(request, page_request, result)
        except WaypostError as error:
            status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 409)
            return renderer.error(request, identity, error.what, error.remedy, status)
        except Exception as error:  # noqa: BLE001  last boundary before the user: log the traceback, show one line
            note_crash(error, spaces.home)
            what = f"Unexpected error: {type(error).__name__}."
            remedy = "This is a bug. See crash.log in the data directory. Everything that was confirmed is saved."
            return renderer.error(request, identity, what, remedy, 500)

    return answer


def _page_request(
    spaces: Spaces,
    slow_work: SlowWork,
    request: Request,
    identity: TokenIdentity,
    place: PageRoute,
    form: Mapping[str, tuple[str, ...]],
) -> PageRequest:
    path = {name: str(value) for name, value in request.path_params.items()}
    space_id = path.pop("space")
    identity.check_opens(space_id)
    _refuse_agents(identity)
    if not spaces.here_is_callers and space_id != spaces.here:  # in a team, tokens open only existing spaces
        spaces.entry(space_id)
    query = dict(request.query_params)
    if "\0" in "".join([*path.values(), *query.values(), *(value for values in form.values() for value in values)]):
        raise InvalidInput("The request contains a NUL character.", "Remove it.")
    return PageRequest(spaces, space_id, identity, place.section, path, query, form, slow_work)


def _refuse_agents(identity: TokenIdentity) -> None:
    if identity.kind != "person":
        raise SecurityError(
            "Agents' tokens cannot open pages.",
            "Sign in with a person's token or a code. Programs use the API, /api/v1.",
        )


def _identity(request: Request) -> TokenIdentity:
    identity: TokenIdentity = request.scope[CALLER]
    return identity


def _form(body: bytes) -> dict[str, tuple[str, ...]]:
    fields: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        pairs = []
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in fields.items()}
