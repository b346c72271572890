"""The chat's own commands: `/memory stats`, `search`, `timeline`, `protect`, `cleanup`, in three languages."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from waypost.text.stems import fold

NAMES = ("stats", "search", "timeline", "protect", "cleanup", "help")
_COMMAND = re.compile(r"/(memory|protect)(?:@\w{1,64})?(?:\s+(.*))?", re.IGNORECASE | re.DOTALL)  # `@name` of a bot
_QUOTES = "\"'«»„“”‚‘’"


@dataclass(frozen=True, slots=True)
class ChatCommand:
    name: str  # one of NAMES
    rest: str  # what follows it, without quotes
    language: str  # of the word that named it; empty for the words of every language
    force: bool = False


def parse_command(text: str) -> ChatCommand | None:
    """The command in a message, or None if it is an ordinary message. An unknown command is `help`."""
    match = _COMMAND.fullmatch(text.strip())
    if match is None:
        return None
    rest = (match[2] or "").strip()
    if match[1].lower() == "protect":  # the seed's short form: /protect "AWS plan"
        return ChatCommand("protect", rest.strip(_QUOTES).strip(), "")
    word, _, after = rest.partition(" ")
    name, language = _words().get(fold(word), ("help", ""))
    given = after.strip().strip(_QUOTES).strip()
    return ChatCommand(name, given, language, force=name == "cleanup" and fold(given) in _force())


def command_phrase(language: str, name: str, **fields: object) -> str:
    """A sentence of an answer, in English for other languages."""
    tables = _tables()
    return tables[language if language in tables else "en"][f"for_{name}"].format(**fields)


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads((files("waypost.journal") / "data" / "chat_commands.toml").read_text("utf-8"))


@cache
def _words() -> dict[str, tuple[str, str]]:
    """Each name of a command, folded, with what it means. English names say nothing about the person's language."""
    return {
        fold(word): (name, "" if language == "en" else language)
        for language, table in _tables().items()
        for name in NAMES
        for word in table[name].split()
    }


@cache
def _force() -> frozenset[str]:
    return frozenset(fold(word) for table in _tables().values() for word in table["force"].split())
