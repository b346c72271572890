"""Chainguard's export tools: write the memory to a file, import one, list them. Files stay in Waypost's folder."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from waypost.errors import SecurityError
from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.place import has_tree, memory_at
from waypost.faces.mcp.compat.wording import counted, first_rows, megabytes, minute, plain
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
    export = memory.admin.export(form=given["format"], embeddings=given["include_embeddings"], code=True)
    text = "\n".join(
        (
            f"✓ Exported {counted(export.memories, 'document')}",
            f"   File: {export.path.name}",
            f"   Format: {given['format']}, {'with' if given['include_embeddings'] else 'without'} embeddings",
            f"   Size: {megabytes(export.size)}",
            f"   Folder: {export.path.parent}",
        )
    )
    return ToolReply(text, {"format": given["format"], "embeddings": given["include_embeddings"], **_row(export)})


def _row(export: "Export") -> dict[str, Any]:
    return {
        "file": export.path.name,
        "path": str(export.path),
        "documents": export.memories,
        "size": export.size,
        "made_at": format_time(export.made_at),
    }


MEMORY_EXPORT = Tool(
    "chainguard_memory_export",
    "Export the project's memory to a JSON or JSONL file in Waypost's folder.",
    _export,
    {
        "format": parameters.choice("The file format.", ("json", "jsonl"), default="json"),
        "include_embeddings": parameters.flag("Include vectors; the file gets much larger.", default=False),
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
            f"   Already stored: {counts['duplicate']:,}",
            f"   Refused: {counts['refused']:,}",
            *(f"   - {reason}" for reason in reasons),
            "Existing memories were not overwritten. Code is indexed again from the repository.",
        )
    )
    return ToolReply(text, {"file": given["file"], **counts, "reasons": reasons})


def _export_named(memory: "Memory", file: str) -> Path:
    """An export in Waypost's folder by name or path, else a file of the project. Nothing else is opened."""
    exports = memory.space.folder / "exports"
    try:
        path = exports / safe_relative_path(exports, file)
    except SecurityError:
        if not has_tree(memory):
            raise
        return memory.code.root / safe_relative_path(memory.code.root, file)
    if path.is_file() or not has_tree(memory):
        return path
    return memory.code.root / safe_relative_path(memory.code.root, file)


MEMORY_IMPORT = Tool(
    "chainguard_memory_import",
    "Import an export, with the same checks as every write. Existing memories are not overwritten.",
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
    exports = memory_at(call, given).admin.exports()
    rows = [
        f"- {export.path.name}: {minute(format_time(export.made_at))}, {counted(export.memories, 'document')}, {megabytes(export.size)}"
        for export in exports
    ]
    head = f"📦 Exports: {len(exports)}" if exports else "📦 No exports yet. Make one with chainguard_memory_export()."
    return ToolReply(
        "\n".join((head, *first_rows(rows, _SHOWN_EXPORTS))),
        {"exports": [_row(export) for export in exports[:_SHOWN_EXPORTS]]},
    )


LIST_EXPORTS = Tool(
    "chainguard_list_exports",
    "List exports of this project's memory, newest first.",
    _list,
    {"working_dir": parameters.WORKING_DIR},
    reads_only=True,
)

TOOLS: tuple[Tool, ...] = (MEMORY_EXPORT, MEMORY_IMPORT, LIST_EXPORTS)
