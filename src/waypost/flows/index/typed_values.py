"""Check values from a file against the types of a dataclass."""

import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints


def conforms(value: object, kind: Any) -> bool:
    """Whether a value, and everything inside of it, has this type. Knows the types that stored values are made of."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return any(conforms(value, choice) for choice in get_args(kind))
    if origin in (tuple, list, Sequence):
        return isinstance(value, tuple if origin is tuple else list | tuple) and _items_conform(value, kind)
    if origin in (dict, Mapping):
        key, item = get_args(kind)
        return isinstance(value, dict) and all(conforms(k, key) and conforms(v, item) for k, v in value.items())
    if kind is Any or (kind is float and type(value) is int):
        return True
    hints = _hints(kind)
    return type(value) is kind and all(conforms(getattr(value, name), hint) for name, hint in hints.items())


def _items_conform(value: Sequence[object], kind: Any) -> bool:
    hints = get_args(kind)
    if get_origin(kind) is tuple and hints[-1:] != (Ellipsis,):
        return len(value) == len(hints) and all(map(conforms, value, hints))
    return all(conforms(item, hints[0]) for item in value)


@cache
def _hints(kind: Any) -> dict[str, Any]:
    """The types of the fields of a dataclass or a named tuple."""
    if is_dataclass(kind):
        hints = get_type_hints(kind)
        return {field.name: hints[field.name] for field in fields(kind)}
    return get_type_hints(kind) if issubclass(kind, tuple) else {}
