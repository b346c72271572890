"""What set-up writes is made of parts: the MCP server's entry, the hooks, the rules. Each can come into a text and go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

PartName = Literal["server", "hooks", "rules"]
Made = tuple[str | int, ...]  # the path of a container that had to be made


class ForeignEntry(ValueError):
    """Something has our name and is not ours."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The text with the part in it. `forced`: something of somebody else's was overwritten."""

    text: str
    made: tuple[Made, ...] = ()
    forced: bool = False


class ConfigPart(Protocol):
    @property
    def name(self) -> PartName: ...

    def merge(self, text: str, *, force: bool) -> Merged:
        """The text with this part, once; the same text when it is there already. A missing file is an empty text.

        Raises Malformed for a text that is broken, and ForeignEntry where something has our name.
        """

    def take_out(self, text: str, made: Sequence[Made]) -> str:
        """The text without this part, and without the containers that were made for it when nothing is left in them."""

    def present(self, text: str) -> bool:
        """Whether anything of this part is in the text."""

    def leaves_nothing(self, text: str) -> bool:
        """Whether a file that was made for this part has nothing else in it."""
