"""Prints the journal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.cli.output.memories import console, print_notices, print_pairs, print_text, safe
from waypost.model.time import format_minute, parse_time
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.journal.condense.run import Condensed
    from waypost.flows.journal.search import FoundLine
    from waypost.flows.journal.see_also import Similar
    from waypost.flows.journal.timeline import Timeline

_BAR = 24  # characters of the longest bar


def print_timeline(timeline: "Timeline") -> None:
    out = console()
    for part in timeline.overview:
        page = f"  {part.path}" if part.path else ""
        much = f"{counted(part.conversations, 'conversation')}, {counted(part.entries, 'entry', 'entries')}"
        out.print(f"[bold]{part.name}[/bold]  ", end="")
        out.print(f"{much}{page}", markup=False)
    day = None
    for listed in timeline.entries:
        entry = listed.entry
        if entry.at.date() != day:
            day = entry.at.date()
            out.print(f"[bold]{day.isoformat()}[/bold]  ", end="")
            out.print(listed.path, markup=False, style="dim")
        worth = f" · {entry.importance}/10" if entry.importance is not None else ""
        marks = (" · protected" if entry.protected else "") + ("" if listed.is_held else " · no longer stored")
        out.print(f"{entry.at:%H:%M:%S} {safe(entry.speaker or entry.kind)}{worth}{marks}", markup=False, style="cyan")
        print_text(out, entry.held or entry.text)
        if entry.more.get("media"):
            out.print(f"   {safe(entry.more['media'])}", markup=False, style="dim")
        if listed.see_also:
            days = ", ".join(dict.fromkeys(related.day.isoformat() for related in listed.see_also))
            out.print(f"   see also {days}", markup=False, style="dim")
    for path in timeline.summaries:
        out.print(f"summary: {path}", markup=False, style="dim")
    if not timeline.entries and not timeline.overview:
        out.print("No entries.")


def print_lines(lines: "Sequence[FoundLine]") -> None:
    out = console()
    for line in lines:
        out.print(f"[bold]{safe(line.path)}:{line.line}[/bold]  ", end="")
        out.print(safe(line.text.strip()), markup=False)
        if line.id:
            who = f"{safe(line.speaker)} · " if line.speaker else ""
            when = f"{line.time:%Y-%m-%d %H:%M} · " if line.time else ""
            out.print(f"   {when}{who}{line.id}", markup=False, style="dim")
    if not lines:
        out.print("No matching line in the journal. Search by meaning: `waypost ask --in journal`.")


def print_stats(stats: dict[str, Any]) -> None:
    kinds = ", ".join(f"{count} {name}" for name, count in stats["kinds"].items())
    topics = ", ".join(f"{topic['topic']} ({topic['share']:.0%})" for topic in stats["topics"])
    size = sum(stage["bytes"] for stage in stats["stages"].values())
    span = f"{stats['first_day']} to {stats['last_day']}" if stats["first_day"] else "nothing yet"
    pairs = {
        "entries": f"{stats['entries']}{f' ({kinds})' if kinds else ''}",
        "conversations": f"{stats['conversations']}, {counted(stats['mean_length'], 'entry', 'entries')} each",
        "days": span,
        "topics": topics or "-",
        "protected": stats["protected"],
        "last clean-up": format_minute(parse_time(stats["last_cleanup"])) if stats["last_cleanup"] else "never",
        "next clean-up": format_minute(parse_time(stats["next_cleanup"])),
        "files": f"{size / 1e6:.2f} MB in {stats['path']}",
    }
    if stats["overdue"]:
        pairs["overdue"] = "run `waypost maintain`, or schedule it: `waypost schedule install`"
    if stats["held"]:
        pairs["held"] = ", ".join(stats["held"])
    print_pairs(pairs)
    out = console()
    for name, stage in stats["stages"].items():
        packed = f", {stage['compressed']} packed" if stage["compressed"] else ""
        out.print(
            f"  {name:<16} {counted(stage['files'], 'file'):>11}  {stage['bytes'] / 1e3:>9.1f} kB{packed}", markup=False
        )
    _bars("worth", {name: count for name, count in stats["importance"].items() if count})


def _bars(title: str, counts: dict[str, int]) -> None:
    if not counts:
        return
    out, most = console(), max(counts.values())
    out.print(title)
    for name, count in counts.items():
        out.print(f"  {name:>2} {'█' * max(1, round(_BAR * count / most))} {count}", markup=False)


def print_condensed(done: "Condensed") -> None:
    from waypost.flows.journal.condense.run import step_text

    out = console()
    for step in done.steps:
        out.print(safe(step_text(step)), markup=False)
    if not done.steps:
        out.print("Nothing is due.")
    elif done.saved > 0 and not done.dry_run:
        out.print(f"{done.saved / 1e3:.1f} kB saved; the archive has every original.", markup=False)
    print_notices(done.notices)


def print_similar(conversations: "Sequence[Similar]") -> None:
    out = console()
    for similar in conversations:
        row = similar.to_json()
        out.print(f"[bold]{safe(str(row.get('session') or row.get('id')))}[/bold]  ", end="")
        out.print(safe(" ".join(str(row.get("text", "")).split())[:160]), markup=False)
    if not conversations:
        out.print("No similar conversations.")
