"""Chainguard's exports: write the memory to a file, read one back, list them. Files stay in Waypost's own folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import SecurityError
from waypost.faces.mcp.profiles import parameters
from waypost.faces.mcp.profiles.place import has_tree, memory_at
from waypost.faces.mcp.profiles.said import counted, megabytes, minute, plain, shown
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.model.time import format_time
from waypost.space.place import safe_relative_path

if TYPE_CHECKING:
    from waypost import Memory
    from waypost.flows.move.export import Export

_OUTCOMES = ("added", "merged", "duplicate", "refused")
_SHOWN_EXPORTS = 50
_SHOWN_REASONS = 5


def _export(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    made = memory.admin.export(form=given["format"], embeddings=given["include_embeddings"], code=True)
    text = "\n".join(
        (
            f"✓ Exported {counted(made.memories, 'document')}",
            f"   File: {made.path.name}",
            f"   Format: {given['format']}, {'with' if given['include_embeddings'] else 'without'} embeddings",
            f"   Size: {megabytes(made.size)}",
            f"   Folder: {made.path.parent}",
        )
    )
    return ToolReply(text, {"format": given["format"], "embeddings": given["include_embeddings"], **_row(made)})


def _row(one: "Export") -> dict[str, Any]:
    return {
        "file": one.path.name,
        "path": str(one.path),
        "documents": one.memories,
        "size": one.size,
        "made_at": format_time(one.made_at),
    }


MEMORY_EXPORT = Tool(
    "chainguard_memory_export",
    "Write the project's memory to a file of JSON or JSONL in Waypost's own folder, to keep it or to carry it elsewhere.",
    _export,
    {
        "format": parameters.choice("How it is written.", ("json", "jsonl"), default="json"),
        "include_embeddings": parameters.flag("With the vectors, which make it much larger.", default=False),
        "working_dir": parameters.WORKING_DIR,
    },
)


def _import(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    counts = dict.fromkeys(_OUTCOMES, 0)
    reasons: list[str] = []
    for done, receipt in enumerate(memory.admin.import_file(_export_named(memory, given["file"])), 1):
        counts[receipt.status] += 1
        if receipt.status == "refused" and len(reasons) < _SHOWN_REASONS:
            reasons.append(plain(receipt.reason))
        call.report(done, None, f"{done:,} read")
    text = "\n".join(
        (
            f"✓ Imported {counted(counts['added'] + counts['merged'], 'document')} from {plain(given['file'])}",
            f"   Known already: {counts['duplicate']:,}",
            f"   Refused: {counts['refused']:,}",
            *(f"   - {reason}" for reason in reasons),
            "Nothing that was here was overwritten. What was read out of a tree is read there again.",
        )
    )
    return ToolReply(text, {"file": given["file"], **counts, "reasons": reasons})


def _export_named(memory: "Memory", file: str) -> Path:
    """An export in Waypost's folder, by its name or path, or else a file of the project; nothing else is opened."""
    exports = memory.space.folder / "exports"
    try:
        found = exports / safe_relative_path(exports, file)
    except SecurityError:
        if not has_tree(memory):
            raise
        return memory.code.root / safe_relative_path(memory.code.root, file)
    if found.is_file() or not has_tree(memory):
        return found
    return memory.code.root / safe_relative_path(memory.code.root, file)


MEMORY_IMPORT = Tool(
    "chainguard_memory_import",
    "Read an export back, through the same checks as every write. Nothing that is here is overwritten.",
    _import,
    {
        "file": parameters.path(
            "The name of an export, as chainguard_list_exports shows it, or a file of the project."
        ),
        "working_dir": parameters.WORKING_DIR,
    },
    ("file",),
    idempotent=True,
)


def _list(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    found = memory_at(call, given).admin.exports()
    rows = [
        f"- {one.path.name}: {minute(format_time(one.made_at))}, {counted(one.memories, 'document')}, {megabytes(one.size)}"
        for one in found
    ]
    head = f"📦 Exports: {len(found)}" if found else "📦 No exports yet. chainguard_memory_export() makes one."
    return ToolReply(
        "\n".join((head, *shown(rows, _SHOWN_EXPORTS))), {"exports": [_row(one) for one in found[:_SHOWN_EXPORTS]]}
    )


LIST_EXPORTS = Tool(
    "chainguard_list_exports",
    "The exports of this project's memory, newest first.",
    _list,
    {"working_dir": parameters.WORKING_DIR},
    reads_only=True,
)
