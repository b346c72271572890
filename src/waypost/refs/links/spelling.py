"""Similar names: another style, plural, or a typo."""

from collections.abc import Iterable, Iterator

from waypost.text.identifiers import identifier_parts

_SHORTEST_DISTINCTIVE = 8  # letters: shorter names resemble too many others
_SHORTEST_FAR = 12  # letters from which two typos are allowed
_LETTERS = "abcdefghijklmnopqrstuvwxyz_"


def normalized(name: str) -> str:
    """A name without case and separators: equal for `createFileUploads` and `create_file_uploads`."""
    return name.replace("_", "").replace("-", "").replace("$", "").lower()


def is_distinctive(name: str) -> bool:
    """Whether a name is long and compound enough to be unique."""
    return len(name) >= _SHORTEST_DISTINCTIVE and len(identifier_parts(name)) >= 2


def spellings(name: str) -> tuple[str, ...]:
    """Lower-case look-up forms: as written, in one word, with underscores."""
    snake = "_".join(part.lower() for part in identifier_parts(name))
    return tuple(dict.fromkeys(style for style in (name.lower(), normalized(name), snake) if style))


def singular(name: str) -> str:
    """`QuerySet` for `QuerySets`, or "" if the name is not a plural."""
    return name[:-1] if len(name) > 4 and name[-1] == "s" and name[-2].isalnum() and name[-2] not in "sui" else ""


def typos(name: str) -> Iterator[str]:
    """Every lower-case name one edit away: a letter deleted, swapped, replaced or added."""
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


def is_typo(name: str, other: str) -> bool:
    """Whether the names differ by one typo, or by two if they are long."""
    allowed = 1 if len(name) < _SHORTEST_FAR else 2
    return distance(name.lower(), other.lower(), allowed) <= allowed


def distance(left: str, right: str, most: int) -> int:
    """Damerau-Levenshtein distance with adjacent swaps, or `most + 1` if it is larger."""
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


def similar_names(name: str, among: Iterable[str]) -> list[str]:
    """The names in `among` that are a typo away from `name`."""
    return [other for other in among if abs(len(other) - len(name)) <= 2 and is_typo(name, other)]
