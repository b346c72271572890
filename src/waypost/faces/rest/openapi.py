"""The OpenAPI document: the framework's part, completed with responses, examples, problems and rights."""

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
    "Location": "The address of the result.",
    "ETag": "Changes with the memory's text, state or code references.",
}
_TITLES = {
    304: "Not changed.",
    400: "The request cannot be parsed.",
    401: "No valid token.",
    403: "The token lacks the right, or a path leads out of the project.",
    404: "Not found.",
    409: "Conflict: a rejected value, a running job, or the same request in progress.",
    412: "The memory has changed since you read it.",
    413: "Too large.",
    414: "The address is too long; send long values in the body.",
    415: "The body is not JSON.",
    422: "Invalid value.",
    429: "Too many requests; wait as Retry-After says.",
    503: "Busy, or something needed is unavailable.",
    507: "No space left on the disk.",
}
_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": "Your own key. A repeated request with the same key and body gets the same reply and is done once.",
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
_RIGHTS = {"read": "Any token.", "write": "A token that can write.", "person": "A person's token that can write."}


def document(app: FastAPI, of: Iterable[APIRoute]) -> dict[str, Any]:
    routes = {route.name: route for route in of}
    spec = get_openapi(
        title=app.title,
        version=app.version,
        routes=app.routes,
        description=_text("description.md"),
        tags=app.openapi_tags,
    )
    answers, examples = _data("answers.yaml"), json.loads(_text("examples.json"))
    for methods in spec["paths"].values():
        for operation in methods.values():
            name = operation["operationId"]
            _describe(operation, routes[name], answers[name], examples.get(name))
    components = spec.setdefault("components", {})
    components["schemas"] = {**components.get("schemas", {}), **_data("schemas.yaml")}
    for unused in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(unused, None)
    components["securitySchemes"] = {
        _SCHEME: {"type": "http", "scheme": "bearer", "description": "The owner's token, or an agent's."}
    }
    spec["security"] = [{_SCHEME: []}]
    return spec


def right_of(route: APIRoute) -> str:
    """The token that a route needs: `read`, `write` or `person`."""
    if wants_to_decide(route.dependant):
        return "person"
    return "write" if wants_to_write(route.dependant) else "read"


def _describe(operation: dict[str, Any], route: APIRoute, answer: Mapping[str, Any], example: Any) -> None:
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
    if any(header["name"].lower() == "if-match" for header in operation.get("parameters", ())):
        problems.append(412)
    problem = {MEDIA_TYPE: {"schema": {"$ref": _PROBLEM}}}
    responses |= {str(status): {"description": _TITLES[status], "content": problem} for status in sorted(problems)}
    operation["responses"] = responses


def _without_null(schema: dict[str, Any]) -> dict[str, Any]:
    """Parameters can be left out, but are never null."""
    choices = [choice for choice in schema.get("anyOf", ()) if choice != {"type": "null"}]
    rest = {name: value for name, value in schema.items() if name != "anyOf"}
    return {**rest, **choices[0]} if len(choices) == 1 else schema


def _answer(answer: Mapping[str, Any], example: Any) -> dict[str, Any]:
    if "media" in answer:
        return {
            "description": "The content as it is.",
            "content": {
                media: {"schema": {} if media.endswith("json") else _EVENT, "example": example}
                for media in answer["media"]
            },
        }
    content: dict[str, Any] = {"schema": {"$ref": f"#/components/schemas/{answer['schema']}"}}
    if example is not None:
        content["example"] = example
    response: dict[str, Any] = {"description": answer["schema"], "content": {"application/json": content}}
    if "headers" in answer:
        response["headers"] = {
            name: {"description": _HEADERS[name], "schema": {"type": "string"}} for name in answer["headers"]
        }
    return response


def _data(name: str) -> dict[str, Any]:
    data: dict[str, Any] = yaml.safe_load(_text(name))
    return data


def _text(name: str) -> str:
    return (files("waypost.faces.rest") / name).read_text(encoding="utf-8")


def documented(app: FastAPI, of: Iterable[APIRoute]) -> Callable[[], dict[str, Any]]:
    """`app.openapi`, built on first use."""

    def openapi() -> dict[str, Any]:
        if app.openapi_schema is None:
            app.openapi_schema = document(app, of)
        return app.openapi_schema

    return openapi
