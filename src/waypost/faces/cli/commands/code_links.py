"""Commands for code references: memories about a place, stale memories, and how to repair them."""

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from waypost import config
from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli import output
from waypost.faces.cli.framework import AsOf, Ctx, Json, KnownAt, app, session_of
from waypost.faces.cli.output.memories import print_json, safe
from waypost.faces.cli.output.progress import working
from waypost.model.memory import Caller
from waypost.model.reference import CodeReference
from waypost.model.time import utc_now

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.links.repair import Repaired
    from waypost.memory import Memory

_AT_LINE = re.compile(r"(?s)(.+?):(\d{1,9})(?::\d{1,9}|-\d{1,9})?:?")

Files = Annotated[
    list[str] | None, Option("--files", metavar="PATH", help="Only memories about this file or folder (repeatable).")
]


@app.command()
def about(
    context: Ctx,
    place: Annotated[
        str, Argument(metavar="PATH[:LINE]", help="A file, a folder, or a line of a file: src/app.py:42.")
    ],
    limit: Annotated[int, Option(help="Maximum number of memories.")] = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """List memories about a file, folder or line, nearest first."""
    session = session_of(context)
    path, line = read_place(session, place)
    memory = session.memory()
    hits = memory.code.about(session.path(Path(path)), line, limit=limit, as_of=as_of, known_at=known_at)
    places = output.editor_links.editor_links_of(memory)
    code = str(session.path(Path(path)))
    around = output.structure.around(memory, f"{code}:{line}" if line else code)
    if json:
        rows = output.code_links.rows_with_links((hit.to_json() for hit in hits), places)
        print_json({"path": path, "line": line, "memories": rows, **around})
    else:
        output.code_links.print_about(hits, place, places)
        output.structure.print_around(around)
    if not hits:
        raise typer.Exit(NotFound.exit_code)


@app.command()
def stale(
    context: Ctx,
    paths: Annotated[
        list[str] | None, Argument(metavar="[PATH]...", help="Only memories about these files or folders.")
    ] = None,
    files: Files = None,
    check: Annotated[bool, Option("--check", help="Check every memory again, even if no file has changed.")] = False,
    json: Json = False,
) -> None:
    """List memories whose code has changed, with what changed and since when."""
    session = session_of(context)
    memory = session.memory()
    with working("Comparing memories with their code", json=json):
        report = memory.code.stale(_resolved_paths(session, [*(paths or ()), *(files or ())]), check=check)
    places = output.editor_links.editor_links_of(memory)
    if json:
        row = report.to_json()
        linked = {key: output.code_links.rows_with_links(row[key], places) for key in ("memories", "moved", "unfound")}
        print_json({**row, **linked})
    else:
        output.code_links.print_stale(report, places, some=bool(paths or files))


@app.command()
def verify(
    context: Ctx,
    ids: Annotated[list[str] | None, Argument(metavar="[ID]...", help="The ids of memories.")] = None,
    files: Files = None,
    every: Annotated[bool, Option("--all", help="All stale memories.")] = False,
    json: Json = False,
) -> None:
    """Confirm that memories are still true for the current code. They become fresh again.

    They go stale when this code changes again. With --files: all memories about those files, stale or not.
    """
    if sum(map(bool, (ids, files, every))) != 1:
        raise InvalidInput("Choose memories by ID, --files, or --all.", "`waypost stale` shows their ids.")
    session = session_of(context)
    memory = session.memory()
    done = memory.verify(list(dict.fromkeys(ids or ())), files=_resolved_paths(session, files or []), every=every)
    _print_result(memory, done, "verified", json=json)


@app.command()
def relink(
    context: Ctx,
    memory_id: Annotated[str | None, Argument(metavar="[ID]", help="The id of a memory.")] = None,
    ref: Annotated[
        list[str] | None, Option("--ref", metavar="PATH#L1-L9", help="The new code reference (repeatable).")
    ] = None,
    add: Annotated[bool, Option("--add", help="Add --ref to the existing references.")] = False,
    every: Annotated[bool, Option("--all", help="All memories whose code moved.")] = False,
    drop: Annotated[
        bool, Option("--drop", help="Remove references to deleted code; with an ID, only from that memory.")
    ] = False,
    json: Json = False,
) -> None:
    """Point a memory at other code: at --ref, or where its code moved to.

    The text does not change. A memory that is stale because its code changed stays stale until you verify it.
    """
    if (memory_id is None) != (every or (drop and memory_id is None)):
        raise InvalidInput("Choose a memory by ID, or use --all.", "`waypost stale` shows their ids.")
    if add and not ref:
        raise InvalidInput("--add needs a reference to add.", "Give it with --ref PATH#L1-L9.")
    session = session_of(context)
    memory = session.memory()
    done = memory.code.relink(memory_id, session.refs(ref), add=add, every=every, drop=drop)
    _print_result(memory, done, "relinked", json=json)


def _print_result(memory: "Memory", done: "Repaired", verb: str, *, json: bool) -> None:
    """Print what was repaired. Exit 1 if there was work and none of it could be done."""
    places = output.editor_links.editor_links_of(memory)
    if json:
        row = done.to_json()
        rows = output.code_links.rows_with_links(row["memories"], places)
        print_json({"status": verb, **row, "memories": rows})
    else:
        output.code_links.print_repaired(done, verb, places)
    if done.left and not done.memories:
        raise typer.Exit(1)


@app.command()
def maintain(
    context: Ctx,
    force: Annotated[bool, Option("--force", help="Run steps that are not due yet, too.")] = False,
    dry_run: Annotated[bool, Option("--dry-run", help="Only show what would be done.")] = False,
    every: Annotated[bool, Option("--all", help="Maintain the memories of all projects and persons.")] = False,
    json: Json = False,
) -> None:
    """Run due maintenance: index changed files, check code references, clean up. Meant for a schedule."""
    if every:
        maintain_every(force=force, dry_run=dry_run, json=json)
        return
    with working("Maintenance", json=json):
        done = session_of(context).memory().admin.maintain(force=force, dry_run=dry_run)
    row = {"dry_run": dry_run, "steps": [step.to_json() for step in done]}
    print_json(row) if json else output.code_links.print_steps(done)


def maintain_every(who: Caller | None = None, *, force: bool = False, dry_run: bool = False, json: bool) -> None:
    """Maintain all memories of this machine, and print a line for each."""
    from waypost.faces.cli.session import caller
    from waypost.memory.maintain_all import maintain_all  # opens many memories

    settings = config.load()
    memories = maintain_all(settings, who or caller(settings.person), utc_now, force=force, dry_run=dry_run)
    if json:
        print_json({"dry_run": dry_run, "memories": [memory.to_json() for memory in memories]})
    else:
        for memory in memories:
            print(safe(memory.line), file=sys.stderr if memory.problem else sys.stdout)
    if any(memory.problem for memory in memories):
        raise typer.Exit(1)


def read_place(session: "CommandSession", place: str) -> tuple[str, int | None]:
    """Path and line of `PATH`, `PATH:LINE`, `PATH#L42` or a `file:` URI. An existing path is never split."""
    if os.path.exists(session.directory / place):
        return place, None
    reference = CodeReference.parse(place)
    path, line = reference.file_path, reference.line_range.start if reference.line_range else None
    if line is None and (match := _AT_LINE.fullmatch(path)):
        path, line = match[1], int(match[2])
        if not line:
            raise InvalidInput("There is no line 0.", "Lines count from 1.")
    return path, line


def _resolved_paths(session: "CommandSession", paths: list[str]) -> list[str] | None:
    return [str(session.path(Path(path))) for path in paths] or None
