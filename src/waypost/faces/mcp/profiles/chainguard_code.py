"""Chainguard's look at code: what files define, how the project is built, what files do in words."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.profiles import parameters
from waypost.faces.mcp.profiles.place import file_at, memory_at
from waypost.faces.mcp.profiles.progress import reporter
from waypost.faces.mcp.profiles.said import FROM_FILES, counted, plain, shortened, shown
from waypost.faces.mcp.tool import Tool, ToolCall, ToolReply
from waypost.text.fence import fence

if TYPE_CHECKING:
    from waypost.code.source import Parsed, Symbol

_CLASSES = frozenset({"class", "interface", "trait", "struct", "enum"})
_FUNCTIONS = frozenset({"function", "macro"})
_METHODS = frozenset({"method", "property"})
_ONE_OF = {"files": "file", "classes": "class", "functions": "function", "methods": "method", "imports": "import"}
_SHOWN_FILES = 20
_SHOWN_NAMES = 40  # of one sort in a file
_SHOWN_PLACES = 3
_SHOWN_ENDPOINTS = 30
_SHOWN_ROWS = 12
_SHOWN_NOTICES = 5


def _analyze(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    found = memory.code.analyze(file_at(memory, given, given["file"]))
    files = [_file(parsed) for parsed in found.files[:_SHOWN_FILES]]
    totals = {
        "files": len(found.files),
        "classes": _count(found.files, _CLASSES),
        "functions": _count(found.files, _FUNCTIONS),
        "methods": _count(found.files, _METHODS),
        "imports": sum(len(parsed.imports) for parsed in found.files),
        "skipped": len(found.skipped),
    }
    head = f"📊 Code analysis: {plain(given['file'])}"
    found_what = [counted(count, _ONE_OF[name]) for name, count in totals.items() if count and name in _ONE_OF]
    left = len(found.files) - len(files)
    more = [f"{left:,} more are not shown; name a file or a smaller folder."] if left else []
    why = [f"Skipped: {plain(path)}: {plain(reason)}" for path, reason in found.skipped.items()]
    skipped = shown(why, _SHOWN_ROWS)
    body = "\n\n".join("\n".join(_told_file(one)) for one in files)
    text = "\n".join(
        (
            head,
            f"Found: {', '.join(found_what) or 'nothing to analyze'}",
            *([fence(body, FROM_FILES)] if body else []),
            *more,
            *skipped,
        )
    )
    return ToolReply(text, {"file": given["file"], "totals": totals, "files": files, "not_shown": left})


def _count(files: Sequence["Parsed"], kinds: frozenset[str]) -> int:
    return sum(symbol.kind in kinds for parsed in files for symbol in parsed.symbols)


def _file(parsed: "Parsed") -> dict[str, Any]:
    return {
        "path": parsed.path,
        "language": parsed.language,
        "lines": parsed.line_count,
        "parser": parsed.parser,
        "has_errors": parsed.broken,
        "classes": [_symbol(one) for one in _of(parsed, _CLASSES)],
        "functions": [_symbol(one) for one in _of(parsed, _FUNCTIONS)],
        "methods": [_symbol(one) for one in _of(parsed, _METHODS)],
        "imports": list(dict.fromkeys(plain(one.module) for one in parsed.imports))[:_SHOWN_NAMES],
        "relations": _relations(parsed),
    }


def _of(parsed: "Parsed", kinds: frozenset[str]) -> list["Symbol"]:
    return [one for one in parsed.symbols if one.kind in kinds][:_SHOWN_NAMES]


def _symbol(symbol: "Symbol") -> dict[str, Any]:
    return {
        "name": plain(symbol.qualified),
        "line": symbol.lines.start,
        "end_line": symbol.lines.end,
        "signature": plain(symbol.signature),
    }


def _relations(parsed: "Parsed") -> list[str]:
    found = [f"{plain(one.name)} extends {plain(', '.join(one.bases))}" for one in parsed.symbols if one.bases]
    return found[:_SHOWN_NAMES]


def _told_file(one: Mapping[str, Any]) -> Iterator[str]:
    broken = ", with syntax errors" if one["has_errors"] else ""
    yield f"{plain(one['path'])} ({one['language'] or 'text'}, {one['lines']:,} lines{broken})"
    for title in ("classes", "functions", "methods"):
        named = ", ".join(f"{symbol['name']}:{symbol['line']}" for symbol in one[title])
        if named:
            yield f"  {title.capitalize()}: {named}"
    for title in ("imports", "relations"):
        if one[title]:
            yield f"  {title.capitalize()}: {'; '.join(one[title])}"


ANALYZE_CODE = Tool(
    "chainguard_analyze_code",
    "What a file, or every file of a folder, defines: classes, functions, methods, imports, relations. Reads the tree and "
    "keeps nothing.",
    _analyze,
    {
        "file": parameters.path("A file or a folder, as seen from working_dir or from the project's root."),
        "working_dir": parameters.WORKING_DIR,
    },
    ("file",),
    reads_only=True,
)


def _architecture(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    found = memory.code.architecture()
    body = "\n".join(
        line
        for title, part in _PARTS.items()
        for line in _told_part(title, [_told(row) for row in found[part]], _SHOWN_ROWS)
    )
    endpoints = [f"{plain(one['method'])} {plain(one['path'])}{_handler(one)}" for one in found["endpoints"]]
    body += "".join(f"\n{line}" for line in _told_part("API endpoints", endpoints, _SHOWN_ENDPOINTS))
    files = [plain(one) for one in found["configuration"]["files"]]
    body += "".join(f"\n{line}" for line in _told_part("Configuration", files, _SHOWN_ROWS))
    head = f"🏗️ Architecture: {plain(memory.status()['name'])}"
    text = "\n".join((head, fence(body.strip(), FROM_FILES) if body.strip() else "Nothing was recognized."))
    return ToolReply(
        text, {**found, "endpoints": found["endpoints"][:_MOST_ENDPOINTS], "endpoint_count": len(endpoints)}
    )


_MOST_ENDPOINTS = 200  # in the data; a query finds the others
_PARTS = {
    "Frameworks": "frameworks",
    "Patterns": "patterns",
    "Layers": "layers",
    "Design patterns": "design_patterns",
    "Authentication": "authentication",
    "Languages": "languages",
}


def _told_part(title: str, rows: Sequence[str], most: int) -> list[str]:
    return [f"{title}:", *(f"  - {row}" for row in shown(rows, most))] if rows else []


def _told(row: Mapping[str, Any]) -> str:
    version = f" {plain(row['version'])}" if row.get("version") else ""
    sure = f" ({row['confidence']:.0%})" if isinstance(row.get("confidence"), float) else ""
    count = f" ({counted(row['files'], 'file')})" if isinstance(row.get("files"), int) else ""
    where = [f"{one['path']}:{one['line']}" for one in row.get("places", [])] or row.get("directories", [])
    places = f": {plain(', '.join(where[:_SHOWN_PLACES]))}" if where else ""
    return f"{plain(row['name'])}{version}{sure}{count}{places}"


def _handler(endpoint: Mapping[str, Any]) -> str:
    return f" → {plain(endpoint['handler'])}" if endpoint.get("handler") else ""


DETECT_ARCHITECTURE = Tool(
    "chainguard_detect_architecture",
    "How the project is built: frameworks, architectural patterns (MVC, Clean, layered …), layers, authentication, API "
    "endpoints, configuration, each with the places that show it.",
    _architecture,
    {"working_dir": parameters.WORKING_DIR},
    reads_only=True,
)


def _summarize(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    file = file_at(memory, given, given["file"]) if given.get("file") else None
    done = memory.code.summarize(file, force=given["force"], report=reporter(call, ("summarizing",)))
    told = done.to_json()
    lines = [
        "📝 Code summaries made",
        "",
        f"✓ {done.files:,} files analyzed",
        f"✓ {done.made:,} new summaries made",
        f"  {done.skipped:,} there already (skipped)",
        *(f"Note: {plain(notice)}" for notice in told["notices"][:_SHOWN_NOTICES]),
    ]
    if done.example:
        lines += ["", "Example of a summary:", fence(_branch(shortened(done.example)), FROM_FILES)]
    return ToolReply("\n".join(lines), {**told, "notices": told["notices"][:_SHOWN_NOTICES]})


def _branch(example: str) -> str:
    head, *rest = example.splitlines()
    return "\n".join((f"├─ {plain(head)}", *(f"│  {line}" for line in rest)))


MEMORY_SUMMARIZE = Tool(
    "chainguard_memory_summarize",
    "Describe in words what files do, beyond their structure, and remember it: purpose, classes, functions, from "
    "docstrings, comments, names and code. Files that have a description are left.",
    _summarize,
    {
        "working_dir": parameters.WORKING_DIR,
        "file": parameters.path("Only this file; else every file of the index."),
        "force": parameters.flag("Describe again what has a description.", default=False),
    },
    idempotent=True,
)
