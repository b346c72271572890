"""The document is complete: every operation says what it does, what it takes, what it answers, and who may."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema_rs
import pytest
import yaml

from waypost.faces.rest import openapi
from waypost.faces.rest.app import ROUTES, rest_app

ROOT = Path(openapi.__file__).parent
NAMES = [route.name for route in ROUTES]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    nothing: Any = SimpleNamespace(home=tmp_path_factory.mktemp("home"))
    found: dict[str, Any] = json.loads(json.dumps(rest_app(nothing).openapi()))  # as a client reads it
    return found


@pytest.mark.slow
def test_the_document_is_served_to_whoever_has_a_token(served: Any, document: dict[str, Any], problem: Any) -> None:
    problem(served.nobody.get("/openapi.json"), 401)
    assert served.reader.get("/openapi.json").json() == document


def operations(document: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
    return [(method, one) for methods in document["paths"].values() for method, one in methods.items()]


@pytest.mark.slow
def test_every_operation_is_described_with_an_example(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1")
    assert sorted(one["operationId"] for _, one in operations(document)) == sorted(NAMES)
    assert len(set(NAMES)) == len(NAMES)
    for _, one in operations(document):
        name = one["operationId"]
        assert one["summary"] and len(one["description"]) > 20 and one["tags"], name
        assert all(parameter.get("description") for parameter in one.get("parameters", ())), name
        (first, *_) = (answer for status, answer in one["responses"].items() if status < "300")
        assert all(content["example"] for content in first["content"].values()), name
        if "requestBody" in one:
            assert body_examples(document, one), name


def body_examples(document: dict[str, Any], operation: dict[str, Any]) -> list[Any]:
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    refs = [one["$ref"] for one in (schema, *schema.get("anyOf", ())) if "$ref" in one]
    return [
        example for ref in refs for example in document["components"]["schemas"][ref.split("/")[-1]].get("examples", ())
    ]


def test_every_problem_is_documented_as_one(document: dict[str, Any]) -> None:
    for method, one in operations(document):
        statuses = set(one["responses"])
        assert {"400", "401", "403", "404", "422", "429", "503"} <= statuses
        assert "requestBody" not in one or {"413", "415"} <= statuses
        keys = [parameter for parameter in one.get("parameters", ()) if parameter["name"] == "Idempotency-Key"]
        assert bool(keys) == (one["x-waypost-rights"] != "read") == ("409" in statuses)
        assert method in ("get", "post", "put", "delete")
        for status, answer in one["responses"].items():
            if status >= "400":
                (media,) = answer["content"]
                assert media == "application/problem+json"
    assert document["security"] == [{"token": []}]
    assert document["components"]["securitySchemes"]["token"]["scheme"] == "bearer"


@pytest.mark.slow
def test_examples_of_answers_fit_their_schemas(document: dict[str, Any]) -> None:
    for _, one in operations(document):
        for status, answer in one["responses"].items():
            content = answer.get("content", {}).get("application/json", {})
            if "example" in content and "$ref" in content["schema"]:
                validator = jsonschema_rs.Draft202012Validator(
                    {**content["schema"], "components": document["components"]}
                )
                assert [error.message for error in validator.iter_errors(content["example"])] == [], (
                    one["operationId"],
                    status,
                )


@pytest.mark.slow
def test_no_data_is_left_over() -> None:
    answers = yaml.safe_load((ROOT / "answers.yaml").read_text())
    schemas = yaml.safe_load((ROOT / "schemas.yaml").read_text())
    examples = json.loads((ROOT / "examples.json").read_text())
    assert sorted(answers) == sorted(examples) == sorted(NAMES)
    text = (ROOT / "answers.yaml").read_text() + (ROOT / "schemas.yaml").read_text()
    assert [
        name for name in schemas if name != "Problem" and text.count(f"schemas/{name}'") + text.count(f" {name}") < 1
    ] == []


@pytest.mark.slow
def test_no_page_of_the_framework_is_served(served: Any, problem: Any) -> None:
    for path in ("/docs", "/redoc", "/docs/oauth2-redirect"):
        problem(served.owner.get(path), 404)


def test_the_page_of_the_manual_names_every_address() -> None:
    page = (Path(__file__).parents[3] / "docs" / "reference" / "rest.md").read_text()
    missing = [
        f"{method} {route.path}"
        for route in ROUTES
        for method in route.methods or ()
        if not told(page, method, route.path)
    ]
    assert missing == []


def told(page: str, method: str, path: str) -> bool:
    short = path.removeprefix("/api/v1/spaces/{space}") or path
    return any(f"`{method} {name}`" in page for name in (path, short))


def test_addresses_that_the_manual_asks_for_are_there() -> None:
    root = Path(__file__).parents[3]
    pages = [*(root / "docs").rglob("*.md"), root / "README.md"]
    asked = {
        found for page in pages for found in re.findall(r"http://127\.0\.0\.1:8765(/api[\w/.-]*)", page.read_text())
    }
    assert asked
    assert [path for path in asked if not any(route.path_regex.match(path) for route in ROUTES)] == []
