"""Strict parsing of requests: what is not understood is refused, never ignored."""

import inspect
import json
import math
from collections.abc import Callable, Coroutine, Iterable
from email.message import Message
from functools import wraps
from typing import Any, NoReturn, get_args, get_origin
from urllib.parse import parse_qsl

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.exceptions import HTTPException
from starlette.responses import Response

from waypost.errors import WaypostError
from waypost.faces.rest.answers import JsonAnswer
from waypost.faces.rest.caller import right_to_write, services_of
from waypost.faces.rest.idempotent import KEY_HEADER, once
from waypost.faces.rest.problems import ProblemError, answer_of, unforeseen

DEEPEST = 32  # nested objects and lists
_MOST_NAMED = 20
_RESERVED = frozenset({"batch", "lift", "prune", "reindex", "search"})  # addresses in the place of an id


class StrictRoute(APIRoute):
    """A route that refuses unknown parameters and fields and invalid JSON, and does a write with an `Idempotency-Key`
    only once."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        status = options.get("status_code") or 200
        super().__init__(path, _answering(endpoint, status), **{**options, "response_model": None})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        parameters = _query_names(self.dependant)
        takes_body = self.body_field is not None
        check_right = right_to_write(self.dependant)

        async def guarded(request: Request) -> Response:
            try:
                return await strict(request)
            except (ProblemError, WaypostError, HTTPException, RequestValidationError):
                raise
            except Exception as error:  # noqa: BLE001  last boundary: the framework would print the traceback
                return answer_of(unforeseen(error, services_of(request).spaces.home))

        async def strict(request: Request) -> Response:
            if not _RESERVED.isdisjoint(request.path_params.values()):
                raise HTTPException(405)
            _check_query(request, parameters)
            strict_request = StrictRequest(request.scope, request.receive)
            body = await strict_request.body()
            if body:
                _check_content_type(request)
            # Not left to the framework, which would only answer "Bad Request."
            value = await strict_request.json() if body else None
            if body and not takes_body and value != {}:  # many clients send an empty object with every POST
                raise ProblemError(400, "This address takes no body.", "Send no body, or an empty JSON object.")
            if check_right is not None and KEY_HEADER in request.headers:
                await check_right(strict_request)  # callers without the right leave no key and get no reply
                return await once(strict_request, handle)
            return await handle(strict_request)

        return guarded


def _answering(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    """The endpoint, with its result encoded in the same thread. The framework would process every value again, in the
    event loop."""
    if inspect.iscoroutinefunction(endpoint):
        return endpoint

    @wraps(endpoint)
    def answer(**given: Any) -> Response:
        result = endpoint(**given)
        if isinstance(result, Response):
            return result
        settings: Response | None = given.get("response")
        answer_response = JsonAnswer(result, (settings.status_code if settings is not None else None) or status)
        if settings is not None:
            answer_response.headers.update(
                {name: value for name, value in settings.headers.items() if name == "location"}
            )
        return answer_response

    return answer


class StrictRequest(Request):
    """A request whose JSON is parsed once, by `read_json`."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = read_json(await self.body())
        return self._json


def read_json(body: bytes) -> Any:
    """The value of a JSON text. Raises ProblemError if parsers could disagree about its meaning."""
    try:
        value = json.loads(
            body.decode("utf-8"), object_pairs_hook=_object, parse_constant=_no_number, parse_float=_float
        )
    except UnicodeDecodeError as error:
        raise _unreadable("it is not UTF-8") from error
    except json.JSONDecodeError as error:
        raise _unreadable(f"{error.msg} at line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise _unreadable(f"it is nested deeper than {DEEPEST}") from error
    except ValueError as error:  # a number with thousands of digits
        raise _unreadable("it has a number that is too long") from error
    _check_values(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _unreadable("an object has the same key twice")
    return value


def _no_number(name: str) -> NoReturn:
    raise _unreadable(f"{name} is not a JSON number")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _unreadable("it has a number that is too large")
    return number


def _check_values(value: Any) -> None:
    """Check the depth and all strings. Not recursive, because the depth is what is checked."""
    level = [value]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, str):
                check_characters(item)
            elif isinstance(item, dict):
                for name in item:
                    check_characters(name)
                below.extend(item.values())
            elif isinstance(item, list):
                below.extend(item)
        if not below:
            return
        level = below
    raise _unreadable(f"it is nested deeper than {DEEPEST}")


def check_characters(text: str) -> None:
    """Raise ProblemError for NUL and for lone surrogates."""
    if "\0" in text:
        raise ProblemError(400, "A text contains U+0000.", "Leave it out.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ProblemError(400, "A text contains a lone surrogate.", "Send it as UTF-8.") from error


def _unreadable(why: str) -> ProblemError:
    return ProblemError(400, f"The body cannot be read as JSON: {why}.", "Send one JSON value in UTF-8.")


def _query_names(dependant: Dependant) -> dict[str, bool]:
    """The query parameters of a route, and whether each can be repeated."""
    names: dict[str, bool] = {}
    for part in _all(dependant):
        for field in part.query_params:
            names[field.alias] = _is_list(field.field_info.annotation)
    return names


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(_is_list(argument) for argument in get_args(annotation))


def _all(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for inner in dependant.dependencies:
        yield from _all(inner)


def _check_query(request: Request, parameters: dict[str, bool]) -> None:
    text = request.scope.get("query_string", b"").decode("latin-1")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=200)
    except ValueError as error:
        raise ProblemError(400, "The query string is not UTF-8.", "Percent-encode it.") from error
    given_names: set[str] = set()
    for name, value in pairs:
        check_characters(value)
        if name not in parameters:
            names = ", ".join(sorted(parameters)[:_MOST_NAMED]) or "none"
            raise ProblemError(422, f"Unknown parameter {name[:40]!r}.", f"Parameters: {names}.")
        if name in given_names and not parameters[name]:
            raise ProblemError(422, f"The parameter {name} is given twice.", "Give it once.")
        given_names.add(name)


def _check_content_type(request: Request) -> None:
    sent = request.headers.getlist("content-type")
    header = Message()
    header["content-type"] = sent[0] if len(sent) == 1 else "none/none"
    charset = str(header.get_param("charset") or "utf-8").lower()
    if header.get_content_type() != "application/json" or charset not in ("utf-8", "utf8"):
        raise ProblemError(415, "The body must be JSON.", "Send `Content-Type: application/json`.")
