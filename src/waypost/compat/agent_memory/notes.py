"""What a reader of another memory returns: notes to store, and what it left out."""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput
from waypost.flows.move.user_file import open_plain_file
from waypost.model.time import format_time

LARGEST_JSON = 64_000_000  # bytes
MOST_NOTES = 100_000  # of one import
_MOST_FILES = 10_000
_MILLISECONDS = 1e11  # a larger number of seconds would be after the year 5000
_LONGEST_TAG = 200


@dataclass(frozen=True, slots=True)
class ForeignNote:
    """A memory of another program."""

    text: str
    origin: str  # where it was: a file and heading, or an id
    kind: str = "fact"
    key: str = ""  # its id there, if it has one
    time: str = ""  # since when it is true; empty if unknown
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ForeignNotes:
    """All notes of a file or folder, and why others were left out."""

    notes: list[ForeignNote] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # what, and why


def read_text(path: Path, largest: int) -> str:
    """The text of an untrusted file. Raises InvalidInput if it is not a plain UTF-8 file of at most `largest` bytes."""
    with open_plain_file(path, largest) as file:
        content = file.read(largest)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text.", "Save it as UTF-8.") from error


def parse_json(text: str, path: Path) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{path} is not valid JSON.", "Export it again.") from error


def files_below(folder: Path, suffix: str, skipped: list[str]) -> Iterator[Path]:
    """Plain files with this suffix, in order. Links and hidden folders are not followed."""
    files = list(islice(_walk(folder, suffix), _MOST_FILES + 1))
    if len(files) > _MOST_FILES:
        skipped.append(f"{folder}: only the first {_MOST_FILES:,} files were read")
    yield from sorted(files[:_MOST_FILES])


def _walk(folder: Path, suffix: str) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(place, name) for name in sorted(names) if name.lower().endswith(suffix))


def tag_text(value: Any) -> str:
    """A value of the file as a tag: a text, a number, or a list of them on one line. Empty for anything else."""
    if isinstance(value, list):
        return ", ".join(filter(None, (tag_text(item) for item in value[:20] if not isinstance(item, list))))[
            :_LONGEST_TAG
        ].strip()
    if isinstance(value, str | int | float | date) and not isinstance(value, bool):
        return " ".join(str(value).split())[:_LONGEST_TAG].strip()
    return ""


def tags_of(**values: Any) -> dict[str, str]:
    """The values that are not empty, as tags."""
    return {name: text for name, value in values.items() if (text := tag_text(value))}


def time_text(*values: Any) -> str:
    """The first of these that is a time, as ISO 8601; empty if none is. Numbers are (milli)seconds since 1970."""
    return next((text for text in map(_time_text, values) if text), "")


def _time_text(value: Any) -> str:
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return format_time(datetime.fromtimestamp(value / 1000 if value > _MILLISECONDS else value, UTC))
        if isinstance(value, date) and not isinstance(value, datetime):
            value = value.isoformat()
        parsed = datetime.fromisoformat(value.strip()) if isinstance(value, str) else value
        if not isinstance(parsed, datetime):
            return ""
        return format_time(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))
    except (OverflowError, ValueError, OSError):
        return ""
