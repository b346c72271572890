"""Symbols of a file: their words, meaning and likeness to an anchor."""

from collections.abc import Iterable
from itertools import takewhile

from waypost.model.shape import FileShape, Landmark, family
from waypost.refs.anchor import AT_COMMENT, AT_DEFINITION, AT_START, SHORT_NAME, Anchor, clip_name
from waypost.refs.occurrences import text_hash
from waypost.refs.sketch import likeness

_ALONE_BYTES = 8


def span(shape: FileShape, landmark: Landmark) -> tuple[int, int]:
    return shape.between(landmark.start, landmark.end)


def start_of(landmark: Landmark, begin: int) -> int:
    """The line where a reference to the symbol begins."""
    return {AT_START: landmark.start, AT_DEFINITION: landmark.define, AT_COMMENT: landmark.first}[begin]


def same_name(shape: FileShape, qualified: str) -> list[Landmark]:
    """Symbols with this qualified name (shortened as in anchors), in file order."""
    return [landmark for landmark in shape.landmarks if is_named(landmark, qualified)]


def is_named(landmark: Landmark, qualified: str) -> bool:
    own = landmark.qualified
    return own == qualified or (len(own) > SHORT_NAME and clip_name(own) == qualified)


def meaning_of(shape: FileShape, landmark: Landmark) -> bytes:
    return shape.meaning(*span(shape, landmark), landmark.name)


def alone_meaning(shape: FileShape, landmark: Landmark) -> bytes:
    """The meaning with only the definition's own name hidden. Empty if its name occurs nowhere else.

    `def get(self): return self.rows.get(1)` can be renamed while the `get` it calls stays. A recursive function is
    renamed together with its calls.
    """
    meaning = _meaning_alone(shape, landmark)
    return b"" if meaning == meaning_of(shape, landmark) else meaning[:_ALONE_BYTES]


def _meaning_alone(shape: FileShape, landmark: Landmark) -> bytes:
    only = shape.between(landmark.define, landmark.end)[0]
    return shape.meaning(*span(shape, landmark), landmark.name, only)


def is_equal(shape: FileShape, landmark: Landmark, anchor: Anchor) -> bool:
    """Whether it has the same meaning, under any name."""
    first, behind = span(shape, landmark)
    if (shape.broken or anchor.broken) and text_hash(shape, landmark.start, landmark.end) == anchor.text:
        return True
    if behind - first != anchor.count or family(landmark.kind) != family(anchor.kind):
        return False
    if meaning_of(shape, landmark) == anchor.meaning:
        return True
    return _meaning_alone(shape, landmark).startswith(anchor.alone or anchor.meaning)


def symbol_likeness(shape: FileShape, landmark: Landmark, anchor: Anchor) -> float:
    """From 0 to 1, where 1 means equal."""
    value = likeness(anchor.sketch, shape.symbol_words(*span(shape, landmark), landmark.name))
    return min(value, 1 - 1 / max(2, anchor.count))


def is_twin(shape: FileShape, landmark: Landmark) -> bool:
    """Whether another symbol in the file has the same meaning, its name aside."""
    first, behind = span(shape, landmark)
    meaning = None
    for other in shape.landmarks:
        if other is landmark or family(other.kind) != family(landmark.kind):
            continue
        place = span(shape, other)
        if place != (first, behind) and place[1] - place[0] == behind - first:
            meaning = meaning or meaning_of(shape, landmark)
            if meaning_of(shape, other) == meaning:
                return True
    return False


def unique_shapes(shapes: Iterable[FileShape]) -> list[FileShape]:
    """One shape per path, the first one."""
    first: dict[str, FileShape] = {}
    for shape in shapes:
        first.setdefault(shape.path, shape)
    return list(first.values())


def common_tail(qualified: str, symbol: Landmark) -> int:
    """How many trailing parts the two qualified names share."""
    pairs = zip(reversed(qualified.split(".")), reversed(symbol.qualified.split(".")), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def last_name(qualified: str) -> str:
    return qualified.rpartition(".")[2]


def parent_of(qualified: str) -> str:
    return qualified.rpartition(".")[0]
