"""What a client can read by its address: a memory, a day of the journal, the project in outline."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from waypost.context.one_line import one_line
from waypost.errors import NotFound
from waypost.faces.mcp.defaults_read import recall
from waypost.faces.mcp.defaults_status import status
from waypost.faces.mcp.texts import LONGEST, fenced, told
from waypost.faces.mcp.tool import Call
from waypost.model.ids import check_id

_OVERVIEW = "waypost://project/overview"
_ADDRESS = re.compile(r"waypost://(?P<sort>memory|journal|project)/(?P<rest>[^/?#]{1,200})")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_DAY = 50_000  # characters
_MOST_SHOWN = 8  # of frameworks, endpoints and the like
_NOT_TOLD = ("id", "summary", "text")

LISTED: tuple[Mapping[str, str], ...] = (
    {
        "uri": _OVERVIEW,
        "name": "overview",
        "title": "The project in outline",
        "description": "How it is built, what is remembered, what state the memory is in",
        "mimeType": "text/plain",
    },
)
TEMPLATES: tuple[Mapping[str, str], ...] = (
    {
        "uriTemplate": "waypost://memory/{id}",
        "name": "memory",
        "title": "A memory",
        "description": "Its whole text, where it points, whether that is still so, what it said before",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "waypost://journal/{day}",
        "name": "journal",
        "title": "A day of the journal",
        "description": "What was said and noted on a day: YYYY-MM-DD",
        "mimeType": "text/plain",
    },
)


@dataclass(frozen=True, slots=True)
class Read:
    text: str
    mime_type: str = "text/plain"


def read(call: Call, address: str) -> Read:
    """The text behind an address. Stored words come inside the fence."""
    found = _ADDRESS.fullmatch(address)
    if found is None or (found["sort"] == "project" and found["rest"] != "overview"):
        raise _unknown(address)
    if found["sort"] == "project":
        return Read(_overview(call))
    name = unquote(found["rest"])
    if found["sort"] == "memory":
        return Read(recall(call, {"question": check_id(name)}).text)
    if not _DAY.fullmatch(name):
        raise NotFound(f"{one_line(name, 40)!r} is not a day.", "Write it as 2026-01-30.")
    text = call.memory.journal.show(name).text
    cut = [] if len(text) <= _LONGEST_DAY else [f"Only the first {_LONGEST_DAY:,} of {len(text):,} characters."]
    return Read(told(fenced([text[:_LONGEST_DAY]]), *cut))


def _unknown(address: str) -> NotFound:
    known = ", ".join([_OVERVIEW, *(one["uriTemplate"] for one in TEMPLATES)])
    return NotFound(f"There is nothing at {one_line(address, 80)!r}.", f"There are: {known}.")


def _overview(call: Call) -> str:
    """The state of the memory, and how the project is built, each with its places."""
    lines = []
    for topic, found in call.memory.architecture().items():
        if line := _outline(found):
            lines.append(f"{topic.replace('_', ' ')}: {line}")
    return told(status(call, {}).text, fenced(lines) if lines else "")


def _outline(found: Any) -> str:
    """What was concluded on one topic, on a line."""
    if isinstance(found, Mapping):
        parts = [f"{name} {_outline(value)}".strip() for name, value in found.items() if name not in _NOT_TOLD]
        return one_line(", ".join(part for part in parts[:_MOST_SHOWN] if part), LONGEST)
    if isinstance(found, list | tuple):
        more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
        return one_line("; ".join(_named(one) for one in found[:_MOST_SHOWN]), LONGEST) + more
    return "" if found in (None, "") else one_line(str(found), LONGEST)


def _named(found: Any) -> str:
    if isinstance(found, Mapping):
        return str(found.get("name") or found.get("path") or next(iter(found.values()), ""))
    return str(found)
