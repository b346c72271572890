"""Journal files as a reader sees them, without the marks that only Waypost needs."""

import re
from collections.abc import Sequence
from datetime import tzinfo

from waypost.model.journal import Entry

_MARKS = re.compile(
    r"(?<![ \t])[ \t]{0,200}<!--(?:(?!<!--).){0,2000}?-->", re.DOTALL
)  # a longer one is somebody's text
_HEADING = re.compile(r"^(?= {0,3}#{2,3}(?:\s|$))", re.MULTILINE)  # as files and entries have in a context
_ESCAPED = r"\\"
_BLANK_LINES = re.compile(r"\n{3,}")


def without_marks(text: str) -> str:
    """A page of bullets or a summary, without comments."""
    plain = _MARKS.sub("", text.replace("\r\n", "\n"))
    return _BLANK_LINES.sub("\n\n", plain).strip("\n")


def readable_entry(entry: Entry, zone: tzinfo | None) -> str:
    """An entry with its time, speaker and current text. Empty if it was retracted.

    A heading inside the text is escaped: it must not look like another entry or file.
    """
    text = entry.held
    if text is None:
        return ""
    at = entry.at.astimezone(zone) if zone is not None else entry.at
    who = entry.speaker or ("" if entry.kind == "conversation" else entry.kind)
    title = " · ".join(part for part in (at.strftime("%H:%M"), who) if part)
    return f"### {title}\n{_HEADING.sub(_ESCAPED, text.strip())}"


def split_summary(text: str) -> list[str]:
    """A summary split before each heading and each bullet."""
    pieces: list[list[str]] = [[]]
    for line in text.split("\n"):
        if line.startswith(("#", "- ", "* ")) and pieces[-1]:
            pieces.append([])
        pieces[-1].append(line)
    return ["\n".join(lines) for lines in pieces if lines]


def cut_to(pieces: Sequence[str], characters: int, between: str, *, from_end: bool) -> tuple[list[str], int]:
    """As many whole pieces as fit, from the beginning or the end, and the number left out."""
    fitting: list[str] = []
    for piece in reversed(pieces) if from_end else pieces:
        characters -= len(piece) + len(between)
        if characters < 0:
            break
        fitting.append(piece)
    return (fitting[::-1] if from_end else fitting), len(pieces) - len(fitting)
