"""What a command needs to begin: the memory it works on, who is asking, and a confirmed yes."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waypost import config
from waypost.errors import InvalidInput
from waypost.faces.cli.arguments import MYSELF
from waypost.model.memory import Caller
from waypost.model.time import utc_now

if TYPE_CHECKING:
    from waypost.memory import Memory
    from waypost.memory.backups import Backups


@dataclass
class CommandSession:
    """The options that stand before the command."""

    directory: Path = Path()
    person: str | None = None

    def memory(self, *, yes: bool = False, for_repair: bool = False) -> "Memory":
        from waypost.memory import Memory

        settings = config.load()
        who = caller(settings.person, yes=yes)
        person = self._person(settings)
        return Memory.open(self.directory, person=person, caller=who, settings=settings, for_repair=for_repair)

    def backups(self, *, yes: bool = False) -> "Backups":
        """The snapshots of the memory. Opens no database: it may be damaged or missing."""
        from waypost.memory import Memory
        from waypost.memory.location import identify_memory

        settings = config.load()
        identity = identify_memory(self.directory, self._person(settings), settings, utc_now)
        return Memory(identity, settings, caller(settings.person, yes=yes)).admin.backups

    def _person(self, settings: config.Settings) -> str | None:
        return settings.person if self.person == MYSELF else self.person

    def path(self, given: Path) -> Path:
        """A file or folder that a person named from where they are; else as seen from the project's root."""
        there = (self.directory / given).absolute()
        return there if os.path.exists(there) else given  # says no to what cannot be a name; `Path.exists` may raise

    def refs(self, given: list[str] | None) -> list[str] | None:
        """References as a person wrote them from where they are: a file of this folder is meant before one of the root."""
        return None if given is None else [self._ref(one) for one in given]

    def _ref(self, given: str) -> str:
        path, mark, rest = given.partition("#")
        return f"{self.path(Path(path))}{mark}{rest}" if path and os.path.isfile(self.directory / path) else given


def interactive() -> bool:
    """Whether a person sits at a terminal: both ends must be one."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def caller(person: str, *, yes: bool = False) -> Caller:
    if interactive():
        return Caller("person", person)
    return Caller("agent", "command line", owners_word=yes)


def confirm(question: str, *, yes: bool) -> None:
    """Ask at a terminal; elsewhere only `--yes` will do."""
    if yes:
        return
    if not interactive():
        raise InvalidInput("This destroys something and nobody is here to confirm it.", "Add --yes if you mean it.")
    if input(f"{question} [y/N] ").strip().casefold() not in {"y", "yes", "j", "ja", "д", "да"}:
        raise InvalidInput("Not confirmed; nothing was changed.", "")
