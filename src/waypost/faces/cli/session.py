"""What every command needs: the memory to work on, the caller, and confirmation."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from waypost import config
from waypost.errors import InvalidInput, NotFound
from waypost.faces.cli.arguments import MYSELF
from waypost.faces.cli.output.short_ids import use_short_ids
from waypost.model.memory import Caller
from waypost.model.time import utc_now

if TYPE_CHECKING:
    from waypost.memory import Memory
    from waypost.memory.backups import Backups


@dataclass
class CommandSession:
    """The options before the command name."""

    directory: Path = Path()
    person: str | None = None

    def memory(self, *, yes: bool = False, for_repair: bool = False) -> "Memory":
        from waypost.memory import Memory

        settings = config.load()
        who = caller(settings.person, yes=yes)
        person = self._person(settings)
        memory = Memory.open(self.directory, person=person, caller=who, settings=settings, for_repair=for_repair)
        use_short_ids(memory.admin.short_ids)
        return memory

    def no_project(self) -> tuple[str, ...]:
        """A notice if the memory here would be that of the home folder or of the whole disk."""
        if self.person is not None or not config.is_everything(self.directory):
            return ()
        here = self.directory.absolute()
        return (f"{here} is no project: what is stored here is not seen in your projects. Run this in one of them.",)

    def refuse_no_project(self) -> None:
        """For commands that only look: they make no memory of the home folder or of the whole disk."""
        if self.no_project() and not self.has_memory():
            raise NotFound(
                f"{self.directory.absolute()} is no project, and has no memory.", "cd to a project, or name one: -C DIR"
            )

    def has_memory(self) -> bool:
        from waypost.space.alias import identify_here
        from waypost.space.place import marker_file, space_directory

        settings = config.load()
        folder = space_directory(settings.memory_root, identify_here(self.directory, settings).space_id)
        return (folder / marker_file(settings)).is_file()

    def backups(self, *, yes: bool = False) -> "Backups":
        """The snapshots of the memory. Opens no database, because it may be damaged or missing."""
        from waypost.memory import Memory
        from waypost.memory.location import identify_memory

        settings = config.load()
        identity = identify_memory(self.directory, self._person(settings), settings, utc_now)
        return Memory(identity, settings, caller(settings.person, yes=yes)).admin.backups

    def _person(self, settings: config.Settings) -> str | None:
        return settings.person if self.person == MYSELF else self.person

    def path(self, given: Path) -> Path:
        """A path relative to the working directory if it exists there, else relative to the project root."""
        there = (self.directory / given).absolute()
        return there if os.path.exists(there) else given  # `Path.exists` raises for impossible names

    def refs(self, given: list[str] | None) -> list[str] | None:
        """References relative to the working directory. A file there wins over one at the project root."""
        return None if given is None else [self._ref(ref) for ref in given]

    def _ref(self, given: str) -> str:
        path, mark, rest = given.partition("#")
        return f"{self.path(Path(path))}{mark}{rest}" if path and os.path.isfile(self.directory / path) else given


def interactive() -> bool:
    """Whether input and output are both a terminal."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()


def caller(person: str, *, yes: bool = False) -> Caller:
    if interactive():
        return Caller("person", person)
    return Caller("agent", "command line", owners_word=yes)


def is_yes(answer: str) -> bool:
    """Whether an answer means yes."""
    return answer.strip().casefold() in {"y", "yes", "j", "ja", "д", "да"}


def agrees(question: str) -> bool:
    """Ask at a terminal about what the command was called for: return alone means yes."""
    answer = input(f"{question} [Y/n] ")
    return not answer.strip() or is_yes(answer)


def confirm(question: str, *, yes: bool) -> None:
    """Ask at a terminal. Without a terminal, `--yes` is required."""
    if yes:
        return
    if not interactive():
        raise InvalidInput("Not a terminal, can't confirm.", "Re-run with --yes.")
    if not is_yes(input(f"{question} [y/N] ")):
        raise InvalidInput("Not confirmed; nothing was changed.", "")
