"""Other files of the repository in which lost code can be."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from waypost.model.shape import FileShape
from waypost.refs.sketch import likeness, sketch

_OVERLAP = 0.4  # share of a file's content that makes another file its successor


class OtherFiles(Protocol):
    """Looks up other files, nearest first. Used only when code is no longer in its file."""

    def successors(self) -> Iterable[FileShape]:
        """Files that this file was renamed to, according to git."""
        ...

    def named(self, name: str) -> Iterable[FileShape]:
        """Other files that define a symbol with this last name.

        Implementations should leave out files unchanged since the pin: nothing can have moved there.
        """
        ...

    def changed(self) -> Iterable[FileShape]:
        """Other files that changed recently."""
        ...


class NoOtherFiles:
    """There are no other files."""

    def successors(self) -> Iterable[FileShape]:
        return ()

    def named(self, name: str) -> Iterable[FileShape]:  # noqa: ARG002
        return ()

    def changed(self) -> Iterable[FileShape]:
        return ()


class OtherShapes:
    """Other files with their shapes in memory."""

    def __init__(self, was: FileShape, now: Sequence[FileShape], changed: Iterable[str] | None = None) -> None:
        """`changed` lists the paths of changed files. By default all have changed."""
        self._was = was
        self._others = [shape for shape in now if shape.path != was.path]
        self._is_there = len(self._others) < len(now)
        self._changed = None if changed is None else frozenset(changed)

    def successors(self) -> Iterable[FileShape]:
        if self._is_there or not self._was.words:
            return []
        original = sketch(self._was.words)
        rated = [(likeness(original, shape.words), shape) for shape in self._others]
        best = max(rated, key=lambda pair: pair[0], default=None)
        return [best[1]] if best is not None and best[0] >= _OVERLAP else []

    def named(self, name: str) -> Iterable[FileShape]:
        return [shape for shape in self.changed() if any(landmark.name == name for landmark in shape.landmarks)]

    def changed(self) -> Iterable[FileShape]:
        return [shape for shape in self._others if self._changed is None or shape.path in self._changed]
