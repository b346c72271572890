"""Progress of long work: a bar at a terminal, a line every two seconds elsewhere, nothing with `--json`.

    with progress(json=json) as report:
        report("Reading files", 120, 2900, "src/app.py")

Progress goes to standard error. A failure to print it never stops the work.
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
WORK_SECONDS = 1.0  # work that takes less shows nothing
BAR_SECONDS = 0.05  # between two redraws of a bar; more often is invisible and slows the work
_LONGEST_NOTE = 60
_NAMES = {
    "walking": "Finding files",
    "reading": "Reading files",
    "concluding": "Linking symbols",
    "embedding": "Embedding texts",
}  # of phases that REST and MCP name by one word

Ticks = Callable[[], float]


class ProgressReport(Protocol):
    def __call__(self, phase: str, done: int, total: int, note: str = "") -> None:
        """Report `done` of `total` in this phase; a total of 0 is unknown. Can be called from any thread."""


@contextlib.contextmanager
def progress(
    *, json: bool = False, stream: TextIO | None = None, ticks: Ticks = time.monotonic
) -> Iterator[ProgressReport]:
    """Show the progress reported in the block on `stream` (default: standard error)."""
    stream = stream or sys.stderr
    if json or stream is None:  # a process can lack standard streams
        yield _silent
    elif stream.isatty() and (bars := _Bars(stream, ticks)).possible:
        with bars:
            yield bars
    else:
        lines = _Lines(stream, ticks)
        yield lines
        lines.finish()


@contextlib.contextmanager
def working(phase: str, *, json: bool = False, stream: TextIO | None = None) -> Iterator[None]:
    """Show a moving line at a terminal after a second, for work of unknown length."""
    stream = stream or sys.stderr
    if json or stream is None or not stream.isatty():
        yield
        return
    done = threading.Event()
    display = threading.Thread(target=_show_work, args=(phase, stream, done), daemon=True)
    display.start()
    try:
        yield
    finally:
        done.set()
        display.join()


def _show_work(phase: str, stream: TextIO, done: threading.Event) -> None:
    if done.wait(WORK_SECONDS):
        return
    from rich.console import Console

    with contextlib.suppress(OSError, ValueError), Console(file=stream, highlight=False).status(f"{phase} …"):
        done.wait()


def _silent(phase: str, done: int, total: int, note: str = "") -> None: ...


class _Lines:
    """Prints the start and end of each phase, and a line every two seconds."""

    def __init__(self, stream: TextIO, ticks: Ticks) -> None:
        self._stream = stream
        self._ticks = ticks
        self._lock = threading.Lock()
        self._phase: str | None = None
        self._unprinted = ""  # the last report, if it was not printed
        self._printed_at = 0.0

    def __call__(self, phase: str, done: int, total: int, note: str = "") -> None:
        with self._lock:
            phase = _NAMES.get(phase, phase)
            line = _line(phase, done, total, note)
            if phase != self._phase:
                self._print_rest()
                self._phase = phase
            elif self._ticks() - self._printed_at < LINE_SECONDS:
                self._unprinted = line
                return
            self._print(line)

    def finish(self) -> None:
        with self._lock:
            self._print_rest()

    def _print_rest(self) -> None:
        if self._unprinted:
            self._print(self._unprinted)

    def _print(self, line: str) -> None:
        self._unprinted = ""
        self._printed_at = self._ticks()
        with contextlib.suppress(OSError, ValueError):  # the reader is gone or the stream is closed
            print(line, file=self._stream, flush=True)


def _line(phase: str, done: int, total: int, note: str) -> str:
    if not done and total <= 0:
        return f"{phase} …"
    share = f" ({100 * done // total} %)" if total > 0 else ""
    count = f"{done:,} of {total:,}" if total > 0 else f"{done:,}"
    return f"{phase}: {count}{share}{'  ' + _shortened(note) if note else ''}"


def _shortened(note: str) -> str:
    """A note on one line, cut at the front: the end of a path says more."""
    line = safe(" ".join(note[-4 * _LONGEST_NOTE :].split()))
    return line if len(line) <= _LONGEST_NOTE else "…" + line[1 - _LONGEST_NOTE :]


class _Bars:
    """Shows a bar for each phase, removed when the work is done."""

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
            phase = _NAMES.get(phase, phase)
            started = phase in self._tasks
            if started and done != total and self._ticks() - self._moved_at < BAR_SECONDS:
                return
            self._moved_at = self._ticks()
            with contextlib.suppress(OSError, ValueError):
                if not started:
                    self._hide_unknown()
                    self._tasks[phase] = self._progress.add_task(phase, total=total or None, note="")
                self._progress.update(
                    self._tasks[phase], completed=done, total=total or None, note=_shortened(note) if note else ""
                )

    def _hide_unknown(self) -> None:
        """Work of unknown length ends when the next phase begins. Its bar would never be full."""
        for task in self._progress.tasks:
            if task.total is None:
                self._progress.update(task.id, visible=False)
