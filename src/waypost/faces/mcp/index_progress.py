"""How far this project's code is read: told with every answer that could miss some of it, and read on request."""

import threading
from collections.abc import Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.tool import ToolCall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from waypost import Memory
    from waypost.model.recall import Hit

NOT_INDEXED = "This project's code is not indexed yet: call status with index=true to read it."
_UNFINISHED = (
    "The index is not complete ({files} files so far): somebody is at it, or was interrupted. "
    "status with index=true goes on."
)
_CODE_SCOPES = ("all", "code", "functions", "database", "architecture")
# Where each phase begins and ends, in hundredths of the whole.
_PHASES = {"walking": (0, 5), "reading": (5, 90), "concluding": (90, 99)}

_running: dict[str, str] = {}  # by space: how far this process is with its index
_lock = threading.Lock()


def index(call: ToolCall) -> str:
    """Read the tree and say what was read. The vectors follow in the background, where a client that goes does not stop
    them."""
    memory = call.memory

    def report(phase: str, done: int, total: int, _note: str = "") -> None:
        low, high = _PHASES.get(phase, (99, 99))
        share = low + (high - low) * (done / total if total else 0)
        told = f"{phase}: {done} of {total} files" if total else phase
        _running[memory.identity.space_id] = told
        call.report(share, 100, told)

    with _noted(memory.identity.space_id):
        made = memory.index(facts=True, wait=False, report=report)
    call.report(100, 100, "done")
    read = made.indexed
    skipped = f", {len(read.skipped)} skipped" if read.skipped else ""
    broken = f", {len(read.broken)} could not be parsed whole" if read.broken else ""
    return (
        f"Indexed in {made.seconds:.1f} s: {read.files} files "
        f"({read.read} read, {read.unchanged} unchanged{skipped}{broken}), "
        f"{made.functions} functions, {made.classes} classes."
    )


@contextmanager
def _noted(space_id: str) -> "Iterator[None]":
    with _lock:
        _running[space_id] = "beginning"
    try:
        yield
    finally:
        with _lock:
            _running.pop(space_id, None)


def index_notice(memory: "Memory", status: Mapping[str, Any]) -> str:
    """What to know of an index that is not whole; empty where it is."""
    if running := _running.get(memory.identity.space_id):
        return f"The code is being read now ({running}): answers may miss some of it."
    if status["kind"] != "project":
        return ""
    tree = status["tree"]
    if tree is None:
        return NOT_INDEXED
    return "" if tree["complete"] else _UNFINISHED.format(files=tree["files"])


def code_notices(memory: "Memory", hits: "Sequence[Hit]", scope: str = "all") -> list[str]:
    """What an answer may miss of the code. Asks the database for little where the index is whole."""
    if scope not in _CODE_SCOPES:
        return []
    has_code = memory.identity.space_id not in _running and any(hit.source == "code" for hit in hits)
    if has_code and memory.list(kind="architecture", limit=1):
        return []
    notice = index_notice(memory, memory.status())
    return [notice] if notice else []
