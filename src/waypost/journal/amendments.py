"""Later corrections and retractions of an entry, as quoted lines below its text.

> corrected 2026-02-03T10:00:00+00:00 by anna: other words
> and their further lines

> retracted 2026-02-04T08:00:00+00:00 by anna
"""

import json
import re
from collections.abc import Sequence
from datetime import tzinfo

from waypost.journal.markdown_values import quote, read_instant
from waypost.model.journal import Amendment

_SHAPE = re.compile(r"(corrected|retracted) (\S+) by ")


def is_amendment(line: str) -> bool:
    """Whether a line has the form of an amendment's first line. Its time may still be invalid."""
    return line.startswith("> ") and _SHAPE.match(line, 2) is not None


def write_amendment(amendment: Amendment) -> list[str]:
    """The lines of an amendment, without line ends."""
    by = amendment.by if _is_plain(amendment.by) else quote(amendment.by)
    if amendment.text is None:
        return [f"> retracted {amendment.at.isoformat()} by {by}"]
    first, *others = amendment.text.split("\n")
    return [f"> corrected {amendment.at.isoformat()} by {by}: {first}", *(_write_continuation(line) for line in others)]


def split_amendments(lines: Sequence[str], zone: tzinfo | None) -> tuple[list[str], tuple[Amendment, ...]]:
    """The lines that belong to no amendment, and the amendments in order."""
    rest: list[str] = []
    amendments: list[Amendment] = []
    index = 0
    while index < len(lines):
        amendment = _read_first_line(lines[index], zone)
        index += 1
        if amendment is None:
            rest.append(lines[index - 1])
            continue
        if amendment.text is not None:
            text_lines = [amendment.text]
            while index < len(lines) and lines[index].startswith(">") and not is_amendment(lines[index]):
                text_lines.append(_read_continuation(lines[index]))
                index += 1
            amendment = Amendment(amendment.at, amendment.by, "\n".join(text_lines).strip())
        amendments.append(amendment)
    return rest, tuple(amendments)


def _read_first_line(line: str, zone: tzinfo | None) -> Amendment | None:
    """The amendment that begins on this line, with the first line of its text."""
    shape = _SHAPE.match(line, 2) if line.startswith("> ") else None
    at = read_instant(shape[2], zone) if shape else None
    if shape is None or at is None:
        return None
    by, text = _read_author_and_text(line[shape.end() :], shape[1] == "corrected")
    return Amendment(at, by, text)


def _read_author_and_text(rest: str, has_text: bool) -> tuple[str, str | None]:
    by, text = None, ""
    if rest.startswith('"'):
        try:
            by, end = json.JSONDecoder(strict=False).raw_decode(rest)
            text = rest[end:].removeprefix(":").removeprefix(" ")
        except ValueError:
            by = None
    if not isinstance(by, str):
        by, _, text = rest.partition(": ") if has_text else (rest, "", "")
        by = by.strip()
        by = by.removesuffix(":") if has_text and not text else by
    return by, text if has_text else None


def _is_plain(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip() and name[0] != '"' and ":" not in name


def _write_continuation(line: str) -> str:
    escaped = f"\\{line}" if _SHAPE.match(line.lstrip("\\")) else line
    return f"> {escaped}" if escaped else ">"


def _read_continuation(line: str) -> str:
    content = line[1:].removeprefix(" ")
    return content[1:] if content.startswith("\\") and _SHAPE.match(content.lstrip("\\")) else content
