"""Names, paths and sentences of a stranger, fit to stand on one line of a briefing."""

import re

from waypost.model.characters import visible_text
from waypost.text.fence import defuse

MARK_OF_A_CUT = "..."
_CODE_FENCE = re.compile("`{3,}|~{3,}")


def one_line(text: str, longest: int) -> str:
    """The text on one line of at most `longest` characters, plus the mark of a cut, made harmless.

    White space becomes single spaces; hidden characters a visible mark; runs that open a block of
    code, tags of the fence and control tokens of chat templates are made harmless.
    """
    start = text[: 4 * longest]  # what is far behind the cut need not be looked at
    line = visible_text(" ".join(start.split()))
    line = defuse(_CODE_FENCE.sub("'''", line))
    if len(line) <= longest and len(start) == len(text):
        return line
    return line[:longest].rstrip() + MARK_OF_A_CUT
