"""The dashboard as an ASGI application. Importing this imports Starlette and Jinja: only what serves does so."""

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
from waypost.faces.dashboard.pages import PLACES
from waypost.faces.dashboard.render import Renderer
from waypost.faces.dashboard.request_context import Go, PagePlace, PageRequest, address
from waypost.faces.dashboard.slow_work import Patience
from waypost.faces.guard.asgi import CALLER
from waypost.faces.guard.identity import TokenIdentity
from waypost.memory.catalog import Spaces
from waypost.space.crash import note_crash

_FIELDS = 5000  # of one form
_STATUS: Mapping[type[WaypostError], int] = {NotFound: 404, SecurityError: 403, InvalidInput: 400}

CsrfToken = Callable[[Any], str]  # of the scope of a request: what its forms have to send back


def dashboard_app(
    spaces: Spaces,
    *,
    csrf_token: CsrfToken = lambda _: "",
    places: Iterable[PagePlace] = PLACES,
) -> Starlette:
    """Stands behind the gate: every request has its `TokenIdentity`, and unsafe ones were checked against forgery."""
    renderer, patience = Renderer(spaces, csrf_token), Patience()
    shown = [
        Route(f"/s/{{space}}{place.path}", _answering(spaces, renderer, patience, place), methods=list(place.methods))
        for place in places
    ]
    routes: list[BaseRoute] = [
        Route("/", _home(spaces, renderer)),
        Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
        *shown,
    ]

    async def missing(request: Request, error: Exception) -> Response:
        status = getattr(error, "status_code", 404)
        what = "There is no such page." if status == 404 else "This cannot be done here."
        remedy = "Go back, or begin at the overview."
        return await run_in_threadpool(renderer.error, request, _identity(request), what, remedy, status)

    return Starlette(routes=routes, exception_handlers={404: missing, 405: missing})


def _home(spaces: Spaces, renderer: Renderer) -> Callable[[Request], Response]:
    def home(request: Request) -> Response:
        identity = _identity(request)
        try:
            _refuse_agents(identity)
            return RedirectResponse(address(identity.space or spaces.here), status_code=303)
        except (NotFound, SecurityError) as error:  # a member of no memory; an agent
            return renderer.error(request, identity, error.what, error.remedy, _STATUS[type(error)])

    return home


def _answering(
    spaces: Spaces, renderer: Renderer, patience: Patience, place: PagePlace
) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        form = _form(await request.body()) if request.method == "POST" else {}
        return await run_in_threadpool(work, request, form)

    def work(request: Request, form: Mapping[str, tuple[str, ...]]) -> Response:
        identity = _identity(request)
        try:
            asked = _asked(spaces, patience, request, identity, place, form)
            done = place.show(asked)
            return _redirect(done) if isinstance(done, Go) else renderer.page(request, asked, done)
        except WaypostError as error:
            status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 409)
            return renderer.error(request, identity, error.what, error.remedy, status)
        except Exception as error:  # noqa: BLE001  the last wall before the person: a traceback helps nobody there
            note_crash(error, spaces.home)
            what = f"Something unexpected happened: {type(error).__name__}."
            remedy = "This is a bug; crash.log in Waypost's home has the place. Nothing that was acknowledged is lost."
            return renderer.error(request, identity, what, remedy, 500)

    return answer


def _asked(
    spaces: Spaces,
    patience: Patience,
    request: Request,
    identity: TokenIdentity,
    place: PagePlace,
    form: Mapping[str, tuple[str, ...]],
) -> PageRequest:
    path = {name: str(value) for name, value in request.path_params.items()}
    space_id = path.pop("space")
    identity.check_opens(space_id)
    _refuse_agents(identity)
    if not spaces.here_is_callers and space_id != spaces.here:  # of a team, the token opens none that is not there
        spaces.entry(space_id)
    query = dict(request.query_params)
    if "\0" in "".join([*path.values(), *query.values(), *(value for values in form.values() for value in values)]):
        raise InvalidInput("There is a NUL character in what was sent.", "Leave it out.")
    return PageRequest(spaces, space_id, identity, place.section, path, query, form, patience)


def _refuse_agents(identity: TokenIdentity) -> None:
    if identity.kind != "person":
        raise SecurityError(
            "Agents' tokens open no pages.", "Sign in with a person's token or a code. Programs use the API, /api/v1."
        )


def _identity(request: Request) -> TokenIdentity:
    identity: TokenIdentity = request.scope[CALLER]
    return identity


def _form(body: bytes) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        pairs = []
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return {name: tuple(values) for name, values in found.items()}


def _redirect(done: Go) -> Response:
    return RedirectResponse(done.to, status_code=303)
