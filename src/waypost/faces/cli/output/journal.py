"""The journal's answers, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from waypost.faces.cli.output.memories import console, print_notices, print_pairs, print_text, safe
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.journal.condense.run import Condensed
    from waypost.flows.journal.search import FoundLine
    from waypost.flows.journal.see_also import Similar
    from waypost.flows.journal.timeline import Timeline

_BAR = 24  # characters of the longest bar


def print_timeline(found: "Timeline") -> None:
    out = console()
    for part in found.overview:
        page = f"  {part.path}" if part.path else ""
        much = f"{counted(part.conversations, 'conversation')}, {counted(part.entries, 'entry', 'entries')}"
        out.print(f"[bold]{part.name}[/bold]  ", end="")
        out.print(f"{much}{page}", markup=False)
    day = None
    for said in found.entries:
        entry = said.entry
        if entry.at.date() != day:
            day = entry.at.date()
            out.print(f"[bold]{day.isoformat()}[/bold]  ", end="")
            out.print(said.path, markup=False, style="dim")
        worth = f" · {entry.importance}/10" if entry.importance is not None else ""
        marks = (" · protected" if entry.protected else "") + ("" if said.is_held else " · not held any more")
        out.print(f"{entry.at:%H:%M:%S} {safe(entry.speaker or entry.kind)}{worth}{marks}", markup=False, style="cyan")
        print_text(out, entry.held or entry.text)
        if entry.more.get("media"):
            out.print(f"   {safe(entry.more['media'])}", markup=False, style="dim")
        if said.see_also:
            days = ", ".join(dict.fromkeys(one.day.isoformat() for one in said.see_also))
            out.print(f"   see also {days}", markup=False, style="dim")
    for path in found.summaries:
        out.print(f"summary: {path}", markup=False, style="dim")
    if not found.entries and not found.overview:
        out.print("Nothing was said then.")


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
        out.print("No line of the journal holds that. `waypost ask --in journal` looks by meaning.")


def print_stats(found: dict[str, Any]) -> None:
    kinds = ", ".join(f"{count} {name}" for name, count in found["kinds"].items())
    topics = ", ".join(f"{one['topic']} ({one['share']:.0%})" for one in found["topics"])
    size = sum(stage["bytes"] for stage in found["stages"].values())
    span = f"{found['first_day']} to {found['last_day']}" if found["first_day"] else "nothing yet"
    pairs = {
        "entries": f"{found['entries']}{f' ({kinds})' if kinds else ''}",
        "conversations": f"{found['conversations']}, {counted(found['mean_length'], 'entry', 'entries')} each",
        "days": span,
        "topics": topics or "none yet",
        "protected": found["protected"],
        "last clean-up": (found["last_cleanup"] or "never")[:16].replace("T", " "),
        "next clean-up": found["next_cleanup"][:16].replace("T", " "),
        "files": f"{size / 1e6:.2f} MB in {found['path']}",
    }
    if found["overdue"]:
        pairs["overdue"] = "run `waypost maintain`, or have it run: `waypost schedule install`"
    if found["held"]:
        pairs["held"] = ", ".join(found["held"])
    print_pairs(pairs)
    out = console()
    for name, stage in found["stages"].items():
        packed = f", {stage['compressed']} packed" if stage["compressed"] else ""
        out.print(
            f"  {name:<16} {counted(stage['files'], 'file'):>11}  {stage['bytes'] / 1e3:>9.1f} kB{packed}", markup=False
        )
    _bars("worth", {name: count for name, count in found["importance"].items() if count})


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
        out.print(f"{done.saved / 1e3:.1f} kB less; every original is in the archive.", markup=False)
    print_notices(done.notices)


def print_similar(found: "Sequence[Similar]") -> None:
    out = console()
    for one in found:
        row = one.to_json()
        out.print(f"[bold]{safe(str(row.get('session') or row.get('id')))}[/bold]  ", end="")
        out.print(safe(" ".join(str(row.get("text", "")).split())[:160]), markup=False)
    if not found:
        out.print("No other conversation resembles it.")
