"""The `status` tool and indexing: builds the index on request, and warns in answers that may miss code."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.text_answers import joined
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waypost import Memory
    from waypost.model.recall import Hit

NOT_INDEXED = "This project's code is not indexed yet: call status with index=true."
_UNFINISHED = (
    "The index is incomplete ({files} files so far): it is being built, or was interrupted. "
    "Continue with status and index=true."
)
_CODE_SCOPES = ("all", "code", "functions", "database", "architecture")
# Start and end of each phase in percent.
_PHASES = {"walking": (0, 5), "reading": (5, 90), "concluding": (90, 99)}

_running: dict[str, str] = {}  # progress of this process by space
_lock = threading.Lock()


def index(call: ToolCall) -> str:
    """Index the project and return a summary. Embedding continues in the background, even if the client disconnects."""
    memory = call.memory

    def report(phase: str, done: int, total: int, _note: str = "") -> None:
        low, high = _PHASES.get(phase, (99, 99))
        share = low + (high - low) * (done / total if total else 0)
        progress = f"{phase}: {done} of {total} files" if total else phase
        _running[memory.identity.space_id] = progress
        call.report(share, 100, progress)

    with _registered(memory.identity.space_id):
        report_done = memory.index(facts=True, wait=False, report=report)
    call.report(100, 100, "done")
    read = report_done.indexed
    skipped = f", {len(read.skipped)} skipped" if read.skipped else ""
    broken = f", {len(read.broken)} parsed partly" if read.broken else ""
    return (
        f"Indexed in {report_done.seconds:.1f} s: {read.files} files "
        f"({read.read} read, {read.unchanged} unchanged{skipped}{broken}), "
        f"{report_done.functions} functions, {report_done.classes} classes."
    )


@contextmanager
def _registered(space_id: str) -> "Iterator[None]":
    with _lock:
        _running[space_id] = "starting"
    try:
        yield
    finally:
        with _lock:
            _running.pop(space_id, None)


def index_notice(memory: "Memory", status: Mapping[str, Any]) -> str:
    """A warning about an incomplete index, or an empty string."""
    if running := _running.get(memory.identity.space_id):
        return f"The code is being indexed ({running}): answers may miss some of it."
    if status["kind"] != "project":
        return ""
    tree = status["tree"]
    if tree is None:
        return NOT_INDEXED
    return "" if tree["complete"] else _UNFINISHED.format(files=tree["files"])


def code_notices(memory: "Memory", hits: "Sequence[Hit]", scope: str = "all") -> list[str]:
    """Warnings that the answer may miss code. Cheap if the index is complete."""
    if scope not in _CODE_SCOPES:
        return []
    has_code = memory.identity.space_id not in _running and any(hit.source == "code" for hit in hits)
    if has_code and memory.list(kind="architecture", limit=1):
        return []
    notice = index_notice(memory, memory.status())
    return [notice] if notice else []


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
    "Show what is indexed, pending, stale or missing, and what to do.",
    status,
    {"index": {"type": "boolean", "description": "Index changes now"}},
    (),
    {"type": "object", "properties": {"state": {}, "advice": {}}},
    idempotent=True,
)
