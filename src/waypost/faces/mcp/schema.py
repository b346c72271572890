"""Checks an agent's arguments against a tool's schema. Every error names what was wrong and what is right.

Supports the part of JSON Schema that the tools use: type (one or several), anyOf, enum, minLength, maxLength, minimum,
maximum, items, minItems, maxItems, properties, required, additionalProperties, default.
Recursion is limited by the schema, not by the arguments.
"""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.tool import Schema, Tool

# Limits for tools that set none.
LONGEST_TEXT = 200_000
MOST_ITEMS = 1_000
_SHOWN = 40  # characters of a wrong value


def checked(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The valid arguments with defaults filled in. null counts as left out."""
    present = {name: value for name, value in arguments.items() if value is not None}
    for name in present:
        if name not in tool.parameters:
            raise InvalidInput(f"{tool.name} has no parameter {_quoted(name)}.", _parameters(tool, name))
    for name in tool.required:
        if name not in present:
            raise InvalidInput(f"{tool.name} needs {name}.", _described(name, tool.parameters[name]))
    checked_values = {name: _value(value, tool.parameters[name], name) for name, value in present.items()}
    for name, schema in tool.parameters.items():
        if name not in checked_values and schema.get("default") is not None:
            checked_values[name] = schema["default"]
    return checked_values


def _value(value: Any, schema: Schema, name: str) -> Any:
    if "anyOf" in schema:
        return _any_of(value, schema["anyOf"], name)
    if "enum" in schema and (isinstance(value, Mapping | list) or value not in schema["enum"]):
        choices = ", ".join(str(item) for item in schema["enum"])
        raise InvalidInput(f"{name}: {_quoted(value)} is not allowed.", f"Use one of: {choices}.")
    kind = _type_of(value, schema, name)
    if kind == "string":
        _check_size(len(value), schema, name, ("minLength", "maxLength"), LONGEST_TEXT, "characters")
    elif kind in ("integer", "number"):
        _check_range(value, schema, name)
        return int(value) if kind == "integer" else value
    elif kind == "array":
        _check_size(len(value), schema, name, ("minItems", "maxItems"), MOST_ITEMS, "entries")
        return [_value(item, schema.get("items", {}), f"{name}[{index}]") for index, item in enumerate(value)]
    elif kind == "object":
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
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _type_of(value: Any, schema: Schema, name: str) -> str:
    """The schema type that the value has, or an empty string if the schema names none."""
    names = _type_names(schema)
    for kind in names:
        if _TYPES[kind][1](value):
            return kind
    if not names:
        return ""
    wanted = " or ".join(_TYPES[kind][0] for kind in names if kind != "null")
    raise InvalidInput(f"{name} must be {wanted}, not {_quoted(value)}.", _described(name, schema))


def _object(value: Mapping[str, Any], schema: Schema, name: str) -> dict[str, Any]:
    parts: Mapping[str, Schema] = schema.get("properties", {})
    if len(value) > MOST_ITEMS:
        raise InvalidInput(f"{name} has {len(value)} entries; the limit is {MOST_ITEMS}.", "Send fewer.")
    for key in schema.get("required", ()):
        if key not in value:
            raise InvalidInput(f"{name} needs {key}.", _described(key, parts.get(key, {})))
    if schema.get("additionalProperties") is False and (unknown := [key for key in value if key not in parts]):
        raise InvalidInput(f"{name} has no {_quoted(unknown[0])}.", f"It has: {', '.join(parts)}.")
    return {key: _value(part, parts.get(key, {}), f"{name}.{key[:_SHOWN]}") for key, part in value.items()}


def _check_size(size: int, schema: Schema, name: str, limits: tuple[str, str], most: int, of: str) -> None:
    least, most = schema.get(limits[0], 0), schema.get(limits[1], most)
    if size < least:
        what = "is empty" if size == 0 else f"has {size:,} {of}; at least {least:,} are needed"
        raise InvalidInput(f"{name} {what}.", _described(name, schema))
    if size > most:
        raise InvalidInput(f"{name} has {size:,} {of}; the limit is {most:,}.", "Shorten or split it.")


def _check_range(value: float, schema: Schema, name: str) -> None:
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        bounds = [f"at least {least}" if least is not None else "", f"at most {most}" if most is not None else ""]
        raise InvalidInput(
            f"{name} is {_quoted(value)}.", f"It must be {' and '.join(bound for bound in bounds if bound)}."
        )


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
        return "It takes no parameters."
    near = get_close_matches(wrong[:_SHOWN], tool.parameters, n=1)
    meant = f"Did you mean {near[0]}? " if near else ""
    return f"{meant}It takes: {', '.join(tool.parameters)}."


def _described(name: str, schema: Schema) -> str:
    description = str(schema.get("description", ""))
    return f"{name}: {description}" if description else ""


def _quoted(value: Any) -> str:
    """A wrong value, shortened for an error message. Objects and lists are only named."""
    if isinstance(value, Mapping | list):
        return "an object" if isinstance(value, Mapping) else "a list"
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, int) and abs(value) > 10**_SHOWN:
        return "a number of many digits"
    text = str(value)
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "…") if isinstance(value, str) else text
