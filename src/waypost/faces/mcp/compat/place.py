"""The memory and the files that a call's arguments name, and the progress of a call."""

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.tool import ToolCall

if TYPE_CHECKING:
    from waypost import Memory


def memory_at(call: ToolCall, given: Mapping[str, Any], name: str = "working_dir") -> "Memory":
    """The project's memory, seen from the checkout that the argument names. A folder of another project is refused."""
    memory = call.memory
    return memory.admin.for_path(given[name]) if given.get(name) else memory


def has_tree(memory: "Memory") -> bool:
    """Whether there are files: a personal memory has none."""
    return memory.code.root.is_absolute()


def file_at(memory: "Memory", given: Mapping[str, Any], file: str) -> str:
    """A file relative to the working directory if it exists there, else relative to the root. Not checked yet."""
    there = os.path.join(memory.code.root, given.get("working_dir", ""), file)
    return there if os.path.exists(there) else file


Report = Callable[[str, int, int], None]


def reporter(call: ToolCall, phases: Sequence[str]) -> Report:
    """A reporter with one unit per phase. Raises `Cancelled` if the client has cancelled; finished work is kept."""

    def report(phase: str, done: int, total: int) -> None:
        before = phases.index(phase) if phase in phases else 0
        counted = f": {done:,} of {total:,}" if total else ""
        call.report(before + (min(done / total, 1.0) if total else 0.0), len(phases), f"{phase}{counted}")

    return report
