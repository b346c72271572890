"""Comments of a definition or a file, by their markers."""

import re
from collections.abc import Sequence

from waypost.code.patterns.rules import PatternRules

LONGEST_COMMENT = 100  # lines
_LINE_LENGTH = 400
_ANNOTATION = re.compile(r"[ \t]*(?:@\w|#\[|\[\w|@\(|-spec\b|-doc\b)")
_LEGAL = re.compile(
    r"copyright|\blicen[cs]e|SPDX-|all rights reserved|-\*-|vim:|coding[:=]|^!|strict_types", re.IGNORECASE
)
_WORDS = re.compile(r"[^\W\d_]{2,}")


def comment_above(lines: Sequence[str], place: int, floor: int, rules: PatternRules) -> tuple[int, str]:
    """The first line of the definition on line `place` with its comment, and the comment; not above line `floor`."""
    lowest = max(floor + 1, place - LONGEST_COMMENT)
    first = place
    while (
        first > lowest and _ANNOTATION.match(lines[first - 1][:_LINE_LENGTH]) and not _openings(lines[first - 1], rules)
    ):
        first -= 1
    above = first - 1
    if above < lowest:
        return first, ""
    openings = _openings(lines[above], rules)
    if openings:
        top = above
        if not (lines[top].lstrip().startswith(openings) and len(lines[top].strip()) > 3):
            top -= 1
            while top >= lowest and not lines[top].lstrip().startswith(openings):
                top -= 1
        return (top, plain_comment(lines[top : above + 1], rules)) if top >= lowest else (first, "")
    top = first
    while top > lowest and lines[top - 1].lstrip()[:8].startswith(rules.comments):
        top -= 1
    return (top, plain_comment(lines[top:first], rules)) if top < first else (first, "")


def file_comment(lines: Sequence[str], rules: PatternRules) -> str:
    """The comment at the start of a file, unless it is about licences."""
    place = 0
    while place < min(len(lines), LONGEST_COMMENT):
        line = lines[place].lstrip()
        end = place + 1
        pair = next((pair for pair in rules.blocks if line.startswith(pair[0])), None)
        if pair:
            while end < len(lines) and pair[1] not in (lines[end - 1] if end - 1 > place else line[len(pair[0]) :]):
                end += 1
        elif line.startswith(rules.comments) and rules.comments:
            while end < len(lines) and lines[end].lstrip().startswith(rules.comments):
                end += 1
        elif line.strip() and not line.startswith(("<?php", "#!", "defmodule")):
            return ""
        text = plain_comment(lines[place : min(end, place + LONGEST_COMMENT)], rules)
        if (
            (pair or line.startswith(rules.comments))
            and not _LEGAL.search(text[:400])
            and len(_WORDS.findall(text[:400])) > 2
        ):
            return text
        place = end
    return ""


def plain_comment(lines: Sequence[str], rules: PatternRules) -> str:
    """A comment without its markers."""
    marks = sorted({mark for pair in rules.blocks for mark in pair} | set(rules.comments), key=len, reverse=True)
    plain: list[str] = []
    for line in lines:
        text = line[:_LINE_LENGTH].strip()
        text = next((text[len(mark) :] for mark in marks if text.startswith(mark)), text)
        text = next((text[: -len(closing)] for _, closing in rules.blocks if text.endswith(closing)), text)
        plain.append(text.strip().removeprefix("*").strip(" \t*|"))
    return "\n".join(plain).strip()


def _openings(line: str, rules: PatternRules) -> tuple[str, ...]:
    """The possible opening markers of a block comment that ends on this line."""
    text = line[:_LINE_LENGTH].rstrip()
    return tuple(opening for opening, closing in rules.blocks if text.endswith(closing))
