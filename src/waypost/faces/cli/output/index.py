"""Prints the results of commands that read a repository."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from waypost.faces.cli.output.memories import console, print_pairs, safe
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.flows.admin.index_import import ImportedIndex
    from waypost.flows.admin.init import IndexReport
    from waypost.flows.index.analyze import Analysis
    from waypost.flows.index.index_export import IndexExport
    from waypost.flows.index.summarize import Summarised

_SHOWN_REASONS = 12
_SHOWN_ENDPOINTS = 40
_SHOWN_BROKEN = 3


def skipped_rows(done: "IndexReport") -> list[dict[str, str]]:
    return [{"path": path, "reason": reason} for path, reason in sorted(done.indexed.skipped.items())]


def print_index(done: "IndexReport", *, explain: bool) -> None:
    files = done.indexed
    changes = {"read": files.read, "renamed": files.renamed, "removed": files.removed, "unchanged": files.unchanged}
    counts = ", ".join(f"{count:,} {name}" for name, count in changes.items() if count)
    print_pairs(
        {
            "files": f"{files.files:,}" + (f" ({counts})" if counts else ""),
            "functions and methods": f"{done.functions:,}",
            "classes": f"{done.classes:,}",
            "tables": f"{done.tables:,}",
            "endpoints": f"{done.endpoints:,}",
            "storage": f"{done.storage_bytes / 1e6:.1f} MB",
            "time": _time(done),
        }
    )
    out = console()
    _print_patterns(out, done)
    if done.facts:
        out.print(f"Stored {counted(done.facts, 'fact')} about the project: waypost list --level 0", markup=False)
    if done.scip_files is not None:
        out.print(f"Uses in {counted(done.scip_files, 'file')} were taken from the SCIP index.")
    if files.masked:
        out.print(f"{counted(files.masked, 'secret value was', 'secret values were')} masked.")
    if files.broken:
        broken = counted(len(files.broken), "file has", "files have")
        listed = files.broken if explain else files.broken[:_SHOWN_BROKEN]
        more = ", …" if len(listed) < len(files.broken) else ""
        were = "was" if len(files.broken) == 1 else "were"
        out.print(safe(f"{broken} syntax errors and {were} indexed partly: {', '.join(listed)}{more}"), markup=False)
    if waiting := max(done.pending.values(), default=0):
        texts = counted(waiting, "text is", "texts are")
        out.print(f"{texts} not embedded yet; that continues in the background, and keywords find them meanwhile.")
    for path, reason in sorted(done.given_up.items()):
        out.print(f"note: {safe(path)} was skipped: {safe(reason)}.", markup=False)
    if explain:
        for row in skipped_rows(done):
            out.print(f"  {safe(row['path'])}: {safe(row['reason'])}", markup=False)
    elif files.skipped:
        skipped = counted(len(files.skipped), "file or folder was", "files and folders were")
        out.print(f"{skipped} skipped; see --explain.")
    out.print(
        "Try: waypost ask QUESTION" if files.files else "There is nothing to index here yet. Run this again later."
    )


def print_index_export(done: "IndexExport") -> None:
    out = console()
    counts = f"{counted(done.files, 'file')} and {counted(done.vectors, 'vector')}"
    out.print(f"Wrote {counts} to {safe(str(done.path))}, {done.size / 1e6:.1f} MB.", markup=False)
    if done.pending:
        out.print(f"{counted(done.pending, 'text is', 'texts are')} not embedded yet; other clones embed the rest.")
    if done.left_out:
        out.print(f"{counted(done.left_out, 'file was', 'files were')} left out because of a secret.")


def print_index_import(done: "ImportedIndex") -> None:
    out = console()
    files, vectors = counted(done.taken, "file"), counted(done.vectors, "vector")
    out.print(f"Taken over: {files} without parsing, {vectors} without embedding.")
    for notice in done.notices:
        out.print(safe(f"note: {notice}"), markup=False)


def _print_patterns(out: "Console", done: "IndexReport") -> None:
    """Remind the user of patterns from an earlier call."""
    if done.patterns.include:
        text = f"Only {', '.join(done.patterns.include)} is indexed (saved pattern); --include '**' indexes everything."
        out.print(safe(text), markup=False)
    if done.patterns.exclude:
        out.print(safe(f"Excluded (saved pattern): {', '.join(done.patterns.exclude)}."), markup=False)


def _time(done: "IndexReport") -> str:
    if done.seconds - done.answers_after < 1:
        return f"{done.seconds:.1f} s"
    return f"{done.seconds:.1f} s; first answers after {done.answers_after:.1f} s"


def print_analysis(analysis: "Analysis") -> None:
    out = console()
    for parsed in analysis.files:
        note = " (with syntax errors)" if parsed.broken else ""
        head = f"{parsed.path}  {parsed.language or 'text'}, {counted(parsed.line_count, 'line')}{note}"
        out.print(safe(head), markup=False, style="bold")
        for symbol in parsed.symbols:
            depth = symbol.qualified.count(".")
            # A signature that does not begin with the name says by itself what it is: "def save()", "type User struct".
            kind = f"{symbol.kind} " if symbol.signature.startswith(symbol.name) else ""
            line = f"{'  ' * (depth + 1)}{symbol.lines.start}-{symbol.lines.end}  {kind}{symbol.signature}"
            out.print(safe(line), markup=False)
        modules = list(dict.fromkeys(imported.module for imported in parsed.imports))
        if modules:
            out.print(safe(f"  imports {', '.join(modules)}"), markup=False, style="dim")
    for path, reason in analysis.skipped.items():
        out.print(safe(f"{path}: {reason}"), markup=False, style="dim")
    if not analysis.files:
        out.print("Nothing to analyze.")


def print_architecture(architecture: dict[str, Any]) -> None:
    """One section per part, with the places of each item."""
    out = console()
    for part, rows in architecture.items():
        if not rows or not isinstance(rows, list):
            continue
        out.print(part.replace("_", " ").capitalize(), style="bold")
        visible = rows[:_SHOWN_ENDPOINTS]
        for row in visible:
            out.print(safe(f"  {_item_line(row)}"), markup=False)
        if len(rows) > len(visible):
            out.print(f"  … {len(rows) - len(visible)} more; --json has all", style="dim")
    if not any(isinstance(rows, list) and rows for rows in architecture.values()):
        out.print("Nothing recognised.")


def _item_line(row: Any) -> str:
    if not isinstance(row, dict):
        return str(row)
    if "method" in row and "path" in row:
        handler = f" → {row['handler']}" if row.get("handler") else ""
        place = f"  {_place(row['place'])}" if row.get("place") else ""
        return f"{row['method']} {row['path']}{handler}{place}"
    name = str(row.get("name") or row.get("what") or "")
    sure = f" ({row['confidence']:.0%})" if isinstance(row.get("confidence"), float) else ""
    places = [_place(place) for place in (row.get("places") or ([row] if "path" in row else []))[:3]]
    version = f" {row['version']}" if row.get("version") else ""
    return f"{name}{version}{sure}" + (f"  {', '.join(places)}" if places else "")


def _place(place: Any) -> str:
    if not isinstance(place, dict):
        return str(place)
    line = place.get("line")
    return f"{place.get('path', '')}:{line}" if line else str(place.get("path", ""))


def print_summarised(done: "Summarised") -> None:
    out = console()
    out.print(f"Summarised {counted(done.made, 'file')}; {done.skipped} already had a summary.")
    for notice, count in Counter(done.notices).most_common(_SHOWN_REASONS):
        out.print(safe(f"note: {notice}" + (f" ({count} times)" if count > 1 else "")), markup=False)
    if done.example:
        out.print(safe(done.example), markup=False)
