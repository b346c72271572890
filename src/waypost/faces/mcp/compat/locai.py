"""Profile `locai`: save to the day's file, recall by meaning and keywords."""

from collections.abc import Mapping
from typing import Any

from waypost.errors import InvalidInput
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.wording import plain, receipt_notices, shortened
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.text.fence import fence

_TYPES = ("conversation", "agent", "workflow_result", "preference")
_SESSION = "locai"  # for conversations without a session
_LONGEST = 500  # characters of a memory in the list
HEADING = "Known information:"
_NOTHING = "Nothing is known about this yet."


def _save(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    kind, session = given["type"], given.get("session") or None
    if kind == "conversation":
        session = session or _SESSION
    journal = call.memory.journal
    receipt = journal.add(given["content"], kind=kind, session=session)
    if receipt.id is None:
        raise InvalidInput(f"Not saved: {plain(receipt.reason)}.", "Rephrase it, or leave it out.")
    status_text = "✓ Saved" if receipt.status == "added" else "✓ Already stored"
    text = f"{status_text} as {kind} in the file of the day: {receipt.id}"
    return ToolReply("\n".join((text, *receipt_notices(receipt))), {"type": kind, **receipt.to_json()})


SAVE_MEMORY = Tool(
    "save_memory",
    "Save something for later sessions: what was said, a workflow's result and lessons, or a preference. It is written "
    "to the day's Markdown file, which people can read and edit.",
    _save,
    {
        "content": {**parameters.text("What to save."), "minLength": 1},
        "type": parameters.choice(
            "conversation: questions and answers; agent or workflow_result: a workflow's result; preference.",
            _TYPES,
            default="conversation",
        ),
        "session": parameters.line("The conversation it belongs to."),
    },
    ("content",),
)


def _recall(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = call.memory
    notices: tuple[str, ...] = ()
    if given["query"].strip():
        answer = memory.recall(given["query"], given["limit"])
        notices = answer.notices
        rows = [_row(hit.to_json()) for hit in answer]
    else:
        rows = [_row(row) for row in reversed(memory.list(limit=given["limit"]))]
    body = "\n".join((HEADING, *(f"- {_line(row)}" for row in rows)))
    notes = [f"Note: {plain(notice)}" for notice in notices]
    text = "\n".join((fence(body) if rows else _NOTHING, *notes))
    return ToolReply(text, {"query": given["query"], "memories": rows, "notices": list(notices)})


def _row(memory: Mapping[str, Any]) -> dict[str, Any]:
    """Code is shown by place and summary, not by its lines."""
    is_code = memory["source"] == "code"
    place = f"{memory.get('path')}:{memory.get('line') or 1} {memory.get('summary') or ''}".strip()
    shared = {"project": memory["project"]} if "project" in memory else {}
    return shared | {
        "id": memory["id"],
        "type": memory["kind"],
        "content": place if is_code else shortened(memory["text"]),
        "score": memory.get("score"),
        "time": memory["time"] or memory["recorded_at"],
        "source": memory["source"],
        "is_stale": memory["is_stale"],
    }


def _line(row: Mapping[str, Any]) -> str:
    stale = " (stale)" if row["is_stale"] else ""
    shared = f" (from project {plain(row['project']['name'])})" if "project" in row else ""
    return f"{plain(row['content'], _LONGEST)} ({row['source']}, {row['time'][:10]}){shared}{stale}"


RECALL_MEMORY = Tool(
    "recall_memory",
    "Recall memories by meaning and keywords. Without a query, the latest.",
    _recall,
    {
        "query": parameters.text("What you want to know.", parameters.LONGEST_QUESTION, default=""),
        "limit": parameters.whole("Maximum number of results.", 1, parameters.MOST_HITS, default=10),
    },
    reads_only=True,
)

TOOLS: tuple[Tool, ...] = (SAVE_MEMORY, RECALL_MEMORY)
