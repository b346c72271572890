"""Whether a text asks and says nothing else."""

import re

_LONGEST = 500  # characters: a longer one tells something on the way
_SAYS = re.compile(r"[.!…:;]\s|\n")


def is_only_question(text: str) -> bool:
    """One sentence or several, each of them a question; greetings and reasons make it more than that."""
    said = text.strip()
    return len(said) <= _LONGEST and said.rstrip(" \"'»“”)").endswith("?") and not _SAYS.search(said)
