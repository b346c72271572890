"""`waypost discover`: first facts about a new project."""

from typing import TYPE_CHECKING, Annotated

import typer
from typer import Option

from waypost.errors import NotFound
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import console, print_json, safe
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.learn.cold_start import Discovered

_LEVELS = ("About the project", "Its parts", "Its files")
_STATES = {"held": "needs review", "waiting": "needs review", "refused": "refused"}


@app.command()
def discover(
    context: Ctx,
    task: Annotated[
        str | None, Option("--task", metavar="HINT", help="Only facts for this task: its parts and files.")
    ] = None,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show the facts.")] = False,
    json: Json = False,
) -> None:
    """Find first facts about this project: what it is, how to run and test it, its main parts.

    Reads only the repository. Certain facts are stored; the rest needs `waypost review`.
    """
    discovered = session_of(context).memory().facts.discover(task, dry_run=dry_run)
    print_json(discovered.to_json()) if json else print_discovered(discovered)
    if not discovered.taken:
        raise typer.Exit(NotFound.exit_code)


def print_discovered(discovered: "Discovered") -> None:
    from waypost.facts.coldstart.templates import PRESENT

    out = console()
    for level, title in enumerate(_LEVELS):
        facts = [fact for fact in discovered.taken if fact.candidate.level == level]
        if facts:
            out.print(title, style="bold")
        for fact in facts:
            state = f"  ({_STATES[fact.status]})" if fact.status in _STATES else ""
            out.print(f"  {safe(fact.candidate.text)}{state}", markup=False)
            places = [*fact.candidate.refs, *(line.removesuffix(PRESENT) for line in fact.candidate.evidence)]
            if places:
                out.print(f"    {safe(', '.join(places[:3]))}", markup=False, style="dim")
    for path in discovered.given_up:
        out.print(f"note: {safe(path)} took too long to read and was skipped.", markup=False)
    if not discovered.taken:
        out.print("No certain facts found.", markup=False)
        return
    row = discovered.to_json()
    counts = {"merged": row["facts_merged"], "already stored": row["facts_known"], "to review": row["facts_held"]}
    extra = "".join(f", {count} {word}" for word, count in counts.items() if count)
    verb = "Would store" if discovered.dry_run else "Stored"
    kinds = " and ".join(discovered.project_types) or "an unknown kind"
    new, read = counted(row["facts_created"], "new fact"), counted(discovered.files, "file")
    out.print(f"{verb} {new}{extra}. {read} of {kinds}.", markup=False)
