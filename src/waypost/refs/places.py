"""Stretches of words in a shape: what is around them, and where the same ones stand."""

from array import array

from waypost.model.reference import LineRange
from waypost.model.shape import Landmark, Shape

_SURROUNDING = 3  # words on each side tell a place from another
_MOST_HASHED = 2_000_000  # words of places that only begin alike; a file of one word again and again has no more


def short(word: int) -> int:
    """A word in two bytes."""
    return word >> 40 & 0xFFFF


def enclosing(shape: Shape, lines: LineRange) -> Landmark | None:
    """The innermost symbol or section around these lines."""
    found = None
    for landmark in shape.landmarks:
        around = landmark.first <= lines.start and lines.end <= landmark.end
        if around and (found is None or landmark.end - landmark.first <= found.end - found.first):
            found = landmark
    return found


def surroundings(shape: Shape, first: int, behind: int) -> tuple[int, int]:
    """The words just before and just behind, each as a number of two bytes."""
    return _folded(shape.words[max(0, first - _SURROUNDING) : first]), _folded(
        shape.words[behind : behind + _SURROUNDING]
    )


def occurrences(
    shape: Shape, inside: tuple[int, int], opening: tuple[int, ...], count: int, meaning: bytes
) -> list[int]:
    """Where the words with this meaning begin, inside a stretch."""
    first, behind = inside
    words = shape.words[first:behind]
    found: list[int] = []
    if not opening or count > len(words):
        return found
    begin, left = opening[0], _MOST_HASHED
    for place in range(len(words) - count + 1):
        if words[place] >> 40 & 0xFFFF == begin and left > 0 and _opens(words, place, opening):
            start = first + place
            left -= count
            if shape.part_meaning(start, start + count) == meaning:
                found.append(start)
    return found


def _opens(words: "array[int]", place: int, opening: tuple[int, ...]) -> bool:
    return all(
        place + number < len(words) and short(words[place + number]) == wanted for number, wanted in enumerate(opening)
    )


def _folded(words: "array[int]") -> int:
    number = 0
    for word in words:
        number = (number * 0x9E3779B97F4A7C15 + word) & 0xFFFFFFFFFFFFFFFF
    return number >> 48
