"""`waypost completion`: a script that completes commands, options, paths, ids and symbols in a shell."""

from typing import Annotated

from typer import Argument

from waypost.faces.cli.framework import app


@app.command()
def completion(shell: Annotated[str, Argument(metavar="SHELL", help="bash, zsh or fish.")]) -> None:
    """Print a completion script for bash, zsh or fish. Repeat it after an upgrade."""
    from waypost.faces.cli.shells.script import completion_script  # reads all commands

    print(completion_script(shell), end="")
