"""Whether a message is about a subject: "continue", "danke" and "fix typo" are not (`data/small_talk.toml`)."""

import re
import tomllib
from functools import cache
from pathlib import Path

_DATA = Path(__file__).with_name("data") / "small_talk.toml"
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_MOST_READ = 400  # characters: a longer message says something
_LONGEST_COMMAND = 8  # words


def subject_words(text: str) -> int:
    """How many different words of a message may be about a subject; only its beginning is read."""
    return len(_words(text) - _lists()[0])


def is_small_talk(text: str) -> bool:
    """Whether a message needs no memory, and as a memory answers nothing."""
    if len(text) > _MOST_READ:
        return False
    common, commands = _lists()
    rest = _words(text) - common
    if not rest:
        return True
    return "?" not in text and len(_WORD.findall(text)) <= _LONGEST_COMMAND and rest <= commands


def _words(text: str) -> set[str]:
    return {word.replace("’", "'") for word in _WORD.findall(text[:_MOST_READ].lower())}


@cache
def _lists() -> tuple[frozenset[str], frozenset[str]]:
    """Words that are never a subject, and words that are not in a command."""
    data = tomllib.loads(_DATA.read_text("utf-8"))
    common, commands = (
        frozenset(word for words in data[name].values() for word in words.split()) for name in ("common", "commands")
    )
    return common, commands
