"""The command framework: the root command, and the options that many commands share."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

from waypost.faces.cli.help import CommandGroup, DocumentedCommand, RootGroup
from waypost.faces.cli.session import CommandSession


class _RootApp(typer.Typer):
    """The root application: the help of each of its commands ends with examples."""

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        return super().command(name, **{"cls": DocumentedCommand, **settings})


def command_group(help_line: str, *, runs_alone: bool = False) -> typer.Typer:
    """A group of commands below the root, such as `waypost journal`. Without a command it prints help, or runs alone."""
    return typer.Typer(
        cls=CommandGroup, help=help_line, no_args_is_help=not runs_alone, invoke_without_command=runs_alone
    )


app = _RootApp(
    name="waypost",
    cls=RootGroup,
    help="Waypost: memory for coding agents that knows when it is wrong. Local, no API key.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
model_app = command_group("Install and check the built-in embedding models.")
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


@app.command("help")
def help_(
    context: Ctx,
    words: Annotated[
        list[str] | None, Argument(metavar="[COMMAND]...", help="A command, such as `journal add`.")
    ] = None,
) -> None:
    """Show how a command is used, with examples."""
    root_context = context.find_root()
    root_context.command.main([*(words or ()), "--help"], prog_name=root_context.info_name)
