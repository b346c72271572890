"""Resources a client can read by URI: a memory, a journal day, the project overview."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from waypost.context.one_line import one_line
from waypost.errors import NotFound
from waypost.faces.mcp.index_progress import status
from waypost.faces.mcp.read_tools import whole
from waypost.faces.mcp.text_answers import fenced, joined
from waypost.faces.mcp.tool import ToolCall

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
        "title": "Project overview",
        "description": "Architecture, standing facts, and the state of the memory",
        "mimeType": "text/plain",
    },
)
TEMPLATES: tuple[Mapping[str, str], ...] = (
    {
        "uriTemplate": "waypost://memory/{id}",
        "name": "memory",
        "title": "A memory",
        "description": "Full text, code references and whether they are stale, earlier versions",
        "mimeType": "text/plain",
    },
    {
        "uriTemplate": "waypost://journal/{day}",
        "name": "journal",
        "title": "A journal day",
        "description": "What was said and noted on a day: YYYY-MM-DD",
        "mimeType": "text/plain",
    },
)


@dataclass(frozen=True, slots=True)
class ResourceText:
    text: str
    mime_type: str = "text/plain"


def read(call: ToolCall, address: str) -> ResourceText:
    """The text at a URI. Stored text is fenced."""
    match = _ADDRESS.fullmatch(address)
    if match is None or (match["sort"] == "project" and match["rest"] != "overview"):
        raise _unknown(address)
    if match["sort"] == "project":
        return ResourceText(_overview(call))
    name = unquote(match["rest"])
    if match["sort"] == "memory":
        return ResourceText(whole(call, call.memory.admin.full_id(name)).text)
    if not _DAY.fullmatch(name):
        raise NotFound(f"{one_line(name, 40)!r} is not a day.", "Write it as 2026-01-30.")
    text = call.memory.journal.show(name).text
    cut = [] if len(text) <= _LONGEST_DAY else [f"Only the first {_LONGEST_DAY:,} of {len(text):,} characters."]
    return ResourceText(joined(fenced([text[:_LONGEST_DAY]]), *cut))


def _unknown(address: str) -> NotFound:
    addresses = ", ".join([_OVERVIEW, *(template["uriTemplate"] for template in TEMPLATES)])
    return NotFound(f"Nothing at {one_line(address, 80)!r}.", f"Use {addresses}.")


def _overview(call: ToolCall) -> str:
    """The state of the memory, project-wide facts and the architecture."""
    memory, lines = call.memory, []
    for heading, rows in (
        ("Always true here", memory.list(level=0, limit=_MOST_SHOWN)),
        ("How it is built", memory.list(kind="architecture", limit=_MOST_SHOWN)),
    ):
        lines += [f"## {heading}"] if rows else []
        lines += [f"- {one_line(row['text'], _LONGEST_LINE)}" for row in rows]
    return joined(status(call, {}).text, fenced(lines) if lines else "")
