"""Chainguard's tasks: begin one with what is known about its code, track its files, finish it."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from waypost.context.scope import NO_MEMORY
from waypost.errors import InvalidInput
from waypost.faces.mcp.profiles import parameters
from waypost.faces.mcp.profiles.place import file_at, memory_at
from waypost.faces.mcp.profiles.said import condition, counted, plain, told_of
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.draft import check_text

if TYPE_CHECKING:
    from waypost import Memory

_MODES = {"programming": "💻", "content": "📝", "devops": "🖥️", "research": "🔬", "generic": "⚡"}
_MOST_FILES = 1_000
_MOST_TASKS = 100  # that are remembered in one process
_SHOWN_MODULES = 10


@dataclass(slots=True)
class _Task:
    description: str
    files: dict[str, None] = field(default_factory=dict)  # that were tracked, each once


class _Tasks:
    """The task at hand of each tree, for as long as the process lives: `finish` may come without saying again what was
    begun. Tools run in threads."""

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
    found = memory.status()
    modules, criteria, checks = (given.get(name, []) for name in ("modules", "acceptance_criteria", "checklist"))
    shown = ", ".join(plain(one) for one in modules[:_SHOWN_MODULES]) or "all"
    lines = [
        f"✓ Scope: {plain(description)}",
        f"{_MODES[given['mode']]} Mode: {given['mode']}",
        f"Modules: {shown} | Criteria: {len(criteria)} | Checks: {len(checks)}",
        "",
        _hint(briefing.text),
    ]
    if found["tree"]:
        lines += ["", f"📊 Memory: {found['memories']:,} documents indexed", *condition(found)]
    data = {
        "scope": description,
        "mode": given["mode"],
        "modules": [plain(one) for one in modules],
        "criteria": len(criteria),
        "checks": len(checks),
        "context": briefing.text,
        "tokens": briefing.tokens,
        "explanation": briefing.explanation,
        "documents": found["memories"],
    }
    return ToolReply("\n".join(lines), data)


def _hint(text: str) -> str:
    """What to do where there is no memory yet, by the name that it has here."""
    return text.replace("`waypost init`", "`chainguard_memory_init()`") if text == NO_MEMORY else text


SET_SCOPE = Tool(
    "chainguard_set_scope",
    "Begin a task: say what it is, and get what the memory knows about the code that it concerns.",
    _set_scope,
    {
        "description": parameters.question("What the task is."),
        "working_dir": parameters.WORKING_DIR,
        "mode": parameters.choice("What sort of work it is.", tuple(_MODES), default="programming"),
        "modules": parameters.lines("Globs of the files that it concerns."),
        "acceptance_criteria": parameters.lines("What has to be true in the end."),
        "checklist": {
            "type": "array",
            "items": {"type": "object", "description": "A check: {item, check}."},
            "maxItems": 100,
            "description": "Checks to be made; they are counted here, not run.",
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
    "Say that a file was changed, so that the memory is brought up to date. Returns at once.",
    _track,
    {
        "file": parameters.path("The file, as seen from working_dir or from the project's root."),
        "action": parameters.choice("What was done to it.", ("edit", "create", "delete", "rename"), default="edit"),
        "working_dir": parameters.WORKING_DIR,
        "skip_validation": parameters.flag("Taken for those who send it; nothing is validated here."),
        "ctx": parameters.line("Taken for those who send it; it means nothing here."),
    },
    ("file",),
    idempotent=True,
)


def _finish(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    begun, tracked = _tasks.at_hand(memory)
    description = given.get("description") or begun
    if not description:
        raise InvalidInput("It is not known which task is finished.", "Give description, or set a scope first.")
    files = [file_at(memory, given, one) for one in given.get("files", [])] or tracked
    receipt = memory.code.finish_task(description, files or None)
    _tasks.end(memory)
    kept = f"🧠 Learning kept: {receipt.id}" if receipt.id else f"Learning not kept: {plain(receipt.reason)}"
    covered = f"📊 Up to date: {counted(len(files), 'file') if files else 'all files that changed'}"
    text = "\n".join((f"✓ Task completed: {plain(description)}", covered, kept, *told_of(receipt)))
    return ToolReply(text, {"task": description, "files": len(files), "learning": receipt.to_json()})


FINISH = Tool(
    "chainguard_finish",
    "Finish a task: its files are brought up to date in one go, and that it was done is remembered with them.",
    _finish,
    {
        "working_dir": parameters.WORKING_DIR,
        "description": parameters.text("What was done; the description of the scope unless told.", 10_000),
        "files": parameters.paths("The files; those that were tracked, else all that changed.", _MOST_FILES),
        "confirmed": parameters.flag("Taken for those who send it; nothing waits for it here."),
        "force": parameters.flag("Taken for those who send it; nothing stands in the way here."),
    },
)
