"""The parts that set-up writes into a file: the MCP server, the hooks, the rules, the permissions and the memories."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

PartName = Literal["server", "hooks", "rules", "permissions", "memories"]
ContainerPath = tuple[str | int, ...]  # of an object or list that was created


class ForeignEntry(ValueError):
    """An entry has our name but is not ours."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The text with the part. `forced`: an entry of somebody else was overwritten."""

    text: str
    made: tuple[ContainerPath, ...] = ()
    forced: bool = False


class ConfigPart(Protocol):
    @property
    def name(self) -> PartName: ...

    def merge(self, text: str, *, force: bool) -> Merged:
        """Add this part to the text, once. Pass an empty text for a missing file.

        Raises Malformed for a broken text. Raises ForeignEntry if another entry has our name.
        """

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:
        """The text without this part. Containers created for it go too if they are empty."""

    def present(self, text: str) -> bool:
        """Whether anything of this part is in the text."""

    def leaves_nothing(self, text: str) -> bool:
        """Whether the text has nothing but what set-up puts into a new file."""


@runtime_checkable
class ServerLine(Protocol):
    """A part that says how an agent starts our server."""

    def server_line(self, text: str) -> tuple[Sequence[str], Mapping[str, str]]:
        """The command and the variables that are added to the environment."""


@runtime_checkable
class HookLines(Protocol):
    """A part that says how an agent runs our hooks."""

    def hook_lines(self, text: str) -> Iterator[tuple[str, str]]:
        """The agent's names of events, and command lines."""
