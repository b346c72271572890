"""Where a call means: the memory of the folder that it names, and files as seen from there."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.tool import ToolCall

if TYPE_CHECKING:
    from waypost import Memory


def memory_at(call: ToolCall, given: Mapping[str, Any], name: str = "working_dir") -> "Memory":
    """The memory of this project, seen from the tree that the argument names. The id is always computed: a folder of
    another project is refused."""
    memory = call.memory
    return memory.admin.for_path(given[name]) if given.get(name) else memory


def has_tree(memory: "Memory") -> bool:
    """Whether there are files to look at: a person's memory has none."""
    return memory.code.root.is_absolute()


def file_at(memory: "Memory", given: Mapping[str, Any], file: str) -> str:
    """A file as it is meant: one of the working directory before one of the root. What it leads to is checked later."""
    there = os.path.join(memory.code.root, given.get("working_dir", ""), file)
    return there if os.path.exists(there) else file
