"""Maps a flow's progress, which starts over in each phase, to a call's progress, which only rises."""

from collections.abc import Callable, Sequence

from waypost.faces.mcp.tool import ToolCall

Report = Callable[[str, int, int], None]


def reporter(call: ToolCall, phases: Sequence[str]) -> Report:
    """A reporter with one unit per phase. Raises `Cancelled` if the client has cancelled; finished work is kept."""

    def report(phase: str, done: int, total: int) -> None:
        before = phases.index(phase) if phase in phases else 0
        counted = f": {done:,} of {total:,}" if total else ""
        call.report(before + (min(done / total, 1.0) if total else 0.0), len(phases), f"{phase}{counted}")

    return report
