"""Names, paths and sentences of a stranger, fit to stand on one line of a briefing."""

import re

from waypost.text.fence import defuse

MARK_OF_A_CUT = "..."
# Controls of a terminal, of the direction of writing, and invisible characters: they change what a reader believes to see.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ud800-\udfff\U000e0000-\U000e0fff]"
)
_CODE_FENCE = re.compile("`{3,}|~{3,}")


def one_line(text: str, longest: int) -> str:
    """The text on one line of at most `longest` characters and the mark of a cut, without what acts on its reader.

    White space becomes single spaces; control characters and invisible ones a visible mark; runs that open a block of
    code, tags of the fence and control tokens of chat templates are made harmless.
    """
    start = text[: 4 * longest]  # what is far behind the cut need not be looked at
    line = _ACTING.sub("\ufffd", " ".join(start.split()))
    line = defuse(_CODE_FENCE.sub("'''", line))
    if len(line) <= longest and len(start) == len(text):
        return line
    return line[:longest].rstrip() + MARK_OF_A_CUT
