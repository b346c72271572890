"""Chainguard's code tools: what files define, the architecture, file summaries."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.mcp.compat import parameters
from waypost.faces.mcp.compat.place import file_at, memory_at, reporter
from waypost.faces.mcp.compat.wording import FROM_FILES, counted, first_rows, plain, shortened
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
    analysis = memory.code.analyze(file_at(memory, given, given["file"]))
    files = [_file(parsed) for parsed in analysis.files[:_SHOWN_FILES]]
    totals = {
        "files": len(analysis.files),
        "classes": _count(analysis.files, _CLASSES),
        "functions": _count(analysis.files, _FUNCTIONS),
        "methods": _count(analysis.files, _METHODS),
        "imports": sum(len(parsed.imports) for parsed in analysis.files),
        "skipped": len(analysis.skipped),
    }
    head = f"📊 Code analysis: {plain(given['file'])}"
    found_counts = [counted(count, _ONE_OF[name]) for name, count in totals.items() if count and name in _ONE_OF]
    left = len(analysis.files) - len(files)
    more = [f"{left:,} more are not shown; name a file or a smaller folder."] if left else []
    why = [f"Skipped: {plain(path)}: {plain(reason)}" for path, reason in analysis.skipped.items()]
    skipped = first_rows(why, _SHOWN_ROWS)
    body = "\n\n".join("\n".join(_file_lines(file)) for file in files)
    text = "\n".join(
        (
            head,
            f"Found: {', '.join(found_counts) or 'nothing to analyze'}",
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
        "classes": [_symbol(symbol) for symbol in _of(parsed, _CLASSES)],
        "functions": [_symbol(symbol) for symbol in _of(parsed, _FUNCTIONS)],
        "methods": [_symbol(symbol) for symbol in _of(parsed, _METHODS)],
        "imports": list(dict.fromkeys(plain(imported.module) for imported in parsed.imports))[:_SHOWN_NAMES],
        "relations": _relations(parsed),
    }


def _of(parsed: "Parsed", kinds: frozenset[str]) -> list["Symbol"]:
    return [symbol for symbol in parsed.symbols if symbol.kind in kinds][:_SHOWN_NAMES]


def _symbol(symbol: "Symbol") -> dict[str, Any]:
    return {
        "name": plain(symbol.qualified),
        "line": symbol.lines.start,
        "end_line": symbol.lines.end,
        "signature": plain(symbol.signature),
    }


def _relations(parsed: "Parsed") -> list[str]:
    relations = [
        f"{plain(symbol.name)} extends {plain(', '.join(symbol.bases))}" for symbol in parsed.symbols if symbol.bases
    ]
    return relations[:_SHOWN_NAMES]


def _file_lines(file: Mapping[str, Any]) -> Iterator[str]:
    broken = ", with syntax errors" if file["has_errors"] else ""
    yield f"{plain(file['path'])} ({file['language'] or 'text'}, {file['lines']:,} lines{broken})"
    for title in ("classes", "functions", "methods"):
        names = ", ".join(f"{symbol['name']}:{symbol['line']}" for symbol in file[title])
        if names:
            yield f"  {title.capitalize()}: {names}"
    for title in ("imports", "relations"):
        if file[title]:
            yield f"  {title.capitalize()}: {'; '.join(file[title])}"


ANALYZE_CODE = Tool(
    "chainguard_analyze_code",
    "Analyze a file, or every file of a folder: classes, functions, methods, imports, relations. Stores nothing.",
    _analyze,
    {
        "file": parameters.path("A file or folder, relative to working_dir or the project's root."),
        "working_dir": parameters.WORKING_DIR,
    },
    ("file",),
    reads_only=True,
)


def _architecture(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    report = memory.code.architecture()
    body = "\n".join(
        line
        for title, part in _PARTS.items()
        for line in _section(title, [_item_line(row) for row in report[part]], _SHOWN_ROWS)
    )
    endpoints = [f"{plain(entry['method'])} {plain(entry['path'])}{_handler(entry)}" for entry in report["endpoints"]]
    body += "".join(f"\n{line}" for line in _section("API endpoints", endpoints, _SHOWN_ENDPOINTS))
    files = [plain(entry) for entry in report["configuration"]["files"]]
    body += "".join(f"\n{line}" for line in _section("Configuration", files, _SHOWN_ROWS))
    head = f"🏗️ Architecture: {plain(memory.status()['name'])}"
    text = "\n".join((head, fence(body.strip(), FROM_FILES) if body.strip() else "Nothing was recognized."))
    return ToolReply(
        text, {**report, "endpoints": report["endpoints"][:_MOST_ENDPOINTS], "endpoint_count": len(endpoints)}
    )


_MOST_ENDPOINTS = 200  # in the data; queries find the others
_PARTS = {
    "Frameworks": "frameworks",
    "Patterns": "patterns",
    "Layers": "layers",
    "Design patterns": "design_patterns",
    "Authentication": "authentication",
    "Languages": "languages",
}


def _section(title: str, rows: Sequence[str], most: int) -> list[str]:
    return [f"{title}:", *(f"  - {row}" for row in first_rows(rows, most))] if rows else []


def _item_line(row: Mapping[str, Any]) -> str:
    version = f" {plain(row['version'])}" if row.get("version") else ""
    sure = f" ({row['confidence']:.0%})" if isinstance(row.get("confidence"), float) else ""
    count = f" ({counted(row['files'], 'file')})" if isinstance(row.get("files"), int) else ""
    where = [f"{place['path']}:{place['line']}" for place in row.get("places", [])] or row.get("directories", [])
    places = f": {plain(', '.join(where[:_SHOWN_PLACES]))}" if where else ""
    return f"{plain(row['name'])}{version}{sure}{count}{places}"


def _handler(endpoint: Mapping[str, Any]) -> str:
    return f" → {plain(endpoint['handler'])}" if endpoint.get("handler") else ""


DETECT_ARCHITECTURE = Tool(
    "chainguard_detect_architecture",
    "Detect how the project is built: frameworks, patterns (MVC, Clean, layered …), layers, authentication, API "
    "endpoints, configuration, each with places in the code.",
    _architecture,
    {"working_dir": parameters.WORKING_DIR},
    reads_only=True,
)


def _summarize(call: ToolCall, given: Mapping[str, Any]) -> ToolReply:
    memory = memory_at(call, given)
    file = file_at(memory, given, given["file"]) if given.get("file") else None
    done = memory.code.summarize(file, force=given["force"], report=reporter(call, ("summarizing",)))
    row = done.to_json()
    lines = [
        "📝 Code summaries made",
        "",
        f"✓ {done.files:,} files analyzed",
        f"✓ {done.made:,} new summaries made",
        f"  {done.skipped:,} there already (skipped)",
        *(f"Note: {plain(notice)}" for notice in row["notices"][:_SHOWN_NOTICES]),
    ]
    if done.example:
        lines += ["", "Example of a summary:", fence(_branch(shortened(done.example)), FROM_FILES)]
    return ToolReply("\n".join(lines), {**row, "notices": row["notices"][:_SHOWN_NOTICES]})


def _branch(example: str) -> str:
    head, *rest = example.splitlines()
    return "\n".join((f"├─ {plain(head)}", *(f"│  {line}" for line in rest)))


MEMORY_SUMMARIZE = Tool(
    "chainguard_memory_summarize",
    "Write and store summaries of files: purpose, classes, functions, from docstrings, comments, names and code. Files "
    "with a summary are skipped.",
    _summarize,
    {
        "working_dir": parameters.WORKING_DIR,
        "file": parameters.path("Only this file (default: all indexed files)."),
        "force": parameters.flag("Also rewrite existing summaries.", default=False),
    },
    idempotent=True,
)

TOOLS: tuple[Tool, ...] = (MEMORY_SUMMARIZE, ANALYZE_CODE, DETECT_ARCHITECTURE)
