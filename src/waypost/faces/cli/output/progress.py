"""How far long work has come: a bar at a terminal, now and then a line elsewhere, nothing beside JSON.

    with progress(json=json) as report:
        report("Reading files", 120, 2900, "src/app.py")

It goes to standard error, which stays free of it when the answer is meant for a program. Work is never stopped because
its progress cannot be shown.
"""

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol, TextIO

from waypost.faces.cli.output.memories import safe

if TYPE_CHECKING:
    from rich.progress import TaskID

LINE_SECONDS = 2.0  # between two lines of one phase
BAR_SECONDS = 0.05  # between two movements of a bar: more is not seen, and costs the work time
_LONGEST_NOTE = 60

Ticks = Callable[[], float]


class ProgressReport(Protocol):
    def __call__(self, phase: str, done: int, total: int, note: str = "") -> None:
        """So much of this phase is done. A total of 0 is one that is not known. May be called from any thread."""


@contextlib.contextmanager
def progress(
    *, json: bool = False, stream: TextIO | None = None, ticks: Ticks = time.monotonic
) -> Iterator[ProgressReport]:
    """Show the progress that the block reports on `stream`, standard error unless told."""
    stream = stream or sys.stderr
    if json or stream is None:  # a process without standard streams has nobody to tell
        yield lambda *_, **__: None
    elif stream.isatty() and (bars := _Bars(stream, ticks)).possible:
        with bars:
            yield bars
    else:
        lines = _Lines(stream, ticks)
        yield lines
        lines.finish()


class _Lines:
    """The beginning and the end of each phase, and every two seconds how far it is."""

    def __init__(self, stream: TextIO, ticks: Ticks) -> None:
        self._stream = stream
        self._ticks = ticks
        self._lock = threading.Lock()
        self._phase: str | None = None
        self._unsaid = ""  # the last report, when it was not printed
        self._printed_at = 0.0

    def __call__(self, phase: str, done: int, total: int, note: str = "") -> None:
        with self._lock:
            line = _line(phase, done, total, note)
            if phase != self._phase:
                self._print_unsaid()
                self._phase = phase
            elif self._ticks() - self._printed_at < LINE_SECONDS:
                self._unsaid = line
                return
            self._print(line)

    def finish(self) -> None:
        with self._lock:
            self._print_unsaid()

    def _print_unsaid(self) -> None:
        if self._unsaid:
            self._print(self._unsaid)

    def _print(self, line: str) -> None:
        self._unsaid = ""
        self._printed_at = self._ticks()
        with contextlib.suppress(OSError, ValueError):  # whoever read it has gone, or it was closed
            print(line, file=self._stream, flush=True)


def _line(phase: str, done: int, total: int, note: str) -> str:
    share = f" ({100 * done // total} %)" if total > 0 else ""
    count = f"{done:,} of {total:,}" if total > 0 else f"{done:,}"
    return f"{phase}: {count}{share}{'  ' + _shown(note) if note else ''}"


def _shown(note: str) -> str:
    """The end of a note on one line: of a path it tells more than the beginning."""
    line = safe(" ".join(note[-4 * _LONGEST_NOTE :].split()))
    return line if len(line) <= _LONGEST_NOTE else "…" + line[1 - _LONGEST_NOTE :]


class _Bars:
    """A bar for each phase, gone when the work is done: then its result speaks."""

    def __init__(self, stream: TextIO, ticks: Ticks) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(file=stream, highlight=False, emoji=False)
        self.possible = not console.is_dumb_terminal
        self._ticks = ticks
        self._lock = threading.Lock()
        self._tasks: dict[str, TaskID] = {}
        self._moved_at = 0.0
        self._progress: Progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            TextColumn("{task.fields[note]}", markup=False, style="dim"),
            console=console,
            transient=True,
        )

    def __enter__(self) -> "_Bars":
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._progress.stop()

    def __call__(self, phase: str, done: int, total: int, note: str = "") -> None:
        with self._lock:
            known = phase in self._tasks
            if known and done != total and self._ticks() - self._moved_at < BAR_SECONDS:
                return
            self._moved_at = self._ticks()
            with contextlib.suppress(OSError, ValueError):
                if not known:
                    self._tasks[phase] = self._progress.add_task(phase, total=total or None, note="")
                self._progress.update(
                    self._tasks[phase], completed=done, total=total or None, note=_shown(note) if note else ""
                )
