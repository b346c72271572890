"""What an agent sends, held against what a tool takes: every error names what was wrong and what would be right.

Understands the part of JSON Schema that our tools use: type (one or several), anyOf, enum, minLength, maxLength,
minimum, maximum, items, minItems, maxItems, properties, required, additionalProperties, default. It goes as deep as the
schema does, however deep the arguments are.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.tool import Schema, Tool

# Where a tool sets no limit of its own.
LONGEST_TEXT = 200_000
MOST_ITEMS = 1_000
_SHOWN = 40  # characters of a wrong value


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the tool takes them, with defaults for what was left out; null is the same as left out."""
    told = {name: value for name, value in arguments.items() if value is not None}
    for name in told:
        if name not in tool.parameters:
            raise InvalidInput(f"{tool.name} has no parameter {_shown(name)}.", _parameters(tool, name))
    for name in tool.required:
        if name not in told:
            raise InvalidInput(f"{tool.name} needs {name}.", _described(name, tool.parameters[name]))
    given = {name: _value(value, tool.parameters[name], name) for name, value in told.items()}
    for name, schema in tool.parameters.items():
        if name not in given and schema.get("default") is not None:
            given[name] = schema["default"]
    return given


def _value(value: Any, schema: Schema, name: str) -> Any:
    if "anyOf" in schema:
        return _any_of(value, schema["anyOf"], name)
    if "enum" in schema and (isinstance(value, Mapping | list) or value not in schema["enum"]):
        choices = ", ".join(str(one) for one in schema["enum"])
        raise InvalidInput(f"{name}: {_shown(value)} is not one of its values.", f"One of: {choices}.")
    found = _type_of(value, schema, name)
    if found == "string":
        _check_size(len(value), schema, name, ("minLength", "maxLength"), LONGEST_TEXT, "characters")
    elif found in ("integer", "number"):
        _check_range(value, schema, name)
        return int(value) if found == "integer" else value
    elif found == "array":
        _check_size(len(value), schema, name, ("minItems", "maxItems"), MOST_ITEMS, "entries")
        return [_value(one, schema.get("items", {}), f"{name}[{place}]") for place, one in enumerate(value)]
    elif found == "object":
        return _object(value, schema, name)
    return value


def _any_of(value: Any, choices: Sequence[Schema], name: str) -> Any:
    wrong: InvalidInput | None = None
    for choice in choices:
        try:
            return _value(value, choice, name)
        except InvalidInput as error:
            wrong = wrong or error
    raise wrong or InvalidInput(f"{name} takes no value.", "Leave it out.")


def _type_names(schema: Schema) -> list[str]:
    told = schema.get("type", [])
    return [told] if isinstance(told, str) else list(told)


def _type_of(value: Any, schema: Schema, name: str) -> str:
    """Which of the schema's types the value has; empty where the schema says nothing."""
    names = _type_names(schema)
    for one in names:
        if _TYPES[one][1](value):
            return one
    if not names:
        return ""
    wanted = " or ".join(_TYPES[one][0] for one in names if one != "null")
    raise InvalidInput(f"{name} must be {wanted}, not {_shown(value)}.", _described(name, schema))


def _object(value: Mapping[str, Any], schema: Schema, name: str) -> dict[str, Any]:
    parts: Mapping[str, Schema] = schema.get("properties", {})
    if len(value) > MOST_ITEMS:
        raise InvalidInput(f"{name} has {len(value)} entries; at most {MOST_ITEMS} fit.", "Send fewer.")
    for one in schema.get("required", ()):
        if one not in value:
            raise InvalidInput(f"{name} needs {one}.", _described(one, parts.get(one, {})))
    if schema.get("additionalProperties") is False and (unknown := [one for one in value if one not in parts]):
        raise InvalidInput(f"{name} has no {_shown(unknown[0])}.", f"It has: {', '.join(parts)}.")
    return {one: _value(what, parts.get(one, {}), f"{name}.{one[:_SHOWN]}") for one, what in value.items()}


def _check_size(size: int, schema: Schema, name: str, limits: tuple[str, str], most: int, of: str) -> None:
    least, most = schema.get(limits[0], 0), schema.get(limits[1], most)
    if size < least:
        what = "is empty" if size == 0 else f"has {size:,} {of}; at least {least:,} are needed"
        raise InvalidInput(f"{name} {what}.", _described(name, schema))
    if size > most:
        raise InvalidInput(f"{name} has {size:,} {of}; at most {most:,} fit.", "Shorten it, or split it.")


def _check_range(value: float, schema: Schema, name: str) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        bounds = [f"at least {least}" if least is not None else "", f"at most {most}" if most is not None else ""]
        raise InvalidInput(f"{name} is {_shown(value)}.", f"It must be {' and '.join(one for one in bounds if one)}.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


_TYPES: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "string": ("a text", lambda value: isinstance(value, str)),
    "integer": ("a whole number", lambda value: _is_number(value) and value == value // 1),
    "number": ("a number", _is_number),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "array": ("a list", lambda value: isinstance(value, list)),
    "object": ("an object", lambda value: isinstance(value, Mapping)),
    "null": ("null", lambda value: value is None),
}


def _parameters(tool: Tool, wrong: str) -> str:
    if not tool.parameters:
        return "It takes none."
    near = get_close_matches(wrong[:_SHOWN], tool.parameters, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return f"{meant}It takes: {', '.join(tool.parameters)}."


def _described(name: str, schema: Schema) -> str:
    told = str(schema.get("description", ""))
    return f"{name}: {told}" if told else ""


def _shown(value: Any) -> str:
    """A wrong value, short enough for an error; what is large or nested is only named."""
    if isinstance(value, Mapping | list):
        return "an object" if isinstance(value, Mapping) else "a list"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and abs(value) > 10**_SHOWN:
        return "a number of many digits"
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…") if isinstance(value, str) else text
