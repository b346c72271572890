"""Chainguard's task tools: start a task with context, track its files, finish it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from waypost.context.scope import NO_MEMORY
from waypost.errors import InvalidInput
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.place import file_at, memory_at
from waypost.faces.mcp.compat.wording import condition, counted, plain, receipt_notices
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.draft import check_text

if TYPE_CHECKING:
    from waypost import Memory

_MODES = {"programming": "💻", "content": "📝", "devops": "🖥️", "research": "🔬", "generic": "⚡"}
_MOST_FILES = 1_000
_MOST_TASKS = 100  # kept per process
_SHOWN_MODULES = 10


@dataclass(slots=True)
class _Task:
    description: str
    files: dict[str, None] = field(default_factory=dict)  # tracked files, each once


class _Tasks:
    """The current task of each checkout while the process runs, so that `finish` needs no description. Thread-safe."""

    def __init__(self) -> None:
        self._tasks: dict[str, _Task] = {}
        self._lock = threading.Lock()

    def begin(self, memory: "Memory", description: str) -> None:
        with self._lock:
            self._tasks.pop(_tree(memory), None)
            self._tasks[_tree(memory)] = _Task(description)
            for oldest in list(self._tasks)[:-_MOST_TASKS]:
                del self._tasks[oldest]

    def touch(self, memory: "Memory", file: str) -> None:
        with self._lock:
            task = self._tasks.get(_tree(memory))
            if task is not None and len(task.files) < _MOST_FILES:
                task.files[file] = None

    def at_hand(self, memory: "Memory") -> tuple[str, list[str]]:
        with self._lock:
            task = self._tasks.get(_tree(memory))
            return (task.description, list(task.files)) if task else ("", [])

    def end(self, memory: "Memory") -> None:
        with self._lock:
            self._tasks.pop(_tree(memory), None)


def _tree(memory: "Memory") -> str:
    return f"{memory.identity.space_id} {memory.code.root}"


_tasks = _Tasks()


def _set_scope(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory, description = memory_at(call, given), check_text(given["description"], "description")
    briefing = memory.brief(description, preset="scope")
    _tasks.begin(memory, description)
    status = memory.status()
    modules, criteria, checks = (given.get(name, []) for name in ("modules", "acceptance_criteria", "checklist"))
    module_list = ", ".join(plain(module) for module in modules[:_SHOWN_MODULES]) or "all"
    lines = [
        f"✓ Scope: {plain(description)}",
        f"{_MODES[given['mode']]} Mode: {given['mode']}",
        f"Modules: {module_list} | Criteria: {len(criteria)} | Checks: {len(checks)}",
        "",
        _hint(briefing.text),
    ]
    if status["tree"]:
        lines += ["", f"📊 Memory: {status['memories']:,} documents indexed", *condition(status)]
    data = {
        "scope": description,
        "mode": given["mode"],
        "modules": [plain(module) for module in modules],
        "criteria": len(criteria),
        "checks": len(checks),
        "context": briefing.text,
        "tokens": briefing.tokens,
        "explanation": briefing.explanation,
        "documents": status["memories"],
    }
    return ToolReply("\n".join(lines), data)


def _hint(text: str) -> str:
    """The hint to index the project, with this profile's tool name."""
    return text.replace("`waypost init`", "`chainguard_memory_init()`") if text == NO_MEMORY else text


SET_SCOPE = Tool(
    "chainguard_set_scope",
    "Start a task: describe it, and get what the memory holds about its code.",
    _set_scope,
    {
        "description": parameters.question("What the task is."),
        "working_dir": parameters.WORKING_DIR,
        "mode": parameters.choice("The kind of work.", tuple(_MODES), default="programming"),
        "modules": parameters.lines("Globs of the files it is about."),
        "acceptance_criteria": parameters.lines("What must be true at the end."),
        "checklist": {
            "type": "array",
            "items": {"type": "object", "description": "A check: {item, check}."},
            "maxItems": 100,
            "description": "Checks to make; they are counted, not run.",
        },
    },
    ("description",),
    idempotent=True,
)


def _track(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    file = file_at(memory, given, given["file"])
    memory.code.track(file, given["action"])
    _tasks.touch(memory, file)
    data = {"file": given["file"], "action": given["action"]}
    return ToolReply(f"✓ Tracked: {plain(given['file'])} ({given['action']}). It is indexed in the background.", data)


TRACK = Tool(
    "chainguard_track",
    "Report a changed file, so that the index is updated. Returns at once.",
    _track,
    {
        "file": parameters.path("The file, relative to working_dir or the project's root."),
        "action": parameters.choice("What was done to it.", ("edit", "create", "delete", "rename"), default="edit"),
        "working_dir": parameters.WORKING_DIR,
        "skip_validation": parameters.flag("Accepted for compatibility; ignored."),
        "ctx": parameters.line("Accepted for compatibility; ignored."),
    },
    ("file",),
    idempotent=True,
)


def _finish(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    begun, tracked = _tasks.at_hand(memory)
    description = given.get("description") or begun
    if not description:
        raise InvalidInput("There is no current task.", "Give description, or set a scope first.")
    files = [file_at(memory, given, path) for path in given.get("files", [])] or tracked
    receipt = memory.code.finish_task(description, files or None)
    _tasks.end(memory)
    kept = f"🧠 Learning stored: {receipt.id}" if receipt.id else f"Learning not stored: {plain(receipt.reason)}"
    covered = f"📊 Up to date: {counted(len(files), 'file') if files else 'all changed files'}"
    text = "\n".join((f"✓ Task completed: {plain(description)}", covered, kept, *receipt_notices(receipt)))
    return ToolReply(text, {"task": description, "files": len(files), "learning": receipt.to_json()})


FINISH = Tool(
    "chainguard_finish",
    "Finish a task: index its files, and remember that it was done.",
    _finish,
    {
        "working_dir": parameters.WORKING_DIR,
        "description": parameters.text("What was done (default: the scope's description).", 10_000),
        "files": parameters.paths("The files (default: tracked files, else all changed files).", _MOST_FILES),
        "confirmed": parameters.flag("Accepted for compatibility; ignored."),
        "force": parameters.flag("Accepted for compatibility; ignored."),
    },
)

TOOLS: tuple[Tool, ...] = (SET_SCOPE, TRACK, FINISH)
