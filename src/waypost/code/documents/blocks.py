"""Blocks of text without headings: Dockerfile stages, Makefile targets, paragraphs."""

import re
from collections.abc import Sequence

BLOCK = 30  # lines after which a block ends at the next empty line
LONGEST_BLOCK = 60  # lines after which it ends anywhere
TITLE_LENGTH = 80

_STAGE = re.compile(r"[ \t]*FROM[ \t]+(?:--\S{1,80}[ \t]+)?(\S{1,200})(?:[ \t]+AS[ \t]+(\S{1,80}))?", re.IGNORECASE)
_TARGET = re.compile(r"([\w./%$(){}@*-][\w./%$(){}@* \t-]{0,150}?)[ \t]*::?(?![:=])")
_RECIPE_WITH_ARGUMENTS = re.compile(r"@?([\w-]{1,60})(?:[ \t][^:=#]{0,200})?:(?!=)")
_LETTERS = re.compile(r"[^\W\d_]{2}")


def block_starts(lines: Sequence[str]) -> list[tuple[int, str]]:
    """Blocks of whole paragraphs of readable size. The title is the first line with words."""
    starts: list[int] = []
    begin = -LONGEST_BLOCK
    gap = True
    for place, line in enumerate(lines):
        if not line.strip():
            gap = True
            continue
        length = place - begin
        if length >= LONGEST_BLOCK or (length >= BLOCK and gap):
            starts.append(place)
            begin = place
        gap = False
    return [(start, _title(lines, start)) for start in starts]


def _title(lines: Sequence[str], start: int) -> str:
    for line in lines[start : start + 5]:
        if _LETTERS.search(line[:TITLE_LENGTH]) and not line.lstrip().startswith(("</", "<?")):
            return " ".join(line[:TITLE_LENGTH].split()).lstrip("#/*;- ")
    return ""


def dockerfile_starts(lines: Sequence[str]) -> list[tuple[int, str]]:
    """One block per stage."""
    starts: list[tuple[int, str]] = []
    for place, line in enumerate(lines):
        if stage := _STAGE.match(line[:400]):
            name = f"{stage[2]} (from {stage[1]})" if stage[2] else f"from {stage[1]}"
            starts.append((_comment_start(lines, place, starts), name))
    return starts


def makefile_starts(lines: Sequence[str]) -> list[tuple[int, str]]:
    """One block per target with a recipe, including the comment and `.PHONY` above it."""
    starts: list[tuple[int, str]] = []
    for place, line in enumerate(lines):
        line = line[:400]  # noqa: PLW2901 - only the start of the line matters
        if not line or line[0] in " \t#." or "=" in line.split(":", 1)[0]:
            continue
        target = _TARGET.match(line) or _RECIPE_WITH_ARGUMENTS.match(line)
        if target:
            starts.append((_comment_start(lines, place, starts), " ".join(target[1].split())))
    return starts


def _comment_start(lines: Sequence[str], place: int, starts: Sequence[tuple[int, str]]) -> int:
    """The first line of the comments right above `place`."""
    floor = starts[-1][0] + 1 if starts else 0
    while place > floor and lines[place - 1].startswith(("#", ".PHONY")):
        place -= 1
    return place
