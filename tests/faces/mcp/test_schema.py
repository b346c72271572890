"""Arguments held against a tool's parameters: errors that tell an agent what to send instead."""

from collections.abc import Mapping
from typing import Any

import pytest

from waypost.errors import InvalidInput
from waypost.faces.mcp.schema import LONGEST_TEXT, MOST_ITEMS, checked
from waypost.faces.mcp.tool import Tool, ToolReply


def tool(required: tuple[str, ...] = (), **parameters: Mapping[str, Any]) -> Tool:
    return Tool("try", "Try it.", lambda call, given: ToolReply(""), parameters, required)


def error(one: Tool, **arguments: Any) -> str:
    with pytest.raises(InvalidInput) as raised:
        checked(one, arguments)
    return f"{raised.value.what} {raised.value.remedy}"


def test_defaults_fill_what_was_left_out_and_null_is_left_out() -> None:
    one = tool(k={"type": "integer", "default": 5}, q={"type": "string"})
    assert checked(one, {}) == {"k": 5}
    assert checked(one, {"k": None, "q": None}) == {"k": 5}


@pytest.mark.parametrize(
    ("schema", "value", "told"),
    [
        ({"type": "string"}, 3, "must be a text, not 3"),
        ({"type": "integer"}, "3", "must be a whole number, not '3'"),
        ({"type": "integer"}, 3.5, "must be a whole number, not 3.5"),
        ({"type": "integer"}, True, "must be a whole number, not true"),
        ({"type": "number"}, float("nan"), "must be a number"),
        ({"type": "number"}, float("inf"), "must be a number"),
        ({"type": "boolean"}, "true", "must be true or false, not 'true'"),
        ({"type": "array"}, "a", "must be a list, not 'a'"),
        ({"type": "object"}, [], "must be an object, not a list"),
        ({"type": "string", "maxLength": 3}, "abcd", "has 4 characters; the limit is 3"),
        ({"type": "string", "minLength": 1}, "", "is empty"),
        ({"type": "integer", "minimum": 1, "maximum": 9}, 10, "at least 1 and at most 9"),
        ({"type": "integer", "minimum": 1}, -(10**6000), "a number of many digits"),
        ({"enum": ["a", "b"]}, "c", "one of: a, b"),
        ({"enum": ["a", "b"]}, ["a"], "one of: a, b"),
        ({"type": "array", "items": {"type": "string"}}, ["a", 2], "p[1] must be a text"),
        ({"type": "array", "maxItems": 1}, ["a", "b"], "has 2 entries; the limit is 1"),
        ({"type": "object", "required": ["a"]}, {}, "p needs a"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, {"a": 1}, "p.a must be a text"),
        ({"type": "object", "additionalProperties": False, "properties": {"a": {}}}, {"b": 1}, "p has no 'b'"),
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, 1, "must be a text"),
        ({"type": ["string", "integer"]}, [], "must be a text or a whole number"),
        ({"type": "string"}, "x" * (LONGEST_TEXT + 1), "limit is 200,000"),
        ({"type": "array"}, ["x"] * (MOST_ITEMS + 1), "limit is 1,000"),
        ({"type": "object"}, {str(n): 1 for n in range(MOST_ITEMS + 1)}, "limit is 1000"),
    ],
    ids=lambda _: "",  # some values are too long for a name
)
def test_what_is_wrong_is_said(schema: Mapping[str, Any], value: Any, told: str) -> None:
    assert told in error(tool(p=schema), p=value)


@pytest.mark.parametrize(
    ("schema", "value", "taken"),
    [
        ({"type": "integer"}, 3.0, 3),
        ({"type": "number"}, 3, 3),
        ({"anyOf": [{"type": "integer"}, {"type": "string"}]}, "a", "a"),
        ({"type": ["integer", "string"]}, "a", "a"),
        ({}, {"any": ["thing"]}, {"any": ["thing"]}),
        ({"type": "object", "properties": {"a": {"type": "integer"}}}, {"a": 2.0, "b": "x"}, {"a": 2, "b": "x"}),
    ],
)
def test_what_is_right_is_taken(schema: Mapping[str, Any], value: Any, taken: Any) -> None:
    given = checked(tool(p=schema), {"p": value})["p"]
    assert given == taken
    assert type(given) is type(taken)


def test_a_long_wrong_value_is_not_repeated_whole() -> None:
    assert len(error(tool(p={"enum": ["a"]}), p="z" * 10_000)) < 200
    assert len(error(tool(p={}), **{"n" * 10_000: 1})) < 200


def test_a_parameter_that_was_nearly_named_is_suggested() -> None:
    assert "Did you mean question?" in error(tool(question={"type": "string"}), questoin="x")


def test_what_is_required_is_named_with_its_meaning() -> None:
    one = tool(("q",), q={"type": "string", "description": "In words"})
    assert error(one) == "try needs q. q: In words"


@pytest.mark.slow
def test_nesting_far_beyond_the_schema_does_no_harm() -> None:
    deep: Any = "x"
    for _ in range(100_000):
        deep = [deep]
    assert "must be a text, not a list" in error(tool(p={"type": "string"}), p=deep)
    assert "p[0] must be a text" in error(tool(p={"type": "array", "items": {"type": "string"}}), p=deep)
    assert checked(tool(p={"type": "array"}), {"p": deep})["p"] is not None
