"""From the progress of a flow, which counts anew in each phase, to that of a call, which only rises."""

from collections.abc import Callable, Sequence

from waypost.faces.mcp.tool import ToolCall

Report = Callable[[str, int, int], None]


def reporter(call: ToolCall, phases: Sequence[str]) -> Report:
    """Reports to the call, one unit a phase. Raises `Cancelled` out of the flow when the client does not want it any
    more; what was done by then is kept."""

    def report(phase: str, done: int, total: int) -> None:
        before = phases.index(phase) if phase in phases else 0
        counted = f": {done:,} of {total:,}" if total else ""
        call.report(before + (min(done / total, 1.0) if total else 0.0), len(phases), f"{phase}{counted}")

    return report
