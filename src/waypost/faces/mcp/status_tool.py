"""The default tool that tells how the memory is doing, and reads the project where that is wanted."""

from collections.abc import Mapping
from typing import Any

from waypost.faces.mcp.index_progress import index, index_notice
from waypost.faces.mcp.text_answers import told
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply


def status(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    done = index(call) if given.get("index") else ""
    memory = call.memory
    found = memory.status()
    state, sentences = _state(found, index_notice(memory, found))
    data = {
        "state": state,
        "name": found["name"],
        "root": found["root"],
        "memories": found["memories"],
        "collections": {name: count for name, count in found["collections"].items() if count},
        "files": found["tree"]["files"] if found["tree"] else 0,
        "changed_files_waiting": found["tree"]["waiting"] if found["tree"] else 0,
        "texts_to_embed": sum(found["pending"].values()),
        "about_code": found["references"]["memories"],
        "stale": found["references"]["stale"],
        "to_review": found["review"]["candidates"] + found["review"]["expired"],
        "advice": sentences,
    }
    counts = ", ".join(f"{count} {name}" for name, count in data["collections"].items())
    headline = f"{found['name']} ({found['root']}): {state}. {found['memories']} memories" + (
        f": {counts}." if counts else "."
    )
    return ToolReply(told(done, headline, *sentences), data)


def _state(found: Mapping[str, Any], unread: str) -> tuple[str, list[str]]:
    """One word for it, and what to know or to do."""
    tree, owed = found["tree"], sum(found["pending"].values())
    absent = [name for name in found["pending"] if found["models_installed"].get(name) is False]
    sentences, state = [], "ready"
    if absent:
        state = "keywords only"
        sentences.append(f"{absent[0]} is not installed, so nothing is found by meaning: run `waypost model install`.")
    elif owed:
        state = "partly embedded"
        sentences.append(f"{owed} texts wait to be embedded in the background; until then keywords find them.")
    if unread:
        state = "not indexed" if tree is None else "partly indexed"
        sentences.insert(0, unread)
    elif tree is not None and tree["waiting"]:
        state = "partly indexed"
        sentences.insert(0, f"{tree['waiting']} changed files wait to be read again; index=true reads them now.")
    stale, pointing = found["references"]["stale"], found["references"]["memories"]
    if stale:
        sentences.append(f"{stale} of {pointing} memories about code are stale: its code has changed since.")
    if waiting := found["review"]["candidates"] + found["review"]["expired"]:
        sentences.append(f"{waiting} wait for the person: review lists them.")
    sentences += found["notices"]
    if found["overdue"]:
        sentences.append("Upkeep is overdue: `waypost maintain`.")
    return state, sentences


STATUS = Tool(
    "status",
    "Whether the memory is ready: counts, what is indexed, waiting, stale, missing, and what to do about it.",
    status,
    {"index": {"type": "boolean", "description": "Read the project's code now: new and changed files"}},
    (),
    {"type": "object", "properties": {"state": {}, "advice": {}}},
    idempotent=True,
)
