"""Which of Waypost's tools an agent may use without asking: those that only read."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from waypost.faces.setup.agents import Permissions
from waypost.faces.setup.jsonc import find, parse, to_python
from waypost.faces.setup.jsonc_edit import add_item, drop, is_bare
from waypost.faces.setup.part import ContainerPath, ForeignEntry, Merged, PartName
from waypost.faces.setup.server_part import prune
from waypost.text.marked_block import newline_of

_HEAD = "# Written by `waypost setup`: tools of Waypost that only read."
_BLANK = "\ufeff \t\r\n"


def permissions_part(permissions: Permissions, tools: Sequence[str]) -> "AllowedItems | AllowedFile":
    if permissions.path:
        return AllowedItems(permissions.path, tuple(permissions.item.format(tool=tool) for tool in tools))
    return AllowedFile(f"{_HEAD}\n{permissions.text}")


@dataclass(frozen=True, slots=True)
class AllowedItems:
    """Items of a list in JSON."""

    path: tuple[str, ...]
    items: tuple[str, ...]
    name: ClassVar[PartName] = "permissions"

    def merge(self, text: str, *, force: bool) -> Merged:  # noqa: ARG002  items never conflict
        made: list[ContainerPath] = []
        for item in self.items:
            if item not in self._present(text):
                new = add_item(text, self.path, item)
                text = new.text
                made += new.made
        return Merged(text, tuple(made))

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:
        for item in self.items:
            present = self._present(text)
            if item in present:
                text = drop(text, (*self.path, present.index(item)))
        return prune(text, made)

    def present(self, text: str) -> bool:
        return any(item in self._present(text) for item in self.items)

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip(_BLANK) or is_bare(text, ())

    def _present(self, text: str) -> list[object]:
        items = to_python(find(parse(text).root, self.path))
        return items if isinstance(items, list) else []


@dataclass(frozen=True, slots=True)
class AllowedFile:
    """A file of our own."""

    body: str
    name: ClassVar[PartName] = "permissions"

    def merge(self, text: str, *, force: bool) -> Merged:
        foreign = bool(text.strip(_BLANK)) and not self.present(text)
        if foreign and not force:
            raise ForeignEntry("something is written that is not Waypost's")
        return Merged(self.body.replace("\n", newline_of(text)), (), foreign)

    def remove(self, text: str, made: Sequence[ContainerPath]) -> str:  # noqa: ARG002  a file has no container
        return "" if self.present(text) else text

    def present(self, text: str) -> bool:
        return text.startswith(_HEAD)

    def leaves_nothing(self, text: str) -> bool:
        return not text.strip(_BLANK)
