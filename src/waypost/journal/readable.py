"""A file of the journal as it is read, not as it is kept: without the marks that only Waypost needs."""

import re
from collections.abc import Sequence
from datetime import tzinfo

from waypost.model.journal import Entry

_MARKS = re.compile(
    r"(?<![ \t])[ \t]{0,200}<!--(?:(?!<!--).){0,2000}?-->", re.DOTALL
)  # a longer one is somebody's text
_BLANK_LINES = re.compile(r"\n{3,}")


def without_marks(text: str) -> str:
    """A page of points or a summary without comments."""
    plain = _MARKS.sub("", text.replace("\r\n", "\n"))
    return _BLANK_LINES.sub("\n\n", plain).strip("\n")


def readable_entry(entry: Entry, zone: tzinfo | None) -> str:
    """An entry with its time, its speaker and the words that hold; empty when it was retracted."""
    words = entry.held
    if words is None:
        return ""
    at = entry.at.astimezone(zone) if zone is not None else entry.at
    who = " · ".join(part for part in (at.strftime("%H:%M"), entry.speaker or _kind(entry)) if part)
    return f"### {who}\n{words.strip()}"


def pieces_of(text: str) -> list[str]:
    """A summary taken apart where it can be cut: before each heading and each point."""
    pieces: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.startswith(("#", "- ", "* ")) and pieces[-1]:
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(lines) for lines in pieces if lines]


def cut_to(pieces: Sequence[str], characters: int, between: str, *, from_end: bool) -> tuple[list[str], int]:
    """As many whole pieces as fit, from the beginning or from the end, and how many were left out."""
    kept: list[str] = []
    for piece in reversed(pieces) if from_end else pieces:
        characters -= len(piece) + len(between)
        if characters < 0:
            break
        kept.append(piece)
    return (kept[::-1] if from_end else kept), len(pieces) - len(kept)


def _kind(entry: Entry) -> str:
    return "" if entry.kind == "conversation" else entry.kind
