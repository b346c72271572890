"""Prints memories, receipts and status. JSON is printed as it is."""

import json
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.cli.output.short_ids import short_id_output
from waypost.model.characters import escape_hidden, visible_text
from waypost.model.time import format_minute, parse_time
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.model.receipt import Receipt

_SHOWN_LINES = 12
_STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")


def print_json(value: Any) -> None:
    """Print JSON with control and invisible characters escaped."""
    line = json.dumps(value, ensure_ascii=not speaks_unicode())
    print(escape_hidden(line))


def speaks_unicode() -> bool:
    """Whether the output encoding can represent every character. Otherwise JSON escapes them."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def safe(text: str) -> str:
    """The text without control or invisible characters."""
    return visible_text(text)


def console() -> "Console":
    from rich.console import Console

    return Console(file=short_id_output(sys.stdout), highlight=False, soft_wrap=True, emoji=False)


def print_receipt(receipt: "Receipt") -> None:
    out = console()
    titles = {"added": "Remembered", "merged": "Merged into", "duplicate": "Already stored", "refused": "Refused"}
    title = "Corrected" if receipt.id is not None and receipt.replaces == receipt.id else titles[receipt.status]
    title = "Needs review" if receipt.review else title
    out.print(f"[bold]{title}[/bold] {receipt.id or ''}".rstrip())
    if receipt.replaces and receipt.replaces != receipt.id:
        out.print(f"  {'about' if receipt.review else 'replaces'} {receipt.replaces}")
    if receipt.reason:
        out.print(f"  {safe(receipt.reason)}", markup=False)
    if receipt.conflicts_with:
        out.print("  To decide which one holds: waypost review", markup=False)
    for place in receipt.links:
        out.print(f"  points at {safe(place)}", markup=False)
    for suggestion in receipt.suggestions:
        out.print(f"  {safe(suggestion.name)}: did you mean {safe(' or '.join(suggestion.places))}?", markup=False)
    if receipt.suggestions:
        place = safe(receipt.suggestions[0].places[0])
        out.print(f"  If so: waypost relink {receipt.id} --add --ref '{place}'", markup=False)
    for notice in receipt.notices:
        out.print(f"  warning: {safe(notice)}", markup=False, style="yellow")
    for what in receipt.masked:
        out.print(f"  masked: {what}", markup=False)


def print_notices(notices: tuple[str, ...]) -> None:
    for notice in notices:
        print(f"note: {safe(notice)}", file=sys.stderr)


def print_text(out: "Console", text: str) -> None:
    lines = safe(text).splitlines()
    for line in lines[:_SHOWN_LINES]:
        out.print(f"   {line}", markup=False)
    if len(lines) > _SHOWN_LINES:
        out.print(f"   … {counted(len(lines) - _SHOWN_LINES, 'more line')}", style="dim")


def print_rows(rows: Sequence[dict[str, Any]], *, filtered: bool = False) -> None:
    out = console()
    for row in rows:
        level = f"L{row['level']} " if row["level"] is not None else ""
        domain = f"{safe(row['domain'])} · " if row["domain"] else ""
        out.print(f"[bold]{row['id']}[/bold]  ", end="")
        out.print(
            f"{level}{row['kind']} · {domain}{row['source']} · {row['valid_from'][:10]}", markup=False, style="dim"
        )
        print_text(out, row["text"])
        if "conflict" in row:
            out.print(f"   CONFLICT: {safe(row['conflict']['line'])}", markup=False, style="yellow")
    if not rows:
        out.print("No memory matches." if filtered else "No memories yet. Try: waypost remember TEXT")


def print_status(status: dict[str, Any]) -> None:
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in status["collections"].items())
    pending = ", ".join(f"{count} by {name}" for name, count in status["pending"].items() if count)
    missing = [name for name, there in status["models_installed"].items() if not there]
    pairs = {
        status["kind"]: f"{status['name']} ({status['space']})",
        "memories": f"{status['memories']}{f' ({counts})' if counts else ''}",
        **({"repository": _repository(status["tree"])} if status["kind"] == "project" else {}),
        "to review": _to_review(status["review"]),
        "embedding model": status["model"] + (f"; not installed: {', '.join(missing)}" if missing else ""),
        "to embed": pending or "nothing",
        "size": f"{status['storage_bytes'] / 1e6:.1f} MB in {status['store']}",
        "since": status["initialised_at"][:10],
        "last change": format_minute(parse_time(status["updated_at"])) if status["updated_at"] else "none yet",
        "journal": status["journal"],
    }
    print_pairs(pairs)
    print_notices(status["notices"])


def _to_review(counts: dict[str, int]) -> str:
    parts = [f"{count} {name}" for name, count in counts.items() if count]
    return f"{', '.join(parts)}: waypost review" if parts else "nothing"


def _repository(index: dict[str, Any] | None) -> str:
    if index is None:
        return "not indexed; run `waypost init`"
    waiting = f", {index['waiting']} waiting to be indexed again" if index["waiting"] else ""
    return f"{counted(index['files'], 'file')}, {counted(index['lines'], 'line')}{waiting}"


def readable_value(value: Any) -> str:
    """A value of a JSON row for people: times to the minute, lists with commas."""
    if isinstance(value, dict):
        return ", ".join(f"{name}={readable_value(member)}" for name, member in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(readable_value(member) for member in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = str(value)
    return f"{text[:10]} {text[11:16]} UTC" if _STAMP.fullmatch(text) else text


def print_pairs(pairs: dict[str, Any]) -> None:
    """Print one aligned `name  value` line each."""
    width = max((len(name) for name in pairs), default=0)
    out = console()
    for name, value in pairs.items():
        out.print(f"{name:<{width}}  {safe(str(value))}", markup=False)
