"""What a reader of another memory returns: notes to store, and what it left out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waypost.errors import InvalidInput
from waypost.flows.move.user_file import open_plain_file
from waypost.model.time import format_time

LARGEST_FILE = 64_000_000  # bytes
_MILLISECONDS = 1e11  # later times in seconds would be after the year 5000


@dataclass(frozen=True, slots=True)
class ForeignNote:
    """One memory of another program."""

    text: str
    origin: str  # where it was: a file and heading, or an id
    kind: str = "fact"
    key: str = ""  # its id there, if it has one: it is stored once
    time: str = ""  # when it became true or was written; empty if unknown
    tags: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class ForeignNotes:
    """All notes of a file or folder, and why others were left out."""

    notes: list[ForeignNote] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)  # what, and why


def read_text(path: Path) -> str:
    """The text of an untrusted file. Raises InvalidInput if it is no plain UTF-8 file of a sensible size."""
    with open_plain_file(path, LARGEST_FILE) as file:
        content = file.read(LARGEST_FILE + 1)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text.", "Save it as UTF-8.") from error


def time_text(value: Any) -> str:
    """A time as ISO 8601: from seconds or milliseconds since 1970, or as it was written; empty if it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds = value / 1000 if value > _MILLISECONDS else value
        try:
            return format_time(datetime.fromtimestamp(seconds, UTC))
        except (OverflowError, ValueError, OSError):
            return ""
    if not isinstance(value, str):
        return ""
    try:
        parsed = datetime.fromisoformat(value.strip())
    except ValueError:
        return ""
    return format_time(parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC))
