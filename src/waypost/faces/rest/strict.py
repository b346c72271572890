"""Reading requests strictly: what is not understood is refused, never dropped in silence."""

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

DEEPEST = 32  # objects and lists within each other
_MOST_NAMED = 20
_TAKEN = frozenset({"batch", "lift", "prune", "reindex", "search"})  # addresses of their own, in the place of an id


class StrictRoute(APIRoute):
    """A route that refuses parameters and fields which it does not have, bodies that are not JSON to the letter, and
    does a write with an `Idempotency-Key` once."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        status = options.get("status_code") or 200
        super().__init__(path, _answering(endpoint, status), **{**options, "response_model": None})

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        known = _query_names(self.dependant)
        takes_body = self.body_field is not None
        right = right_to_write(self.dependant)

        async def walled(request: Request) -> Response:
            try:
                return await strict(request)
            except (ProblemError, WaypostError, HTTPException, RequestValidationError):
                raise
            except Exception as error:  # noqa: BLE001  the last wall: the framework would have the server print it all
                return answer_of(unforeseen(error, services_of(request).spaces.home))

        async def strict(request: Request) -> Response:
            if not _TAKEN.isdisjoint(request.path_params.values()):
                raise HTTPException(405)
            _check_query(request, known)
            asked = StrictRequest(request.scope, request.receive)
            body = await asked.body()
            if body:
                _check_content_type(request)
            # Here, not in the framework, which would answer "Bad Request." and nothing else.
            value = await asked.json() if body else None
            if body and not takes_body and value != {}:  # many clients send an empty object with every POST
                raise ProblemError(400, "This address takes no body.", "Send none, or an empty JSON object.")
            if right is not None and KEY_HEADER in request.headers:
                await right(asked)  # who may not, or not any more, leaves no key and is told no reply
                return await once(asked, handle)
            return await handle(asked)

        return walled


def _answering(endpoint: Callable[..., Any], status: int) -> Callable[..., Any]:
    """The endpoint, with what it returns written as JSON in the same thread: the framework would look at every value of
    it again, in the event loop."""
    if inspect.iscoroutinefunction(endpoint):
        return endpoint

    @wraps(endpoint)
    def answer(**given: Any) -> Response:
        found = endpoint(**given)
        if isinstance(found, Response):
            return found
        told: Response | None = given.get("response")
        made = JsonAnswer(found, (told.status_code if told is not None else None) or status)
        if told is not None:
            made.headers.update({name: value for name, value in told.headers.items() if name == "location"})
        return made

    return answer


class StrictRequest(Request):
    """A request whose JSON is read by `read_json`, once."""

    async def json(self) -> Any:
        if not hasattr(self, "_json"):
            self._json = read_json(await self.body())
        return self._json


def read_json(body: bytes) -> Any:
    """The value of a JSON text. Raises ProblemError where its meaning would depend on who reads it."""
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
    except ValueError as error:  # a number of thousands of digits
        raise _unreadable("it has a number that is too long") from error
    _check_values(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _unreadable("an object has the same key twice")
    return found


def _no_number(name: str) -> NoReturn:
    raise _unreadable(f"{name} is no number of JSON")


def _float(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise _unreadable("it has a number that is too large")
    return number


def _check_values(value: Any) -> None:
    """Bounded depth, and only text in strings. Without recursion: the depth is what is asked."""
    level = [value]
    for _ in range(DEEPEST + 1):
        below: list[Any] = []
        for one in level:
            if isinstance(one, str):
                check_characters(one)
            elif isinstance(one, dict):
                for name in one:
                    check_characters(name)
                below.extend(one.values())
            elif isinstance(one, list):
                below.extend(one)
        if not below:
            return
        level = below
    raise _unreadable(f"it is nested deeper than {DEEPEST}")


def check_characters(text: str) -> None:
    """Raise ProblemError for what is no text: NUL, and half of a surrogate pair."""
    if "\0" in text:
        raise ProblemError(400, "A text contains U+0000.", "Leave it out.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ProblemError(400, "A text contains half of a surrogate pair.", "Send it as UTF-8.") from error


def _unreadable(why: str) -> ProblemError:
    return ProblemError(400, f"The body cannot be read as JSON: {why}.", "Send one JSON value in UTF-8.")


def _query_names(dependant: Dependant) -> dict[str, bool]:
    """The query parameters of a route; which may come more than once."""
    names: dict[str, bool] = {}
    for one in _all(dependant):
        for field in one.query_params:
            names[field.alias] = _is_list(field.field_info.annotation)
    return names


def _is_list(annotation: Any) -> bool:
    return get_origin(annotation) is list or any(_is_list(one) for one in get_args(annotation))


def _all(dependant: Dependant) -> Iterable[Dependant]:
    yield dependant
    for inner in dependant.dependencies:
        yield from _all(inner)


def _check_query(request: Request, known: dict[str, bool]) -> None:
    text = request.scope.get("query_string", b"").decode("latin-1")
    try:
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=200)
    except ValueError as error:
        raise ProblemError(400, "The query of the address is not UTF-8.", "Encode it by percent signs.") from error
    seen: set[str] = set()
    for name, value in pairs:
        check_characters(value)
        if name not in known:
            there = ", ".join(sorted(known)[:_MOST_NAMED]) or "none"
            raise ProblemError(422, f"There is no parameter {name[:40]!r}.", f"Parameters here: {there}.")
        if name in seen and not known[name]:
            raise ProblemError(422, f"The parameter {name} is given twice.", "Give it once.")
        seen.add(name)


def _check_content_type(request: Request) -> None:
    sent = request.headers.getlist("content-type")
    header = Message()
    header["content-type"] = sent[0] if len(sent) == 1 else "none/none"
    charset = str(header.get_param("charset") or "utf-8").lower()
    if header.get_content_type() != "application/json" or charset not in ("utf-8", "utf8"):
        raise ProblemError(415, "The body has to be JSON.", "Send `Content-Type: application/json`.")
