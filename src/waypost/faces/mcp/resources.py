"""What a client can read by its address: a memory, a day of the journal, the project in outline."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from waypost.context.one_line import one_line
from waypost.errors import NotFound
from waypost.faces.mcp.read_tools import whole
from waypost.faces.mcp.status_tool import status
from waypost.faces.mcp.text_answers import fenced, told
from waypost.faces.mcp.tool import ToolCall
from waypost.model.ids import check_id

_OVERVIEW = "waypost://project/overview"
_ADDRESS = re.compile(r"waypost://(?P<sort>memory|journal|project)/(?P<rest>[^/?#]{1,200})")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_DAY = 50_000  # characters
_MOST_SHOWN = 20
_LONGEST_LINE = 600

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
class ResourceText:
    text: str
    mime_type: str = "text/plain"


def read(call: ToolCall, address: str) -> ResourceText:
    """The text behind an address. Stored words come inside the fence."""
    found = _ADDRESS.fullmatch(address)
    if found is None or (found["sort"] == "project" and found["rest"] != "overview"):
        raise _unknown(address)
    if found["sort"] == "project":
        return ResourceText(_overview(call))
    name = unquote(found["rest"])
    if found["sort"] == "memory":
        return ResourceText(whole(call, check_id(name)).text)
    if not _DAY.fullmatch(name):
        raise NotFound(f"{one_line(name, 40)!r} is not a day.", "Write it as 2026-01-30.")
    text = call.memory.journal.show(name).text
    cut = [] if len(text) <= _LONGEST_DAY else [f"Only the first {_LONGEST_DAY:,} of {len(text):,} characters."]
    return ResourceText(told(fenced([text[:_LONGEST_DAY]]), *cut))


def _unknown(address: str) -> NotFound:
    known = ", ".join([_OVERVIEW, *(one["uriTemplate"] for one in TEMPLATES)])
    return NotFound(f"There is nothing at {one_line(address, 80)!r}.", f"There are: {known}.")


def _overview(call: ToolCall) -> str:
    """The state of the memory, what is always true of the project, and how it is built, as far as the index tells."""
    memory, lines = call.memory, []
    for heading, rows in (
        ("Always true here", memory.list(level=0, limit=_MOST_SHOWN)),
        ("How it is built", memory.list(kind="architecture", limit=_MOST_SHOWN)),
    ):
        lines += [f"## {heading}"] if rows else []
        lines += [f"- {one_line(row['text'], _LONGEST_LINE)}" for row in rows]
    return told(status(call, {}).text, fenced(lines) if lines else "")
