"""The `status` tool: shows the memory's state and builds the index on request."""

from collections.abc import Mapping
from typing import Any

from waypost.faces.mcp.index_progress import index, index_notice
from waypost.faces.mcp.text_answers import joined
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply


def status(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    done = index(call) if given.get("index") else ""
    memory = call.memory
    report = memory.status()
    state, sentences = _state(report, index_notice(memory, report))
    data = {
        "state": state,
        "name": report["name"],
        "root": report["root"],
        "memories": report["memories"],
        "collections": {name: count for name, count in report["collections"].items() if count},
        "files": report["tree"]["files"] if report["tree"] else 0,
        "changed_files_waiting": report["tree"]["waiting"] if report["tree"] else 0,
        "texts_to_embed": sum(report["pending"].values()),
        "about_code": report["references"]["memories"],
        "stale": report["references"]["stale"],
        "to_review": report["review"]["candidates"] + report["review"]["expired"],
        "advice": sentences,
    }
    counts = ", ".join(f"{count} {name}" for name, count in data["collections"].items())
    headline = f"{report['name']} ({report['root']}): {state}. {report['memories']} memories" + (
        f": {counts}." if counts else "."
    )
    return ToolReply(joined(done, headline, *sentences), data)


def _state(report: Mapping[str, Any], unread: str) -> tuple[str, list[str]]:
    """One word for the state, and advice."""
    tree, pending = report["tree"], sum(report["pending"].values())
    absent = [name for name in report["pending"] if report["models_installed"].get(name) is False]
    sentences, state = [], "ready"
    if absent:
        state = "keywords only"
        sentences.append(f"{absent[0]} is not installed, so search uses keywords only: run `waypost model install`.")
    elif pending:
        state = "partly embedded"
        sentences.append(f"{pending} texts are waiting for embedding; until then keywords find them.")
    if unread:
        state = "not indexed" if tree is None else "partly indexed"
        sentences.insert(0, unread)
    elif tree is not None and tree["waiting"]:
        state = "partly indexed"
        sentences.insert(0, f"{tree['waiting']} changed files are not indexed yet; index=true indexes them now.")
    stale, pointing = report["references"]["stale"], report["references"]["memories"]
    if stale:
        sentences.append(f"{stale} of {pointing} memories about code are stale: the code has changed.")
    if waiting := report["review"]["candidates"] + report["review"]["expired"]:
        sentences.append(f"{waiting} facts need the user's review: review lists them.")
    sentences += report["notices"]
    if report["overdue"]:
        sentences.append("Maintenance is overdue: run `waypost maintain`.")
    return state, sentences


STATUS = Tool(
    "status",
    "Show whether the memory is ready: counts, what is indexed, pending, stale or missing, and what to do.",
    status,
    {"index": {"type": "boolean", "description": "Index new and changed files now"}},
    (),
    {"type": "object", "properties": {"state": {}, "advice": {}}},
    idempotent=True,
)
