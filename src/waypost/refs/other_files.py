"""Other files of the repository in which lost code can be."""

from collections.abc import Iterable
from typing import Protocol

from waypost.model.shape import FileShape

# How many files are parsed in search of lost code before it counts as deleted.
MOST_NAMED = 50  # with a definition of its name
MOST_CHANGED = 40  # changed recently


class OtherFiles(Protocol):
    """Looks up other files, nearest first. Used only when code is no longer in its file."""

    def successors(self) -> Iterable[FileShape]:
        """Files that this file was renamed to, according to git."""
        ...

    def named(self, name: str, /) -> Iterable[FileShape]:
        """Other files that define a symbol with this last name.

        Implementations should leave out files unchanged since the pin: nothing can have moved there.
        """
        ...

    def changed(self) -> Iterable[FileShape]:
        """Other files that changed recently."""
        ...

    def before(self, path: str, /) -> FileShape | None:
        """A file as it was when the code was pinned. None if it did not exist, or nobody knows."""
        ...
