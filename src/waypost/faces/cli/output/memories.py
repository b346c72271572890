"""Answers for people: short, quiet, with what they need for the next command. JSON goes out as it is."""

import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.model.characters import escape_hidden, visible_text
from waypost.text.plural import counted

if TYPE_CHECKING:
    from rich.console import Console

    from waypost.model.receipt import Receipt

_SHOWN_LINES = 12


def print_json(value: Any) -> None:
    """Without a raw character that acts on a terminal or is hidden: inside JSON it can be spelled out."""
    line = json.dumps(value, ensure_ascii=not speaks_unicode())
    print(escape_hidden(line))


def speaks_unicode() -> bool:
    """Whether the output can take every character; where it cannot, JSON spells them out and loses nothing."""
    return (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")


def safe(text: str) -> str:
    """The text without anything that acts on a terminal or is hidden from its reader."""
    return visible_text(text)


def console() -> "Console":
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)


def print_receipt(receipt: "Receipt") -> None:
    out = console()
    words = {"added": "Remembered", "merged": "Merged into", "duplicate": "Known already", "refused": "Refused"}
    word = "Corrected" if receipt.id is not None and receipt.replaces == receipt.id else words[receipt.status]
    word = "Needs review" if receipt.review else word
    out.print(f"[bold]{word}[/bold] {receipt.id or ''}".rstrip())
    if receipt.replaces and receipt.replaces != receipt.id:
        out.print(f"  {'about' if receipt.review else 'replaces'} {receipt.replaces}")
    if receipt.reason:
        out.print(f"  {safe(receipt.reason)}", markup=False)
    if receipt.conflicts_with:
        out.print(f"  If it replaces that one: waypost correct {receipt.conflicts_with} TEXT", markup=False)
    for place in receipt.links:
        out.print(f"  points at {safe(place)}", markup=False)
    for asked in receipt.suggestions:
        out.print(f"  {safe(asked.name)}: did you mean {safe(' or '.join(asked.places))}?", markup=False)
    if receipt.suggestions:
        place = safe(receipt.suggestions[0].places[0])
        out.print(f"  If so: waypost relink {receipt.id} --add --ref '{place}'", markup=False)
    for notice in receipt.notices:
        out.print(f"  note: {safe(notice)}", markup=False)
    for what in receipt.masked:
        out.print(f"  masked: {what}", markup=False)
    if receipt.pending:
        out.print(f"  still to be embedded by {', '.join(receipt.pending)}; keywords find it meanwhile", markup=False)


def print_notices(notices: tuple[str, ...]) -> None:
    for notice in notices:
        print(f"note: {safe(notice)}", file=sys.stderr)


def print_text(out: "Console", text: str) -> None:
    lines = safe(text).splitlines()
    for line in lines[:_SHOWN_LINES]:
        out.print(f"   {line}", markup=False)
    if len(lines) > _SHOWN_LINES:
        out.print(f"   … {counted(len(lines) - _SHOWN_LINES, 'more line')}", style="dim")


def print_rows(rows: Sequence[dict[str, Any]]) -> None:
    out = console()
    for row in rows:
        level = f"L{row['level']} " if row["level"] is not None else ""
        domain = f"{safe(row['domain'])} · " if row["domain"] else ""
        out.print(f"[bold]{row['id']}[/bold]  ", end="")
        out.print(
            f"{level}{row['kind']} · {domain}{row['source']} · {row['valid_from'][:10]}", markup=False, style="dim"
        )
        print_text(out, row["text"])
    if not rows:
        out.print("Nothing is remembered here yet. Try: waypost remember TEXT")


def print_status(found: dict[str, Any]) -> None:
    """The same as the JSON, said for people."""
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found["collections"].items())
    owed = ", ".join(f"{count} by {name}" for name, count in found["pending"].items() if count)
    missing = [name for name, there in found["models_installed"].items() if not there]
    pairs = {
        found["kind"]: f"{found['name']} ({found['space']})",
        "memories": f"{found['memories']}{f' ({counts})' if counts else ''}",
        **({"tree": _tree(found["tree"])} if found["kind"] == "project" else {}),  # a person's memory has none
        "to review": _to_review(found["review"]),
        "engine": found["model"] + (f"; not installed: {', '.join(missing)}" if missing else ""),
        "to embed": owed or "nothing",
        "size": f"{found['storage_bytes'] / 1e6:.1f} MB in {found['store']}",
        "since": found["initialised_at"][:10],
        "last change": (found["updated_at"] or "none yet")[:16].replace("T", " "),
        "journal": found["journal"],
    }
    print_pairs(pairs)
    print_notices(found["notices"])


def _to_review(found: dict[str, int]) -> str:
    told = [f"{count} {name}" for name, count in found.items() if count]
    return f"{', '.join(told)}: waypost review" if told else "nothing"


def _tree(found: dict[str, Any] | None) -> str:
    if found is None:
        return "not indexed; `waypost init` does it"
    waiting = f", {found['waiting']} waiting to be read again" if found["waiting"] else ""
    return f"{counted(found['files'], 'file')}, {counted(found['lines'], 'line')}{waiting}"


def print_pairs(pairs: dict[str, Any]) -> None:
    """A value a line, the names in one column."""
    width = max((len(name) for name in pairs), default=0)
    out = console()
    for name, value in pairs.items():
        out.print(f"{name:<{width}}  {safe(str(value))}", markup=False)
