"""What was said about an entry later, as quoted lines below its words.

> corrected 2026-02-03T10:00:00+00:00 by anna: other words
> and their further lines

> retracted 2026-02-04T08:00:00+00:00 by anna
"""

import json
import re
from collections.abc import Sequence
from datetime import tzinfo

from waypost.journal.markdown_values import quoted, read_instant
from waypost.model.journal import Amendment

_SHAPE = re.compile(r"(corrected|retracted) (\S+) by ")


def is_amendment(line: str) -> bool:
    """Whether a line has the form of an amendment's first one; it may still name an impossible time."""
    return line.startswith("> ") and _SHAPE.match(line, 2) is not None


def write_amendment(amendment: Amendment) -> list[str]:
    """Its lines, without their ends."""
    by = amendment.by if _is_plain(amendment.by) else quoted(amendment.by)
    if amendment.text is None:
        return [f"> retracted {amendment.at.isoformat()} by {by}"]
    first, *others = amendment.text.split("\n")
    return [f"> corrected {amendment.at.isoformat()} by {by}: {first}", *(_continued(line) for line in others)]


def take_amendments(lines: Sequence[str], zone: tzinfo | None) -> tuple[list[str], tuple[Amendment, ...]]:
    """The lines that are none, and the amendments, in order."""
    rest: list[str] = []
    found: list[Amendment] = []
    place = 0
    while place < len(lines):
        begun = _begun(lines[place], zone)
        place += 1
        if begun is None:
            rest.append(lines[place - 1])
            continue
        if begun.text is not None:
            words = [begun.text]
            while place < len(lines) and lines[place].startswith(">") and not is_amendment(lines[place]):
                words.append(_read_continued(lines[place]))
                place += 1
            begun = Amendment(begun.at, begun.by, "\n".join(words).strip())
        found.append(begun)
    return rest, tuple(found)


def _begun(line: str, zone: tzinfo | None) -> Amendment | None:
    """The amendment that this line begins, with its first line of words."""
    shape = _SHAPE.match(line, 2) if line.startswith("> ") else None
    at = read_instant(shape[2], zone) if shape else None
    if shape is None or at is None:
        return None
    by, words = _name_and_words(line[shape.end() :], shape[1] == "corrected")
    return Amendment(at, by, words)


def _name_and_words(rest: str, has_words: bool) -> tuple[str, str | None]:
    by, behind = None, ""
    if rest.startswith('"'):
        try:
            by, end = json.JSONDecoder(strict=False).raw_decode(rest)
            behind = rest[end:].removeprefix(":").removeprefix(" ")
        except ValueError:
            by = None
    if not isinstance(by, str):
        by, _, behind = rest.partition(": ") if has_words else (rest, "", "")
        by = by.strip()
        by = by.removesuffix(":") if has_words and not behind else by
    return by, behind if has_words else None


def _is_plain(name: str) -> bool:
    return bool(name) and name.isprintable() and name == name.strip() and name[0] != '"' and ":" not in name


def _continued(line: str) -> str:
    shielded = f"\\{line}" if _SHAPE.match(line.lstrip("\\")) else line
    return f"> {shielded}" if shielded else ">"


def _read_continued(line: str) -> str:
    inside = line[1:].removeprefix(" ")
    return inside[1:] if inside.startswith("\\") and _SHAPE.match(inside.lstrip("\\")) else inside
