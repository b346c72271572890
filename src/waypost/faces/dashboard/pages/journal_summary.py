"""A journal summary's headings, lists and dates. People's own text stays as it is."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

PERIOD = re.compile(r"\d{4}(-\d\d-\d\d|-W\d\d|-\d\d)?")
_COMMENT = re.compile(r"^<!--[^<>]{0,200}-->\n|<!--[^<>]{0,200}-->", re.MULTILINE)  # Waypost's own comments
_HEADING = re.compile(r"#{2,6} ")
_ITEM = re.compile(r"( {0,40})- ")
_MARKED = re.compile(r"\*\*([^*\n]{1,300})\*\*|\[(\d{4}[-W\d]{0,6})\]\([^()\n]{1,300}\)")
_DEEPEST = 3


@dataclass(frozen=True, slots=True)
class SummaryPiece:
    text: str
    kind: str = ""  # "", "strong", or "time" for a day, week, month or year


@dataclass(frozen=True, slots=True)
class SummaryLine:
    kind: str  # "heading", "item" or "words"
    depth: int  # of an item
    pieces: tuple[SummaryPiece, ...]


def lines_of(text: str) -> list[SummaryLine]:
    """The lines of a summary's Markdown, without its title."""
    lines = [line for line in _COMMENT.sub("", text).splitlines() if line.strip()]
    return [_line(line) for number, line in enumerate(lines) if number or not line.startswith("# ")]


def _line(line: str) -> SummaryLine:
    if match := _HEADING.match(line):
        return SummaryLine("heading", 0, tuple(_pieces(line[match.end() :])))
    if match := _ITEM.match(line):
        return SummaryLine("item", min(len(match[1]) // 2, _DEEPEST), tuple(_pieces(line[match.end() :])))
    return SummaryLine("words", 0, tuple(_pieces(line)))


def _pieces(text: str) -> Iterator[SummaryPiece]:
    end = 0
    for match in _MARKED.finditer(text):
        strong, time = match.groups()
        if time is not None and not PERIOD.fullmatch(time):
            continue
        if match.start() > end:
            yield SummaryPiece(text[end : match.start()])
        yield SummaryPiece(strong or time, "strong" if strong else "time")
        end = match.end()
    if end < len(text):
        yield SummaryPiece(text[end:])
