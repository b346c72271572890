"""Recognising texts that only ask."""

import re

_LONGEST = 500  # characters; a longer text also states something
_SAYS = re.compile(r"[.!…:;]\s|\n")


def is_only_question(text: str) -> bool:
    """Whether every sentence is a question. A greeting or a reason makes it more than that."""
    stripped = text.strip()
    return len(stripped) <= _LONGEST and stripped.rstrip(" \"'»“”)").endswith("?") and not _SAYS.search(stripped)
