"""The command framework: the root command, and the options that many commands share."""

from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

from waypost.faces.cli.session import CommandSession

app = typer.Typer(
    name="waypost",
    help="Long-term memory for AI agents and the people who work with them.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
model_app = typer.Typer(help="Install and check the built-in embedding models.", no_args_is_help=True)
app.add_typer(model_app, name="model")

Json = Annotated[bool, Option("--json", help="Print JSON with stable keys.")]
Yes = Annotated[bool, Option("--yes", "-y", help="Skip the confirmation.")]
AsOf = Annotated[str | None, Option("--as-of", metavar="TIME", help="Show what was true at this time.")]
KnownAt = Annotated[str | None, Option("--known-at", metavar="TIME", help="Show what was recorded by this time.")]
Archived = Annotated[bool, Option("--archived", help="Include expired memories that were archived.")]
Id = Annotated[str, Argument(metavar="ID", help="The memory's id.")]
Ctx = typer.Context


def session_of(context: Ctx) -> CommandSession:
    session: CommandSession = context.obj
    return session


@app.callback()
def root(
    context: Ctx,
    directory: Annotated[Path, Option("-C", metavar="DIR", help="Use the project of this directory.")] = Path(),
    person: Annotated[
        str | None, Option("--person", metavar="[NAME]", help="Use a personal memory (default: yours).")
    ] = None,
    version: Annotated[bool, Option("--version", "-V", help="Print the version.")] = False,
) -> None:
    context.obj = CommandSession(directory, person)
    if version:
        from waypost import __version__

        print(f"waypost {__version__}")
        raise typer.Exit
