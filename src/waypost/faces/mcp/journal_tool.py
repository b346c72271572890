"""The tool of the profile `journal`: add turns of a conversation, show a time, search, protect."""

from collections.abc import Mapping
from typing import Any

from waypost.context.one_line import one_line
from waypost.errors import InvalidInput
from waypost.faces.mcp.schema import LONGEST_TEXT
from waypost.faces.mcp.text_answers import LONGEST, fenced, joined
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply

_MOST_LINES = 50


def journal(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    action = given["action"]
    if action == "add":
        return _add(call, given)
    if action == "timeline":
        return _timeline(call, given.get("text", ""))
    if "text" not in given:
        raise InvalidInput(f"{action} needs text.", "Give the words to find, or the id of the entry to protect.")
    if action == "protect":
        memory_id = call.memory.journal.protect(given["text"])
        return ToolReply(f"Protected {memory_id}: it stays unchanged.", {"id": memory_id, "protected": True})
    return _search(call, given["text"])


def _add(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    if not given.get("turns") or not given.get("session"):
        raise InvalidInput("add needs session and turns.", 'Such as turns: [{"speaker": "user", "text": "…"}].')
    turn = {"kind": "conversation", "session": given["session"]}
    receipts = call.memory.remember_many([turn | dict(row) for row in given["turns"]])
    counts = ", ".join(f"{receipt.status} {receipt.id or receipt.reason or ''}".strip() for receipt in receipts)
    return ToolReply(f"Turns: {counts}.", {"turns": [receipt.to_json() for receipt in receipts]})


def _timeline(call: ToolCall, when: str) -> ToolReply:
    timeline = call.memory.journal.timeline(when)
    lines = [
        f"- {said.entry.at:%Y-%m-%d %H:%M} {said.entry.speaker or said.entry.kind}:"
        f" {one_line(said.entry.held or '', LONGEST)} [{said.id}]"
        for said in timeline.entries
        if said.is_held
    ]
    lines += [f"- {part.name}: {part.conversations} conversations" for part in timeline.overview]
    return _listed(lines, timeline.to_json())


def _search(call: ToolCall, words: str) -> ToolReply:
    rows = call.memory.journal.search(words, _MOST_LINES + 1)
    lines = [f"- {row.path}:{row.line} {one_line(row.text, LONGEST)}{f' [{row.id}]' if row.id else ''}" for row in rows]
    return _listed(lines, {"lines": [row.to_json() for row in rows]})


def _listed(lines: list[str], data: Mapping[str, Any]) -> ToolReply:
    if not lines:
        return ToolReply("No entries.", data)
    more = [f"{len(lines) - _MOST_LINES} more."] if len(lines) > _MOST_LINES else []
    return ToolReply(joined(fenced(lines[:_MOST_LINES]), *more), data)


JOURNAL = Tool(
    "journal",
    "Conversations: add turns, show a time (2026-W05, yesterday), search words, protect an entry.",
    journal,
    {
        "action": {"type": "string", "enum": ["add", "timeline", "search", "protect"]},
        "text": {"type": "string", "description": "Time, words or ID", "maxLength": LONGEST_TEXT},
        "session": {"type": "string"},
        "turns": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"speaker": {"type": "string"}, "text": {"type": "string"}},
                "required": ["speaker", "text"],
                "additionalProperties": False,
            },
        },
    },
    ("action",),
    {"type": "object"},
)
TOOLS = (JOURNAL,)
