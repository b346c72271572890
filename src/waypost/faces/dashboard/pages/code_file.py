"""A file, cut where memories begin, so that each is shown next to its lines."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from waypost.flows.index.source_view import SourceSeen
from waypost.model.code_link import AboutHit

_LONGEST_MARK = 400  # lines marked per memory


@dataclass(frozen=True, slots=True)
class CodeLine:
    number: int
    text: str
    mark: str  # "", "marked" or "marked stale-line"


@dataclass(frozen=True, slots=True)
class CodePiece:
    """Consecutive lines, and the memories about code that starts at the first one."""

    lines: tuple[CodeLine, ...]
    hits: tuple[AboutHit, ...]


def file_values(path: str, source: SourceSeen | None, hits: Sequence[AboutHit]) -> dict[str, Any]:
    """The values for a file's page. Without the source, only its memories."""
    gone = [hit for hit in hits if hit.link.finding.path is None and hit.link.is_stale]
    whole = [hit for hit in hits if hit not in gone and hit.link.reference.line_range is None]
    placed = [hit for hit in hits if hit not in gone and hit not in whole]
    return {
        "path": path,
        "source": source,
        "hits": hits,
        "gone": gone,
        "whole": whole,
        "pieces": pieces_of(source, placed) if source is not None else [],
        "elsewhere": _on_other_lines(source, placed),
        "stale": sum(hit.memory.state.is_stale for hit in hits),
    }


def _on_other_lines(source: SourceSeen | None, placed: Sequence[AboutHit]) -> list[AboutHit]:
    """Memories about lines not on this page."""
    if source is None:
        return list(placed)
    visible = range(source.first, source.first + len(source.lines))
    return [hit for hit in placed if _start(hit) not in visible]


def pieces_of(source: SourceSeen, placed: Sequence[AboutHit]) -> list[CodePiece]:
    end = source.first + len(source.lines)
    by_line: dict[int, list[AboutHit]] = {}
    for hit in placed:
        if source.first <= _start(hit) < end:
            by_line.setdefault(_start(hit), []).append(hit)
    marks = _marks(placed, source.first, end)
    cuts = [*sorted({source.first, *by_line}), end]
    return [
        CodePiece(
            tuple(CodeLine(n, source.lines[n - source.first], marks.get(n, "")) for n in range(start, stop)),
            tuple(by_line.get(start, ())),
        )
        for start, stop in pairwise(cuts)
        if stop > start
    ]


def _marks(placed: Sequence[AboutHit], first: int, end: int) -> dict[int, str]:
    marks: dict[int, str] = {}
    for hit in placed:
        lines = hit.link.reference.line_range
        if lines is None:
            continue
        last = min(lines.end, lines.start + _LONGEST_MARK, end - 1)
        for number in range(max(lines.start, first), last + 1):
            if hit.link.is_stale or number not in marks:
                marks[number] = "marked stale-line" if hit.link.is_stale else "marked"
    return marks


def _start(hit: AboutHit) -> int:
    lines = hit.link.reference.line_range
    return lines.start if lines is not None else 0
