"""Commands that read a repository: index, analyze, summarize, watch."""

import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput, WaypostError
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.models import ensure_models
from waypost.faces.cli.output.index import (
    print_analysis,
    print_architecture,
    print_index,
    print_index_export,
    print_index_import,
    print_summarised,
    skipped_rows,
)
from waypost.faces.cli.output.memories import print_json, print_notices, safe
from waypost.faces.cli.output.progress import progress
from waypost.faces.cli.session import CommandSession
from waypost.text.plural import counted

if TYPE_CHECKING:
    from waypost.faces.watch import ChangeBatch

_SHOWN_PATHS = 3

index_app = typer.Typer(help="Hand an index on to other clones of the repository.", no_args_is_help=True)
app.add_typer(index_app, name="index")

Force = Annotated[bool, Option("--force", help="Also process unchanged files.")]


@app.command()
def init(
    context: Ctx,
    path: Annotated[Path | None, Argument(help="The project (default: the current directory).")] = None,
    include: Annotated[list[str] | None, Option(metavar="GLOB", help="Only these files, for example 'src/**'.")] = None,
    exclude: Annotated[list[str] | None, Option(metavar="GLOB", help="Skip these files.")] = None,
    force: Force = False,
    db: Annotated[str | None, Option("--db", metavar="URL", help="Also read the schema of this live database.")] = None,
    scip: Annotated[
        Path | None, Option("--scip", metavar="FILE", help="Take over uses from this SCIP index.", show_default=False)
    ] = None,
    wait: Annotated[bool, Option("--wait/--no-wait", help="Wait until everything is embedded.")] = True,
    explain: Annotated[bool, Option("--explain", help="List skipped files and why.")] = False,
    facts: Annotated[bool, Option("--facts/--no-facts", help="The first time: store facts about the project.")] = True,
    journal_in_repo: Annotated[
        bool, Option("--journal-in-repo", help="Keep this checkout's journal in .waypost/, so git can track it.")
    ] = False,
    yes: Annotated[bool, Option("--yes", "-y", help="Confirm --journal-in-repo without a terminal.")] = False,
    json: Json = False,
) -> None:
    """Index a project, so that you can ask about its code. Continues after an interruption."""
    session = session_of(context)
    if path is not None:
        session = CommandSession(path, session.person)
    elif session.no_project():
        here = session.directory.absolute()
        raise InvalidInput(
            f"{here} is no project, but holds all of them.", f"cd to one. Or name it: waypost init {here}"
        )
    memory = session.memory(yes=yes)
    if journal_in_repo:
        memory.journal.keep_in_tree()
    if not json:
        ensure_models(config.load())
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
            scip=None if scip is None else session.path(scip),
        )
    relatives = memory.admin.relatives()
    if json:
        related = {"relatives": [relative.to_json() for relative in relatives]}
        print_json({**done.to_json(), **related, **({"skipped_files": skipped_rows(done)} if explain else {})})
    else:
        print_index(done, explain=explain)
        print_notices((*(relative.notice for relative in relatives), *memory.journal.notices()))


@index_app.command("export")
def index_export(
    context: Ctx,
    path: Annotated[Path, Argument(metavar="FILE")],
    wait: Annotated[bool, Option(help="Embed everything first, tests included.")] = True,
    json: Json = False,
) -> None:
    """Write what was read from code, with vectors, to a new file. It contains no memories of people or agents."""
    done = session_of(context).memory().code.export_index(path, wait=wait)
    print_json(done.to_json()) if json else print_index_export(done)


@index_app.command("import")
def index_import(
    context: Ctx,
    path: Annotated[Path, Argument(metavar="FILE", help="A file that `waypost index export` wrote.")],
    wait: Annotated[bool, Option("--wait/--no-wait", help="Wait until everything is embedded.")] = True,
    json: Json = False,
) -> None:
    """Index a project. Files with the same content as in FILE are not parsed or embedded again."""
    memory = session_of(context).memory()
    with progress(json=json) as report:
        done = memory.code.import_index(path, wait=wait, report=report)
    if json:
        print_json(done.to_json())
    else:
        print_index(done.report, explain=False)
        print_index_import(done)


@app.command()
def analyze(
    context: Ctx,
    path: Annotated[Path, Argument(help="A file or a folder of the project.")] = Path(),
    json: Json = False,
) -> None:
    """Show what a file or folder defines: classes, functions, imports. Stores nothing."""
    session = session_of(context)
    analysis = session.memory().code.analyze(session.path(path))
    print_json(analysis.to_json()) if json else print_analysis(analysis)


@app.command()
def architecture(context: Ctx, json: Json = False) -> None:
    """Show how the project is built: frameworks, patterns, endpoints, authentication, layers, with places."""
    report = session_of(context).memory().code.architecture()
    print_json(report) if json else print_architecture(report)


@app.command()
def summarize(
    context: Ctx,
    path: Annotated[Path | None, Argument(help="A file (default: all files).")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write summaries of files. Uses a language model if one is configured."""
    session = session_of(context)
    chosen = None if path is None else session.path(path)
    with progress(json=json) as report:
        done = session.memory().code.summarize(chosen, force=force, report=report)
    print_json(done.to_json()) if json else print_summarised(done)


@app.command()
def summary(context: Ctx, path: Annotated[Path, Argument(help="A file.")], json: Json = False) -> None:
    """Show the summary of a file."""
    session = session_of(context)
    text = session.memory().code.summary(session.path(path))
    print_json({"path": str(path), "summary": text}) if json else print(safe(text))


@app.command()
def watch(
    context: Ctx,
    debounce: Annotated[int, Option(metavar="MS", min=0, help="Wait until a file is unchanged for so long.")] = 500,
) -> None:
    """Re-index files as they change (Ctrl-C to stop)."""
    from waypost.faces.watch import watch as watch_files

    memory = session_of(context).memory()
    memory.index(wait=False)

    def follow(batch: "ChangeBatch") -> None:
        started = time.perf_counter()
        try:
            if batch.everything:
                changed = memory.index(wait=False).indexed.changed
            else:
                changed = memory.code.update(change.path for change in batch.changes).changed
        except WaypostError as error:  # the next change may succeed
            print(f"{error.what} {error.remedy}", file=sys.stderr)
            return
        if changed:
            _print_indexed(changed, time.perf_counter() - started)

    def ready(files: int) -> None:
        print(f"Watching {counted(files, 'file')} of {safe(str(memory.code.root))}. Stop with Ctrl-C.", flush=True)

    stop = threading.Event()
    try:
        watch_files(
            memory.code.root, follow, stop=stop, ignored=memory.code.ignores(), debounce_ms=debounce, on_ready=ready
        )
    except KeyboardInterrupt:
        stop.set()
    finally:
        memory.close()


def _print_indexed(changed: list[str], seconds: float) -> None:
    more = f" and {len(changed) - _SHOWN_PATHS} more" if len(changed) > _SHOWN_PATHS else ""
    print(f"{safe(', '.join(changed[:_SHOWN_PATHS]))}{more}: indexed in {seconds * 1000:.0f} ms", flush=True)
