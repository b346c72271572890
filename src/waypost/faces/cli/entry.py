"""Entry point of the process. Answers `--version` before importing anything, and translates errors once."""

import contextlib
import os
import sys
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typer.core import TyperGroup


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from waypost import __version__

        print(f"waypost {__version__}")
        return
    # One BLAS thread is faster than two for the small matrix products here (docs/architecture.md).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command. Errors become two lines and an exit code."""
    from waypost.errors import WaypostError

    for stream in (sys.stdout, sys.stderr):
        # Never fail because the terminal cannot show a character.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        return _call(arguments)
    except WaypostError as error:
        _report(error.what, error.remedy, json="--json" in arguments)
        return error.exit_code
    except KeyboardInterrupt:
        _report("Stopped.", "", json=False)
        return 130
    except OSError as error:  # Waypost translates its own; this is the output or the machine
        # Discard buffered output: writing it at exit would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # the reader has closed the pipe: no error
            where = f": {error.filename}" if error.filename else ""
            remedy = "Check the disk and the output path. Everything that was confirmed is saved."
            _report(f"{error.strerror or error}{where}.", remedy, json=False)
        return 1
    except Exception as error:  # noqa: BLE001  last boundary before the user: log the traceback, print one line
        _log_crash(error)
        remedy = "This is a bug. See crash.log in the data directory. Everything that was confirmed is saved."
        _report(f"Unexpected error: {type(error).__name__}: {error}", remedy, json="--json" in arguments)
        return 1


def _call(given: list[str]) -> int:
    from waypost.faces.cli.arguments import move_directory_first, normalize_person_option

    arguments = move_directory_first(given)
    if arguments[:1] == ["mcp"] or (arguments[:1] == ["-C"] and arguments[2:3] == ["mcp"]):
        from waypost.faces.cli.commands.mcp_stdio import serve_agent, started_by_agent

        if (server_arguments := started_by_agent(arguments)) is not None:
            serve_agent(*server_arguments)
            return 0
    if arguments[:1] == ["complete"] or (arguments[:1] == ["-C"] and arguments[2:3] == ["complete"]):
        from waypost.faces.cli.complete import complete

        complete(arguments)
        return 0
    from waypost.faces.cli.help import ALIASES

    command = root_command()
    code: object = None
    try:
        command(normalize_person_option(arguments, {*command.commands, *ALIASES}), standalone_mode=True)
    except SystemExit as end:
        code = end.code
    if code == 2 and "--json" in arguments:  # the framework has already printed the usage error
        _print_json("The command line was not understood.", "See `waypost --help`.")
    sys.stdout.flush()  # fail here if the output cannot be written, where the error is reported
    return code if isinstance(code, int) else 0 if code is None else 1


@cache
def root_command() -> "TyperGroup":
    """The assembled commands, built once per process."""
    from typer.core import TyperGroup
    from typer.main import get_command

    from waypost.faces.cli.app import app

    command = get_command(app)
    assert isinstance(command, TyperGroup)
    return command


def _report(what: str, remedy: str, *, json: bool) -> None:
    if json:
        _print_json(what, remedy)
    print(f"error: {what}", file=sys.stderr)
    if remedy:
        print(remedy, file=sys.stderr)


def _print_json(what: str, remedy: str) -> None:
    from json import dumps

    with contextlib.suppress(OSError):  # the error stream still gets it
        print(dumps({"error": what, "remedy": remedy}), flush=True)


def _log_crash(error: Exception) -> None:
    from waypost import config
    from waypost.errors import WaypostError
    from waypost.system.crash_log import note_crash

    with contextlib.suppress(WaypostError):  # unreadable settings were reported already
        note_crash(error, config.load().home)
