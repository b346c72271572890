"""Commands on the code that memories point at: what is known of a place, what went stale, and how to mend it."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.framework import AsOf, Ctx, Json, KnownAt, app, session_of
from waypost.faces.cli.output.memories import print_json

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession
    from waypost.flows.links.repair import Repaired
    from waypost.memory import Memory

_AT_LINE = re.compile(r"(?s)(.+?):(\d{1,9})(?::\d{1,9}|-\d{1,9})?:?")

Files = Annotated[
    list[str] | None,
    typer.Option("--files", metavar="PATH", help="Only memories about this file or folder; repeat it for more."),
]


@app.command()
def about(
    context: Ctx,
    place: Annotated[
        str, typer.Argument(metavar="PATH[:LINE]", help="A file, a folder, or a line of a file: src/app.py:42.")
    ],
    limit: Annotated[int, typer.Option(help="How many at the most.")] = 50,
    as_of: AsOf = None,
    known_at: KnownAt = None,
    json: Json = False,
) -> None:
    """What is remembered about a file, a folder, or a line of a file; the nearest first."""
    from waypost.faces.cli.output.code_links import print_about, with_links
    from waypost.faces.cli.output.editor_links import places_of

    session = session_of(context)
    path, line = read_place(session, place)
    memory = session.memory()
    hits = memory.code.about(session.path(Path(path)), line, limit=limit, as_of=as_of, known_at=known_at)
    places = places_of(memory)
    if json:
        found = [with_links(hit.to_json(), places) for hit in hits]
        print_json({"path": path, "line": line, "memories": found})
    else:
        print_about(hits, place, places)
    if not hits:
        raise typer.Exit(NotFound.exit_code)


@app.command()
def stale(
    context: Ctx,
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="[PATH]...", help="Only memories about these files or folders.")
    ] = None,
    files: Files = None,
    check: Annotated[
        bool, typer.Option("--check", help="Judge all of them anew, also where no file has changed.")
    ] = False,
    json: Json = False,
) -> None:
    """Memories whose code has changed since, with what changed and since when."""
    from waypost.faces.cli.output.code_links import print_stale, with_links
    from waypost.faces.cli.output.editor_links import places_of

    session = session_of(context)
    memory = session.memory()
    report = memory.code.stale(_chosen(session, [*(paths or ()), *(files or ())]), check=check)
    places = places_of(memory)
    if json:
        row = report.to_json()
        print_json({**row, **{key: [with_links(one, places) for one in row[key]] for key in ("memories", "moved")}})
    else:
        print_stale(report, places, some=bool(paths or files))


@app.command()
def verify(
    context: Ctx,
    ids: Annotated[list[str] | None, typer.Argument(metavar="[ID]...", help="The ids of memories.")] = None,
    files: Files = None,
    every: Annotated[bool, typer.Option("--all", help="Every memory that is stale.")] = False,
    json: Json = False,
) -> None:
    """Confirm, after a look, that memories are true of the code as it is now: they are fresh again.

    From here on they go stale when this code changes. With --files: every memory about those, stale or not.
    """
    if sum(map(bool, (ids, files, every))) != 1:
        raise InvalidInput("Say which memories: by ID, by --files, or --all.", "`waypost stale` shows their ids.")
    session = session_of(context)
    memory = session.memory()
    done = memory.verify(list(dict.fromkeys(ids or ())), files=_chosen(session, files or []), every=every)
    _tell_repaired(memory, done, "verified", json=json)


@app.command()
def relink(
    context: Ctx,
    memory_id: Annotated[str | None, typer.Argument(metavar="[ID]", help="The id of a memory.")] = None,
    ref: Annotated[
        list[str] | None,
        typer.Option("--ref", metavar="PATH#L1-L9", help="Where it points from now on; repeat it for more places."),
    ] = None,
    add: Annotated[bool, typer.Option("--add", help="Keep the places it has; --ref is one more.")] = False,
    every: Annotated[bool, typer.Option("--all", help="All memories whose code was found in another place.")] = False,
    drop: Annotated[
        bool, typer.Option("--drop", help="Take references away whose code is gone; with an ID, only of that one.")
    ] = False,
    json: Json = False,
) -> None:
    """Point a memory at other code: at --ref, or else at where its code was found again, as after a large renaming.

    The memory's words stay. One that is stale because its code has changed stays stale until you verify it.
    """
    if (memory_id is None) != (every or (drop and memory_id is None)):
        raise InvalidInput("Say which memory: by its ID, or --all.", "`waypost stale` shows their ids.")
    if add and not ref:
        raise InvalidInput("--add wants a place to add.", "Give it with --ref PATH#L1-L9.")
    session = session_of(context)
    memory = session.memory()
    done = memory.code.relink(memory_id, session.refs(ref), add=add, every=every, drop=drop)
    _tell_repaired(memory, done, "relinked", json=json)


def _tell_repaired(memory: "Memory", done: "Repaired", verb: str, *, json: bool) -> None:
    """What was put right. It has failed when there was something to do and nothing of it could be done."""
    from waypost.faces.cli.output.code_links import print_repaired, with_links
    from waypost.faces.cli.output.editor_links import places_of

    places = places_of(memory)
    if json:
        row = done.to_json()
        print_json({"status": verb, **row, "memories": [with_links(one, places) for one in row["memories"]]})
    else:
        print_repaired(done, verb, places)
    if done.left and not done.memories:
        raise typer.Exit(1)


@app.command()
def maintain(
    context: Ctx,
    force: Annotated[bool, typer.Option("--force", help="Also the steps that are not due yet.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
    json: Json = False,
) -> None:
    """Do the upkeep that is due: index changed files, check what points at code, clean up. Made for a schedule."""
    from waypost.faces.cli.output.code_links import print_upkeep

    done = session_of(context).memory().admin.maintain(force=force, dry_run=dry_run)
    if json:
        print_json({"dry_run": dry_run, "steps": [one.to_json() for one in done]})
    else:
        print_upkeep(done)


def read_place(session: "CommandSession", place: str) -> tuple[str, int | None]:
    """`PATH`, `PATH:LINE` as compilers write it, `PATH#L42`, or a `file:` URI. What exists under the whole name is a path."""
    from waypost.model.reference import CodeReference

    if os.path.exists(session.directory / place):
        return place, None
    reference = CodeReference.parse(place)
    path, line = reference.file_path, reference.line_range.start if reference.line_range else None
    if line is None and (match := _AT_LINE.fullmatch(path)):
        path, line = match[1], int(match[2])
        if not line:
            raise InvalidInput("There is no line 0.", "Lines count from 1.")
    return path, line


def _chosen(session: "CommandSession", paths: list[str]) -> list[str] | None:
    return [str(session.path(Path(path))) for path in paths] or None
