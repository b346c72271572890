"""JSON Schemas of the parameters that profile tools share."""

from collections.abc import Mapping, Sequence
from typing import Any

from waypost.model.draft import MAX_SHORT
from waypost.space.place import LONGEST_PATH

Parameter = Mapping[str, Any]

LONGEST_QUESTION = 10_000
LONGEST_TEXT = 100_000
MOST_HITS = 50
_MOST_PATTERNS = 100


def text(description: str, longest: int = LONGEST_TEXT, *, default: str | None = None) -> Parameter:
    return {"type": "string", "maxLength": longest, "description": description, **_default(default)}


def question(description: str) -> Parameter:
    return {"type": "string", "minLength": 1, "maxLength": LONGEST_QUESTION, "description": description}


def line(description: str) -> Parameter:
    """A short text, such as a label."""
    return {"type": "string", "maxLength": MAX_SHORT, "description": description}


def path(description: str) -> Parameter:
    return {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH, "description": description}


def lines(description: str, most: int = _MOST_PATTERNS) -> Parameter:
    items = {"type": "string", "minLength": 1, "maxLength": MAX_SHORT, "description": "A short text."}
    return {"type": "array", "items": items, "maxItems": most, "description": description}


def paths(description: str, most: int) -> Parameter:
    items = {"type": "string", "minLength": 1, "maxLength": LONGEST_PATH, "description": "A path."}
    return {"type": "array", "items": items, "maxItems": most, "description": description}


def whole(description: str, least: int, most: int, *, default: int | None = None) -> Parameter:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description, **_default(default)}


def share(description: str, *, default: float) -> Parameter:
    return {"type": "number", "minimum": 0, "maximum": 1, "description": description, **_default(default)}


def flag(description: str, *, default: bool | None = None) -> Parameter:
    return {"type": "boolean", "description": description, **_default(default)}


def choice(description: str, values: Sequence[str], *, default: str | None = None) -> Parameter:
    return {"type": "string", "enum": list(values), "description": description, **_default(default)}


def answer(**types: str | list[str]) -> Parameter:
    """The JSON Schema of an answer that has at least these keys."""
    return {
        "type": "object",
        "properties": {name: {"type": kind} for name, kind in types.items()},
        "required": list(types),
    }


def _default(value: object) -> dict[str, object]:
    return {} if value is None else {"default": value}


WORKING_DIR: Parameter = {
    "type": "string",
    "maxLength": LONGEST_PATH,
    "description": "A folder of this project (default: its root). Other projects are refused.",
}
