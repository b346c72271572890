"""Values as JSON for answers and reports."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from waypost.model.time import format_time


def json_row(value: Any, *without: str, **changed: Any) -> dict[str, Any]:
    """A dataclass as a JSON object: its fields by name, except those `without`. `changed` replaces and adds values."""
    names = [field.name for field in fields(value) if field.name not in without]
    row = {name: changed[name] if name in changed else getattr(value, name) for name in names} | changed
    return {name: _plain(content) for name, content in row.items()}


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, date):
        return format_time(value) if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        return {name: _plain(content) for name, content in value.items()}
    if is_dataclass(value):
        return value.to_json() if hasattr(value, "to_json") else json_row(value)
    return [_plain(content) for content in value]
