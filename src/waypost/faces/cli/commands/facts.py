"""Commands on facts: learned from changes, approved by a person, moved between levels."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.framework import AsOf, Ctx, Id, Json, KnownAt, Yes, app, session_of
from waypost.faces.cli.output.memories import print_json

if TYPE_CHECKING:
    from waypost.memory import Memory

_NONE = "none"  # takes a parent, a domain or a module away


@app.command()
def learn(
    context: Ctx,
    staged: Annotated[bool, typer.Option("--staged", help="From what is staged for the next commit.")] = False,
    diff: Annotated[
        str | None, typer.Option("--diff", metavar="REV", help="From all since this revision, or the commits of A..B.")
    ] = None,
    file: Annotated[Path | None, typer.Option("--file", metavar="PATH", help="From one file.")] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Approve the doubtful ones too, as a person.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would be learned, and store nothing.")] = False,
    json: Json = False,
) -> None:
    """Facts from changes: those not committed yet, or as told. What is not certain waits for `waypost review`."""
    from waypost.faces.cli.output.facts import print_learned
    from waypost.faces.cli.output.progress import progress

    session = session_of(context)
    with progress(json=json) as report:
        learned = session.memory(yes=yes).facts.learn(
            staged=staged, diff=diff, file=file and session.path(file), yes=yes, dry_run=dry_run, report=report
        )
    if json:
        print_json(learned.to_json())
    else:
        print_learned(learned)


@app.command()
def review(
    context: Ctx,
    action: Annotated[str | None, typer.Argument(metavar="[approve|reject|edit|restore]")] = None,
    ids: Annotated[
        list[str] | None, typer.Argument(metavar="[ID]...", help="Candidates; for edit an ID and the new TEXT.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Every candidate that waits.")] = False,
    text: Annotated[str | None, typer.Option("--text", help="With edit: the words it should have.")] = None,
    keep: Annotated[bool, typer.Option("--keep", help="With edit: leave it waiting.")] = False,
    archived: Annotated[bool, typer.Option("--archived", help="Show facts that were archived too.")] = False,
    rejected: Annotated[bool, typer.Option("--rejected", help="Show what was rejected last instead.")] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """What waits for you: facts to approve, and facts whose time has run out.

    Approved ones are remembered as your word; rejected ones are not proposed again; edit puts the words right and
    approves them; restore undoes a rejection.
    """
    from waypost.faces.cli.output import facts as output

    memory = session_of(context).memory(yes=yes)
    if rejected and action is None:
        output.print_declined(memory.facts.rejected(), json=json)
        return
    if action is None:
        found = memory.facts.review(include_archived=archived)
        if json:
            print_json(found.to_json())
        else:
            output.print_review(found)
        return
    chosen = [row.candidate_id for row, _ in memory.facts.review().candidates] if every else list(ids or ())
    if every and not chosen:
        raise NotFound("Nothing waits for approval.", "`waypost learn` looks for facts in what changed.")
    output.print_decided(_decided(memory, action, chosen, text, keep), json=json)


def _decided(memory: "Memory", action: str, chosen: list[str], text: str | None, keep: bool) -> list[dict[str, object]]:
    """What became of each candidate, as JSON has it."""
    if action not in ("approve", "reject", "edit", "restore"):
        raise InvalidInput(
            f"There is no action {action[:40]!r}.", "Use approve, reject, edit or restore; or none to look."
        )
    if action == "edit" and text is None and len(chosen) == 2:
        chosen, text = chosen[:1], chosen[1]
    if not chosen:
        raise InvalidInput("Say which candidates.", "Give their ids, or --all; `waypost review` shows them.")
    if action == "edit" and (text is None or len(chosen) != 1):
        raise InvalidInput("edit takes one candidate and its new words.", "waypost review edit ID TEXT")
    if action == "restore":
        return [{"id": one, "status": "restored"} for one in memory.facts.reconsider(chosen)]
    if action == "reject":
        return [{"id": one, "status": "rejected"} for one in memory.facts.reject(chosen)]
    if keep and text is not None:
        return [{"id": chosen[0], "status": "edited", "text": memory.facts.edit(chosen[0], text)}]
    return [
        {"candidate": one, **receipt.to_json(), "status": _word(receipt.status)}
        for one, receipt in memory.facts.approve(chosen, text=text)
    ]


def _word(status: str) -> str:
    return {"added": "approved", "duplicate": "known"}.get(status, status)


@app.command()
def promote(
    context: Ctx,
    memory_id: Id,
    level: Annotated[int | None, typer.Argument(help="0 project, 1 domain, 2 module, 3 code.")] = None,
    parent: Annotated[str | None, typer.Option(metavar="ID", help="The fact it stands under; none for none.")] = None,
    domain: Annotated[str | None, typer.Option(help="The part of the project it is about; none for none.")] = None,
    module: Annotated[str | None, typer.Option(help="The module it is about; none for none.")] = None,
    json: Json = False,
) -> None:
    """Give a fact another level, up or down, or another place in the tree of facts."""
    from waypost.faces.cli.commands import file_input

    places = {"parent": parent, "domain": domain, "module": module}
    given = {name: "" if value == _NONE else value for name, value in places.items()}
    file_input.print_written(session_of(context).memory().facts.promote(memory_id, level, **given), json=json)


@app.command()
def subtree(
    context: Ctx,
    memory_id: Id,
    depth: Annotated[int, typer.Option(min=0, max=100, help="How many levels down.")] = 100,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """A fact and all that stands under it."""
    from waypost.faces.cli.output.facts import print_subtree

    rows = session_of(context).memory().facts.subtree(memory_id, depth=depth, as_of=as_of, known_at=known_at)
    if json:
        print_json({"memories": rows})
    else:
        print_subtree(rows)
