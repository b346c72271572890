"""Errors as problem+json, with what is wrong and what to do."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from waypost import errors
from waypost.errors import WaypostError
from waypost.faces.guard.problem import Problem
from waypost.faces.rest.answers import JsonAnswer
from waypost.system.crash_log import note_crash

_LOG = logging.getLogger("waypost.rest")
MEDIA_TYPE = "application/problem+json"
_MOST_ERRORS = 10  # wrong fields named in one answer
_LONGEST = 200  # characters of a name from the client
_BUSY = ((b"retry-after", b"1"),)

# The first matching class counts. Faults of the server are 5xx.
_STATUS: tuple[tuple[type[WaypostError], int], ...] = (
    (errors.ConfigError, 503),
    (errors.InvalidInput, 422),
    (errors.NotFound, 404),
    (errors.SecurityError, 403),
    (errors.Refused, 403),
    (errors.StoreBusy, 503),
    (errors.StoreUnavailable, 503),
    (errors.StoreFull, 507),
    (errors.StoreError, 503),
    (errors.EngineError, 503),
    (errors.LlmError, 503),
)


class ProblemError(Exception):
    """Refuse this request. `more` are further members of the problem."""

    def __init__(
        self, status: int, what: str, remedy: str, *, headers: tuple[tuple[bytes, bytes], ...] = (), **more: Any
    ) -> None:
        super().__init__(what)
        self.problem = Problem(status, what, remedy, headers)
        self.more = more


def problem_of(error: WaypostError) -> Problem:
    status = next((status for sort, status in _STATUS if isinstance(error, sort)), 500)
    headers = _BUSY if isinstance(error, (errors.StoreBusy, errors.StoreUnavailable)) else ()
    return Problem(status, error.what, error.remedy or _usual_remedy(status), headers)


def answer_of(problem: Problem, more: Mapping[str, Any] | None = None) -> JsonAnswer:
    headers = {name.decode(): value.decode() for name, value in problem.headers}
    content = {**problem.to_json(), **(more or {})}
    return JsonAnswer(content, status_code=problem.status, headers=headers, media_type=MEDIA_TYPE)


def handle_problems(app: FastAPI, routes: Sequence[APIRoute]) -> None:
    app.add_exception_handler(ProblemError, _problem)
    app.add_exception_handler(WaypostError, _core)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, partial(_http, routes))
    app.add_exception_handler(Exception, _unforeseen)


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return answer_of(error.problem, error.more)


async def _core(_: Request, error: Exception) -> Response:
    assert isinstance(error, WaypostError)
    return answer_of(problem_of(error))


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    fields = [_field(detail) for detail in error.errors()[:_MOST_ERRORS]]
    first = fields[0] if fields else {"field": "", "message": "invalid request"}
    what = f"{first['field']}: {first['message']}." if first["field"] else f"{first['message']}."
    return answer_of(Problem(422, what, "See /openapi.json for the parameters."), {"errors": fields} if fields else {})


def _field(error: Mapping[str, Any]) -> dict[str, str]:
    place: Sequence[Any] = error.get("loc", ())
    name = ".".join(str(part)[:_LONGEST] for part in place[:8])
    message = "unknown field" if error.get("type") == "extra_forbidden" else str(error.get("msg", ""))
    return {"field": name[: 2 * _LONGEST], "message": message[: 2 * _LONGEST]}


async def _http(routes: Sequence[APIRoute], request: Request, error: Exception) -> Response:
    """Errors of the framework itself: an unknown address or method."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    if status == 404:
        problem = Problem(404, "Not found.", "See /openapi.json for the addresses.")
    elif status == 405:
        allowed = ", ".join(_methods_at(routes, request)) or (error.headers or {}).get("Allow", "GET")
        allow = ((b"allow", allowed.encode("latin-1", "replace")),)
        problem = Problem(405, "Method not allowed.", f"Use {allowed}.", allow)
    else:
        problem = Problem(status, f"{HTTPStatus(status).phrase}.", _usual_remedy(status))
    return answer_of(problem)


def _methods_at(routes: Sequence[APIRoute], request: Request) -> list[str]:
    """Methods of the most specific matching routes, so that `/memories/prune` is not read as a memory's id."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    fitting = [route for route in routes if route.path_regex.match(path)]
    fewest = min((route.path.count("{") for route in fitting), default=0)
    return sorted({method for route in fitting if route.path.count("{") == fewest for method in route.methods or ()})


def unforeseen(error: BaseException, home: Path) -> Problem:
    """Log a fault of the server. The client gets no details, and the log no message, which may contain stored text;
    `crash.log` has the place."""
    note_crash(error, home)
    message = "Unexpected error: %s; see crash.log in the data directory."
    _LOG.error(message, type(error).__name__, extra={"crash": error})
    return Problem(500, "Unexpected error in the server.", "See crash.log in its data directory, and please report it.")


async def _unforeseen(request: Request, error: Exception) -> Response:
    return answer_of(unforeseen(error, request.app.state.services.spaces.home))


def _usual_remedy(status: int) -> str:
    return {404: "Check the id.", 403: "Check the token's rights.", 422: "See /openapi.json for the parameters."}.get(
        status, "Try again; if it persists, run `waypost doctor`."
    )
