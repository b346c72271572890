"""Other files of a repository, none or with their shapes in memory."""

from collections.abc import Iterable, Sequence

from waypost.model.shape import FileShape
from waypost.refs.sketch import likeness, sketch

_OVERLAP = 0.4  # share of a file's content that makes another file its successor


class NoOtherFiles:
    """There are no other files."""

    def successors(self) -> Iterable[FileShape]:
        return ()

    def named(self, name: str) -> Iterable[FileShape]:
        return ()

    def changed(self) -> Iterable[FileShape]:
        return ()

    def before(self, path: str) -> FileShape | None:
        return None


class OtherShapes:
    """Other files with their shapes in memory."""

    def __init__(
        self,
        was: FileShape,
        now: Sequence[FileShape],
        changed: Iterable[str] | None = None,
        before: Sequence[FileShape] = (),
    ) -> None:
        """`changed` lists the paths of changed files. By default all have changed. `before`: other files at that time."""
        self._was = was
        self._before = {shape.path: shape for shape in (*before, was)}
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

    def before(self, path: str) -> FileShape | None:
        return self._before.get(path)
