"""A file cut where memories begin, so that each stands beside the lines that it is about."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from waypost.flows.index.source_view import SourceSeen
from waypost.model.code_link import AboutHit

_LONGEST_MARK = 400  # lines that are marked for one memory; one about a whole class marks no more


@dataclass(frozen=True, slots=True)
class CodeLine:
    number: int
    text: str
    mark: str  # "", "marked" or "marked stale-line"


@dataclass(frozen=True, slots=True)
class CodePiece:
    """Lines that follow each other, and the memories about code that begins with the first of them."""

    lines: tuple[CodeLine, ...]
    hits: tuple[AboutHit, ...]


def file_values(path: str, source: SourceSeen | None, hits: Sequence[AboutHit]) -> dict[str, Any]:
    """What the page of a file shows. Without its text, only what is remembered about it."""
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
        "elsewhere": _elsewhere(source, placed),
        "stale": sum(hit.memory.state.is_stale for hit in hits),
    }


def _elsewhere(source: SourceSeen | None, placed: Sequence[AboutHit]) -> list[AboutHit]:
    """Memories about lines that this page does not show."""
    if source is None:
        return list(placed)
    shown = range(source.first, source.first + len(source.lines))
    return [hit for hit in placed if _start(hit) not in shown]


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
