"""Names that are nearly the same: another style of writing, another number, a slip of the finger."""

from collections.abc import Iterable, Iterator

from waypost.text.identifiers import identifier_parts

_SHORTEST_TELLING = 8  # letters: shorter names are too near to too many others
_SHORTEST_FAR = 12  # letters from which on two slips are forgiven
_LETTERS = "abcdefghijklmnopqrstuvwxyz_"


def squeezed(name: str) -> str:
    """A name without case and separators: the same for `createFileUploads`, `create_file_uploads` and `CREATE-FILE…`."""
    return name.replace("_", "").replace("-", "").replace("$", "").lower()


def is_telling(name: str) -> bool:
    """Whether a name is so long and so made that it is nobody else's."""
    return len(name) >= _SHORTEST_TELLING and len(identifier_parts(name)) >= 2


def styles(name: str) -> tuple[str, ...]:
    """How the name is looked up: as written, in one word, with underscores; all in lower case."""
    snake = "_".join(part.lower() for part in identifier_parts(name))
    return tuple(dict.fromkeys(one for one in (name.lower(), squeezed(name), snake) if one))


def singular(name: str) -> str:
    """`QuerySet` for `QuerySets`; "" if the name is no plural that prose would make."""
    return name[:-1] if len(name) > 4 and name[-1] == "s" and name[-2].isalnum() and name[-2] not in "sui" else ""


def slips(name: str) -> Iterator[str]:
    """Every lower-cased name that is one letter away: one left out, two swapped, one other, one more."""
    name = name.lower()
    for place in range(len(name) + 1):
        head, tail = name[:place], name[place:]
        if tail:
            yield head + tail[1:]
        if len(tail) > 1:
            yield head + tail[1] + tail[0] + tail[2:]
        for letter in _LETTERS:
            if tail:
                yield head + letter + tail[1:]
            yield head + letter + tail


def is_near(name: str, other: str) -> bool:
    """Whether one is the other with a slip or, if it is long, two."""
    allowed = 1 if len(name) < _SHORTEST_FAR else 2
    return distance(name.lower(), other.lower(), allowed) <= allowed


def distance(left: str, right: str, most: int) -> int:
    """Letters to change, add, leave out or swap with their neighbour; `most + 1` for whatever is farther."""
    if left == right:
        return 0
    if abs(len(left) - len(right)) > most:
        return most + 1
    earlier: list[int] = []
    above = list(range(len(right) + 1))
    for row, letter in enumerate(left, 1):
        here = [row]
        for column, other in enumerate(right, 1):
            cost = min(above[column] + 1, here[-1] + 1, above[column - 1] + (letter != other))
            if row > 1 and column > 1 and letter == right[column - 2] and left[row - 2] == other:
                cost = min(cost, earlier[column - 2] + 1)
            here.append(cost)
        if min(here) > most:
            return most + 1
        earlier, above = above, here
    return min(above[-1], most + 1)


def nearest(name: str, among: Iterable[str]) -> list[str]:
    """Those of `among` that are a slip away from the name."""
    return [other for other in among if abs(len(other) - len(name)) <= 2 and is_near(name, other)]
