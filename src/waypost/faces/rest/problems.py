"""Errors as clients see them: problem+json with what is wrong and what to do, whatever went wrong where."""

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

from waypost.errors import (
    ConfigError,
    EngineError,
    InvalidInput,
    LlmError,
    NotFound,
    Refused,
    SecurityError,
    StoreBusy,
    StoreError,
    StoreFull,
    StoreUnavailable,
    WaypostError,
)
from waypost.faces.guard.problem import Problem
from waypost.faces.rest.answers import JsonAnswer
from waypost.space.crash import note_crash

_LOG = logging.getLogger("waypost.rest")
MEDIA_TYPE = "application/problem+json"
_MOST_TOLD = 10  # wrong fields named in one answer
_LONGEST = 200  # characters of a name that the client chose
_BUSY = ((b"retry-after", b"1"),)

# The first class that fits counts. What is the server's own fault is 5xx, and says so in the core's words.
_STATUS: tuple[tuple[type[WaypostError], int], ...] = (
    (ConfigError, 503),
    (InvalidInput, 422),
    (NotFound, 404),
    (SecurityError, 403),
    (Refused, 403),
    (StoreBusy, 503),
    (StoreUnavailable, 503),
    (StoreFull, 507),
    (StoreError, 503),
    (EngineError, 503),
    (LlmError, 503),
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
    """What the client is told of an error of the core."""
    status = next((status for sort, status in _STATUS if isinstance(error, sort)), 500)
    headers = _BUSY if isinstance(error, (StoreBusy, StoreUnavailable)) else ()
    return Problem(status, error.what, error.remedy or _usual_remedy(status), headers)


def answer_of(problem: Problem, more: Mapping[str, Any] | None = None) -> JsonAnswer:
    headers = {name.decode(): value.decode() for name, value in problem.headers}
    content = {**problem.to_json(), **(more or {})}
    return JsonAnswer(content, status_code=problem.status, headers=headers, media_type=MEDIA_TYPE)


def handle_problems(app: FastAPI, routes: Sequence[APIRoute]) -> None:
    """From now on every error of this app is answered as a problem."""
    app.add_exception_handler(ProblemError, _told)
    app.add_exception_handler(WaypostError, _core)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, partial(_http, routes))
    app.add_exception_handler(Exception, _unforeseen)


async def _told(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return answer_of(error.problem, error.more)


async def _core(_: Request, error: Exception) -> Response:
    assert isinstance(error, WaypostError)
    return answer_of(problem_of(error))


async def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    told = [_field(one) for one in error.errors()[:_MOST_TOLD]]
    first = told[0] if told else {"field": "", "message": "it is not valid"}
    what = f"{first['field']}: {first['message']}." if first["field"] else f"{first['message']}."
    return answer_of(
        Problem(422, what, "See /openapi.json for what this address takes."), {"errors": told} if told else {}
    )


def _field(error: Mapping[str, Any]) -> dict[str, str]:
    place: Sequence[Any] = error.get("loc", ())
    name = ".".join(str(part)[:_LONGEST] for part in place[:8])
    message = "there is no such field" if error.get("type") == "extra_forbidden" else str(error.get("msg", ""))
    return {"field": name[: 2 * _LONGEST], "message": message[: 2 * _LONGEST]}


async def _http(routes: Sequence[APIRoute], request: Request, error: Exception) -> Response:
    """What the framework itself refuses: an address or a method that there is not."""
    assert isinstance(error, HTTPException)
    status = error.status_code
    if status == 404:
        problem = Problem(404, "There is nothing at this address.", "See /openapi.json for the addresses.")
    elif status == 405:
        allowed = ", ".join(_methods_at(routes, request)) or (error.headers or {}).get("Allow", "GET")
        allow = ((b"allow", allowed.encode("latin-1", "replace")),)
        problem = Problem(405, "This address has no such method.", f"Use {allowed}.", allow)
    else:
        problem = Problem(status, f"{HTTPStatus(status).phrase}.", _usual_remedy(status))
    return answer_of(problem)


def _methods_at(routes: Sequence[APIRoute], request: Request) -> list[str]:
    """Of the routes that the address fits, those with the fewest open places: `/memories/prune` is no memory's id."""
    path = request.scope["path"].removeprefix(request.scope.get("root_path", ""))
    fitting = [route for route in routes if route.path_regex.match(path)]
    fewest = min((route.path.count("{") for route in fitting), default=0)
    return sorted({one for route in fitting if route.path.count("{") == fewest for one in route.methods or ()})


def unforeseen(error: BaseException, home: Path) -> Problem:
    """A fault of ours. The client learns nothing of it, and the log not what it says, which may be words of a memory;
    whoever runs the server finds the place in `crash.log`."""
    note_crash(error, home)
    told = "Something went wrong: %s; crash.log in Waypost's home has the place."
    _LOG.error(told, type(error).__name__, extra={"crash": error})
    return Problem(500, "Something went wrong in the server.", "crash.log in its home has the place; please report it.")


async def _unforeseen(request: Request, error: Exception) -> Response:
    return answer_of(unforeseen(error, request.app.state.services.spaces.home))


def _usual_remedy(status: int) -> str:
    return {
        404: "Check the id.",
        403: "Use what is yours.",
        422: "See /openapi.json for what this address takes.",
    }.get(status, "Try again; if it stays, run `waypost doctor`.")
