"""The command for a tree that the memory knows nothing of yet."""

from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import NotFound
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.flows.learn.cold_start import Discovered

_LEVELS = ("About the project", "Its parts", "Its files")
_STATES = {"held": "waits for review", "waiting": "waits for review", "refused": "refused"}


@app.command()
def discover(
    context: Ctx,
    task: Annotated[
        str | None, typer.Option("--task", metavar="HINT", help="Only what this task needs: its parts and files.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the facts, and store nothing.")] = False,
    json: Json = False,
) -> None:
    """The first facts about this project: what it is, how it is run and tested, which parts it has.

    Everything is read from the tree itself. What is certain is stored, the rest waits for `waypost review`.
    """
    found = session_of(context).memory().facts.discover(task, dry_run=dry_run)
    if json:
        print_json(found.to_json())
    else:
        print_discovered(found)
    if not found.taken:
        raise typer.Exit(NotFound.exit_code)


def print_discovered(found: "Discovered") -> None:
    from waypost.faces.cli.output.memories import console, safe
    from waypost.facts.coldstart.templates import PRESENT

    out = console()
    for level, title in enumerate(_LEVELS):
        facts = [one for one in found.taken if one.candidate.level == level]
        if facts:
            out.print(title, style="bold")
        for one in facts:
            state = f"  ({_STATES[one.status]})" if one.status in _STATES else ""
            out.print(f"  {safe(one.candidate.text)}{state}", markup=False)
            places = [*one.candidate.refs, *(told.removesuffix(PRESENT) for told in one.candidate.evidence)]
            if places:
                out.print(f"    {safe(', '.join(places[:3]))}", markup=False, style="dim")
    for path in found.given_up:
        out.print(f"note: {safe(path)} took too long to read and was left out.", markup=False)
    if not found.taken:
        out.print("Nothing was found that could be told for sure.", markup=False)
        return
    row = found.to_json()
    counts = {"merged": row["facts_merged"], "known": row["facts_known"], "waiting for review": row["facts_held"]}
    told = "".join(f", {count} {word}" for word, count in counts.items() if count)
    verb = "Would store" if found.dry_run else "Stored"
    kinds = " and ".join(found.project_types) or "an unknown kind"
    new, read = counted(row["facts_created"], "new fact"), counted(found.files, "file")
    out.print(f"{verb} {new}{told}. {read} of {kinds}.", markup=False)
