"""Commands about the structure of the code: symbols, uses, impact, unused."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.framework import Ctx, Json, app, session_of
from waypost.faces.cli.output import structure as output
from waypost.faces.cli.output.memories import print_json

if TYPE_CHECKING:
    from waypost.faces.cli.session import CommandSession

_SYMBOL = "A name, Type.method, path#Type.method, path:line or an id."
_SYMBOL_OR_FILE = "A file, a name, Type.method, path#Type.method, path:line or an id."
Limit = Annotated[int, Option("--limit", metavar="N", help="Maximum number of rows; the total is always shown.")]
Kind = Annotated[str | None, Option("--kind", metavar="KIND", help="Only this kind: class, function, method …")]


@app.command()
def symbols(
    context: Ctx,
    name: Annotated[str | None, Argument(metavar="[NAME]", help=_SYMBOL_OR_FILE)] = None,
    path: Annotated[
        str | None, Option("--path", metavar="PATH", help="Only in this file or folder; without NAME its outline.")
    ] = None,
    kind: Kind = None,
    members: Annotated[bool, Option("--members", help="Show what is directly inside.")] = False,
    limit: Limit = 100,
    json: Json = False,
) -> None:
    """Find symbols by their exact name, or show the outline of a file."""
    session = session_of(context)
    chosen = None if path is None else session.path(Path(path))
    code = session.memory().code
    answer = code.symbols(_symbol(session, name or ""), path=chosen, kind=kind, members=members, limit=limit)
    if name and not (path or members) and [symbol.kind for symbol in answer.symbols] == ["file"]:
        answer = code.symbols("", path=Path(answer.symbols[0].path), kind=kind, limit=limit)
    print_json(answer.to_json()) if json else output.print_symbols(answer, name or path or "")
    if not answer.symbols:
        raise typer.Exit(NotFound.exit_code)


@app.command()
def uses(
    context: Ctx,
    symbol: Annotated[str, Argument(metavar="SYMBOL", help=_SYMBOL)],
    direction: Annotated[
        str,
        Option(
            "--direction",
            metavar="DIRECTION",
            help="callers, callees, implementors, supertypes, subtypes, importers or references.",
        ),
    ] = "callers",
    depth: Annotated[
        int | None, Option("--depth", metavar="1-5", help="Steps to follow (default: 1; for implementors all).")
    ] = None,
    tests: Annotated[bool, Option("--tests", help="Only uses in tests.")] = False,
    no_tests: Annotated[bool, Option("--no-tests", help="No uses in tests.")] = False,
    limit: Limit = 100,
    json: Json = False,
) -> None:
    """Show who uses a symbol, with the line of each use; or what it uses."""
    if tests and no_tests:
        raise InvalidInput("--tests and --no-tests exclude each other.", "Give one of them.")
    session, chosen = session_of(context), tests if tests or no_tests else None
    answer = session.memory().code.uses(_symbol(session, symbol), direction, depth=depth, tests=chosen, limit=limit)
    print_json(answer.to_json()) if json else output.print_uses(answer, symbol)
    if not answer.rows:
        raise typer.Exit(NotFound.exit_code)


@app.command()
def impact(
    context: Ctx,
    symbol: Annotated[str | None, Argument(metavar="[SYMBOL]", help=_SYMBOL)] = None,
    staged: Annotated[bool, Option("--staged", help="What is staged in git.")] = False,
    diff: Annotated[str | None, Option("--diff", metavar="REV", help="All changes since this revision.")] = None,
    limit: Limit = 100,
    json: Json = False,
) -> None:
    """Show what a change may break: code, tests, endpoints, tables, settings and memories.

    Without options: the changes that are not committed.
    """
    session = session_of(context)
    answer = session.memory().code.impact(_symbol(session, symbol or ""), staged=staged, diff=diff, limit=limit)
    print_json(answer.to_json()) if json else output.print_impact(answer, symbol or "")
    if not answer.symbols:
        raise typer.Exit(NotFound.exit_code)


@app.command()
def unused(
    context: Ctx,
    path: Annotated[str | None, Argument(metavar="[PATH]", help="Only in this file or folder.")] = None,
    kind: Kind = None,
    limit: Limit = 100,
    json: Json = False,
) -> None:
    """List symbols that nothing in the repository uses, without entry points and framework handlers."""
    session = session_of(context)
    chosen = None if path is None else session.path(Path(path))
    answer = session.memory().code.unused(chosen, kind=kind, limit=limit)
    print_json(answer.to_json()) if json else output.print_unused(answer)
    if not answer.rows:
        raise typer.Exit(NotFound.exit_code)


def _symbol(session: "CommandSession", text: str) -> str:
    """A symbol whose path is relative to the working directory, as the project knows it."""
    for mark in ("#", ":"):
        path, separator, rest = text.partition(mark)
        if separator and path and (session.directory / path).is_file():
            return f"{session.path(Path(path))}{mark}{rest}"
    return text
