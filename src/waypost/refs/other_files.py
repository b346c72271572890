"""Where else something can be that is lost in its file."""

from collections.abc import Iterable, Sequence
from typing import Protocol

from waypost.model.shape import FileShape
from waypost.refs.sketch import likeness, sketch

_OVERLAP = 0.4  # of a file's contents make another one its successor


class Elsewhere(Protocol):
    """Questions about the rest of the tree, asked only when something is lost in its file. The nearest come first."""

    def became(self) -> Iterable[FileShape]:
        """Files that this file became, as git tells."""
        ...

    def named(self, name: str) -> Iterable[FileShape]:
        """Other files that define a symbol whose last name is this.

        A file that is as it was when the place was pinned is better left out: nothing can have moved there.
        """
        ...

    def changed(self) -> Iterable[FileShape]:
        """Other files that changed lately."""
        ...


class Nowhere:
    """An `Elsewhere` for a file that is all there is."""

    def became(self) -> Iterable[FileShape]:
        return ()

    def named(self, name: str) -> Iterable[FileShape]:  # noqa: ARG002
        return ()

    def changed(self) -> Iterable[FileShape]:
        return ()


class ShapesElsewhere:
    """An `Elsewhere` over shapes in memory, for one file of the tree as it was."""

    def __init__(self, was: FileShape, now: Sequence[FileShape], changed: Iterable[str] | None = None) -> None:
        """`changed`: paths of the files that changed; all, when it is not said."""
        self._was = was
        self._others = [shape for shape in now if shape.path != was.path]
        self._is_there = len(self._others) < len(now)
        self._changed = None if changed is None else frozenset(changed)

    def became(self) -> Iterable[FileShape]:
        if self._is_there or not self._was.words:
            return []
        known = sketch(self._was.words)
        found = [(likeness(known, shape.words), shape) for shape in self._others]
        best = max(found, key=lambda pair: pair[0], default=None)
        return [best[1]] if best is not None and best[0] >= _OVERLAP else []

    def named(self, name: str) -> Iterable[FileShape]:
        return [shape for shape in self.changed() if any(one.name == name for one in shape.landmarks)]

    def changed(self) -> Iterable[FileShape]:
        return [shape for shape in self._others if self._changed is None or shape.path in self._changed]
