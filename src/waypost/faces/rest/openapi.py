"""The document of the API: what the framework knows of the routes, with answers, examples, problems and rights."""

import json
from collections.abc import Callable, Iterable, Mapping
from importlib.resources import files
from typing import Any

import yaml
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute

from waypost.faces.rest.caller import wants_to_decide, wants_to_write
from waypost.faces.rest.problems import MEDIA_TYPE

_PROBLEM = "#/components/schemas/Problem"
_SCHEME = "token"
_USUAL = (400, 401, 403, 404, 414, 422, 429, 503)
_WITH_BODY = (413, 415)
_WRITING = (409, 507)
_HEADERS = {
    "Location": "Where it is found.",
    "ETag": "Another one whenever the memory, or how it stands, is another.",
}
_TITLES = {
    304: "It is as you know it.",
    400: "The request cannot be read.",
    401: "No valid token.",
    403: "The token has not the right, or a path leads out of the project.",
    404: "There is no such thing.",
    409: "Something stands in the way: a rejected value, a job that runs, the same request under way.",
    412: "The memory is not as you read it.",
    413: "Too large.",
    414: "The address is too long; what takes long values takes them in the body, too.",
    415: "The body is not JSON.",
    422: "A value cannot be used.",
    429: "Too many requests; wait as long as Retry-After says.",
    503: "Not now: busy, or something that is needed is away.",
    507: "No room on the disk.",
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "A key of your own: sent again with the same key and body, it is answered as before and not done twice.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
    "example": "6f1c0b5e-2f0a-4c57-9d0b-3a3d3f2c9a10",
}
_EVENT = {
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"type": "string", "enum": ["hello", "change", "job", "many", "problem"]},
        "data": {"type": "string", "contentMediaType": "application/json"},
        "id": {"type": "string"},
    },
}
_RIGHTS = {"read": "Any token.", "write": "A token that may write.", "person": "A person's token that may write."}


def document(app: FastAPI, of: Iterable[APIRoute]) -> dict[str, Any]:
    """The whole document."""
    routes = {route.name: route for route in of}
    found = get_openapi(
        title=app.title,
        version=app.version,
        routes=app.routes,
        description=_text("description.md"),
        tags=app.openapi_tags,
    )
    answers, examples = _data("answers.yaml"), json.loads(_text("examples.json"))
    for methods in found["paths"].values():
        for operation in methods.values():
            name = operation["operationId"]
            _describe(operation, routes[name], answers[name], examples.get(name))
    components = found.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **_data("schemas.yaml")}
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = {
        _SCHEME: {"type": "http", "scheme": "bearer", "description": "The owner's token, or an agent's."}
    }
    found["security"] = [{_SCHEME: []}]
    return found


def right_of(route: APIRoute) -> str:
    """Which token a route wants: `read`, `write` or `person`."""
    if wants_to_decide(route.dependant):
        return "person"
    return "write" if wants_to_write(route.dependant) else "read"


def _describe(operation: dict[str, Any], route: APIRoute, answer: Mapping[str, Any], example: Any) -> None:
    """Complete one operation."""
    right = right_of(route)
    first, _, rest = operation.get("description", "").partition("\n\n")
    operation["summary"] = " ".join(first.split()).partition(". ")[0].rstrip(".")
    operation["description"] = "\n\n".join(part for part in (first, rest, f"Needs: {_RIGHTS[right]}") if part)
    operation["x-waypost-rights"] = right
    for parameter in operation.get("parameters", ()):
        parameter["schema"] = _without_null(parameter["schema"])
    writes = right != "read"
    if writes:
        operation.setdefault("parameters", []).append(_KEY)
    responses = {str(status): _answer(answer, example) for status in answer.get("statuses", [route.status_code or 200])}
    for status, schema in answer.get("also", {}).items():
        responses[str(status)] = _answer({"schema": schema}, None)
    for status in answer.get("empty", ()):
        responses[str(status)] = {"description": _TITLES[status]}
    problems = [*_USUAL, *(_WITH_BODY if "requestBody" in operation else ()), *(_WRITING if writes else ())]
    if any(one["name"].lower() == "if-match" for one in operation.get("parameters", ())):
        problems.append(412)
    responses |= {str(status): _problem(status) for status in sorted(problems)}
    operation["responses"] = responses


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter is left out; it is never null."""
    sorts = [one for one in schema.get("anyOf", ()) if one != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    return {**rest, **sorts[0]} if len(sorts) == 1 else schema


def _answer(answer: Mapping[str, Any], example: Any) -> dict[str, Any]:
    if "media" in answer:
        return {
            "description": "As it is.",
            "content": {
                media: {"schema": {} if media.endswith("json") else _EVENT, "example": example}
                for media in answer["media"]
            },
        }
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{answer['schema']}"}}
    if example is not None:
        content["example"] = example
    found: dict[str, Any] = {"description": answer["schema"], "content": {"application/json": content}}
    if "headers" in answer:
        found["headers"] = {
            name: {"description": _HEADERS[name], "schema": {"type": "string"}} for name in answer["headers"]
        }
    return found


def _problem(status: int) -> dict[str, Any]:
    return {"description": _TITLES[status], "content": {MEDIA_TYPE: {"schema": {"$ref": _PROBLEM}}}}


def _data(name: str) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(_text(name))
    return found


def _text(name: str) -> str:
    return (files("waypost.faces.rest") / name).read_text(encoding="utf-8")


def documented(app: FastAPI, of: Iterable[APIRoute]) -> Callable[[], dict[str, Any]]:
    """`app.openapi`: made when it is first asked for."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app, of)
        return app.openapi_schema

    return openapi
