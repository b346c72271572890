"""The marked blocks in an instruction file: rules on how to use Waypost, and memories."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from waypost.faces.setup.jsonc import Malformed, position
from waypost.faces.setup.part import ContainerPath, ForeignEntry, Merged, PartName
from waypost.faces.setup.record import digest
from waypost.text.marked_block import (
    MEMORIES,
    UnpairedMarks,
    block_span,
    is_edited,
    with_block,
    with_memories,
    without_block,
    without_marks,
)

_MARK = "waypost"
_NOTE = "(written by `waypost setup`; change what is outside of these two lines)"


@dataclass(frozen=True, slots=True)
class RulesPart:
    """`head`: the first lines of a new file."""

    body: str
    head: str = ""
    name: ClassVar[PartName] = "rules"

    def merge(self, text: str, *, force: bool) -> Merged:  # noqa: ARG002  the marks are ours alone
        self.present(text)
        return Merged(with_block(text, _MARK, _NOTE, self.body, self.head))

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  a block has no container
        return without_block(text, _MARK) if self.present(text) else text

    def present(self, text: str) -> bool:
        return _has_block(text, _MARK)

    def leaves_nothing(self, text: str) -> bool:
        rest = text.strip("\ufeff \t\r\n").replace("\r\n", "\n")
        return not rest or rest == self.head.strip()


@dataclass(frozen=True, slots=True)
class MemoriesPart:
    """A block that Waypost renews when memories change. What somebody wrote into it is never lost."""

    body: str
    name: ClassVar[PartName] = "memories"

    def merge(self, text: str, *, force: bool) -> Merged:
        edited = self.present(text) and is_edited(text)
        if edited and not force:
            raise ForeignEntry("the block of memories was changed by hand")
        return Merged(with_memories(text, self.body), (), edited)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  a block has no container
        if not self.present(text):
            return text
        return without_marks(text) if is_edited(text) else without_block(text, MEMORIES)

    def present(self, text: str) -> bool:
        return _has_block(text, MEMORIES)

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip("\ufeff \t\r\n")


def block_is_edited(text: str) -> bool:
    try:
        return is_edited(text)
    except UnpairedMarks:
        return True


def state_of(text: str) -> str:
    """A hash that changes when somebody else changes the file, but not when Waypost renews its memories."""
    try:
        if block_span(text, MEMORIES) is not None and not is_edited(text):
            text = with_memories(text, "")
    except UnpairedMarks:
        pass  # somebody has changed it
    return digest(text.encode("utf-8"))


def _has_block(text: str, mark: str) -> bool:
    try:
        return block_span(text, mark) is not None
    except UnpairedMarks as error:
        raise Malformed(str(error), *position(text, error.at)) from error
