"""Commands on the tree of a project: reading it, describing it, watching it."""

from pathlib import Path
from typing import Annotated

import typer

from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output.memories import print_json
from waypost.faces.cli.session import CommandSession

Force = Annotated[bool, typer.Option("--force", help="Also what has not changed.")]


@app.command()
def init(
    context: Ctx,
    path: Annotated[Path | None, typer.Argument(help="The project; else where you are.")] = None,
    include: Annotated[
        list[str] | None, typer.Option(metavar="GLOB", help="Only these files, for instance 'src/**'.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="GLOB", help="Not these files.")] = None,
    force: Force = False,
    db: Annotated[
        str | None, typer.Option("--db", metavar="URL", help="Also read the schema of this live database.")
    ] = None,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Wait until everything is embedded.")] = True,
    explain: Annotated[bool, typer.Option("--explain", help="List what was skipped, and why.")] = False,
    facts: Annotated[
        bool, typer.Option("--facts/--no-facts", help="The first time: remember what the project says of itself.")
    ] = True,
    journal_in_repo: Annotated[
        bool, typer.Option("--journal-in-repo", help="Agree to keep this checkout's journal in .waypost/, for git.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Without a terminal: agree to --journal-in-repo as its owner.")
    ] = False,
    json: Json = False,
) -> None:
    """Index a project, so that questions about its code are answered. Goes on after an interruption."""
    from waypost.faces.cli.output.index import print_index, skipped_rows
    from waypost.faces.cli.output.memories import print_notices
    from waypost.faces.cli.output.progress import progress

    session = session_of(context)
    if path is not None:
        session = CommandSession(path, session.person)
    memory = session.memory(yes=yes)
    if journal_in_repo:
        memory.journal.keep_in_tree()
    with progress(json=json) as report:
        done = memory.index(
            include=include or None,
            exclude=exclude or None,
            force=force,
            database=db,
            wait=wait,
            explain=explain,
            facts=facts,
            report=report,
        )
    others = memory.admin.relatives()
    if json:
        told = {"relatives": [one.to_json() for one in others]}
        print_json({**done.to_json(), **told, **({"skipped_files": skipped_rows(done)} if explain else {})})
    else:
        print_index(done, explain=explain)
        print_notices((*(one.notice for one in others), *memory.journal.notices()))


@app.command()
def analyze(
    context: Ctx,
    path: Annotated[Path, typer.Argument(help="A file or a folder of the project.")] = Path(),
    json: Json = False,
) -> None:
    """What a file or folder defines: classes, functions, imports. Reads the tree, keeps nothing."""
    from waypost.faces.cli.output.index import print_analysis

    session = session_of(context)
    found = session.memory().code.analyze(session.path(path))
    if json:
        print_json(found.to_json())
    else:
        print_analysis(found)


@app.command()
def architecture(context: Ctx, json: Json = False) -> None:
    """Frameworks, patterns, endpoints, authentication, layers: how the project is built, with the places that show it."""
    from waypost.faces.cli.output.index import print_architecture

    found = session_of(context).memory().code.architecture()
    if json:
        print_json(found)
    else:
        print_architecture(found)


@app.command()
def summarize(
    context: Ctx,
    path: Annotated[Path | None, typer.Argument(help="A file; else every file.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Describe in words what files do, and remember it. With a language model where one is configured."""
    from waypost.faces.cli.output.index import print_summarised
    from waypost.faces.cli.output.progress import progress

    session = session_of(context)
    chosen = None if path is None else session.path(path)
    with progress(json=json) as report:
        done = session.memory().code.summarize(chosen, force=force, report=report)
    if json:
        print_json(done.to_json())
    else:
        print_summarised(done)


@app.command()
def summary(context: Ctx, path: Annotated[Path, typer.Argument(help="A file.")], json: Json = False) -> None:
    """What a file does, in words."""
    from waypost.faces.cli.output.memories import safe

    session = session_of(context)
    text = session.memory().code.summary(session.path(path))
    if json:
        print_json({"path": str(path), "summary": text})
    else:
        print(safe(text))


@app.command()
def watch(
    context: Ctx,
    debounce: Annotated[int, typer.Option(metavar="MS", min=0, help="How long a file must be quiet.")] = 500,
) -> None:
    """Keep the index at the side of the tree, until you stop it."""
    from waypost.faces.cli.commands.watch import watch_tree

    watch_tree(session_of(context), debounce)
