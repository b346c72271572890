"""Where the process begins. Answers what needs nothing before anything is imported, and translates errors once."""

import contextlib
import os
import sys
from collections.abc import Callable
from functools import cache


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.argv[1:] in (["--version"], ["-V"]):
        from waypost import __version__

        print(f"waypost {__version__}")
        return
    # Two BLAS threads contend on the small products we make; one is faster (docs/architecture.md).
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command; every error becomes two lines and an exit code."""
    from waypost.errors import WaypostError

    for stream in (sys.stdout, sys.stderr):
        # A memory may hold characters that this terminal cannot show: never fail for that.
        getattr(stream, "reconfigure", lambda **_: None)(errors="replace")
    try:
        return _call(arguments)
    except WaypostError as error:
        _report(error.what, error.remedy, json="--json" in arguments)
        return error.exit_code
    except KeyboardInterrupt:
        _report("Stopped.", "", json=False)
        return 130
    except OSError as error:  # ours are translated where they happen: this is the output, or the machine
        _close_output()
        if not isinstance(error, BrokenPipeError):  # the reader has gone: nothing to complain about
            where = f": {error.filename}" if error.filename else ""
            remedy = "Check the disk and where the output goes. Nothing that was acknowledged is lost."
            _report(f"{error.strerror or error}{where}.", remedy, json=False)
        return 1
    except Exception as error:  # noqa: BLE001  the last wall before the user: a traceback helps nobody there
        _log_crash(error)
        _report(
            f"Something unexpected happened: {type(error).__name__}: {error}",
            _crash_remedy(),
            json="--json" in arguments,
        )
        return 1


def _call(arguments: list[str]) -> int:
    if arguments[:1] == ["mcp"] or (arguments[:1] == ["-C"] and arguments[2:3] == ["mcp"]):
        from waypost.faces.cli.commands.mcp_stdio import serve_agent, started_by_agent

        if (told := started_by_agent(arguments)) is not None:
            serve_agent(*told)
            return 0
    from waypost.faces.cli.arguments import settle_person

    code: object = None
    try:
        _command()(settle_person(arguments), standalone_mode=True)
    except SystemExit as end:
        code = end.code
    if code == 2 and "--json" in arguments:  # the framework has told people what it did not understand
        _print_json("The command line was not understood.", "See `waypost --help`.")
    sys.stdout.flush()  # output that cannot be written fails here, where it can be told
    return code if isinstance(code, int) else 0 if code is None else 1


@cache
def _command() -> Callable[..., object]:
    """All commands, put together once: a process that is asked for several does not pay for it each time."""
    from typer.main import get_command

    from waypost.faces.cli.app import app

    return get_command(app)


def _close_output() -> None:
    """What is still buffered goes nowhere: writing it at the end of the process would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _report(what: str, remedy: str, *, json: bool) -> None:
    if json:
        _print_json(what, remedy)
    print(f"error: {what}", file=sys.stderr)
    if remedy:
        print(remedy, file=sys.stderr)


def _print_json(what: str, remedy: str) -> None:
    from json import dumps

    with contextlib.suppress(OSError):  # the error stream still says it
        print(dumps({"error": what, "remedy": remedy}), flush=True)


def _log_crash(error: Exception) -> None:
    from waypost import config
    from waypost.errors import WaypostError
    from waypost.space.crash import note_crash

    with contextlib.suppress(WaypostError):  # settings that cannot be read are what was told already
        note_crash(error, config.load().home)


def _crash_remedy() -> str:
    return "This is a bug; crash.log in Waypost's home has the details. Nothing that was acknowledged is lost."
